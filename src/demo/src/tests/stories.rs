//! Checks that the files of the demo market agree with each other about each company.
//!
//! Expected values come from plain arithmetic on the cells, not from the model.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Datelike, Months, NaiveDate};
use serde_json::Value as Json;

use super::filings::members;
use super::{MARKET, files, india, india_bars, minor, rows, us};

/// Returns India's companies with industry and market cap in crore, largest first.
fn largest_of_india() -> Vec<(String, String, f64)> {
    let industries: BTreeMap<_, _> =
        india("industry.csv").into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let caps = india("mcap_30102026.csv").into_iter();
    let mut caps: Vec<_> = caps
        .filter_map(|row| {
            let industry = industries.get(&row[1])?.clone();
            Some((row[1].clone(), industry, row[9].parse::<f64>().unwrap() / 1e7))
        })
        .collect();
    caps.sort_by(|a, b| b.2.total_cmp(&a.2));
    caps
}

#[test]
fn the_largest_companies_are_in_the_industries_of_large_companies() {
    const LARGE_IN_INDIA: [&str; 11] = [
        "Petroleum Products",
        "Banks",
        "IT - Software",
        "Telecom - Services",
        "Diversified FMCG",
        "Finance",
        "Insurance",
        "Construction",
        "Automobiles",
        "Pharmaceuticals & Biotechnology",
        "Power",
    ];
    let large = largest_of_india();
    let top: Vec<_> = large.iter().take(6).collect();
    assert!(top.iter().all(|company| LARGE_IN_INDIA.contains(&company.1.as_str())), "{top:?}");
    let water = large.iter().position(|company| company.1 == "Other Utilities").unwrap();
    assert!(water > large.len() / 5, "a water utility is number {} of {}", water + 1, large.len());
    // A heavy tail: a tenth of the companies is most of the market, and no single one is half of it.
    let total: f64 = large.iter().map(|company| company.2).sum();
    let tenth: f64 = large.iter().take(large.len() / 10).map(|company| company.2).sum();
    assert!(tenth > 0.45 * total && large[0].2 < 0.25 * total, "{tenth} and {} of {total}", large[0].2);

    let mut listed = us("listings.csv");
    listed.retain(|row| !row[2].is_empty());
    listed.sort_by_key(|row| std::cmp::Reverse(row[4].parse::<u64>().unwrap()));
    let top: Vec<&str> = listed.iter().take(5).map(|row| row[2].as_str()).collect();
    let large = ["Technology", "Health Care", "Finance", "Industrials", "Consumer Discretionary"];
    assert!(top.iter().all(|sector| large.contains(sector)), "{top:?}");
    assert!(top.iter().filter(|sector| **sector == "Technology").count() >= 2, "{top:?}");
}

/// Returns revenue by symbol: quarter end, filing date, and amount in the file's unit.
fn revenues(market: &str) -> BTreeMap<String, Vec<(NaiveDate, NaiveDate, f64)>> {
    let mut revenues: BTreeMap<String, BTreeMap<NaiveDate, (NaiveDate, f64)>> = BTreeMap::new();
    for path in files(&MARKET.path().join(market).join("statements")) {
        for row in rows(&path) {
            if row[2] == "quarterly" && row[5] == "revenue" {
                let (end, filed) = (row[1].parse().unwrap(), row[9].parse().unwrap());
                let quarters = revenues.entry(row[0].clone()).or_default();
                // A group's figures precede its parent's standalone ones.
                quarters.entry(end).or_insert((filed, row[6].parse().unwrap()));
            }
        }
    }
    let in_order = |quarters: BTreeMap<NaiveDate, (NaiveDate, f64)>| {
        quarters.into_iter().map(|(end, (filed, revenue))| (end, filed, revenue)).collect()
    };
    revenues.into_iter().map(|(symbol, quarters)| (symbol, in_order(quarters))).collect()
}

/// Returns the revenue of the last four quarters filed by a day; `None` if they are not consecutive.
fn year_revenue(quarters: &[(NaiveDate, NaiveDate, f64)], day: NaiveDate) -> Option<f64> {
    let filed_quarters: Vec<_> = quarters.iter().filter(|(_, filed, _)| *filed <= day).collect();
    let year = filed_quarters.get(filed_quarters.len().checked_sub(4)?..)?;
    let months =
        (year[3].0.year() - year[0].0.year()) * 12 + year[3].0.month() as i32 - year[0].0.month() as i32;
    (months == 9).then(|| year.iter().map(|(_, _, revenue)| revenue).sum())
}

