//! The same operations over real data: set `PARQUOTE_REAL_DATA` to a folder that `parquote derive` made of real files.
//! Without it this is passed over, which it says.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use parquote::operation::Market;
use serde_json::Value as Json;

use crate::demo_market::{CATALOGUE, open};
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

#[test]
fn every_operation_answers_from_real_data() {
    let Some(folder) = data() else { return };
    let server = Server::start(&CATALOGUE, open(&folder).unwrap());
    let mut problems = Vec::new();
    for operation in CATALOGUE.operations().iter().filter(|operation| !operation.statements.is_empty()) {
        let mut pairs = operation.example_pairs(false);
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
        if figures < 2 {
            problems.push(format!("{path}: only {figures} figures"));
        }
        if took > Duration::from_secs(2) {
            problems.push(format!("{path}: {took:?}"));
        }
        println!("{path}: {figures} figures, {took:?}");
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
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
