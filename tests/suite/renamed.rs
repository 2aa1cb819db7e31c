//! Former symbols of companies: every operation with a symbol answers with the present company, and says so.

use std::path::Path;
use std::sync::Arc;

use chrono::Datelike as _;
use datafusion::arrow::array::{ArrayRef, AsArray, Date32Array, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use parquote::operation::Market;
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::demo_market::{CATALOGUE, LITTLE, first_value, open, open_whole};
use crate::server::{Server, query};
use crate::tables;

/// Returns a market whose first three companies have former symbols, with these companies.
fn renamed_market() -> (tempfile::TempDir, [String; 3]) {
    let copy = LITTLE.copy();
    let whole = open_whole(copy.path());
    let symbols = [0, 1, 2].map(|place| {
        let sql = format!("SELECT symbol FROM stocks ORDER BY symbol OFFSET {place}");
        first_value(&whole, Market::India, &sql).unwrap()
    });
    let [one, two, three] = &symbols;
    // The third company formerly had the second's present symbol; two companies formerly had `TWICE`.
    let [one, two, three] = [one, two, three].map(String::as_str);
    let rows = [(one, "FIRST"), (one, "SECOND"), (one, "TWICE"), (two, "TWICE"), (three, two)];
    write_former_names(copy.path(), &rows, 20_000);
    (copy, symbols)
}

/// Writes the former names of companies, which they had until a day since 1970.
fn write_former_names(data: &Path, rows: &[(&str, &str)], until: i32) {
    let texts = |of: &dyn Fn(&(&str, &str)) -> String| -> ArrayRef {
        Arc::new(rows.iter().map(|row| Some(of(row))).collect::<StringArray>())
    };
    let columns = [
        ("symbol", texts(&|(symbol, _)| (*symbol).to_owned())),
        ("former_name", texts(&|(_, former)| (*former).to_owned())),
        ("until", Arc::new(Date32Array::from(vec![until; rows.len()])) as ArrayRef),
    ];
    let file = data.join("india/former_names.parquet");
    tables::write(&file, &RecordBatch::try_from_iter(columns).unwrap());
}

fn tool(server: &Server, name: &str, arguments: &Json) -> Json {
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let params = json!({"name": name, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    server.send(&Method::POST, "/mcp", &headers, &message.to_string()).json()["result"].take()
}

#[test]
fn former_symbols_answer_with_the_company_of_now() {
    let (copy, [one, two, _]) = renamed_market();
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let profile = |symbol: &str| server.get(&format!("company/profile?symbol={symbol}"));

    for former in ["FIRST", "second"] {
        let reply = profile(former);
        assert_eq!(reply.data(), profile(&one).data(), "{former}");
        let said = format!("{}={one}", former.to_uppercase());
        assert_eq!(reply.header("x-renamed-from"), said);
    }
    assert_eq!(profile(&one).header("x-renamed-from"), "");

    // A present symbol takes precedence over former ones.
    let reply = profile(&two);
    assert_eq!((reply.data()["symbol"].as_str(), reply.header("x-renamed-from")), (Some(&*two), ""));
    // A former symbol of two companies is ambiguous.
    let reply = profile("TWICE");
    assert_eq!(reply.status, 404);
    assert!(reply.message().contains(&one) && reply.message().contains(&two), "{}", reply.message());
}

#[test]
fn lists_of_symbols_take_former_ones() {
    let (copy, [one, two, _]) = renamed_market();
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    for route in ["explore/compare", "committee/risk-audit/compute"] {
        let asked = |symbols: &str| server.get(&format!("{route}?symbols={symbols}"));
        let (former, now) = (asked(&format!("FIRST,{two},SECOND")), asked(&format!("{one},{two}")));
        assert_eq!(former.status, now.status, "{route}: {}", former.message());
        assert_eq!(former.json()["data"], now.json()["data"], "{route}: a company named twice counts once");
        assert_eq!(former.header("x-renamed-from"), format!("FIRST={one}, SECOND={one}"), "{route}");
    }
}

#[test]
fn tools_and_pages_lead_to_the_company_of_now() {
    let (copy, [one, ..]) = renamed_market();
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let result = tool(&server, "get_company_profile", &json!({"symbol": "FIRST"}));
    assert_eq!(result["structuredContent"]["data"]["symbol"], json!(one), "{result}");
    assert_eq!(result["_meta"]["parquote/renamed_from"], json!({"FIRST": one}));
    let note = format!("FIRST is now {one}; the answer is that of {one}.");
    assert_eq!(result["structuredContent"]["notes"], json!([note]));

    let page = server.send(&Method::GET, "/india/company/first?days=30", &[], "");
    assert_eq!((page.status, page.header("location")), (303, &*format!("/india/company/{one}?days=30")));
    let lower = server.send(&Method::GET, &format!("/india/company/{}?days=30", one.to_lowercase()), &[], "");
    assert_eq!((lower.status, lower.header("location")), (303, page.header("location")));
}

#[test]
fn a_symbol_of_a_later_day_is_that_of_the_company_on_an_earlier_one() {
    /// The days from the first of the calendar to that of dates in files, 1970-01-01.
    const EPOCH: i32 = 719_163;
    let copy = LITTLE.copy();
    let whole = open_whole(copy.path());
    let old = first_value(&whole, Market::India, "SELECT symbol FROM stocks ORDER BY symbol").unwrap();
    let on_the_day = open(copy.path()).unwrap();
    let day = on_the_day.as_of(Market::India).unwrap().num_days_from_ce() - EPOCH;
    let asked = |symbol: &str, until: i32| {
        write_former_names(copy.path(), &[("LATER", old.as_str())], until);
        on_the_day.earlier_symbol(&open(copy.path()).unwrap(), Market::India, symbol)
    };
    assert_eq!(asked("LATER", day + 1), Some(old.clone()));
    // On the day it was another company's, or nobody's.
    assert_eq!(asked("LATER", day), None);
    assert_eq!(asked(&old, day + 1), None);
    assert_eq!(asked("NOBODY", day + 1), None);
}

#[test]
fn stocks_without_a_sector_are_counted() {
    let copy = LITTLE.copy();
    let stocks = copy.path().join("india/stocks.parquet");
    let whole = open_whole(copy.path());
    let value = |sql: &str| first_value(&whole, Market::India, sql).unwrap();
    let own =
        value("SELECT sector FROM stocks WHERE session = as_of() AND sector IS NOT NULL ORDER BY symbol");
    let mut taken = 0;
    tables::change(&stocks, |rows| {
        tables::replaced(&rows, "sector", |sectors| {
            let sectors = cast(sectors, &DataType::Utf8).unwrap();
            let sectors = sectors.as_string::<i32>().iter();
            let is_taken = sectors.clone().map(|sector| sector.is_none_or(|sector| sector == own));
            taken = is_taken.filter(|taken| *taken).count();
            Arc::new(sectors.map(|sector| sector.filter(|sector| *sector != own)).collect::<StringArray>())
        })
    });
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let rows = server.get("market/sectors").data();
    let none = format!("(sector IS NULL OR sector = '{own}') AND session >= session_ago(4)");
    let trading: usize = value(&format!("SELECT COUNT(*) FROM stocks WHERE {none}")).parse().unwrap();
    let last = rows.as_array().unwrap().last().unwrap();
    assert_eq!((&last["sector"], &last["stock_count"]), (&json!("(no sector)"), &json!(trading)));

    let (asked, all) =
        (server.get(&format!("companies?{}", query(&[("sector", &own)]))), server.get("companies"));
    assert_eq!(asked.header("x-without-sector"), taken.to_string());
    assert_eq!(all.header("x-without-sector"), "");
    let page = server.send(&Method::GET, "/india/sectors", &[], "");
    let text = String::from_utf8(page.body).unwrap();
    assert!(text.contains("(no sector)") && !text.contains("sector=%28no"), "the row leads nowhere");
}
