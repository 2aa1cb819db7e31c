//! Pages as received, requested with a symbol if their path has one.

use std::io::Read as _;

use parquote::explorer::pages::ExplorerPages;
use parquote::operation::{Catalogue, Market};
use reqwest::Method;

use super::markup::{Tag, read};
use crate::server::{Reply, SERVER};

/// A received page.
pub(super) struct Visit {
    pub path: String,
    pub reply: Reply,
    pub text: String,
    pub tags: Vec<Tag>,
}

/// Returns the path of every page of both markets, with the symbol of a company that has all data.
pub(super) fn paths() -> Vec<String> {
    routes().into_iter().map(|(market, path)| path.replace("{symbol}", symbol(market))).collect()
}

/// Returns the expected status of a page: those about runs, lists and keys of models need a state file, which this server does not have.
pub(super) fn expected(path: &str) -> u16 {
    let needs_state = ["/presets", "/committee", "/models", "/lists", "/picks"]
        .iter()
        .any(|end| path.split('?').next().unwrap().ends_with(end));
    if needs_state || path.contains("/presets/start?") { 503 } else { 200 }
}

/// Returns a company of the demo market.
pub(super) fn symbol(market: Market) -> &'static str {
    match market {
        Market::India => "BAXIPAPOWR",
        Market::Us => "BAQEBO",
    }
}

/// Requests a page, which must be well-formed with any status.
pub(super) fn visit(path: &str) -> Visit {
    let reply = SERVER.send(&Method::GET, path, &[], "");
    assert_eq!(reply.header("content-type"), "text/html; charset=utf-8", "{path}");
    let text = String::from_utf8(reply.body.clone()).unwrap();
    let tags = read(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    Visit { path: path.to_owned(), reply, text, tags }
}

/// Returns the number of bytes sent to a browser for a path.
pub(super) fn sent(path: &str) -> usize {
    /// Smaller replies are not compressed.
    const SMALL: usize = 1_024;
    let reply = SERVER.send(&Method::GET, path, &[("accept-encoding", "gzip")], "");
    assert_eq!(reply.status, 200, "{path}");
    if reply.header("content-encoding").is_empty() && reply.body.len() < SMALL {
        return reply.body.len();
    }
    assert_eq!(reply.header("content-encoding"), "gzip", "{path}");
    let mut plain = String::new();
    flate2::read::GzDecoder::new(&*reply.body).read_to_string(&mut plain).unwrap();
    assert!(plain.len() > reply.body.len(), "{path}");
    reply.body.len()
}

impl Visit {
    /// Returns the tags of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Tag> {
        self.tags.iter().filter(move |tag| tag.name == name)
    }

    /// Returns the only tag of a name.
    pub(super) fn one<'a>(&'a self, name: &'a str) -> &'a Tag {
        let mut all = self.all(name);
        let first = all.next().unwrap_or_else(|| panic!("{}: no {name}", self.path));
        assert!(all.next().is_none(), "{}: {name} stands twice", self.path);
        first
    }

    /// Returns the targets of its links on this server.
    pub(super) fn links(&self) -> Vec<String> {
        let links = self.all("a").filter_map(|tag| tag.attribute("href"));
        links.filter(|link| link.starts_with('/')).map(str::to_owned).collect()
    }
}

/// Returns the declared paths of all pages, with their market.
pub(super) fn routes() -> Vec<(Market, String)> {
    let pages = ExplorerPages::from_catalogue(&Catalogue::with_overlay(&[]).unwrap()).unwrap();
    let in_market = |market| pages.in_market(market).map(move |page| (market, page.route(market)));
    Market::ALL.into_iter().flat_map(in_market).collect()
}
