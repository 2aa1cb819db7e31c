//! What the chat tools understand, and what they refuse in words: pages of a screen, kinds of one market, columns, misspelt names, tables
//! for a SELECT, and what is not in the data.

use std::collections::BTreeSet;

use parquote::operation::Market;
use serde_json::{Value as Json, json};

use super::chat::{CHAT, answer, opened, refusal};
use super::client::{EARLIER, result};
use crate::demo_market::SNAPSHOTS;
use crate::selected::{first_column, select};
use crate::server::{SERVER, query};

/// Returns the values of a column of a part.
pub(super) fn column(answer: &Json, part: &str, name: &str) -> Vec<Json> {
    let columns = answer[part]["columns"].as_array().unwrap_or_else(|| panic!("no {part}: {answer}"));
    let at =
        columns.iter().position(|column| column == name).unwrap_or_else(|| panic!("no {name}: {answer}"));
    answer[part]["rows"].as_array().unwrap().iter().map(|row| row[at].clone()).collect()
}

#[test]
fn a_screen_pages_to_its_end_and_its_file_has_all_rows() {
    let sql = "SELECT symbol FROM screen WHERE roe > 5 ORDER BY rs_rating DESC NULLS LAST, symbol";
    let wanted = first_column(&SNAPSHOTS.current(), Market::India, sql);
    assert!(wanted.len() > 60, "{}", wanted.len());
    let (mut seen, mut cursor) = (Vec::new(), json!(""));
    for _ in 0..wanted.len() {
        let page = answer("screen", &json!({"query": "ROE above 5", "limit": 30, "cursor": cursor}));
        seen.extend(column(&page, "stocks", "symbol"));
        cursor = page["left_out"][0]["cursor"].clone();
        if cursor.is_null() {
            break;
        }
        assert_eq!(page["left_out"][0]["of"], json!(wanted.len()), "{page}");
    }
    assert_eq!(seen, wanted);
    let is_built = |format: &&str| *format != "xlsx" || cfg!(feature = "xlsx");
    for format in ["csv", "xlsx", "arrow"].into_iter().filter(is_built) {
        let asked = json!({"tool": "screen", "arguments": {"query": "ROE above 5"}, "format": format});
        let file = answer("export", &asked)["files"][0].clone();
        assert_eq!((&file["rows"], &file["of"]), (&json!(wanted.len()), &Json::Null), "{file}");
        if format == "csv" {
            let text = opened(&file).1;
            let mut lines = csv::Reader::from_reader(text.as_bytes());
            let symbols: Vec<Json> = lines.records().map(|row| json!(row.unwrap()[0])).collect();
            assert_eq!(symbols, wanted);
        }
    }
}

#[test]
fn a_screen_without_a_stock_says_where_they_are_lost() {
    let none = answer("screen", &json!({"query": "ROE above 5 and PE below 0.001"}));
    let sql = "SELECT CAST(COUNT(*) AS BIGINT) AS n FROM screen WHERE roe > 5";
    let left = first_column(&SNAPSHOTS.current(), Market::India, sql)[0].clone();
    let steps = none["stocks"]["funnel"].as_array().unwrap();
    assert_eq!((&steps[0]["left"], &steps[1]["left"]), (&left, &json!(0)), "{none}");
    let age = none["nothing"]["stocks"].as_str().unwrap();
    assert!(age.starts_with("The newest row of ") && none["old"].is_null(), "{none}");
}

/// Fields around the rows are those of REST, in either of its forms.
#[test]
fn a_screen_and_a_portfolio_say_what_they_say_over_rest() {
    let mut said = BTreeSet::new();
    let mut check = |part: &Json, rest: &Json, fields: &[&'static str]| {
        for field in fields {
            let is_empty = [Json::Null, json!([]), json!("")].contains(&rest[field]);
            let wanted = if is_empty { Json::Null } else { rest[field].clone() };
            assert_eq!(part[field], wanted, "{field}: {rest}");
            if !is_empty {
                said.insert(*field);
            }
        }
    };
    for (market, path) in [("india", "explore/screen-words"), ("us", "us/explore/screen-words")] {
        for sentence in ["low debt", "ROE above 5 with vorpal above 3", "ROE above 5 and PE below 0.001"] {
            let screen = answer("screen", &json!({"market": market, "query": sentence, "limit": 3}));
            for format in ["json", "columns"] {
                let pairs = [("query", sentence), ("limit", "3"), ("format", format)];
                let rest = SERVER.get(&format!("{path}?{}", query(&pairs))).data();
                check(&screen["stocks"], &rest, &["words", "sorted_by", "not_understood", "notes", "funnel"]);
            }
        }
    }
    let book = answer(
        "portfolio",
        &json!({"symbols": ["POZOHIELEC", "DEXENIELEC"], "do": ["risk", "weights"], "max_chars": 20_000}),
    );
    let rest =
        |name: &str| SERVER.get(&format!("committee/risk-audit/{name}?symbols=POZOHIELEC,DEXENIELEC")).data();
    let of_risk = ["portfolio", "benchmark", "from", "as_of", "sessions", "warnings"];
    check(&book["risk"], &rest("compute"), &of_risk);
    check(&book["weights"], &rest("allocate"), &["portfolio", "method", "capped", "warnings"]);
    for field in ["words", "sorted_by", "not_understood", "notes", "funnel", "portfolio", "as_of", "method"] {
        assert!(said.contains(field), "no answer has `{field}`");
    }
}

