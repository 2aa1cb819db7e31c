//! Operations without their optional tables, which must not keep any from answering.

use std::collections::BTreeSet;
use std::sync::Arc;

use parquote::engine::{Engine, LoadScope, MarketSnapshot, QueryLimits, SetName};
use parquote::operation::{Market, Operation};
use parquote::set::Home;

use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME};

/// Returns the operations of a market with their missing tables, if the market lacks `lacks`.
fn missing(market: Market, lacks: &BTreeSet<&str>) -> Vec<(Arc<Operation>, Vec<String>)> {
    let home = Home::new(&LITTLE.data);
    let mut files = match home.newest(market).unwrap() {
        Some(set) => home.files(market, &set),
        None => RUNTIME.block_on(parquote::set::Root::folder(&LITTLE.data).plain_tables(market)).unwrap(),
    };
    files.retain(|table, _| !lacks.contains(table.as_str()));
    let engine = Engine::new(Arc::clone(&CATALOGUE), &QueryLimits::default());
    let load = MarketSnapshot::load(&engine, market, SetName::unpublished(""), &files, LoadScope::Served);
    let loaded = RUNTIME.block_on(load).unwrap();
    let of_market = CATALOGUE.operations().iter().filter(|operation| operation.market == market);
    of_market.map(|operation| (Arc::clone(operation), loaded.missing(operation).to_vec())).collect()
}

#[test]
fn what_is_optional_for_an_operation_keeps_it_from_nothing() {
    for market in Market::ALL {
        let of_market = CATALOGUE.operations().iter().filter(|operation| operation.market == market);
        let optional: BTreeSet<&str> =
            of_market.flat_map(|operation| &operation.optional_tables).map(String::as_str).collect();
        assert!(optional.len() > 15, "{market}: {optional:?}");
        for (operation, missing) in missing(market, &optional) {
            let tables = operation.optional_tables.iter().map(|table| format!("{market}.{table}"));
            let kept: Vec<String> = tables.filter(|table| missing.contains(table)).collect();
            assert_eq!(kept, Vec::<String>::new(), "{}", operation.name);
        }
    }
}

/// These operations answer without the tables that official files do not provide, in both markets.
#[test]
fn lists_and_chats_answer_from_what_is_there() {
    let lacks: BTreeSet<&str> = [
        "order_wins",
        "corporate_events",
        "insider_trades",
        "deals",
        "pledges",
        "latest_pledges",
        "sec_filings",
        "shareholding",
    ]
    .into();
    for market in Market::ALL {
        for (operation, missing) in missing(market, &lacks) {
            let name = operation.name.trim_start_matches("us/");
            let asked =
                ["lists/changes", "chat/events", "chat/texts", "chat/companies", "screener/natural-language"];
            assert!(!asked.contains(&name) || missing.is_empty(), "{}: {missing:?}", operation.name);
        }
    }
}
