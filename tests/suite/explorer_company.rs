//! The explorer's operations for pages of a company and of the morning, against figures recomputed here from other operations' rows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::server::SERVER;

fn rows(path: &str) -> Vec<Json> {
    SERVER.get(path).data().as_array().unwrap().clone()
}

fn near(found: &Json, expected: f64, within: f64, what: &str) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{what}: {found}"));
    assert!((found - expected).abs() <= within, "{what}: {found} where {expected} is expected");
}

/// Returns the first symbols of a market.
fn symbols(market: &str) -> Vec<String> {
    let listed = rows(&format!("{market}companies?limit=40"));
    listed.iter().map(|row| row["symbol"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_last_four_quarters_and_growth_are_those_of_the_statements() {
    let mut compared = 0;
    for symbol in symbols("") {
        let own = rows(&format!("company/financials?symbol={symbol}"));
        let found = rows(&format!("explore/statements?symbol={symbol}"));
        let ttm = found.first().filter(|row| row["period"] == "TTM");
        let quarters = &found[usize::from(ttm.is_some())..];
        assert_eq!(quarters.len(), own.len(), "{symbol}");
        for (row, filed) in quarters.iter().zip(&own) {
            for name in ["period", "sales_cr", "pat_cr", "total_assets_cr", "cfo_cr"] {
                assert_eq!(row[name], filed[name], "{symbol}: {name} of {}", filed["period"]);
            }
        }
        if own.len() < 8 || ttm.is_none() {
            continue;
        }
        // Without missing quarters, four quarters back is the same quarter of the year before.
        let year = |at: usize| own[at]["period"].as_str().unwrap()[..3].to_owned();
        let is_gapless = (0..4).all(|at| year(at) == year(at + 4));
        if !is_gapless || own.iter().take(8).any(|row| row["wrong_unit"] == true) {
            continue;
        }
        let sum = |name: &str, from: usize| -> Option<f64> {
            own[from..from + 4].iter().map(|row| row[name].as_f64()).sum()
        };
        for (name, growth) in [("sales_cr", "sales_growth"), ("pat_cr", "pat_growth")] {
            let (last, before) = (sum(name, 0), sum(name, 4));
            if let Some(last) = last {
                near(&ttm.unwrap()[name], last, 0.05, &format!("{symbol}: {name}"));
            }
            for (row, now, then) in
                [(ttm.unwrap(), last, before), (&quarters[0], own[0][name].as_f64(), own[4][name].as_f64())]
            {
                match now.zip(then).filter(|(now, then)| *now > 0.0 && *then > 0.0) {
                    Some((now, then)) if then > 1.0 => {
                        compared += 1;
                        let expected = 100.0 * (now / then - 1.0);
                        near(
                            &row[growth],
                            expected,
                            0.02 * expected.abs() + 0.6,
                            &format!("{symbol}: {growth}"),
                        );
                    }
                    Some(_) => {}
                    None => assert!(row[growth].is_null(), "{symbol}: {growth} of {row}"),
                }
            }
        }
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn peers_are_the_nearest_in_size_of_the_industry_and_then_of_the_sector() {
    let mut checked = 0;
    for (market, cap) in [("", "market_cap_cr"), ("us/", "market_cap_b")] {
        let map = rows(&format!("{market}explore/heat-map?limit=5000"));
        for symbol in symbols(market) {
            let found = rows(&format!("{market}explore/peers?symbol={symbol}"));
            assert_eq!(found[0]["symbol"], Json::from(symbol.as_str()));
            let (own, industry) = (found[0][cap].as_f64(), &found[0]["industry"]);
            let Some(own) = own.filter(|own| *own > 0.0) else {
                assert_eq!(found.len(), 1, "{symbol}");
                continue;
            };
            let distance = |row: &Json| Some((row[cap].as_f64().filter(|cap| *cap > 0.0)? / own).ln().abs());
            let peers = &found[1..];
            assert!(peers.is_sorted_by(|a, b| a[cap].as_f64() >= b[cap].as_f64()), "{symbol}");
            let listed: BTreeSet<&str> = peers.iter().filter_map(|row| row["symbol"].as_str()).collect();
            let farthest = peers
                .iter()
                .filter(|row| row["of_industry"] == true)
                .filter_map(distance)
                .fold(0.0_f64, f64::max);
            // Within the industry, no unlisted company is nearer than a listed one.
            for other in
                map.iter().filter(|row| row["industry"] == *industry && row["symbol"] != symbol.as_str())
            {
                let is_listed = listed.contains(other["symbol"].as_str().unwrap());
                let is_known = other["market_cap_assumed"] != true;
                if let Some(distance) =
                    distance(other).filter(|_| !is_listed && is_known && !industry.is_null())
                {
                    checked += 1;
                    assert!(distance >= farthest - 1e-3, "{symbol}: {other}");
                }
            }
        }
    }
    assert!(checked > 2, "{checked}");
}

#[test]
fn stocks_at_their_high_or_low_are_counted_by_their_sector() {
    for market in ["", "us/"] {
        let mut stocks = Vec::new();
        loop {
            let page = rows(&format!("{market}explore/screen?limit=200&offset={}", stocks.len()));
            stocks.extend(page.iter().cloned());
            if page.len() < 200 {
                break;
            }
        }
        let mut all = 0;
        for row in rows(&format!("{market}explore/year-highs")) {
            let is_of = |stock: &&Json| match row["sector"].as_str() {
                Some("(no sector)") => stock["sector"].is_null(),
                _ => stock["sector"] == row["sector"],
            };
            let own: Vec<&Json> =
                stocks.iter().filter(|stock| stock["session"] == row["session"]).filter(is_of).collect();
            assert_eq!(row["traded_count"].as_i64(), Some(own.len() as i64), "{row}");
            let high =
                own.iter().filter(|stock| stock["pct_from_high"].as_f64() >= Some(-1.0)).count() as i64;
            assert_eq!(row["at_high"].as_i64(), Some(high), "{row}");
            let named: Vec<&str> =
                row["high_symbols"].as_str().map_or(Vec::new(), |list| list.split(", ").collect());
            assert_eq!(named.len() as i64, high.min(5), "{row}");
            for symbol in &named {
                assert!(own.iter().any(|stock| stock["symbol"] == *symbol), "{symbol} of {row}");
            }
            all += high;
        }
        assert!(all > 0, "{market}: no stock of the demo is at its high");
    }
}

#[test]
fn an_index_moves_as_its_members_do() {
    let mut checked = 0;
    for (market, parameter) in [("", "index"), ("us/", "index_name")] {
        for index in rows(&format!("{market}explore/indices")) {
            let name = index["index_name"].as_str().unwrap();
            let reply = SERVER.get(&format!("{market}market/index-constituents?{parameter}={name}"));
            if reply.status != 200 {
                continue;
            }
            let members = reply.data().as_array().unwrap().clone();
            let last =
                members.iter().filter_map(|row| row["session"].as_str()).max().unwrap_or_default().to_owned();
            let moved = members.iter().filter(|row| row["session"] == last.as_str());
            let (mut before, mut now) = (0.0, 0.0);
            let cap = if market.is_empty() { "market_cap_cr" } else { "market_cap_b" };
            for row in moved.clone() {
                if let (Some(cap), Some(change)) = (row[cap].as_f64(), row["change_pct"].as_f64()) {
                    before += cap / (1.0 + change / 100.0);
                    now += cap;
                }
            }
            if before > 0.0 {
                checked += 1;
                near(&index["index_change_pct"], 100.0 * (now / before - 1.0), 0.03, name);
            }
            let rose = moved.filter(|row| row["change_pct"].as_f64() > Some(0.0)).count();
            assert_eq!(index["advances"].as_i64(), Some(rose as i64), "{name}");
            // An index without closes has no level, and no chart unless it is the benchmark.
            assert!(index["index_close"].is_null() && index["change_of"] == "members", "{index}");
            let line = rows(&format!("{market}explore/index-chart?index={name}&range=3m"));
            let stands_for = ["NIFTY50", "SP500"].contains(&name);
            assert_eq!(!line.is_empty(), stands_for, "{name}");
            if let Some(first) = line.first() {
                assert_eq!(first["line_level"].as_f64(), Some(100.0), "{name}");
                let (first, last) = (&first["line_close"], line.last().unwrap());
                let expected = 100.0 * last["line_close"].as_f64().unwrap() / first.as_f64().unwrap();
                near(&last["line_level"], expected, 0.05, name);
            }
        }
    }
    assert!(checked > 3, "{checked}");
}

#[test]
fn the_indices_of_a_company_are_those_that_list_it() {
    let all: BTreeMap<String, Json> = rows("explore/indices")
        .into_iter()
        .map(|row| (row["index_name"].as_str().unwrap().to_owned(), row))
        .collect();
    let name = all.keys().next().unwrap();
    let members = rows(&format!("market/index-constituents?index={name}"));
    let symbol = members[0]["symbol"].as_str().unwrap();
    let found = rows(&format!("explore/indices?symbol={symbol}"));
    assert!(found.iter().any(|row| row["index_name"] == name.as_str()));
    for row in &found {
        assert_eq!(
            all[row["index_name"].as_str().unwrap()],
            *row,
            "the same figures with and without a company"
        );
    }
}

/// EMA as usually defined: seeded with the mean of the first bars, then each bar has the weight 2 / (bars + 1).
fn ema(closes: &[f64], bars: usize) -> f64 {
    let seed = closes[..bars].iter().sum::<f64>() / bars as f64;
    closes[bars..].iter().fold(seed, |mean, close| mean + (close - mean) * 2.0 / (bars as f64 + 1.0))
}

#[test]
fn a_chart_in_weeks_with_other_means_is_made_of_its_days() {
    let days = rows("explore/chart?symbol=BAXIPAPOWR&range=5y&mean_10=true&mean_21=true");
    let closes: Vec<f64> = days.iter().map(|row| row["close"].as_f64().unwrap()).collect();
    for (name, bars) in [("ema_10", 10), ("ema_21", 21)] {
        near(&days.last().unwrap()[name], ema(&closes, bars), 0.05, name);
    }
    let weeks = rows("explore/chart?symbol=BAXIPAPOWR&range=5y&bars=weekly&mean_200=false");
    let mut made: Vec<Vec<&Json>> = Vec::new();
    let week = |row: &Json| {
        let date: chrono::NaiveDate = row["session"].as_str().unwrap().parse().unwrap();
        (date - chrono::Days::new(u64::from(chrono::Datelike::weekday(&date).num_days_from_monday())))
            .to_string()
    };
    for day in &days {
        match made.last_mut() {
            Some(last) if week(last[0]) == week(day) => last.push(day),
            _ => made.push(vec![day]),
        }
    }
    assert_eq!(weeks.len(), made.len());
    for (found, days) in weeks.iter().zip(&made) {
        let last = days.last().unwrap();
        for name in ["session", "close", "sma_50", "rs_line", "year_high", "base_pivot"] {
            assert_eq!(found[name], last[name], "{name} of {found}");
        }
        assert_eq!(found["open"], days[0]["open"]);
        let of = |name: &str| days.iter().map(|row| row[name].as_f64().unwrap()).collect::<Vec<_>>();
        near(&found["high"], of("high").into_iter().fold(f64::MIN, f64::max), 1e-9, "high");
        near(&found["low"], of("low").into_iter().fold(f64::MAX, f64::min), 1e-9, "low");
        near(&found["volume"], of("volume").into_iter().sum(), 0.5, "volume");
        assert!(found["sma_200"].is_null());
    }
    let from = days[days.len() - 40]["session"].as_str().unwrap();
    let to = days[days.len() - 10]["session"].as_str().unwrap();
    let span = rows(&format!("explore/chart?symbol=BAXIPAPOWR&from={from}&to={to}"));
    assert_eq!(span.len(), 31);
    for (found, day) in span.iter().zip(&days[days.len() - 40..]) {
        for name in ["session", "close", "sma_50", "sma_200", "rs_line"] {
            assert_eq!(found[name], day[name], "{name} of {day}");
        }
    }
}

#[test]
fn levels_are_those_of_the_year_and_of_the_pattern() {
    let (mut years, mut bases) = (0, 0);
    for market in ["", "us/"] {
        let scan =
            SERVER.get(&format!("{market}market/trader-scan?scan_type=vcp&limit=20&liquidity=all")).data();
        let listed = scan["stocks"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|row| row["symbol"].as_str().map(str::to_owned))
            .collect::<Vec<_>>();
        for symbol in listed.into_iter().chain(symbols(market).into_iter().take(12)) {
            let signals = SERVER.get(&format!("{market}company/momentum?symbol={symbol}")).data();
            let chart = rows(&format!("{market}explore/chart?symbol={symbol}&range=2y"));
            let Some(last) = chart.last() else { continue };
            if !last["year_high"].is_null() {
                years += 1;
                assert_eq!(last["year_high"], signals["wk52_high"], "{symbol}");
                assert_eq!(last["year_low"], signals["wk52_low"], "{symbol}");
                let first = chart.iter().find(|row| !row["year_high"].is_null()).unwrap();
                assert_eq!(first["high"], last["year_high"], "{symbol}: it begins at the bar that made it");
            }
            if !last["base_pivot"].is_null() {
                bases += 1;
                assert_eq!(last["base_pivot"], signals["vcp_pivot"], "{symbol}");
                let base: Vec<&Json> = chart.iter().filter(|row| !row["base_pivot"].is_null()).collect();
                let highs = base.iter().map(|row| row["high"].as_f64().unwrap());
                let lows = base.iter().map(|row| row["low"].as_f64().unwrap());
                near(&last["pattern_low"], lows.fold(f64::MAX, f64::min), 1e-9, &symbol);
                // The base begins at its highest swing; the last five bars are no swing yet, and may hide one of the five before them.
                let old = highs.clone().take(base.len().saturating_sub(10)).fold(f64::MIN, f64::max);
                near(&base[0]["high"], old, 1e-9, &symbol);
                let pivot = last["base_pivot"].as_f64().unwrap();
                assert!(highs.into_iter().any(|high| (high - pivot).abs() < 0.01), "{symbol}: {pivot}");
            }
        }
    }
    assert!(years > 10 && bases > 0, "{years} years, {bases} bases");
}

#[test]
fn marks_tell_what_the_results_were() {
    let pead = SERVER.get("company/pead?symbol=BAXIPAPOWR").data();
    let chart = rows("explore/chart?symbol=BAXIPAPOWR&range=1y");
    let bar = chart.iter().find(|row| row["session"] == pead["day_0"]).unwrap();
    let words = bar["results_words"].as_str().unwrap();
    assert!(words.starts_with(&format!("{} results", pead["quarter"].as_str().unwrap())), "{words}");
    for name in ["sue", "announcement_return", "drift_return"] {
        let Some(figure) = pead[name].as_f64() else { continue };
        let told: Vec<f64> = words.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
        assert!(told.iter().any(|told| (told - figure).abs() < 0.06), "{name} {figure}: {words}");
    }
    let svg = SERVER.get("explore/chart?symbol=BAXIPAPOWR&range=1y&format=svg");
    let svg = String::from_utf8_lossy(&svg.body).into_owned();
    assert!(svg.contains("<title>") && svg.contains(&words.replace('&', "&amp;")), "{words}");
}

/// `explore/rs-changes` reads the ratings of single days from another table, which is sorted by session.
#[test]
fn every_bar_has_the_rating_of_its_day() {
    for market in ["", "us/"] {
        let mut compared = 0;
        for days in [1, 20, 40] {
            let moved = rows(&format!(
                "{market}explore/rs-changes?days={days}&direction=all&min_delta=0&liquidity=all&limit=4"
            ));
            for row in moved {
                let symbol = row["symbol"].as_str().unwrap();
                let then = row["session_then"].as_str().unwrap();
                let chart = rows(&format!("{market}explore/chart?symbol={symbol}&range=6m"));
                assert_eq!(chart.last().unwrap()["rs_rating"], row["rs_now"], "{symbol}");
                if let Some(bar) = chart.iter().find(|bar| bar["session"] == then) {
                    assert_eq!(bar["rs_rating"], row["rs_then"], "{symbol} on {then}");
                    compared += 1;
                }
                let asked = format!("symbol={symbol}&from=2026-06-01&to={then}&bars=weekly");
                let weeks = rows(&format!("{market}explore/chart?{asked}"));
                assert_eq!(weeks.last().unwrap()["rs_rating"], row["rs_then"], "{asked}");
            }
        }
        assert!(compared >= 6, "{market}: {compared} ratings were compared");
    }
}
