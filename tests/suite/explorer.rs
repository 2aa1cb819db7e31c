//! Operations of the explorer against those of the contract, and against figures recomputed here from their rows.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::server::SERVER;

fn rows(path: &str) -> Vec<Json> {
    SERVER.get(path).data().as_array().unwrap().clone()
}

fn numbers(rows: &[Json], name: &str) -> Vec<f64> {
    rows.iter().map(|row| row[name].as_f64().unwrap_or_else(|| panic!("{name} of {row}"))).collect()
}

/// The demo stocks whose charts are checked: one of each market.
const CHARTS: [(&str, &str); 2] = [
    ("explore/chart?symbol=BAXIPAPOWR&range=5y", "company/daily-prices?symbol=BAXIPAPOWR&limit=365"),
    ("us/explore/chart?symbol=BAQEBO&range=5y", ""),
];

#[test]
fn a_chart_has_the_prices_of_the_daily_prices() {
    let (chart, prices) = CHARTS[0];
    let (chart, mut prices) = (rows(chart), rows(prices));
    prices.reverse();
    assert!(chart.len() > 365 && chart.is_sorted_by_key(|row| row["session"].to_string()));
    let last = &chart[chart.len() - prices.len()..];
    for name in ["session", "open", "high", "low", "close", "volume", "change_pct"] {
        for (chart, price) in last.iter().zip(&prices) {
            assert_eq!(chart[name], price[name], "{name} of {}", price["session"]);
        }
    }
}

#[test]
fn means_and_the_rs_line_are_those_of_its_own_rows() {
    let mut flagged = 0;
    for (path, _) in CHARTS {
        let chart = rows(path);
        let (closes, highs) = (numbers(&chart, "close"), numbers(&chart, "high"));
        for (at, row) in chart.iter().enumerate() {
            for (name, bars) in [("sma_50", 50), ("sma_200", 200)] {
                let mean =
                    (at + 1 >= bars).then(|| closes[at + 1 - bars..=at].iter().sum::<f64>() / bars as f64);
                match (row[name].as_f64(), mean) {
                    (Some(found), Some(mean)) => {
                        assert!((found - mean).abs() < 0.02, "{name} of {row}: {mean}");
                    }
                    (found, mean) => assert_eq!(found, mean, "{name} of {row}"),
                }
            }
            let line = closes[at] / row["benchmark_close"].as_f64().unwrap();
            let found = row["rs_line"].as_f64().unwrap();
            assert!((found - line).abs() < 1e-3 * line, "rs_line of {row}: {line}");
        }
        let lines = numbers(&chart, "rs_line");
        for (at, row) in chart.iter().enumerate() {
            if at + 1 < 252 {
                assert!(row["rs_high_first"].is_null(), "{row}");
                continue;
            }
            let most = |list: &[f64]| list[at + 1 - 252..=at].iter().copied().fold(f64::MIN, f64::max);
            let before = lines[at + 1 - 252..at].iter().copied().fold(f64::MIN, f64::max);
            let is_flagged = row["rs_high_first"] == true;
            flagged += usize::from(is_flagged);
            assert!(!is_flagged || lines[at] >= most(&lines) && highs[at] <= most(&highs), "{row}");
            assert!(is_flagged || lines[at] <= before || highs[at] >= most(&highs), "{row}");
        }
    }
    assert!(flagged > 0, "no bar of the demo has a new high of the RS line before the price's");
}

#[test]
fn what_happened_is_marked_at_its_bar() {
    let symbols: Vec<String> =
        rows("companies?limit=50").iter().map(|row| row["symbol"].as_str().unwrap().to_owned()).collect();
    let (mut splits, mut dividends, mut results) = (0, 0, 0);
    for symbol in &symbols {
        let chart = rows(&format!("explore/chart?symbol={symbol}&range=5y"));
        splits += chart.iter().filter(|row| row["is_split"] == true).count();
        dividends += chart.iter().filter(|row| row["dividend"].is_string()).count();
        results += chart.iter().filter(|row| row["results"].is_string()).count();
        let quarters: Vec<&Json> =
            chart.iter().map(|row| &row["results"]).filter(|results| results.is_string()).collect();
        let distinct = quarters.iter().map(ToString::to_string).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(quarters.len(), distinct.len(), "{symbol}: a quarter is announced twice");
    }
    assert!(splits > 0 && dividends > 0 && results > 50, "{splits} {dividends} {results}");
    // The announcement session that `company/pead` returns has its mark on the chart.
    let pead = SERVER.get("company/pead?symbol=BAXIPAPOWR").data();
    let chart = rows("explore/chart?symbol=BAXIPAPOWR&range=1y");
    let bar = chart.iter().find(|row| row["session"] == pead["day_0"]).unwrap();
    assert_eq!(bar["results"], pead["quarter"]);
}

