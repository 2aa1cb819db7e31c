//! Operations without their optional tables, which must not keep any from answering.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use parquote::engine::{Engine, LoadScope, MarketSnapshot, QueryLimits, SetName, tables_read};
use parquote::operation::{Market, Operation};
use parquote::set::Home;
use reqwest::Method;

use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, open};
use crate::server::{SERVER, Server};
use crate::tables;

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
        "order_wins", "corporate_events", "insider_trades", "deals", "pledges", "latest_pledges",
        "sec_filings", "shareholding",
    ]
    .into();
    for market in Market::ALL {
        for (operation, missing) in missing(market, &lacks) {
            let name = operation.name.trim_start_matches("us/");
            let asked = [
                "lists/changes",
                "chat/events",
                "chat/texts",
                "chat/companies",
                "screener/natural-language",
                "explore/calendar",
                "explore/week-ahead",
            ];
            assert!(!asked.contains(&name) || missing.is_empty(), "{}: {missing:?}", operation.name);
        }
    }
}

#[test]
fn tables_that_are_optional_for_a_view_are_read_with_it() {
    for (market, table) in [(Market::India, "circuits"), (Market::Us, "sec_filings")] {
        let read = tables_read(&CATALOGUE, market).unwrap();
        let (_, of_events) =
            read.iter().find(|(operation, _)| operation.name.ends_with("chat/events")).unwrap();
        assert!(of_events.contains(table), "{market}: {of_events:?}");
    }
}

#[test]
fn pages_without_their_tables_leave_the_menu_and_the_tabs() {
    let copy = LITTLE.copy();
    for table in ["deals", "management_tones", "guidance_tones", "call_decoders", "ai_summaries"] {
        let table = copy.path().join("india").join(table);
        let is_gone = std::fs::remove_file(table.with_extension("parquet")).is_ok()
            || std::fs::remove_dir_all(&table).is_ok();
        assert!(is_gone || !table.exists());
    }
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let links = |server: &Server| {
        let companies = server.get("companies?limit=1").data();
        let page = format!("/india/company/{}", companies[0]["symbol"].as_str().unwrap());
        let has = |page: &str, link: &str| {
            let reply = server.send(&Method::GET, page, &[], "");
            String::from_utf8(reply.body).unwrap().contains(&format!("href=\"{link}\""))
        };
        [
            has(&page, &format!("{page}/calls")),
            has(&page, &format!("{page}/ratios")),
            has("/india/calendar", "/india/deals"),
            has("/india/calendar", "/india/insiders"),
        ]
    };
    assert_eq!(links(&SERVER), [true; 4]);
    assert_eq!(links(&server), [false, true, false, true]);
}

/// A text that was saved under two days has the same hash on both.
#[test]
fn a_document_of_two_days_is_read_once_as_of_the_first() {
    // 5 and 7 August 2026.
    const DAYS: [i32; 2] = [20_670, 20_672];
    const HASH: &str = "0123456789abcdef";
    let copy = LITTLE.copy();
    let companies = tables::read(&copy.path().join("india/companies.parquet"));
    let symbols = cast(companies.column_by_name("symbol").unwrap(), &DataType::Utf8).unwrap();
    let symbol = symbols.as_any().downcast_ref::<StringArray>().unwrap().value(0).to_owned();
    let same = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text; 4])) };
    let null = || -> ArrayRef { Arc::new(StringArray::from(vec![None::<&str>; 4])) };
    let rows = RecordBatch::try_from_iter_with_nullable([
        ("symbol", same(&symbol), false),
        ("published_on", Arc::new(Date32Array::from(vec![DAYS[0], DAYS[0], DAYS[1], DAYS[1]])) as _, false),
        ("document_hash", same(HASH), false),
        ("paragraph", Arc::new(Int64Array::from(vec![1, 2, 1, 2])) as _, false),
        ("paragraph_text", Arc::new(StringArray::from(vec!["One", "Two", "One", "Two"])) as _, false),
        ("document_kind", same("press_release"), false),
        ("period_end", Arc::new(Date32Array::from(vec![None::<i32>; 4])) as _, true),
        ("document_title", null(), true),
        ("document_url", null(), true),
        ("source", null(), true),
    ]);
    tables::write(&copy.path().join("india/documents.parquet"), &rows.unwrap());
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let rows = server.get(&format!("explore/document?symbol={symbol}&document={HASH}")).data();
    let read: Vec<_> =
        rows.as_array().unwrap().iter().map(|row| (&row["paragraph"], &row["published_on"])).collect();
    let (one, two, day) = (serde_json::json!(1), serde_json::json!(2), serde_json::json!("2026-08-05"));
    assert_eq!(read, [(&one, &day), (&two, &day)]);
}
