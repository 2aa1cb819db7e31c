//! `explain`: the conditions that put a stock into a screen or scan or keep it out. Stocks explained as inside are exactly those inside.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::server::SERVER;

/// Screens and scans, each with the flag of its explanation. All but the first return fewer stocks than there are.
const ASKED: [(&str, &str); 11] = [
    ("screener?min_mcap=0", "in_screen"),
    ("screener?min_roce=12&max_de=0.8", "in_screen"),
    ("screener?sector=Power&min_rs=40&max_pe=60", "in_screen"),
    ("screener?min_rs=20&liquidity=tradable", "in_screen"),
    ("us/screener?max_de=2&liquidity=tradable", "in_screen"),
    ("us/screener?min_roe=15&above_sma50=1&above_sma200=0", "in_screen"),
    ("us/screener?max_pe=25&min_score=5&above_sma200=1", "in_screen"),
    ("market/trader-scan?scan_type=stage2&limit=100", "in_scan"),
    ("market/trader-scan?scan_type=allThree&limit=100&liquidity=all", "in_scan"),
    ("us/market/trader-scan?scan_type=all&limit=100", "in_scan"),
    ("us/market/trader-scan?scan_type=stage2nh&limit=100", "in_scan"),
];

/// Returns the rows of all pages of a list.
fn rows(path: &str) -> Vec<Json> {
    let mut rows = Vec::new();
    loop {
        let reply = SERVER.get(&format!("{path}&offset={}", rows.len()));
        let data = reply.data();
        let page = data.get("stocks").unwrap_or(&data).as_array().unwrap().clone();
        rows.extend(page);
        if !reply.header("link").contains("rel=\"next\"") {
            assert_eq!(reply.header("x-total-count"), rows.len().to_string(), "{path}");
            return rows;
        }
    }
}

fn symbols(rows: &[Json]) -> BTreeSet<String> {
    rows.iter().map(|row| row["symbol"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn who_is_explained_to_be_in_it_is_in_it() {
    for (path, flag) in ASKED {
        let companies = if path.starts_with("us/") { "us/companies?limit=50" } else { "companies?limit=50" };
        let all: Vec<String> = symbols(&rows(companies)).into_iter().collect();
        let found = symbols(&rows(path));
        assert!(all.len() > 100, "{} companies", all.len());
        for some in all.chunks(50) {
            let explained = SERVER.get(&format!("{path}&explain={}", some.join(","))).data();
            let explained = explained.get("stocks").unwrap_or(&explained).as_array().unwrap().clone();
            assert_eq!(explained.len(), some.len(), "{path}");
            for stock in explained {
                let symbol = stock["symbol"].as_str().unwrap();
                assert_eq!(stock[flag].as_bool(), Some(found.contains(symbol)), "{path}: {stock}");
                let conditions = stock["conditions"].as_array().unwrap();
                let passed = conditions.iter().filter(|condition| condition["passes"] == true).count();
                assert_eq!(stock["passed_count"], passed, "{path}: {stock}");
                assert_eq!(stock["condition_count"], conditions.len(), "{path}: {stock}");
                let any_of_scans = path.contains("scan_type=all&");
                assert!(
                    any_of_scans || (stock[flag] == true) == (passed == conditions.len()),
                    "{path}: {stock}"
                );
                for condition in conditions {
                    distance_agrees(condition, path);
                }
            }
        }
    }
}

/// Checks that a distance is non-negative exactly if the condition holds, as far as rounding shows it.
fn distance_agrees(condition: &Json, path: &str) {
    let Some(distance) = condition["distance_pct"].as_f64() else { return };
    let passes = condition["passes"] == true;
    assert!(distance == 0.0 || (distance > 0.0) == passes, "{path}: {condition}");
    let (figure, threshold) =
        (condition["figure"].as_f64().unwrap(), condition["threshold"].as_f64().unwrap());
    let sign = if condition["relation"] == "at_most" { -1.0 } else { 1.0 };
    let expected = sign * 100.0 * (figure / threshold - 1.0);
    // Figure and threshold are rounded to two decimals.
    let rounding = 1.0 / threshold.abs().max(0.01) * (1.0 + (figure / threshold).abs()) + 0.01;
    assert!((distance - expected).abs() <= rounding, "{path}: {condition} but {expected}");
}