#[test]
fn figures_of_results_and_members_of_indices_are_screened_by() {
    let snapshot = SNAPSHOTS.current();
    for (query, sql) in [
        (
            "ECS above 60",
            "SELECT s.symbol FROM screen s JOIN earnings e ON e.symbol = s.symbol WHERE e.is_latest AND e.ecs_score > 60",
        ),
        (
            "ECS above 60 this season",
            "SELECT symbol FROM ecs_rankings WHERE is_latest_quarter AND ecs_score > 60 AND symbol IN (SELECT symbol FROM screen)",
        ),
        (
            "nifty 50 with dividnd yield above 1%",
            "SELECT s.symbol FROM screen s JOIN index_members m ON m.symbol = s.symbol AND m.index_name = 'NIFTY50' \
             JOIN index_lists l ON l.index_name = m.index_name AND l.list_date = m.list_date WHERE s.dividend_yield > 1",
        ),
        (
            "up 20% this year",
            "SELECT s.symbol FROM screen s JOIN latest_bars l ON l.symbol = s.symbol JOIN daily_prices p ON p.symbol = s.symbol \
             WHERE p.session = (SELECT MAX(session) FROM sessions WHERE session < '2026-01-01') AND (l.price_segment = 0 OR l.year_start <= p.session) \
             AND s.price_cmp >= 1.2 * p.close * p.cumulative_split_factor / l.cumulative_split_factor_now",
        ),
    ] {
        let found = answer("screen", &json!({"query": query, "limit": 200, "max_chars": 60_000}));
        let found: BTreeSet<String> =
            column(&found, "stocks", "symbol").iter().map(ToString::to_string).collect();
        let wanted = first_column(&snapshot, Market::India, sql);
        let wanted: BTreeSet<String> = wanted.iter().map(ToString::to_string).collect();
        assert!(!wanted.is_empty() && found == wanted, "{query}: {found:?}, not {wanted:?}");
    }
}

#[test]
fn columns_that_a_screen_does_not_have_are_refused_with_the_nearest() {
    let refused = refusal(
        "screen",
        &json!({"query": "ROE above 5", "columns": ["pe", "pledge_chnge", "market_cap_b"]}),
    );
    assert!(refused.contains("`pledge_chnge`") && refused.contains("pledge_change"), "{refused}");
    assert!(refused.contains("`market_cap_b`") && refused.contains("market_cap_cr"), "{refused}");
    assert!(!refused.contains("`pe`"), "{refused}");
}

#[test]
fn a_kind_that_a_market_does_not_have_is_refused_with_those_that_it_has() {
    let refused = refusal("events", &json!({"market": "us", "kinds": ["insider", "pledge"]}));
    let said = "us has no `pledge` in its data; it has insider, order, action, result, filing, due";
    assert!(refused.contains(said), "{refused}");
    let refused = refusal("events", &json!({"kinds": ["filing"]}));
    assert!(
        refused.contains("india has no `filing`") && refused.contains("pledge, guidance, band, due"),
        "{refused}"
    );
    assert!(
        refusal("history", &json!({"symbols": ["BAQEBO"], "figures": ["pledge"]}))
            .contains("us has no `pledge`")
    );
    // Stocks of both markets: the one that has the kind is answered.
    let both =
        answer("events", &json!({"symbols": ["BAQEBO", "GEQILALEAR"], "kinds": ["pledge"], "days": 400}));
    let sql = "SELECT period_end FROM (SELECT period_end, pledge_pct, LAG(pledge_pct) OVER (ORDER BY period_end) AS was, \
               COALESCE(filed_on, period_end) AS known FROM pledges WHERE symbol = 'GEQILALEAR') \
               WHERE pledge_pct <> was AND known >= (SELECT MAX(session) FROM sessions) - INTERVAL '400 days'";
    let wanted = first_column(&SNAPSHOTS.current(), Market::India, sql).len();
    assert!(wanted > 0 && column(&both, "india.events", "event_date").len() == wanted, "{wanted}: {both}");
    assert!(both["not_answered"].to_string().contains("us has no `pledge`"), "{both}");
}

