//! Links lead to pages that exist: a crawl from the first page of each market, limited to a few addresses of each kind.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use reqwest::Method;

use super::visit::{expected, routes, visit};
use crate::server::SERVER;

/// Most addresses of one kind that are visited, because the pages of thousands of companies are alike.
const OF_A_KIND: usize = 6;

/// Most addresses of one page that are visited, because the choices of a chart and a screener combine in hundreds of ways.
const OF_A_PAGE: usize = 60;

/// Returns the kind of a link: the path without symbols, and the names of the parameters.
fn kind(link: &str) -> (String, String) {
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    let path: Vec<&str> = path
        .split('/')
        .map(|part| if part.len() > 3 && part.to_uppercase() == part { "*" } else { part })
        .collect();
    let mut names: Vec<&str> = query.split('&').filter_map(|pair| pair.split('=').next()).collect();
    names.sort_unstable();
    (path.join("/"), names.join("&"))
}

#[test]
fn links_lead_to_pages_that_exist() {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut of_page: BTreeMap<String, usize> = BTreeMap::new();
    let mut of_kind: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut queue: VecDeque<(String, String)> =
        ["/india", "/us"].map(|path| ("the start".to_owned(), path.to_owned())).into();
    while let Some((from, link)) = queue.pop_front() {
        let kind = kind(&link);
        let page = of_page.entry(kind.0.clone()).or_default();
        let alike = of_kind.entry(kind).or_default();
        if *alike == OF_A_KIND || *page == OF_A_PAGE || !seen.insert(link.clone()) {
            continue;
        }
        *alike += 1;
        *page += 1;
        // The portal needs a state file, which this server does not have.
        if link == "/portal" {
            continue;
        }
        let is_page = ["/india", "/us"].iter().any(|market| link.starts_with(market));
        if !is_page || [".csv", ".arrow", ".xlsx", ".json"].iter().any(|file| link.contains(file)) {
            let reply = SERVER.send(&Method::GET, &link, &[], "");
            assert_eq!(reply.status, 200, "{link}, from {from}");
            continue;
        }
        let page = visit(&link);
        assert_eq!(page.reply.status, expected(&link), "{link}, from {from}: {}", page.text);
        queue.extend(page.links().into_iter().map(|next| (link.clone(), next)));
    }
    assert!(seen.len() > 150, "{}", seen.len());
    // No page is orphaned: every page without path parameters is reached.
    for (_, path) in routes().into_iter().filter(|(_, path)| !path.contains('{')) {
        let is_of_a_form = ["/search", "/run", "/list", "/picks"].iter().any(|end| path.ends_with(end));
        assert!(is_of_a_form || seen.contains(&path), "nothing leads to {path}");
    }
}
