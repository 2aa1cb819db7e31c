//! Lists that are longer than one answer: the number of matches, and the next rows, over REST and MCP.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::demo_market::CATALOGUE;
use crate::server::{Reply, SERVER, query};

fn list(reply: &Reply) -> Vec<Json> {
    let data = reply.data();
    data.get("stocks").unwrap_or(&data).as_array().unwrap().clone()
}

/// Returns all rows of a list, in pages of `limit` rows, by following the links.
fn followed(path: &str) -> Vec<Json> {
    let (name, mut query) = path.split_once('?').unwrap();
    let (mut rows, mut owned) = (Vec::new(), String::new());
    loop {
        let reply = SERVER.get(&format!("{name}?{query}"));
        rows.extend(list(&reply));
        let link = reply.header("link").to_owned();
        let Some(next) = link.strip_prefix("<?").and_then(|link| link.strip_suffix(">; rel=\"next\"")) else {
            let total = reply.header("x-total-count");
            assert!(total.is_empty() || total == rows.len().to_string(), "{path}: {total} of {}", rows.len());
            return rows;
        };
        next.clone_into(&mut owned);
        query = &owned;
    }
}

#[test]
fn links_lead_through_all_rows_once() {
    for (path, whole) in [
        ("companies?limit=7", "companies?limit=50"),
        ("us/market/momentum?limit=9&liquidity=all", "us/market/momentum?limit=100&liquidity=all"),
        ("market/trader-scan?scan_type=stage2&limit=4", "market/trader-scan?scan_type=stage2&limit=100"),
        (
            "company/daily-prices?symbol=BAXIPAPOWR&limit=50",
            "company/daily-prices?symbol=BAXIPAPOWR&limit=365",
        ),
        ("feeds/insider?days=90&limit=5", "feeds/insider?days=90&limit=50"),
        ("company/scorecard?limit=30", "company/scorecard?limit=100"),
    ] {
        let (parts, whole) = (followed(path), followed(whole));
        assert!(parts.len() > 9, "{path}: only {} rows", parts.len());
        assert_eq!(parts.len(), whole.len(), "{path}");
        assert!(parts == whole, "{path}: other rows than in longer pages");
        let distinct: BTreeSet<String> = parts.iter().map(Json::to_string).collect();
        assert_eq!(distinct.len(), parts.len(), "{path}: a row came twice");
    }
}

/// The total counts the matches, regardless of limit and format.
#[test]
fn a_total_does_not_hang_on_the_limit_or_the_format() {
    let total = |path: &str| SERVER.get(path).header("x-total-count").to_owned();
    let scan = "market/trader-scan?scan_type=stage2";
    let whole = total(&format!("{scan}&limit=100"));
    assert!(whole.parse::<usize>().unwrap() > 3);
    for other in
        ["limit=1", "limit=2&offset=1", "limit=1&format=csv", "limit=1&format=arrow", "limit=1&offset=5000"]
    {
        assert_eq!(total(&format!("{scan}&{other}")), whole, "{other}");
    }
    let reply = SERVER.get(&format!("{scan}&limit=1"));
    assert_eq!(
        (&reply.data()["count"], &reply.data()["total"]),
        (&1.into(), &whole.parse::<usize>().unwrap().into())
    );
}

/// A page is converted to an offset; the link to the next page uses the offset.
#[test]
fn a_page_is_an_offset() {
    let page = SERVER.get("companies?limit=7&page=3");
    assert_eq!(page.data(), SERVER.get("companies?limit=7&offset=14").data());
    assert_eq!(page.header("link"), "<?limit=7&offset=21>; rel=\"next\"");
    assert_eq!(
        SERVER.get("companies?limit=7&page=3&offset=21").data(),
        SERVER.get("companies?limit=7&page=4").data()
    );
}

#[test]
fn rows_behind_the_last_are_none_and_no_fault() {
    let reply = SERVER.get("companies?offset=100000");
    assert_eq!((list(&reply).len(), reply.header("link")), (0, ""));
    assert!(SERVER.get("companies?offset=-1").message().contains("`offset`"));
    assert!(SERVER.get("companies?offset=a").message().contains("`offset`"));
    assert!(SERVER.get("company/profile?symbol=BAXIPAPOWR&offset=1").message().contains("`offset`"));
}

/// No list of the catalogue drops rows silently: each returns a total or says that more follow.
#[test]
fn every_list_says_how_many_match() {
    let mut lists = 0;
    for operation in CATALOGUE.operations().iter().filter(|operation| operation.has_rows()) {
        let pairs = operation.example_pairs(false);
        let reply = SERVER.get(&format!("{}?{}", operation.name, query(&pairs)));
        if reply.json().get("error").is_some()
            || reply.data().get("stocks").is_none() && !reply.data().is_array()
        {
            continue;
        }
        lists += 1;
        let (total, link) = (reply.header("x-total-count"), reply.header("link"));
        assert!(!total.is_empty() || !link.is_empty(), "{}: neither a total nor a next part", operation.name);
        let rows = list(&reply).len();
        match total.parse::<usize>() {
            Ok(total) => assert_eq!(link.is_empty(), total == rows, "{}: {rows} of {total}", operation.name),
            Err(_) => assert!(!link.is_empty()),
        }
    }
    assert!(lists > 30, "only {lists} lists");
}
