//! Empty answers name the period, old rows name their date, and a missing table differs from an empty one: over REST, of
//! tools, in a chat and on pages.

use std::fs;
use std::sync::LazyLock;

use chrono::NaiveDate;
use parquote::engine::FileForm;
use parquote::operation::Market;
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, first_value, open, open_whole};
use crate::server::{Reply, SERVER, Server};
use crate::tables::change;

/// A market whose newest deals and order filings are 500 days old, and trades of insiders 60 days, without pledges, groups, lists of indices
/// and scores of companies; and a US market without ratios, scorecards and scans by session.
static AGED: LazyLock<Server> = LazyLock::new(|| {
    let copy = LITTLE.copy();
    let india = copy.path().join("india");
    let tables = open_whole(&LITTLE.data);
    let expressions: [(&str, &[(&str, &str)]); 4] = [
        ("deals", &[("deal_date", "deal_date - 500")]),
        ("order_wins", &[("filed_on", "filed_on - 500")]),
        ("insider_trades", &[("filed_on", "filed_on - 60")]),
        (
            "scorecards",
            &[
                ("overall_score", "NULLIF(overall_score, overall_score)"),
                ("unscored_because", "COALESCE(unscored_because, 'It has two of the five dimensions.')"),
            ],
        ),
    ];
    for (table, changed) in expressions {
        let columns = CATALOGUE.table(Market::India, table).unwrap().columns_in(Market::India);
        let columns = columns.map(|column| {
            let name = &column.name;
            match changed.iter().find(|(changed, _)| changed == name) {
                Some((_, expression)) => format!("{expression} AS {name}"),
                None => name.clone(),
            }
        });
        let columns = columns.collect::<Vec<_>>().join(", ");
        let path = india.join(format!("{table}.parquet"));
        fs::remove_file(&path).unwrap();
        let market = tables.market(Market::India).unwrap();
        let sql = format!("SELECT {columns} FROM {table}");
        RUNTIME.block_on(market.write(&sql, &path, FileForm::Parquet)).unwrap();
    }
    for table in ["pledges", "latest_pledges", "conglomerate_groups", "index_members", "index_lists"] {
        fs::remove_file(india.join(format!("{table}.parquet"))).unwrap();
    }
    for table in ["ratios", "scorecards", "scan_spells"] {
        change(&copy.path().join(format!("us/{table}.parquet")), |rows| rows.slice(0, 0));
    }
    Server::start(&CATALOGUE, open(copy.path()).unwrap())
});

/// Returns the day of its newest deal.
fn newest() -> String {
    first_value(&open_whole(&LITTLE.data), Market::India, "SELECT MAX(deal_date) - 500 AS d FROM deals")
        .unwrap()
}

fn symbol() -> String {
    first_value(&open_whole(&LITTLE.data), Market::India, "SELECT symbol FROM stocks ORDER BY symbol")
        .unwrap()
}

/// Returns the result of a tool call on the aged market.
fn tool(path: &str, name: &str, arguments: &Json) -> Json {
    tool_of(&AGED, path, name, arguments)
}

