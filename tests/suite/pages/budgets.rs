//! Budgets of transfer: the compressed bytes of a page and of the files that it loads.

use super::visit::{Visit, paths, sent, symbol, visit};
use crate::server::SERVER;
use parquote::operation::Market;
use reqwest::Method;

const KB: usize = 1_000;

/// Returns the paths that a browser requests to show a page.
fn files(page: &Visit) -> Vec<String> {
    let named = |name: &str, attribute: &str| {
        page.all(name).filter_map(|tag| tag.attribute(attribute)).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut files = named("link", "href");
    files.extend(named("script", "src"));
    files.extend(named("img", "src"));
    files
}

fn whole(path: &str) -> (usize, usize) {
    let page = visit(path);
    assert_eq!(page.reply.status, 200, "{path}");
    let files = files(&page);
    let bytes = sent(path) + files.iter().map(|file| sent(file)).sum::<usize>();
    (bytes, files.len() + 1)
}

#[test]
fn pages_keep_within_their_budgets() {
    for market in Market::ALL {
        let (bytes, requests) = whole(&format!("/{market}/screener"));
        assert!(
            bytes <= 45 * KB && requests <= 4,
            "screener of {market}: {bytes} bytes, {requests} requests"
        );
        for tab in ["", "/financials", "/ratios", "/ownership", "/events", "/calls"] {
            let (bytes, requests) = whole(&format!("/{market}/company/{}{tab}", symbol(market)));
            assert!(
                bytes <= 60 * KB && requests <= 6,
                "{market} company{tab}: {bytes} bytes, {requests} requests"
            );
        }
    }
}

#[test]
fn the_interactive_chart_is_loaded_by_its_page_alone() {
    for market in Market::ALL {
        let company = format!("/{market}/company/{}", symbol(market));
        let page = visit(&format!("{company}/chart"));
        let live = page.all("figure").find_map(|tag| tag.attribute("data-live")).unwrap().to_owned();
        assert!(sent(&live) <= 68 * KB, "{}", sent(&live));
        // The licence goes with the code.
        let code = SERVER.send(&Method::GET, &live, &[], "");
        assert!(String::from_utf8_lossy(&code.body).contains("Licensed under Apache License 2.0"));
        // Without scripts there is the picture, with its last figures and its marks.
        let has = |name: &str, class: &str| page.all(name).any(|tag| tag.attribute("class") == Some(class));
        assert!(has("div", "picture-form form-1080") && has("dl", "readout"), "{company}");
        let marks = page.all("ol").filter(|tag| tag.attribute("aria-label") == Some("Marks of the picture"));
        assert_eq!(marks.count(), 1, "{company}");
    }
    for path in paths().iter().filter(|path| !path.ends_with("/chart")) {
        let page = visit(path);
        assert!(page.all("figure").all(|tag| tag.attribute("data-live").is_none()), "{path}");
    }
}

#[test]
fn a_screen_has_fifty_rows() {
    let page = visit("/india/screener");
    let rows = page.all("tr").count();
    assert_eq!(rows, 51);
}

#[test]
fn the_script_is_small() {
    let page = visit("/india");
    let script = page.all("script").find_map(|tag| tag.attribute("src")).unwrap().to_owned();
    assert!(sent(&script) <= 8_200, "{}", sent(&script));
}