#[test]
fn misspelt_names_are_found_and_unknown_ones_are_not_made_up() {
    let find = |q: &str| answer("find", &json!({"q": q}));
    assert_eq!(column(&find("pozohi transformars"), "meant", "symbol")[0], "POZOHIELEC");
    assert!(column(&find("ytd"), "figures", "figure").contains(&json!("return_ytd")));
    assert!(column(&find("dividnd yield"), "figures", "figure").contains(&json!("dividend_yield")));
    let lists = first_column(&SNAPSHOTS.current(), Market::India, "SELECT index_name FROM index_lists");
    for (q, index) in [("nifty 50", "NIFTY50"), ("nifty500", "NIFTY500"), ("Nifty 500", "NIFTY500")] {
        assert!(lists.contains(&json!(index)));
        assert_eq!(column(&find(q), "names", "name")[0], index, "{q}");
    }
    let nothing = find("TCS");
    assert!(
        nothing["names"].is_null() && nothing["meant"].is_null() && nothing["tables"].is_null(),
        "{nothing}"
    );
    let refused = refusal("companies", &json!({"symbols": ["Pozohi Transformars"]}));
    assert!(refused.contains("POZOHIELEC (india)"), "{refused}");
}

#[test]
fn tables_are_found_where_a_model_looks() {
    let snapshot = SNAPSHOTS.current();
    let found = answer("find", &json!({"q": "insider trades"}));
    let tables = column(&found, "tables", "table");
    assert_eq!(tables, ["india.insider_trades", "us.insider_trades"], "{found}");
    let of_us = select(&snapshot, Market::Us, "SELECT * FROM insider_trades LIMIT 1");
    let columns = column(&found, "tables", "columns")[1].as_str().unwrap().to_owned();
    let wanted: Vec<&String> = of_us[0].as_object().unwrap().keys().take(12).collect();
    assert_eq!(columns.split(", ").collect::<Vec<_>>(), wanted);
    let shown =
        answer("query", &json!({"sql": "SHOW TABLES", "market": "us", "max_chars": 30_000, "limit": 500}));
    let names = column(&shown, "rows", "table_name");
    assert!(names.contains(&json!("sec_filings")) && !names.contains(&json!("deals")), "{shown}");
    assert!(
        refusal("query", &json!({"sql": "SELECT * FROM prices"}))
            .contains("did you mean `daily_prices`? It has symbol, session,")
    );
}

#[test]
fn subjects_without_data_are_named_in_each_place() {
    let start =
        json!({"protocolVersion": EARLIER, "capabilities": {}, "clientInfo": {"name": "s", "version": "1"}});
    let instructions =
        result(EARLIER, CHAT, "initialize", start)["instructions"].as_str().unwrap().to_owned();
    let status = answer("status", &json!({}))["status"].clone();
    for subject in [
        "live prices",
        "news",
        "options and futures",
        "estimates and targets",
        "names of shareholders in India",
    ] {
        assert!(instructions.contains(subject), "{subject}: {instructions}");
        assert!(status["not_here"].as_str().unwrap().contains(subject), "{subject}: {status}");
    }
    // Clients cut instructions there.
    assert!(instructions.len() <= 2_048, "{}", instructions.len());
    let first = first_column(&SNAPSHOTS.current(), Market::India, "SELECT MIN(session) AS s FROM sessions");
    assert_eq!(status["india"]["first_session"], first[0]);
    for (q, subject) in [
        ("option chain", "options"),
        ("analyst targets", "estimates"),
        ("live price", "live"),
        ("news", "news"),
    ] {
        let said = answer("find", &json!({"q": q}))["not_here"]["no_data_on"].to_string();
        assert!(said.contains(subject), "{q}: {said}");
    }
    assert!(answer("find", &json!({"q": "rs rating"}))["not_here"].is_null());
}

/// Otherwise a reader sees an order without its figure, and a warning about tables that the answer does not read.
#[test]
fn a_screen_shows_what_it_is_sorted_by_and_the_age_of_what_it_reads() {
    let snapshot = SNAPSHOTS.current();
    let newest = "FROM (SELECT symbol, casa_pct, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS turn \
                  FROM banking_kpis) b JOIN screen s ON s.symbol = b.symbol WHERE turn = 1 AND s.industry = 'Banks' \
                  AND casa_pct IS NOT NULL ORDER BY casa_pct DESC";
    let sorted = answer("screen", &json!({"query": "banks, highest CASA first"}));
    for (shown, sql) in [("symbol", "SELECT s.symbol "), ("casa_pct", "SELECT casa_pct ")] {
        let wanted = first_column(&snapshot, Market::India, &format!("{sql}{newest}"));
        assert!(!wanted.is_empty());
        assert_eq!(column(&sorted, "stocks", shown)[..wanted.len()], wanted, "{sorted}");
    }
    assert!(!sorted["old"].to_string().contains("index_"), "{sorted}");
    let members = answer("screen", &json!({"query": "nifty 50 stocks with ROE above 1"}));
    assert!(members["old"].to_string().contains("index_members"), "{members}");
}