fn contracts() -> Vec<Json> {
    let text = std::fs::read_to_string(MARKET.path().join("us/texts/order_wins.ndjson")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn orders_are_in_proportion_to_revenue() {
    let revenue = revenues("india");
    let mut compared = 0;
    for order in india("order_wins.csv").iter().filter(|order| !order[6].is_empty()) {
        let Some(year) = year_revenue(&revenue[&order[0]], order[1].parse().unwrap()) else { continue };
        let value: f64 = order[6].parse().unwrap();
        assert!(value <= (year / 3.0).max(1.0), "{order:?}: {year} a year");
        compared += 1;
    }
    assert!(compared > 30, "{compared} orders");
    let (revenue, mut compared) = (revenues("us"), 0);
    for contract in contracts().iter().filter(|it| it["contract_type"] == "order_win") {
        let filed = contract["filed_on"].as_str().unwrap().parse().unwrap();
        let year = revenue.get(contract["symbol"].as_str().unwrap()).and_then(|it| year_revenue(it, filed));
        let (Some(year), Some(value)) = (year, contract["value_usd_m"].as_f64()) else { continue };
        assert!(value <= (year / 3.0).max(0.1), "{contract}: {year} a year");
        compared += 1;
    }
    assert!(compared > 20, "{compared} orders");
}

#[test]
fn each_contract_has_its_form_8k() {
    let filings: BTreeSet<(String, String, String)> = members("submissions.zip")
        .values()
        .flat_map(|text| {
            let company: Json = serde_json::from_str(text).unwrap();
            let symbol = company["tickers"][0].as_str().unwrap().to_owned();
            let recent = company["filings"]["recent"].clone();
            let column = |name: &str| recent[name].as_array().unwrap().clone();
            let (numbers, dates, forms) = (column("accessionNumber"), column("filingDate"), column("form"));
            let items = column("items");
            (0..numbers.len())
                .filter(|position| {
                    forms[*position] == "8-K" && items[*position].as_str().unwrap().starts_with("1.01")
                })
                .map(|position| {
                    let text = |column: &[Json]| column[position].as_str().unwrap().to_owned();
                    (symbol.clone(), text(&numbers), text(&dates))
                })
                .collect::<Vec<_>>()
        })
        .collect();
    let reported: BTreeSet<_> = contracts()
        .iter()
        .map(|contract| {
            let text = |field: &str| contract[field].as_str().unwrap().to_owned();
            (text("symbol"), text("accession"), text("filed_on"))
        })
        .collect();
    assert!(reported.len() > 50, "{} contracts", reported.len());
    assert_eq!(reported, filings, "contracts, and filings of agreements");
}

#[test]
fn there_is_a_list_of_price_bands_for_every_session_of_the_last_year() {
    let bars = india_bars();
    let sessions: BTreeSet<NaiveDate> = bars.values().flatten().map(|(date, _)| *date).collect();
    let year: Vec<(&NaiveDate, &NaiveDate)> =
        sessions.iter().rev().zip(sessions.iter().rev().skip(1)).take(252).collect();
    assert_eq!(files(&MARKET.path().join("india/bands")).len(), 252);
    for (date, before) in year {
        // The list valid on a session is dated the session before.
        let bands: BTreeMap<String, String> =
            india(&format!("bands/sec_list_{}.csv", before.format("%d%m%Y")))
                .into_iter()
                .map(|row| (row[0].clone(), row[1].clone()))
                .collect();
        for (symbol, bars) in &bars {
            let Some((_, bar)) = bars.iter().find(|(day, _)| day == date) else { continue };
            if bar[1] == "EQ" || bar[1] == "BE" {
                assert!(symbol == "NIFTYBEES" || bands[symbol] == bar[1], "{symbol} {date}");
            }
        }
    }
}

#[test]
fn classes_of_holders_add_up_to_a_hundred() {
    let mut changed = 0;
    let mut before: BTreeMap<String, i64> = BTreeMap::new();
    for row in india("shareholding.csv") {
        let [promoters, public, foreign, domestic, funds, insurers, government, others, trusts] =
            [2, 3, 4, 5, 6, 7, 8, 9, 10].map(|cell| minor(&row[cell]));
        assert_eq!(promoters + public + trusts, 10_000, "{row:?}");
        assert_eq!(foreign + domestic + government + others, public, "{row:?}");
        assert_eq!(funds + insurers, domestic, "{row:?}");
        assert!([promoters, others, funds, foreign].iter().all(|part| *part > 0), "{row:?}");
        if let Some(past) = before.insert(row[0].clone(), foreign) {
            assert!((foreign - past).abs() < 900, "{row:?} after {past}");
            changed += usize::from(foreign != past);
        }
    }
    assert!(changed > 300, "{changed}");
}

/// Sums a value of the promoters' trades by symbol and quarter.
fn sum_of_promoters(value: impl Fn(&[String]) -> i64) -> BTreeMap<(String, NaiveDate), i64> {
    let mut sums = BTreeMap::new();
    for row in india("insider_trading.csv").iter().filter(|row| row[8].starts_with("Promoter")) {
        let traded = NaiveDate::parse_from_str(&row[15], "%d-%b-%Y").unwrap();
        let end = crate::holders::quarter_end(traded);
        *sums.entry((row[0].clone(), end)).or_default() += value(row);
    }
    sums
}

/// Returns the end of the previous quarter.
fn quarter_before(end: NaiveDate) -> NaiveDate {
    crate::holders::quarter_end(end.with_day(1).unwrap().checked_sub_months(Months::new(3)).unwrap())
}

#[test]
fn promoters_hold_what_their_trades_left_them() {
    // In hundredths of a percent: holdings after less before each trade.
    let traded = sum_of_promoters(|row| minor(&row[14]) - minor(&row[10]));
    let holdings: BTreeMap<(String, NaiveDate), i64> = india("shareholding.csv")
        .iter()
        .map(|row| {
            let end = NaiveDate::parse_from_str(&row[1], "%d-%b-%Y").unwrap();
            ((row[0].clone(), end), minor(&row[2]))
        })
        .collect();
    let first = india_bars().values().flatten().map(|(date, _)| *date).min().unwrap();
    let mut compared = 0;
    for ((symbol, end), promoters) in &holdings {
        let past = quarter_before(*end);
        let Some(before) = holdings.get(&(symbol.clone(), past)).filter(|_| past >= first) else { continue };
        let trade_sum = traded.get(&(symbol.clone(), *end)).copied().unwrap_or_default();
        assert!(
            (promoters - before - trade_sum).abs() <= 3,
            "{symbol} {end}: {before} to {promoters}, {trade_sum}"
        );
        compared += usize::from(trade_sum != 0);
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn pledges_are_those_that_promoters_disclosed() {
    let signed = |row: &[String]| -> i64 {
        let shares: i64 = row[6].parse().unwrap();
        match row[7].as_str() {
            "Pledge" => shares,
            "Pledge Revoke" => -shares,
            _ => 0,
        }
    };
    let traded = sum_of_promoters(signed);
    let split: BTreeSet<String> =
        india("corporate_actions.csv").into_iter().map(|row| row[0].clone()).collect();
    let pledged: BTreeMap<(String, NaiveDate), i64> = india("pledges.csv")
        .iter()
        .filter(|row| !row[4].is_empty())
        .map(|row| ((row[0].clone(), row[1].parse().unwrap()), row[4].parse().unwrap()))
        .collect();
    let first = india_bars().values().flatten().map(|(date, _)| *date).min().unwrap();
    let mut compared = 0;
    for ((symbol, end), shares) in &pledged {
        let past = quarter_before(*end);
        let before = pledged.get(&(symbol.clone(), past)).filter(|_| past >= first);
        let Some(before) = before.filter(|_| !split.contains(symbol)) else { continue };
        let trade_sum = traded.get(&(symbol.clone(), *end)).copied().unwrap_or_default();
        assert!(
            (shares - before - trade_sum).abs() <= 2,
            "{symbol} {end}: {before} to {shares}, {trade_sum}"
        );
        compared += usize::from(trade_sum != 0);
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn order_books_add_up() {
    let mut figures: BTreeMap<(String, NaiveDate), BTreeMap<String, f64>> = BTreeMap::new();
    for row in india("sector_kpis.csv") {
        let quarter = figures.entry((row[0].clone(), row[1].parse().unwrap())).or_default();
        quarter.insert(row[2].clone(), row[4].parse().unwrap());
    }
    let mut announced: BTreeMap<(String, NaiveDate), f64> = BTreeMap::new();
    for row in india("order_wins.csv").iter().filter(|row| !row[6].is_empty()) {
        let end = crate::holders::quarter_end(row[1].parse().unwrap());
        *announced.entry((row[0].clone(), end)).or_default() += row[6].parse::<f64>().unwrap();
    }
    let revenue = revenues("india");
    let mut compared = 0;
    for ((symbol, end), now) in figures.iter().filter(|(_, now)| now.contains_key("order_book")) {
        let ordered = now["order_inflow"];
        let least = announced.get(&(symbol.clone(), *end)).copied().unwrap_or_default();
        assert!(ordered >= least, "{symbol} {end}: {ordered} ordered, {least} announced");
        let past = figures.get(&(symbol.clone(), quarter_before(*end)));
        let delivered = revenue[symbol].iter().find(|(quarter, _, _)| quarter == end).unwrap().2;
        let Some(before) = past.map(|past| past["order_book"]) else { continue };
        let expected = before + ordered - delivered;
        assert!(now["order_book"] >= expected - 0.02, "{symbol} {end}: {now:?} after {before}");
        compared += usize::from((now["order_book"] - expected).abs() < 0.02);
    }
    assert!(compared > 50, "{compared}");
}
