//! Budgets of transfer: the compressed bytes of a page and of the files that it loads.

use super::visit::{Visit, sent, symbol, visit};
use parquote::operation::Market;

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
            bytes <= 44 * KB && requests <= 4,
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
fn a_screen_has_fifty_rows() {
    let page = visit("/india/screener");
    let rows = page.all("tr").count();
    assert_eq!(rows, 51);
}

#[test]
fn the_script_is_small() {
    let page = visit("/india");
    let script = page.all("script").find_map(|tag| tag.attribute("src")).unwrap().to_owned();
    assert!(sent(&script) <= 6 * KB, "{}", sent(&script));
}