#[test]
fn a_position_is_sized_by_the_stop_of_the_caller() {
    let sql = "SELECT price_cmp FROM stocks WHERE symbol = 'BAXIPAPOWR'";
    let price = first_column(&SNAPSHOTS.current(), Market::India, sql)[0].as_f64().unwrap();
    let stop = (price * 95.0).round() / 100.0;
    let given = json!({"symbols": ["BAXIPAPOWR"], "stop": stop, "capital": 500_000, "risk_pct": 2});
    let shares = (10_000.0 / (price - stop)).min(500_000.0 / price).floor();
    let size = answer("levels", &given);
    assert_eq!(column(&size, "size BAXIPAPOWR", "shares_own")[0].as_f64(), Some(shares), "{size}");
    let above =
        answer("levels", &json!({"symbols": ["BAXIPAPOWR"], "stop": price * 1.1, "capital": 500_000}));
    assert!(column(&above, "size BAXIPAPOWR", "shares_own")[0].is_null(), "{above}");
    assert!(above.to_string().contains("stop is not below the entry"), "{above}");
}

#[test]
fn events_are_chosen_by_their_words_and_guidance_is_one() {
    let snapshot = SNAPSHOTS.current();
    let days = "(SELECT MAX(session) FROM sessions) - INTERVAL '200 days'";
    for (given, sql) in [
        (
            json!({"kinds": ["deal"], "what": "block"}),
            "SELECT symbol FROM deals WHERE deal_type = 'block' AND deal_date",
        ),
        (
            json!({"kinds": ["action"], "what": "split"}),
            "SELECT symbol FROM corporate_events WHERE action_type = 'split' AND ex_date",
        ),
        (
            json!({"kinds": ["insider"], "what": "market purchase", "side": "buy"}),
            "SELECT symbol FROM insider_trades WHERE mode = 'Market Purchase' AND side = 'buy' AND filed_on",
        ),
        (
            json!({"kinds": ["guidance"], "what": "lowered"}),
            "SELECT symbol FROM guidance_tones WHERE guidance_change = 'lowered' AND call_date",
        ),
    ] {
        let mut given = given;
        (given["days"], given["limit"], given["max_chars"]) = (json!(200), json!(200), json!(100_000));
        let mut wanted: Vec<String> = first_column(&snapshot, Market::India, &format!("{sql} >= {days}"))
            .iter()
            .map(Json::to_string)
            .collect();
        let found = answer("events", &given);
        let mut shown: Vec<String> = column(&found, "events", "symbol").iter().map(Json::to_string).collect();
        wanted.sort();
        shown.sort();
        // At most 200 rows are shown.
        assert!(!wanted.is_empty() && shown.len() == wanted.len().min(200), "{given}: {found}");
        assert!(shown == wanted || wanted.len() > 200, "{given}: {found}");
    }
}

#[test]
fn the_positions_of_one_investor_begin_with_the_largest() {
    let snapshot = SNAPSHOTS.current();
    let investor = first_column(
        &snapshot,
        Market::Us,
        "SELECT investor FROM investor_holdings ORDER BY investor LIMIT 1",
    );
    let sql = format!(
        "SELECT symbol FROM investor_holdings WHERE investor = '{}' ORDER BY value_usd DESC LIMIT 3",
        investor[0].as_str().unwrap()
    );
    let held = answer("holders", &json!({"investor": investor[0], "limit": 3}));
    assert_eq!(column(&held, "holders", "symbol"), first_column(&snapshot, Market::Us, &sql), "{held}");
}

/// Days that were asked for are not dropped for want of a step.
#[test]
fn a_short_history_has_every_session() {
    let snapshot = SNAPSHOTS.current();
    let sql = "SELECT session FROM sessions WHERE session >= '2026-10-05' ORDER BY session DESC";
    let sessions = first_column(&snapshot, Market::India, sql);
    let from = json!("2026-10-05");
    let market = answer("history", &json!({"market": "india", "from": from}));
    let stock = answer("history", &json!({"symbols": ["BAXIPAPOWR"], "from": from}));
    assert_eq!(column(&market, "breadth", "session"), sessions, "{market}");
    assert_eq!(column(&stock, "prices BAXIPAPOWR", "session"), sessions, "{stock}");
}
