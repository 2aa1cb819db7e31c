//! Answers with sums, means and shares over companies say how many companies have each figure and how many lack it: over REST, of tools, in
//! a chat and on pages. The market of these tests has companies without a rating, a market cap, a change or a mean.

use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;

use parquote::engine::{FileForm, Snapshot};
use parquote::operation::Market;
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::catalogue_rules::pairs;
use crate::definitions::TABLES;
use crate::demo_market::{CATALOGUE, RUNTIME, SHIPPED, first_value, open, open_whole};
use crate::selected::select;
use crate::server::{SERVER, Server, query};

const MARKETS: [(Market, &str, &str); 2] = [(Market::India, "", "cr"), (Market::Us, "us/", "b")];

/// Columns that are made null for the companies whose second letter is this one.
const GAPS: [(&str, &str, char); 7] = [
    ("stocks", "rs_rating", 'A'),
    ("stocks", "market_cap", 'E'),
    ("stocks", "market_cap_cr", 'E'),
    ("stocks", "market_cap_b", 'E'),
    ("stocks", "change_pct", 'O'),
    ("latest_bars", "sma_50", 'A'),
    ("latest_bars", "roc_21", 'O'),
];

/// A server over the market with gaps, and its tables.
static GAPPED: LazyLock<(Server, Snapshot)> = LazyLock::new(|| {
    let copy = SHIPPED.copy();
    let tables = open_whole(&SHIPPED.data);
    for (market, _, _) in MARKETS {
        for table in ["stocks", "latest_bars"] {
            let columns = CATALOGUE.table(market, table).unwrap().columns_in(market).map(|column| {
                let name = &column.name;
                match GAPS.iter().find(|(of, gap, _)| *of == table && gap == name) {
                    Some((_, _, letter)) => {
                        format!("CASE WHEN substr(symbol, 2, 1) <> '{letter}' THEN {name} END AS {name}")
                    }
                    None => name.clone(),
                }
            });
            let sql = format!("SELECT {} FROM {table}", columns.collect::<Vec<_>>().join(", "));
            let path = copy.path().join(format!("{market}/{table}.parquet"));
            fs::remove_file(&path).unwrap();
            let written = tables.market(market).unwrap();
            RUNTIME.block_on(written.write(&sql, &path, FileForm::Parquet)).unwrap();
        }
    }
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    (server, open_whole(copy.path()))
});

/// Reads the header: companies that have and lack each figure.
fn counts(line: &str) -> BTreeMap<String, (u64, u64)> {
    let count = |figure: &str| {
        let words: Vec<&str> = figure.split([' ', '=']).collect();
        let [name, "have", have, "missing", missing] = words[..] else { panic!("{line}") };
        (name.to_owned(), (have.parse().unwrap(), missing.parse().unwrap()))
    };
    line.split(", ").map(count).collect()
}

/// Returns the counts of an answer of the market with gaps.
fn answered(path: &str) -> BTreeMap<String, (u64, u64)> {
    let reply = GAPPED.0.get(path);
    assert_eq!(reply.status, 200, "{path}");
    counts(reply.header("x-coverage"))
}

/// Counts by a SELECT of a figure of each company, null where it lacks it.
fn selected(market: Market, figures: &str) -> (u64, u64) {
    let rows = select(&GAPPED.1, market, figures);
    let have = rows.iter().filter(|row| !row["figure"].is_null()).count() as u64;
    (have, rows.len() as u64 - have)
}

