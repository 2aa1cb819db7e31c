//! The same operations over real data: set `PARQUOTE_REAL_DATA` to a folder that `parquote derive` made of real files.
//! Without it this is passed over, which it says.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use parquote::operation::Market;
use serde_json::Value as Json;

use crate::definitions;
use crate::demo_market::{CATALOGUE, open, open_whole};
use crate::server::{Server, query};

fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("PARQUOTE_REAL_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("passed over: PARQUOTE_REAL_DATA names no folder of real data");
    }
    folder
}

/// Large companies that every set of real files has.
fn symbol(market: Market) -> &'static str {
    match market {
        Market::India => "RELIANCE",
        Market::Us => "AAPL",
    }
}

/// Operations that real files need not have an answer to, and why.
const MAY_BE_EMPTY: [(&str, &str); 9] = [
    ("company/insider-trades", "the disclosures at hand end long before the prices"),
    ("feeds/insider", "the disclosures at hand end long before the prices"),
    ("feeds/bulk-block-deals", "the deals at hand end long before the prices"),
    ("feeds/circuit", "a list of price bands holds for a month, and the newest at hand is older"),
    ("company/corporate-actions", "a company may have had none, or one"),
    ("us/feeds/sec", "the filings at hand are some years old"),
    ("us/company/insider-trades", "the transactions at hand end long before the prices"),
    ("us/company/13f-holdings", "the holdings at hand are of years ago, so that none are shown"),
    ("market/industry-stages", "the exchange's files do not say industries; a file of one's own does"),
];

#[test]
fn every_operation_answers_from_real_data() {
    let Some(folder) = data() else { return };
    let server = Server::start(&CATALOGUE, open(&folder).unwrap());
    let mut problems = Vec::new();
    for operation in CATALOGUE.operations().iter().filter(|operation| !operation.statements.is_empty()) {
        for whole in [false, true] {
            let mut pairs = operation.example_pairs(whole);
            for (name, value) in &mut pairs {
                if *name == "symbol" {
                    symbol(operation.market).clone_into(value);
                }
            }
            let began = Instant::now();
            let path = format!("{}?{}", operation.name, query(&pairs));
            let reply = server.get(&path);
            let took = began.elapsed();
            if reply.status != 200 {
                problems.push(format!("{path}: {} {}", reply.status, reply.message()));
                continue;
            }
            let figures = figures(&reply.json()["data"]);
            let excuse = MAY_BE_EMPTY.iter().find(|(name, _)| *name == operation.name);
            match excuse {
                _ if figures >= 2 || whole => println!("{path}: {figures} figures, {took:?}"),
                Some((_, why)) => println!("{path}: {figures} figures, {took:?}: {why}"),
                None => problems.push(format!("{path}: only {figures} figures")),
            }
            if took > Duration::from_secs(2) {
                problems.push(format!("{path}: {took:?}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn real_data_are_as_defined() {
    let Some(folder) = data() else { return };
    let server = Server::start(&CATALOGUE, open(&folder).unwrap());
    let problems = definitions::problems(&server, &open_whole(&folder));
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// Numbers that are not null, anywhere in an answer.
fn figures(json: &Json) -> usize {
    match json {
        Json::Number(_) => 1,
        Json::Array(items) => items.iter().map(figures).sum(),
        Json::Object(fields) => fields.values().map(figures).sum(),
        _ => 0,
    }
}

/// Reads the same files by other means; `PARQUOTE_REAL` names the folder of raw files that the tables are derived from.
#[test]
fn statements_agree_with_the_files_that_they_are_from() {
    let (Some(folder), Some(raw)) = (data(), std::env::var_os("PARQUOTE_REAL").map(PathBuf::from)) else {
        println!("passed over: PARQUOTE_REAL names no folder of raw files");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/independent/statements.py");
    let python = |arguments: &[&std::ffi::OsStr]| {
        let done = std::process::Command::new("python3").arg(script).args(arguments).output().unwrap();
        (done.status.success(), String::from_utf8_lossy(&done.stdout).into_owned())
    };
    let (_, select) = python(&["--select".as_ref()]);
    let tables = open_whole(&folder);
    let vanishing = tempfile::tempdir().unwrap();
    for market in Market::ALL {
        let lines = vanishing.path().join(market.word());
        let drawn = crate::demo_market::RUNTIME.block_on(tables.select(market, select.trim())).unwrap();
        std::fs::write(&lines, drawn).unwrap();
        let (agrees, said) =
            python(&[market.word().as_ref(), raw.join(market.word()).as_ref(), lines.as_ref()]);
        println!("{market}\n{said}");
        assert!(agrees, "{market}: {said}");
    }
}
