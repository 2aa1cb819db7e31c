//! What a page shows is what its title says: figures of the right thing, lines with data, sizes that add up, files with all rows.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::Value as Json;

use super::visit::{Visit, visit};
use crate::server::SERVER;

/// Returns the text beside a term of a list of facts.
fn fact(page: &Visit, term: &str) -> String {
    let at = page.tags.iter().position(|tag| tag.name == "dt" && tag.text == term);
    let after = page.tags.iter().skip(at.unwrap_or_else(|| panic!("{}: no {term}", page.path)));
    after.clone().find(|tag| tag.name == "dd").unwrap().text.clone()
}

#[test]
fn the_risk_of_a_portfolio_is_that_of_the_portfolio() {
    let symbols = "BAXIPAPOWR,GEXUDOSERV,GEXALUBANK";
    let answer = SERVER.get(&format!("committee/risk-audit/compute?symbols={symbols}")).data();
    let portfolio = answer["portfolio"]["volatility_pct"].as_f64().unwrap();
    let stocks = answer["stocks"].as_array().unwrap();
    assert!(stocks.iter().all(|stock| stock["volatility_pct"].as_f64() != Some(portfolio)));
    let page = visit(&format!("/india/committee/risk?symbols={symbols}"));
    assert_eq!(fact(&page, "Volatility"), format!("{portfolio:.2}%"));
    assert!(page.tags.iter().any(|tag| tag.name == "table" && tag.attribute("class") == Some("matrix")));
    for pair in answer["correlations"].as_array().unwrap() {
        let shown =
            format!("<td class=\"n\">{:.2}</td>", pair["correlation"].as_f64().unwrap()).replace('-', "−");
        assert!(page.text.contains(&shown), "{shown}");
    }
}

#[test]
fn a_back_test_shows_its_curve_its_trades_and_the_picks_that_were_left_out() {
    let path = "backtest?sql=SELECT%20DATE%20%272026-09-30%27%20AS%20date%2C%20%27BAXIPAPOWR%27%20AS%20symbol%20UNION%20ALL%20SELECT%20DATE%20%272026-09-30%27%2C%20%27NONE%27";
    let answer = SERVER.get(path).data();
    let page = visit(&format!("/india/{path}"));
    let total = answer["statistics"]["total_return_pct"].as_f64().unwrap();
    assert_eq!(fact(&page, "Total return"), format!("{total:+.2}%").replace('-', "−"));
    let captions: Vec<&str> = page.all("figcaption").map(|tag| tag.text.as_str()).collect();
    assert_eq!(captions, ["Equity and benchmark", "Fall from the high"]);
    // Each picture has ids of its own, and its table has what it draws.
    let ids: Vec<&str> = page.tags.iter().filter_map(|tag| tag.attribute("id")).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    for cell in ["NONE", "no bar", "Picked on", "Benchmark drawdown", "Back-test"] {
        assert!(page.text.contains(cell), "{cell}");
    }
    // Money is written in whole rupees.
    let costs = answer["trades"][0]["costs"].as_f64().unwrap();
    assert!(page.text.contains(&format!(">₹{costs:.0}<")), "{costs}");
}

#[test]
fn the_page_of_an_index_without_closes_says_so() {
    let rows = SERVER.get("explore/index-chart?index=NIFTY50").data();
    assert!(rows.as_array().unwrap().iter().all(|row| row["line_name"] != "NIFTY50"));
    let words = "No closes of NIFTY50 in this data";
    assert!(visit("/india/indices?index=NIFTY50").text.contains(words));
    assert!(!visit("/india/indices").text.contains("No closes of"));
}

#[test]
fn a_file_has_all_rows_of_its_list() {
    let page = visit("/india/leaders");
    assert!(page.text.contains("All rows that your key may list as"));
    let total = SERVER.get("market/momentum?limit=1").data()["total"].as_u64().unwrap();
    assert!(total > 100, "{total}");
    let csv = SERVER.send(&Method::GET, "/india/leaders.csv?limit=5&offset=3", &[], "");
    let lines = String::from_utf8(csv.body).unwrap().lines().count() as u64;
    assert_eq!(lines, total + 1);
    let json = SERVER.send(&Method::GET, "/india/leaders.json", &[], "");
    let json: Json = serde_json::from_slice(&json.body).unwrap();
    assert_eq!(json["stocks"].as_array().unwrap().len() as u64, total);
    // One answer has the rows of its limit, as before.
    assert_eq!(SERVER.get("market/momentum?limit=5").data()["stocks"].as_array().unwrap().len(), 5);
}

#[test]
fn a_page_costs_one_call_and_its_commands_go_to_its_server() {
    let reply = SERVER.send(&Method::GET, "/india", &[("host", "127.0.0.1:9876")], "");
    let text = String::from_utf8(reply.body).unwrap();
    assert!(text.contains("This page cost 1 of the allowance"), "{text}");
    assert!(text.contains("http://127.0.0.1:9876/v1/explore/indices"));
    assert!(!text.contains("127.0.0.1:8080"));
}

#[test]
fn the_sizes_of_a_screen_add_up() {
    let answer = SERVER.get("explore/screen-words?liquidity=all&limit=1").data();
    let of_size = |word: &str| {
        let counts = answer["facets"].as_array().unwrap().iter();
        let mut own = counts.filter(|count| count["facet"] == "cap" && count["facet_value"] == word);
        own.next().map_or(0, |count| count["stock_count"].as_u64().unwrap())
    };
    assert!(of_size("micro") > 0 && of_size("micro") < of_size("small"));
    let page = visit("/india/screener?liquidity=all");
    assert!(page.text.contains("of which micro cap"), "{}", page.text);
    assert!(!visit("/us/screener").text.contains("of which micro"));
}

#[test]
fn rows_of_another_kind_have_another_title() {
    let page = visit("/us/orders");
    assert_eq!(page.one("h1").text, "Material agreements");
    let shown = page.tags.iter().any(|tag| tag.name == "td" && tag.text == "credit facility");
    assert!(!shown, "{}", page.text);
    assert!(visit("/us/orders?contract_type=all").text.contains("credit facility"));
    assert_eq!(visit("/india/orders").one("h1").text, "Orders");
}

#[test]
fn a_small_amount_has_a_small_unit() {
    let rows = SERVER.get("chat/events?kinds=insider&days=60&limit=200").data();
    for row in rows.as_array().unwrap() {
        let (value, amount) = (row["value"].as_f64(), row["event_amount"].as_f64());
        let Some((value, amount)) = value.zip(amount) else { continue };
        assert!((amount / 1e7 - value).abs() <= 0.005 + 1e-9, "{row}");
    }
    for market in ["india", "us"] {
        let text = visit(&format!("/{market}")).text;
        assert!(!text.contains("₹0.0") && !text.contains("$0.0"), "{market}");
    }
}