#[test]
fn figures_of_the_market_are_counted_as_a_select_counts_them() {
    for (market, prefix, money) in MARKETS {
        let recent = "FROM stocks WHERE session >= session_ago(4)";
        let rated = format!("SELECT rs_rating AS figure {recent}");
        let moved = format!("SELECT CASE WHEN session = as_of() THEN change_pct END AS figure {recent}");
        let sized = format!("SELECT market_cap AS figure {recent} AND cap_counted_in IS NULL");
        let within = |select: &str| format!("{select} AND sector IS NOT NULL");
        let bars = |name: &str| format!("SELECT {name} AS figure FROM latest_bars WHERE session = as_of()");
        let cap = format!("total_market_cap_{money}");
        let mut cases = vec![
            (format!("{prefix}market/sectors"), "avg_rs_rating", rated.clone()),
            (format!("{prefix}market/sectors"), "advances", moved.clone()),
            (format!("{prefix}market/sectors"), cap.as_str(), sized.clone()),
            (format!("{prefix}chat/sectors"), "avg_rs_rating", within(&rated)),
            (format!("{prefix}chat/sectors"), "return_pct", within(&sized)),
            (format!("{prefix}explore/rotation"), "index_level", within(&sized)),
            (format!("{prefix}chat/market-history"), "advances", bars("change_pct")),
            (format!("{prefix}chat/market-history"), "pct_above_sma50", bars("sma_50")),
            (format!("{prefix}chat/market-history"), "pct_above_sma200", bars("sma_200")),
        ];
        if market == Market::India {
            cases.push((
                "market/industry-stages".to_owned(),
                "index_level",
                format!("{sized} AND industry IS NOT NULL"),
            ));
        }
        for (path, figure, figures) in cases {
            let (have, missing) = selected(market, &figures);
            assert_eq!(answered(&path).get(figure), Some(&(have, missing)), "{figure} of {path}");
            assert!(
                have > 0 && (missing > 0 || ["advances", "pct_above_sma200"].contains(&figure)),
                "{figure} of {path}"
            );
        }
        assert!(selected(market, &moved).1 > 0, "{market}: no stock lacks its change");
    }
}

#[test]
fn members_are_counted_as_the_answers_list_them() {
    let mut missing = 0;
    for (market, prefix, _) in MARKETS {
        let sql = "SELECT index_name FROM index_lists WHERE index_name IN ('NIFTY500', 'SP500')";
        let index = first_value(&GAPPED.1, market, sql).unwrap();
        let param = if market == Market::Us { "index_name" } else { "index" };
        let path = format!("{prefix}market/index-constituents?{param}={index}");
        let members = GAPPED.0.get(&path).data().as_array().unwrap().clone();
        let of_index = answered(&format!("{prefix}explore/indices?index={index}"));
        let lacking = |name: &str| members.iter().filter(|row| row[name].is_null()).count() as u64;
        let all = members.len() as u64;
        for (counts, figure, lacking) in [
            (&answered(&path), "weight_pct", lacking("weight_pct")),
            (&of_index, "member_avg_rs", lacking("rs_rating")),
        ] {
            assert_eq!(counts.get(figure), Some(&(all - lacking, lacking)), "{figure} of {path}");
            missing += lacking;
        }
        let of_members = format!(
            "SELECT b.market_cap * b.roc_21 AS figure FROM index_members m LEFT JOIN latest_bars b ON b.symbol = m.symbol WHERE m.index_name = '{index}' AND m.list_date = \
             (SELECT MAX(list_date) FROM index_members WHERE index_name = '{index}')"
        );
        assert_eq!(of_index.get("index_change_21"), Some(&selected(market, &of_members)), "{index}");
    }
    assert!(missing > 10, "{missing}");
    let sql = "SELECT DISTINCT symbol FROM conglomerate_groups WHERE COALESCE(known_since <= as_of(), TRUE) ORDER BY symbol";
    let symbols = select(&GAPPED.1, Market::India, sql);
    let mut groups = 0;
    for symbol in symbols.iter().filter_map(|row| row["symbol"].as_str()) {
        let path = format!("company/conglomerate?symbol={symbol}");
        let members = GAPPED.0.get(&path).data()["members"].as_array().unwrap().clone();
        for (figure, of_member) in
            [("group_market_cap_cr", "market_cap"), ("group_avg_rs_rating", "rs_rating")]
        {
            let names = members.iter().filter_map(|member| member["symbol"].as_str());
            let names = names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
            let known = format!("SELECT {of_member} AS figure FROM stocks WHERE symbol IN ({names})");
            let (have, _) = selected(Market::India, &known);
            let counted = answered(&path)[figure];
            assert_eq!(counted, (have, members.len() as u64 - have), "{figure} of {symbol}");
            groups += 1;
        }
    }
    assert!(groups > 2, "{groups}");
}

