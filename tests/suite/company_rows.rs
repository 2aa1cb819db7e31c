//! Rules of rows about companies: their names and dates are alike in both markets, and leaderboards list tradable stocks.
//!
//! They loop over the catalogue, as `catalogue_rules.rs` does, so that they cover new operations automatically.

use parquote::engine::ResultColumn;
use parquote::operation::Value;
use serde_json::Value as Json;

use crate::catalogue_rules::{ask, calls, none, required, with};
use crate::server::{SERVER, query};

/// Visits every kind of row of an answer, including nested ones, each as its columns.
fn each_row(columns: &[ResultColumn], visit: &mut impl FnMut(&[ResultColumn])) {
    visit(columns);
    for column in columns.iter().filter(|column| !column.fields.is_empty()) {
        each_row(&column.fields, visit);
    }
}

/// Callers join rows of operations by `symbol`, and `session` dates a price.
#[test]
fn rows_of_companies_have_a_symbol_and_rows_with_a_price_its_session() {
    const OF_A_COMPANY: [&str; 5] =
        ["company_name", "market_cap_cr", "market_cap_b", "price_cmp", "rs_rating"];
    const OTHER_DATES_OF_A_PRICE: [&str; 3] = ["price_date", "date", "trade_date"];
    let snapshot = SERVER.service().snapshot();
    let mut problems = Vec::new();
    let mut seen = 0;
    for operation in calls().filter(|operation| operation.run.is_none()) {
        for columns in snapshot.columns(operation) {
            each_row(columns, &mut |row| {
                let has = |name: &str| row.iter().any(|column| column.name == name);
                seen += usize::from(has("price_cmp"));
                // A bar belongs to the requested stock.
                let is_bar = has("open") && has("close");
                if OF_A_COMPANY.into_iter().any(has) && !has("symbol") && !is_bar {
                    problems.push(format!("{}: a row of a company has no `symbol`", operation.name));
                }
                if has("price_cmp") && !has("session") {
                    problems.push(format!("{}: a row with a price has no `session`", operation.name));
                }
                if let Some(other) = OTHER_DATES_OF_A_PRICE.into_iter().find(|name| has(name)) {
                    problems.push(format!("{}: `{other}` is called `session`", operation.name));
                }
            });
        }
    }
    assert!(seen > 20, "only {seen} kinds of rows have a price");
    none(&problems);
}

/// The profile has the same fields in both markets, except for units and for fields that one market lacks.
#[test]
fn profiles_of_both_markets_show_the_same() {
    const INDIA_ALONE: [&str; 1] = ["pledge_pct"];
    const US_ALONE: [&str; 1] = ["cap_counted_in"];
    let snapshot = SERVER.service().snapshot();
    let catalogue = SERVER.service().catalogue();
    let names = |operation: &str| -> Vec<String> {
        let operation = catalogue.operation(operation).unwrap();
        let columns = snapshot.columns(operation).iter().flatten();
        let name =
            |column: &ResultColumn| column.name.trim_end_matches("_cr").trim_end_matches("_b").to_owned();
        columns.map(name).map(|name| name.trim_end_matches("_usd_m").to_owned()).collect()
    };
    let india = names("company/profile");
    assert!(INDIA_ALONE.iter().all(|name| india.iter().any(|known| known == name)));
    let shared: Vec<String> =
        india.into_iter().filter(|name| !INDIA_ALONE.contains(&name.as_str())).collect();
    let us = names("us/company/profile");
    assert!(US_ALONE.iter().all(|name| us.iter().any(|known| known == name)));
    let of_us: Vec<String> = us.into_iter().filter(|name| !US_ALONE.contains(&name.as_str())).collect();
    assert_eq!(shared, of_us);
}

/// Returns the rows of an answer: a plain list, or those of `stocks`.
fn rows_of(data: &Json) -> Vec<Json> {
    data.get("stocks").unwrap_or(data).as_array().unwrap().clone()
}

/// A leaderboard has only tradable stocks unless all are requested, and says which of the two it lists.
#[test]
fn leaderboards_list_tradable_stocks_unless_all_are_asked_for() {
    let mut problems = Vec::new();
    let mut boards = Vec::new();
    let mut untradable = 0;
    for operation in calls() {
        let Some(param) = operation.params.iter().find(|param| param.name == "liquidity") else { continue };
        if param.default != Some(Value::Text("tradable".into())) {
            continue;
        }
        boards.push(operation.name.as_str());
        assert_eq!(param.allowed_words().unwrap(), ["tradable", "all"], "{}", operation.name);
        // Low thresholds, so that there are rows to check.
        let mut base = with(&required(operation), "limit", "25");
        for (name, least) in
            [("min_matches", "1"), ("min_scans", "1"), ("min_delta", "0"), ("scan_type", "stage2")]
        {
            if operation.params.iter().any(|param| param.name == name) {
                base = with(&base, name, least);
            }
        }
        for (asked, word) in [(None, "tradable"), (Some("tradable"), "tradable"), (Some("all"), "all")] {
            let pairs = asked.map_or_else(|| base.clone(), |word| with(&base, "liquidity", word));
            let data = ask(operation, &pairs).data();
            let rows = rows_of(&data);
            let lost = rows.iter().filter(|row| row["is_tradable"] != true).count();
            if word == "tradable" && (lost > 0 || rows.is_empty()) {
                problems.push(format!("{}?{}: {lost} of {} rows", operation.name, query(&pairs), rows.len()));
            }
            untradable += if word == "all" { lost } else { 0 };
            let says = data
                .get("liquidity")
                .map_or_else(|| rows.iter().all(|row| row["liquidity"] == word), |field| field == word);
            if !says {
                problems.push(format!("{}?{}: does not say `{word}`", operation.name, query(&pairs)));
            }
        }
    }
    let leaderboards = [
        "explore/rs-changes", "market/conviction", "market/momentum", "market/rs-changes",
        "market/top-movers", "market/trader-scan", "us/explore/rs-changes", "us/market/conviction",
        "us/market/momentum", "us/market/top-movers", "us/market/trader-scan",
    ];
    boards.sort_unstable();
    assert_eq!(boards, leaderboards);
    assert!(
        untradable > 0,
        "no stock of the demo market is kept from a leaderboard, so that nothing is shown here"
    );
    none(&problems);
}