#[test]
fn a_comparison_starts_from_100_and_follows_the_closes() {
    let compared = rows("explore/compare?symbols=BAXIPAPOWR,TOXIFATELE&range=6m");
    for symbol in ["BAXIPAPOWR", "TOXIFATELE"] {
        let own: Vec<&Json> = compared.iter().filter(|row| row["symbol"] == symbol).collect();
        let chart = rows(&format!("explore/chart?symbol={symbol}&range=6m"));
        assert_eq!(own.len(), chart.len(), "{symbol}");
        let first = chart[0]["close"].as_f64().unwrap();
        for (row, bar) in own.iter().zip(&chart) {
            let expected = 100.0 * bar["close"].as_f64().unwrap() / first;
            assert_eq!(row["session"], bar["session"]);
            assert!((row["rebased_close"].as_f64().unwrap() - expected).abs() < 0.05, "{row}: {expected}");
        }
        assert_eq!(own[0]["rebased_benchmark"].as_f64(), Some(100.0));
    }
    // The benchmark as a line is the benchmark beside a stock with all sessions; eight stocks leave no room for it.
    let with = rows("explore/compare?symbols=BAXIPAPOWR,TOXIFATELE&range=6m&benchmark=true");
    let line = with.iter().filter(|row| row["symbol"] == row["benchmark"]);
    let line: Vec<_> = line.map(|row| (&row["session"], &row["rebased_close"])).collect();
    let beside = compared.iter().filter(|row| row["symbol"] == "BAXIPAPOWR");
    let beside: Vec<_> = beside.map(|row| (&row["session"], &row["rebased_benchmark"])).collect();
    assert_eq!(line, beside);
    assert_eq!(with.len(), compared.len() + line.len());
    let companies = rows("companies?limit=8");
    let eight: Vec<&str> = companies.iter().filter_map(|row| row["symbol"].as_str()).collect();
    let eight = rows(&format!("explore/compare?symbols={}&range=1m&benchmark=true", eight.join(",")));
    assert!(!eight.is_empty() && eight.iter().all(|row| row["symbol"] != row["benchmark"]));
    assert_eq!(SERVER.get("explore/compare?symbols=BAXIPAPOWR,NONE").status, 404);
    let refused = SERVER.get("explore/compare?symbols=A,B,C,D,E,F,G,H,I");
    assert!(refused.status == 400 && refused.message().contains('8'), "{}", refused.message());
}

#[test]
fn the_heat_map_has_every_large_stock_and_the_move_that_was_asked_for() {
    for (market, cap) in [("", "market_cap_cr"), ("us/", "market_cap_b")] {
        for (window, column) in [
            ("1d", "change_pct"),
            ("1w", "roc_5"),
            ("1m", "roc_21"),
            ("3m", "roc_63"),
            ("6m", "roc_126"),
            ("1y", "roc_252"),
        ] {
            let all = rows(&format!("{market}explore/heat-map?window={window}&limit=5000"));
            assert!(all.len() > 100, "{market}");
            assert!(numbers(&all, cap).is_sorted_by(|a, b| a >= b), "{market}: the largest first");
            assert!(all.iter().all(|row| row["move_pct"] == row[column]), "{market}{window}");
        }
    }
}