/// The means of the last session, over the table from which breadth is derived.
#[test]
fn means_of_breadth_are_counted_as_they_are_derived() {
    for (market, prefix, _) in MARKETS {
        let line = SERVER.get(&format!("{prefix}explore/breadth?range=1m")).header("x-coverage").to_owned();
        let counted = counts(&line);
        for bars in [10, 20, 40] {
            let sql = format!(
                "SELECT sma_{bars} AS figure FROM indicators WHERE session = as_of() AND price_segment = 0"
            );
            let rows = select(&TABLES, market, &sql);
            let have = rows.iter().filter(|row| !row["figure"].is_null()).count() as u64;
            let jumped = "SELECT symbol FROM latest_bars WHERE session = as_of() AND price_segment > 0";
            assert!(
                select(&TABLES, market, jumped).is_empty(),
                "the demo has a stock with a second price segment"
            );
            let wanted = (have, rows.len() as u64 - have);
            assert_eq!(counted.get(&format!("pct_above_sma{bars}")), Some(&wanted), "{market}: {bars}");
        }
    }
}

#[test]
fn each_group_is_counted_by_itself() {
    for (_, prefix, _) in MARKETS {
        let groups = GAPPED.0.get(&format!("{prefix}explore/coverage?aggregate=sectors")).data();
        let sectors = GAPPED.0.get(&format!("{prefix}market/sectors")).data();
        for sector in sectors.as_array().unwrap().iter().filter(|row| row["sector"] != "(no sector)") {
            let is_of = |row: &&Json| {
                row["covered_figure"] == "avg_rs_rating" && row["covered_group"] == sector["sector"]
            };
            let row = groups.as_array().unwrap().iter().find(is_of).unwrap();
            let counted = row["have"].as_u64().unwrap() + row["missing"].as_u64().unwrap();
            assert_eq!(sector["stock_count"], counted, "{sector}");
        }
    }
}

#[test]
fn every_operation_that_declares_coverage_has_it() {
    let declared: Vec<_> =
        CATALOGUE.operations().iter().filter(|operation| operation.coverage.is_some()).collect();
    assert!(declared.len() > 15, "{}", declared.len());
    for operation in declared {
        let path = format!("{}?{}", operation.name, query(&pairs(operation, true)));
        let reply = SERVER.get(&path);
        assert_eq!(reply.status, 200, "{path}");
        assert!(!counts(reply.header("x-coverage")).is_empty(), "{path}");
    }
}

/// Returns the result of a tool call.
fn tool(path: &str, name: &str, arguments: &Json) -> Json {
    let params = json!({"name": name, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    GAPPED.0.send(&Method::POST, path, &headers, &message.to_string()).json()["result"].take()
}

#[test]
fn tools_chats_and_pages_say_the_same_counts() {
    let line = |path: &str| GAPPED.0.get(path).header("x-coverage").to_owned();
    let note = |path: &str| {
        format!("At the last session, companies that have and lack each figure: {}.", line(path))
    };
    let answer = tool("/mcp", "get_market_sectors", &json!({}));
    assert_eq!(answer["structuredContent"]["notes"], json!([note("market/sectors")]));
    let groups = GAPPED.0.get("explore/coverage?aggregate=sectors").data();
    let is_of = |row: &&Json| row["covered_figure"] != "index_level" && row["covered_figure"] != "return_pct";
    let shown: Vec<&Json> = groups.as_array().unwrap().iter().filter(is_of).collect();
    assert_eq!(answer["_meta"]["parquote/coverage"], json!(shown));
    let without = tool("/mcp", "get_top_movers", &json!({}));
    assert!(without["_meta"]["parquote/coverage"].is_null(), "{without}");
    let chat = tool("/mcp/chat", "market_now", &json!({"market": "india"}));
    let notes = chat["structuredContent"]["notes"].as_array().unwrap().clone();
    for path in ["chat/sectors", "chat/market-history"] {
        assert!(notes.contains(&json!(note(path))), "{path}: {notes:?}");
    }
    let page = GAPPED.0.send(&Method::GET, "/india/sectors", &[], "");
    let page = String::from_utf8(page.body).unwrap();
    let (_, counted) =
        page.split_once("Companies with the data of each figure, at the last session: ").unwrap();
    for (_, (have, missing)) in answered("market/sectors") {
        assert!(counted.contains(&format!(": {have}, {missing} missing")), "{counted}");
    }
}