fn tool_of(server: &Server, path: &str, name: &str, arguments: &Json) -> Json {
    let params = json!({"name": name, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    server.send(&Method::POST, path, &headers, &message.to_string()).json()["result"].take()
}

/// Returns the notes of an answer, which has one text that says the same as its structured content.
fn notes(result: &Json) -> Json {
    let blocks = result["content"].as_array().unwrap();
    assert_eq!(blocks.len(), 1, "{result}");
    let text: Json = serde_json::from_str(blocks[0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    text["notes"].clone()
}

#[test]
fn an_empty_feed_says_since_when() {
    let reply: Reply = AGED.get("feeds/bulk-block-deals");
    assert_eq!(reply.data(), json!([]));
    assert_eq!(reply.header("x-newest-rows"), format!("deals={}", newest()));
    let result = tool("/mcp", "get_bulk_block_deals", &json!({}));
    assert_eq!(notes(&result), json!([format!("The newest row of `deals` is of {}.", newest())]));
    assert_eq!(result["_meta"]["parquote/newest_rows"], format!("deals={}", newest()));
    let chat = tool("/mcp/chat", "events", &json!({"market": "india", "kinds": "deal"}));
    let nothing = chat["structuredContent"]["nothing"]["events"].as_str().unwrap();
    assert!(nothing.contains(&format!("of `deals` is of {}", newest())), "{nothing}");
    assert!(nothing.contains("Missing: `pledges`; `parquote check"), "{nothing}");
    let page = AGED.send(&Method::GET, "/india/deals", &[], "");
    let page = String::from_utf8(page.body).unwrap();
    let day: NaiveDate = newest().parse().unwrap();
    assert!(page.contains(&format!("Newest rows: deals {}.", day.format("%-d %b %Y"))), "{page}");
    assert!(!page.contains("Show the newest rows"), "a page of deals goes back 365 days: {page}");
}

#[test]
fn a_list_without_scores_says_that_no_row_has_one() {
    let reply = AGED.get("company/scorecard");
    assert_eq!((reply.data(), reply.header("x-newest-rows")), (json!([]), "scorecards=unscored"));
    let result = tool("/mcp", "get_company_scorecard", &json!({}));
    let said = "No row of `scorecards` has a score; the column `unscored_because` says why for each company.";
    assert_eq!(notes(&result), json!([said]));
    assert_eq!(result["_meta"]["parquote/newest_rows"], "scorecards=unscored");
    let sql = "SELECT symbol FROM scorecards ORDER BY symbol";
    let symbol = first_value(&open_whole(&LITTLE.data), Market::India, sql).unwrap();
    let one = AGED.get(&format!("company/scorecard?symbol={symbol}")).data();
    assert!(one["unscored_because"].is_string(), "{one}");
    assert_eq!(SERVER.get("company/scorecard").header("x-newest-rows"), "");
}

#[test]
fn a_list_of_a_table_without_rows_and_dates_says_so() {
    let sql = "SELECT symbol FROM ratios ORDER BY symbol";
    let symbol = first_value(&open_whole(&LITTLE.data), Market::Us, sql).unwrap();
    for (path, name, arguments, table) in [
        ("us/company/scorecard".to_owned(), "us_get_company_scorecard", json!({}), "scorecards"),
        (format!("us/company/ratios?symbol={symbol}"), "us_get_ratios", json!({"symbol": symbol}), "ratios"),
    ] {
        let reply = AGED.get(&path);
        assert_eq!((reply.data(), reply.header("x-newest-rows")), (json!([]), &*format!("{table}=none")));
        let result = tool("/mcp", name, &arguments);
        assert_eq!(notes(&result), json!([format!("Without rows: `{table}`.")]));
    }
}

#[test]
fn a_stock_without_rows_differs_from_a_table_without_them() {
    let reply = SERVER.get("company/order-wins?symbol=MUZOPEPETR");
    assert_eq!(reply.data(), json!([]));
    let line = reply.header("x-newest-rows").to_owned();
    let newest: NaiveDate = line.strip_prefix("order_wins=others ").unwrap_or(&line).parse().unwrap();
    let result = tool_of(&SERVER, "/mcp", "get_order_wins", &json!({"symbol": "MUZOPEPETR"}));
    let said =
        format!("The newest row of `order_wins` is of {newest}. Rows of other stocks only: `order_wins`.");
    assert_eq!((notes(&result), &result["_meta"]["parquote/newest_rows"]), (json!([said]), &json!(line)));
    let page = SERVER.send(&Method::GET, "/india/company/MUZOPEPETR/events", &[], "");
    let page = String::from_utf8(page.body).unwrap();
    assert!(page.contains("Rows of other stocks only: `order_wins`."), "{page}");
    let reply = SERVER.get("feeds/order-wins");
    assert_eq!(reply.header("x-newest-rows"), format!("order_wins={newest}"));
}

#[test]
fn a_back_test_of_a_scan_without_rows_names_the_table() {
    let refused = AGED.get("us/backtest?scan=nearHigh&every=weekly");
    assert_eq!(refused.status, 400);
    let message = refused.message();
    assert!(
        message.contains("no stock was picked") && message.contains("Without rows: `scan_spells`"),
        "{message}"
    );
}

#[test]
fn an_empty_page_leads_as_far_back_as_its_newest_rows() {
    let sql = "SELECT MAX(filed_on) - 60 AS d FROM insider_trades";
    let newest = first_value(&open_whole(&LITTLE.data), Market::India, sql).unwrap();
    let as_of: Reply = AGED.get("feeds/insider");
    let [newest, as_of] =
        [newest, as_of.header("x-as-of").to_owned()].map(|day| day.parse::<NaiveDate>().unwrap());
    let page = |path: &str| String::from_utf8(AGED.send(&Method::GET, path, &[], "").body).unwrap();
    let address = format!("/india/insiders?days={}", (as_of - newest).num_days() + 1);
    let first = page("/india/insiders");
    assert!(first.contains(&format!("<a href=\"{address}\">Show the newest rows</a>")), "{first}");
    assert!(!page(&address).contains("Nothing to show"), "{address}");
}

#[test]
fn rows_that_are_old_say_how_old() {
    // Every company has some order wins, of any date.
    let sql = "SELECT symbol FROM order_wins ORDER BY symbol";
    let symbol = first_value(&open_whole(&LITTLE.data), Market::India, sql).unwrap();
    let result = tool("/mcp", "get_order_wins", &json!({"symbol": symbol}));
    let notes_of_old = notes(&result);
    let note = notes_of_old[0].as_str().unwrap();
    let sql = "SELECT MAX(filed_on) - 500 AS d FROM order_wins";
    let newest = first_value(&open_whole(&LITTLE.data), Market::India, sql).unwrap();
    let said = format!("the newest row of `order_wins` is of {newest}, ");
    assert!(note.starts_with("Old data: ") && note.contains(&said), "{note}");
    assert_eq!(notes_of_old, json!([note]));
    assert_eq!(notes(&tool("/mcp", "get_top_movers", &json!({}))), Json::Null);
}

#[test]
fn a_table_that_is_not_there_is_not_nothing() {
    let reply = AGED.get(&format!("company/conglomerate?symbol={}", symbol()));
    assert_eq!(reply.status, 404);
    for word in ["`conglomerate_groups`", "`index_members`", "Missing", "parquote check"] {
        assert!(reply.message().contains(word), "{}", reply.message());
    }
    let status = tool("/mcp/chat", "status", &json!({}));
    let empty =
        status["structuredContent"]["status"]["india"]["tables_without_rows"].as_array().unwrap().clone();
    for table in ["pledges", "conglomerate_groups", "index_members"] {
        assert!(empty.contains(&json!(table)), "{table} is not in {empty:?}");
    }
}

#[test]
fn a_gate_of_a_table_that_is_not_there_is_not_counted() {
    let path = format!("committee/fast-scan?symbols={}", symbol());
    let with = crate::server::LITTLE_SERVER.get(&path).data()["scans"][0].clone();
    let scan = AGED.get(&path).data()["scans"][0].clone();
    let lens = |scan: &Json| scan["lenses"][0].clone();
    assert_eq!((&lens(&with)["of"], &lens(&with)["not_counted"]), (&json!(6), &json!([])));
    assert_eq!((&lens(&scan)["of"], &lens(&scan)["not_counted"]), (&json!(5), &json!(["pledge"])));
    assert_eq!(lens(&scan)["gates"].as_array().unwrap().len(), 6);
    assert!(scan["ttm_period"].is_string(), "{scan}");
    assert_eq!(with["lenses"][1], scan["lenses"][1]);
}