#[test]
fn facets_count_the_rows_that_the_same_limits_list() {
    for market in ["", "us/"] {
        let path = format!("{market}explore/screen?min_rs=40&max_pe=60");
        let mut listed = Vec::new();
        let mut total = String::new();
        for page in 0..20 {
            let reply = SERVER.get(&format!("{path}&limit=20&offset={}", 20 * page));
            total = if page == 0 { reply.header("x-total-count").to_owned() } else { total };
            let rows = reply.data().as_array().unwrap().clone();
            if rows.is_empty() {
                break;
            }
            listed.extend(rows);
        }
        assert_eq!(total, listed.len().to_string(), "{path}");
        assert!(listed.len() > 20, "{path}");
        assert!(
            listed
                .iter()
                .all(|row| row["rs_rating"].as_i64() >= Some(40) && row["pe"].as_f64() <= Some(60.0))
        );
        for facet in ["sector", "industry", "exchange", "stage"] {
            let mut expected: BTreeMap<String, i64> = BTreeMap::new();
            for row in &listed {
                let value = row[facet].as_str().map_or_else(|| row[facet].to_string(), str::to_owned);
                *expected.entry(value).or_default() += 1;
            }
            let counts = rows(&format!("{path}&facet={facet}&limit=200"));
            let found: BTreeMap<String, i64> = counts
                .iter()
                .map(|row| {
                    let value = row["facet_value"].as_str().unwrap_or("null").to_owned();
                    (value, row["stock_count"].as_i64().unwrap())
                })
                .collect();
            assert_eq!(found, expected, "{path}: {facet}");
        }
    }
}

#[test]
fn a_file_of_a_screen_has_the_rows_of_all_its_pages() {
    for market in ["", "us/"] {
        for asked in ["", "min_rs=20&sort_by=pe&sort_dir=asc", "max_de=1&sort_by=roce", "stage=2&min_score=4"]
        {
            let whole = rows(&format!("{market}explore/screen-file?{asked}"));
            let mut pages = Vec::new();
            loop {
                let offset = pages.len();
                pages.extend(rows(&format!("{market}explore/screen?{asked}&limit=70&offset={offset}")));
                if pages.len() < offset + 70 {
                    break;
                }
            }
            assert_eq!(whole, pages, "{market}: {asked}");
            assert!(whole.len() > 10, "{market}: {asked}: {}", whole.len());
        }
    }
}

#[test]
fn rotation_and_rating_changes_of_the_explorer_are_those_of_the_market() {
    let days = rows("market/breadth?days=30");
    let early = days.last().unwrap()["session"].as_str().unwrap();
    for asked in [String::new(), "as_of=1m".to_owned(), format!("as_of={early}")] {
        let sectors = rows(&format!("explore/rotation?{asked}"));
        assert_eq!(sectors, rows(&format!("market/rrg?{asked}")), "{asked}");
        assert!(sectors.iter().any(|row| !row["trail"].is_null()), "{asked}");
    }
    for (word, date) in [("3m", "2026-07-30"), ("6m", "2026-04-30"), ("1y", "2025-10-30")] {
        let sectors = rows(&format!("explore/rotation?as_of={word}"));
        assert_eq!(sectors, rows(&format!("market/rrg?as_of={date}")), "{word}");
        assert!(sectors.len() > 10, "{word}: {}", sectors.len());
    }
    for asked in
        ["min_delta=1", "direction=losers&days=30&min_delta=3", "direction=all&liquidity=all&days=21"]
    {
        let mut changes = rows(&format!("explore/rs-changes?{asked}&limit=50"));
        for row in &mut changes {
            assert!(row.as_object_mut().unwrap().shift_remove("industry").is_some(), "{asked}");
        }
        assert!(changes.len() > 3, "{asked}");
        assert_eq!(changes, rows(&format!("market/rs-changes?{asked}&limit=50")), "{asked}");
    }
}

#[test]
fn breadth_over_years_ends_as_the_breadth_of_days() {
    let long = rows("explore/breadth?range=2y");
    let days = rows("market/breadth");
    assert!(long.len() > 400 && long.is_sorted_by_key(|row| row["session"].to_string()));
    for (long, day) in long.iter().rev().zip(&days) {
        assert_eq!(long, day);
    }
    let us = rows("us/explore/breadth?range=1m");
    let last = SERVER.get("us/market/breadth").data();
    for name in ["session", "advances", "declines", "mcclellan"] {
        assert_eq!(us.last().unwrap()[name], last[name], "{name}");
    }
}
