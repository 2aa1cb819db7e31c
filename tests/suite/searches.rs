//! Searches of companies as users type them: `tests/searches` lists the company that each must find first.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::server::{SERVER, Server, query};

/// A search and the symbol that must come first.
struct Search {
    market: String,
    text: String,
    symbol: String,
}

/// The searches of a file in `tests/searches`.
fn searches(file: &str) -> Vec<Search> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/searches").join(file);
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let searches = lines.map(|line| {
        let [market, text, symbol] =
            line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>().try_into().unwrap();
        Search { market, text, symbol }
    });
    searches.collect()
}

/// Returns the symbols that a search finds, best first.
fn found(server: &Server, market: &str, text: &str) -> Vec<String> {
    let (path, param) = if market == "us" { ("us/companies", "query") } else { ("companies", "q") };
    let reply = server.get(&format!("{path}?{}", query(&[(param, text)])));
    assert_eq!(reply.status, 200, "{text}: {}", reply.message());
    let rows = reply.data();
    rows.as_array().unwrap().iter().map(|row: &Json| row["symbol"].as_str().unwrap().to_owned()).collect()
}

/// Returns the searches that find another company first, with their results.
pub(crate) fn wrong(server: &Server, file: &str) -> Vec<String> {
    let wrong = searches(file).into_iter().filter_map(|Search { market, text, symbol }| {
        let found = found(server, &market, &text);
        (found.first() != Some(&symbol))
            .then(|| format!("{market} `{text}`: {symbol} is not first of {found:?}"))
    });
    wrong.collect()
}

/// Two of the forty may fail, because a ranking tuned to every listed search would be overfitted.
#[test]
fn searches_find_the_company_that_people_mean() {
    assert_eq!(searches("demo.txt").len(), 40);
    let wrong = wrong(&SERVER, "demo.txt");
    println!("{}", wrong.join("\n"));
    assert!(wrong.len() <= 2, "{}", wrong.join("\n"));
}

#[test]
fn a_company_without_a_bar_for_sessions_comes_behind_those_that_trade() {
    let found = found(&SERVER, "india", "capital");
    assert!(found.len() > 1, "{found:?}");
    assert_eq!(found.last().unwrap(), "BAQABECAP");
}
