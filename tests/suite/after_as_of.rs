//! Facts dated after the market's date are not returned unless requested; raw files may contain later facts than prices do.
//!
//! Every dated row of the feeds and histories of a little market is copied, a year later. No answer may contain that year.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use parquote::operation::{Market, Operation};
use serde_json::Value as Json;

use crate::demo_market::{CATALOGUE, LITTLE, copy_folder, derive_into, open};
use crate::server::{Server, query};

/// The year of the market's date, and the next one.
const YEARS: (&str, &str) = ("2026", "2027");

/// Files below the market's folder whose rows are copied a year ahead; a folder means all files in it.
const LATER: [(&str, &str); 10] = [
    ("india", "bc.csv"),
    ("india", "deals/bulk.csv"),
    ("india", "insider_trading.csv"),
    ("india", "shareholding.csv"),
    ("india", "pledges.csv"),
    ("india", "banking_kpis.csv"),
    ("india", "sector_kpis.csv"),
    ("india", "order_wins.csv"),
    ("india", "guidance_tones.ndjson"),
    ("us", "sec/insider_transactions.csv"),
];

/// Operations that estimate the next results date from the results of a year ago, and so may name the later year.
const DUE: [&str; 4] = ["explore/week-ahead", "lists/get", "us/explore/week-ahead", "us/lists/get"];

#[test]
fn no_answer_knows_what_is_after_the_markets_date() {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy_folder(&LITTLE.raw, raw.path());
    let mut copied = 0;
    for (market, file) in LATER {
        copied += copy_later(&raw.path().join(market).join(file));
    }
    for market in Market::ALL {
        let texts = raw.path().join(market.word()).join("texts");
        for entry in fs::read_dir(texts).unwrap() {
            copied += copy_later(&entry.unwrap().path());
        }
    }
    assert!(copied > 100, "only {copied} rows are dated later");
    derive_into(raw.path(), data.path(), None);
    let server = Server::start(&CATALOGUE, open(data.path()).unwrap());
    let mut problems = BTreeSet::new();
    for operation in CATALOGUE
        .operations()
        .iter()
        .filter(|it| it.answers_from_select() && it.has_route && !DUE.contains(&it.name.as_str()))
    {
        for path in paths(&server, operation) {
            let reply = server.get(&path);
            let told = if reply.status == 200 { later_dates(&reply.data()) } else { BTreeSet::new() };
            if let Some(date) = told.first() {
                problems.insert(format!("{} tells of {date}", operation.name));
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    // The feed shows the 90 days after the market's date; most of the copied actions are nearly a year away.
    let asked = |path: &str| later_dates(&server.get(path).data());
    let symbol = first_action(&raw.path().join("india/bc_later.csv"));
    assert!(!asked(&format!("company/corporate-actions?symbol={symbol}&upcoming=true")).is_empty());
    for path in [
        "feeds/corporate-actions?days=90&upcoming=true&limit=50",
        "explore/week-ahead?days=90",
        "us/explore/week-ahead?days=90",
    ] {
        for date in asked(path) {
            assert!(
                date.as_str() <= "2027-01-28",
                "{path}: {date} is more than 90 days after the market's date"
            );
        }
    }
}

/// Writes the rows that contain the year into a second file in the same folder, dated a year later; returns their number.
fn copy_later(path: &Path) -> usize {
    let name = path.file_name().unwrap().to_str().unwrap();
    let (stem, ending) = name.split_once('.').unwrap();
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header = if ending == "csv" { lines.next() } else { None };
    // An SEC accession number contains the year too.
    let a_year_on = |line: &str| line.replace(YEARS.0, YEARS.1).replace("-26-", "-27-");
    let later: Vec<String> = lines.filter(|line| line.contains(YEARS.0)).map(a_year_on).collect();
    let whole: Vec<&str> = header.into_iter().chain(later.iter().map(String::as_str)).collect();
    fs::write(path.with_file_name(format!("{stem}_later.{ending}")), whole.join("\n") + "\n").unwrap();
    later.len()
}

/// Returns the calls of an operation: one without a symbol, and one for each company of its market if it takes a symbol.
fn paths(server: &Server, operation: &Operation) -> Vec<String> {
    let mut pairs = operation.example_pairs(false);
    for name in ["days", "limit", "periods"] {
        let most = operation.param(name).and_then(|param| match param.limits {
            parquote::operation::ValueLimits::Range(_, most) => most,
            _ => None,
        });
        if let Some(most) = most {
            pairs.retain(|(known, _)| *known != name);
            pairs.push((name, most.to_string()));
        }
    }
    pairs.retain(|(name, _)| *name != "date" && *name != "as_of");
    if operation.param("symbol").is_none() {
        return vec![format!("{}?{}", operation.name, query(&pairs))];
    }
    let list = if operation.market == Market::Us { "us/companies" } else { "companies" };
    let companies = server.get(&format!("{list}?limit=50")).data();
    let symbols =
        companies.as_array().unwrap().iter().map(|company| company["symbol"].as_str().unwrap().to_owned());
    let of = |symbol: String| {
        let mut pairs = pairs.clone();
        pairs.retain(|(name, _)| *name != "symbol");
        pairs.push(("symbol", symbol));
        format!("{}?{}", operation.name, query(&pairs))
    };
    symbols.map(of).collect()
}

/// Returns the dates and quarters of the later year in an answer.
fn later_dates(answer: &Json) -> BTreeSet<String> {
    let (mut dates, mut nodes) = (BTreeSet::new(), vec![answer]);
    while let Some(node) = nodes.pop() {
        match node {
            Json::Object(fields) => nodes.extend(fields.values()),
            Json::Array(items) => nodes.extend(items),
            Json::String(text) => {
                let is_quarter = text.len() == 8 && text.ends_with(&format!(" {}", YEARS.1));
                if is_quarter || text.starts_with(&format!("{}-", YEARS.1)) {
                    dates.insert(text.clone());
                }
            }
            _ => {}
        }
    }
    dates
}

/// Returns the symbol of the first row of a file of announced actions.
fn first_action(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.lines().nth(1).and_then(|row| row.split(',').nth(1)).unwrap().to_owned()
}
