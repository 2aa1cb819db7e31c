//! Misleading filings: years of fifteen months, quarters that the year restates, wrong units, outdated results.
//!
//! Figures of BHEL, ACC and Trent are from their results, in crore, and those of Axis Bank and Yes Bank are their stated tier-1
//! capital; the rest is invented. The market's last session is 31 May 2024.

use std::fmt::Write as _;
use std::fs;
use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate, Weekday};
use parquote::engine::Snapshot;
use parquote::operation::Market;
use serde_json::{Value as Json, json};

use super::near;
use crate::demo_market::{derive_into, open_whole};
use crate::selected::select;

/// Symbol and sector.
const LISTED: [(&str, &str); 13] = [
    ("ACC", "Basic Materials"),
    ("AXISBANK", "Finance"),
    ("BHEL", "Industrials"),
    ("GOODS", "Technology"),
    ("LENDER", ""),
    ("MAKER", ""),
    ("MOVED", "Materials"),
    ("NEWEST", "Consumer Discretionary"),
    ("NOGOODS", "Technology"),
    ("OLD", "Utilities"),
    ("TRENT", "Consumer Discretionary"),
    ("YEARLY", "Utilities"),
    ("YESBANK", "Finance"),
];

/// Quarters and years: symbol, period type, line, and the figures by the end of the period.
type Figures<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, f64)]);

const FILED: [Figures<'_>; 33] = [
    (
        "BHEL",
        "quarterly",
        "pat",
        &[("2023-06-30", -343.89), ("2023-09-30", -238.12), ("2023-12-31", -148.77), ("2024-03-31", 489.62)],
    ),
    ("BHEL", "annual", "pat", &[("2024-03-31", 282.22)]),
    ("BHEL", "annual", "equity", &[("2023-03-31", 100.0), ("2024-03-31", 100.0)]),
    // Fiscal years ended in December up to 2022; the filing of the year to March 2023 covers the five quarters from January 2022.
    (
        "ACC",
        "annual",
        "revenue",
        &[
            ("2018-12-31", 14_801.62),
            ("2019-12-31", 15_657.55),
            ("2020-12-31", 13_785.98),
            ("2022-12-31", 17_419.27),
            ("2023-03-31", 22_210.18),
            ("2024-03-31", 19_958.92),
        ],
    ),
    (
        "ACC",
        "annual",
        "pat",
        &[
            ("2018-12-31", 1_520.47),
            ("2019-12-31", 1_377.41),
            ("2020-12-31", 1_430.18),
            ("2022-12-31", 649.44),
            ("2023-03-31", 885.07),
            ("2024-03-31", 2_336.374),
        ],
    ),
    (
        "ACC",
        "quarterly",
        "revenue",
        &[
            ("2022-03-31", 4_426.54),
            ("2022-06-30", 4_468.42),
            ("2022-09-30", 3_987.34),
            ("2022-12-31", 4_536.97),
            ("2023-03-31", 4_790.91),
            ("2023-06-30", 5_201.11),
            ("2023-09-30", 4_434.73),
            ("2023-12-31", 4_914.36),
            ("2024-03-31", 5_408.72),
        ],
    ),
    (
        "ACC",
        "instant",
        "share_capital",
        &[
            ("2022-03-31", 187.99),
            ("2022-12-31", 187.99),
            ("2023-03-31", 187.99),
            ("2023-12-31", 187.99),
            ("2024-03-31", 187.99),
        ],
    ),
    // Fiscal years ended in December up to 2022; no quarter shows how long the year to March 2023 is.
    (
        "MOVED",
        "annual",
        "pat",
        &[
            ("2014-12-31", 1.0),
            ("2015-12-31", 1.0),
            ("2016-12-31", 1.0),
            ("2017-12-31", 1.0),
            ("2018-12-31", 1.0),
            ("2019-12-31", 1.0),
            ("2020-12-31", 1.0),
            ("2021-12-31", 1.0),
            ("2022-12-31", 1.0),
            ("2023-03-31", 1.2),
            ("2024-03-31", 2.0),
        ],
    ),
    // The results of March 2022 are labelled as lakhs and are a hundred times too small.
    (
        "TRENT",
        "quarterly",
        "revenue",
        &[
            ("2021-06-30", 491.99),
            ("2021-09-30", 1_178.04),
            ("2021-12-31", 1_499.08),
            ("2022-03-31", 13.29),
            ("2022-06-30", 1_803.15),
            ("2022-09-30", 1_952.72),
            ("2022-12-31", 2_303.35),
            ("2023-03-31", 2_182.75),
        ],
    ),
    (
        "TRENT",
        "quarterly",
        "share_capital",
        &[
            ("2021-06-30", 35.55),
            ("2021-09-30", 35.55),
            ("2021-12-31", 35.55),
            ("2022-03-31", 0.3555),
            ("2022-06-30", 35.55),
            ("2022-09-30", 35.55),
            ("2022-12-31", 35.55),
            ("2023-03-31", 35.55),
        ],
    ),
    (
        "TRENT",
        "annual",
        "revenue",
        &[("2021-03-31", 2_592.96), ("2022-03-31", 44.98), ("2023-03-31", 8_242.02)],
    ),
    ("TRENT", "annual", "pat", &[("2021-03-31", -146.2), ("2022-03-31", 0.35), ("2023-03-31", 393.6)]),
    // The same fault in the newest filing.
    (
        "NEWEST",
        "quarterly",
        "revenue",
        &[("2023-06-30", 491.99), ("2023-09-30", 1_178.04), ("2023-12-31", 1_499.08), ("2024-03-31", 13.29)],
    ),
    (
        "NEWEST",
        "quarterly",
        "share_capital",
        &[("2023-06-30", 35.55), ("2023-09-30", 35.55), ("2023-12-31", 35.55), ("2024-03-31", 0.3555)],
    ),
    // Neither has a wrong unit: only the capital jumps, or only the revenue.
    ("GOODS", "annual", "share_capital", &[("2022-03-31", 1.0), ("2023-03-31", 10.0), ("2024-03-31", 1.0)]),
    ("GOODS", "annual", "revenue", &[("2022-03-31", 80.0), ("2023-03-31", 90.0), ("2024-03-31", 100.0)]),
    ("GOODS", "annual", "cost_of_goods", &[("2024-03-31", 60.0)]),
    ("NOGOODS", "annual", "revenue", &[("2022-03-31", 80.0), ("2023-03-31", 9.0), ("2024-03-31", 100.0)]),
    ("NOGOODS", "annual", "share_capital", &[("2022-03-31", 1.0), ("2023-03-31", 1.0), ("2024-03-31", 1.0)]),
    ("NOGOODS", "annual", "cost_of_goods", &[("2024-03-31", 0.0)]),
    ("MAKER", "annual", "net_interest_income", &[("2023-12-31", 90.0)]),
    ("MAKER", "annual", "current_assets", &[("2023-12-31", 300.0)]),
    ("MAKER", "annual", "current_liabilities", &[("2023-12-31", 200.0)]),
    ("MAKER", "annual", "total_assets", &[("2023-12-31", 900.0)]),
    ("LENDER", "annual", "net_interest_income", &[("2023-12-31", 90.0)]),
    ("AXISBANK", "annual", "interest_earned", &[("2024-03-31", 1.0)]),
    ("AXISBANK", "annual", "tier1_pct", &[("2024-03-31", 14.5)]),
    ("YESBANK", "annual", "tier1_pct", &[("2024-03-31", 0.13)]),
    ("AXISBANK", "annual", "equity", &[("2024-03-31", 1.0)]),
    ("YESBANK", "annual", "equity", &[("2024-03-31", 1.0)]),
    ("YESBANK", "annual", "interest_earned", &[("2024-03-31", 1.0)]),
    // 244 days before the last session, and 336 days for a company that files only years.
    (
        "OLD",
        "quarterly",
        "pat",
        &[("2022-12-31", 10.0), ("2023-03-31", 10.0), ("2023-06-30", 10.0), ("2023-09-30", 10.0)],
    ),
    ("YEARLY", "annual", "pat", &[("2023-06-30", 40.0)]),
];

static FILINGS: LazyLock<Snapshot> = LazyLock::new(|| {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let us = raw.path().join("us");
    fs::create_dir_all(&us).unwrap();
    let mut listings = "symbol,name,sector,industry,market_cap,exchange\n".to_owned();
    let mut prices = "symbol,date,open,high,low,close,volume\n".to_owned();
    let first = NaiveDate::from_ymd_opt(2024, 5, 1).unwrap();
    for (symbol, sector) in LISTED {
        writeln!(listings, "{symbol},{symbol} Corporation,{sector},,400000000,NYSE").unwrap();
        let weekday = |date: &NaiveDate| !matches!(date.weekday(), Weekday::Sat | Weekday::Sun);
        for date in first.iter_days().take(31).filter(weekday) {
            writeln!(prices, "{symbol},{date},10,10,10,10,1000").unwrap();
        }
    }
    let mut statements =
        "symbol,period_end,period_type,basis,line,value,unit,currency,filed_at,source\n".to_owned();
    for (symbol, span, line, figures) in FILED {
        let unit = if line == "tier1_pct" { "%" } else { "USD million" };
        for (end, value) in figures {
            let filed = end.parse::<NaiveDate>().unwrap() + chrono::Days::new(40);
            writeln!(statements, "{symbol},{end},{span},,{line},{value},{unit},USD,{filed},").unwrap();
        }
    }
    for (name, text) in [("listings", listings), ("prices_2024", prices), ("statement_lines", statements)] {
        fs::write(us.join(format!("{name}.csv")), text).unwrap();
    }
    derive_into(raw.path(), data.path(), None);
    open_whole(data.path())
});

/// Returns the cells of the only row of a SELECT.
fn row(sql: &str) -> Vec<Json> {
    let mut rows = select(&FILINGS, Market::Us, sql);
    assert_eq!(rows.len(), 1, "{sql}");
    rows.remove(0).as_object().unwrap().values().cloned().collect()
}

#[test]
fn a_year_that_ends_with_the_newest_quarter_is_the_last_twelve_months() {
    // The quarters sum to -241.16; the year restates them. 282.22 over a mean equity of 100; 400 / 282.22.
    let found = row("SELECT pat_ttm / 1e6, ttm_period, roe, pe FROM fundamentals WHERE symbol = 'BHEL'");
    near(&found[0], 282.22);
    assert_eq!(found[1], "Mar 2024");
    near(&found[2], 282.22);
    near(&found[3], 400.0 / 282.22);
}

#[test]
fn a_changed_financial_year_makes_neither_empty_years_nor_growth() {
    let years =
        "SELECT period_end, months, revenue FROM statements WHERE symbol = 'ACC' AND period_type = 'annual'";
    let years = select(&FILINGS, Market::Us, years);
    assert!(years.iter().all(|year| !year["revenue"].is_null()), "{years:?}");
    let long: Vec<&Json> = years.iter().filter(|year| year["months"] != 12).collect();
    assert_eq!((years.len(), long.len()), (6, 1));
    assert_eq!((&long[0]["period_end"], &long[0]["months"]), (&json!("2023-03-31"), &json!(15)));
    // 19,958.92 over 22,210.18 would be a fall by a tenth. No fiscal year ended five years before March 2024.
    let sql = "SELECT revenue_growth_1y, pat_growth_1y, revenue_cagr_3y, revenue_cagr_5y, profitable_years_10y, \
               revenue_ttm / 1e6, fiscal_period FROM fundamentals WHERE symbol = 'ACC'";
    let found = row(sql);
    assert!(found[..4].iter().all(Json::is_null), "{found:?}");
    assert_eq!(found[4], 5, "those of twelve months");
    near(&found[5], 19_958.92);
    assert_eq!(found[6], "FY2024");
}

#[test]
fn a_year_counts_once_where_its_end_moved_and_no_quarter_tells() {
    let found = row(
        "SELECT profitable_years_10y, pat_growth_1y, pat_cagr_5y FROM fundamentals WHERE symbol = 'MOVED'",
    );
    assert_eq!(found, [json!(10), Json::Null, Json::Null]);
    let odd = "SELECT period_end FROM statements WHERE symbol = 'MOVED' AND months <> 12";
    assert_eq!(row(odd), [json!("2023-03-31")]);
}

#[test]
fn filings_of_a_wrong_unit_have_no_ratio_and_no_growth() {
    let wrong = "SELECT symbol, period_type, period_end FROM statements WHERE wrong_unit ORDER BY 1, 2";
    let wrong = select(&FILINGS, Market::Us, wrong);
    let wrong: Vec<[&str; 3]> = wrong
        .iter()
        .map(|row| ["symbol", "period_type", "period_end"].map(|name| row[name].as_str().unwrap()))
        .collect();
    assert_eq!(
        wrong,
        [
            ["NEWEST", "quarterly", "2024-03-31"],
            ["TRENT", "annual", "2022-03-31"],
            ["TRENT", "quarterly", "2022-03-31"],
        ]
    );
    let quarters = "SELECT quarter, revenue, revenue_growth_yoy, revenue_growth_qoq FROM earnings WHERE symbol = 'TRENT'";
    for quarter in select(&FILINGS, Market::Us, quarters) {
        let growths = [&quarter["revenue_growth_yoy"], &quarter["revenue_growth_qoq"]];
        match quarter["quarter"].as_str().unwrap() {
            "Mar 2022" => {
                assert!(quarter["revenue"].is_null() && growths[0].is_null() && growths[1].is_null());
            }
            "Mar 2023" => assert!(growths[0].is_null() && !growths[1].is_null()),
            "Jun 2022" => {
                near(growths[0], 100.0 * (1_803.15 / 491.99 - 1.0));
                assert!(growths[1].is_null());
            }
            _ => {}
        }
    }
    let grown =
        row("SELECT revenue_growth_1y, profitable_years_10y FROM fundamentals WHERE symbol = 'TRENT'");
    assert!(grown.iter().all(Json::is_null), "{grown:?}");
    let newest = row("SELECT ttm_period, revenue_ttm FROM fundamentals WHERE symbol = 'NEWEST'");
    assert_eq!(newest, [json!("Mar 2024"), Json::Null]);
}

#[test]
fn net_interest_makes_no_lender_of_who_has_current_assets() {
    let kinds =
        "SELECT symbol, business_kind FROM business_kinds WHERE symbol IN ('LENDER', 'MAKER') ORDER BY 1";
    let kinds: Vec<Json> =
        select(&FILINGS, Market::Us, kinds).iter().map(|row| row["business_kind"].clone()).collect();
    assert_eq!(kinds, ["lender", "other"]);
    near(&row("SELECT current_ratio FROM fundamentals WHERE symbol = 'MAKER'")[0], 1.5);
}

#[test]
fn tier_1_capital_beside_its_bounds_is_not_known() {
    near(&row("SELECT tier1_pct FROM fundamentals WHERE symbol = 'AXISBANK'")[0], 14.5);
    assert!(row("SELECT tier1_pct FROM fundamentals WHERE symbol = 'YESBANK'")[0].is_null());
}

#[test]
fn without_a_cost_of_goods_there_is_no_gross_margin() {
    near(&row("SELECT gross_margin_pct FROM fundamentals WHERE symbol = 'GOODS'")[0], 40.0);
    assert!(row("SELECT gross_margin_pct FROM fundamentals WHERE symbol = 'NOGOODS'")[0].is_null());
}

#[test]
fn no_price_is_held_against_old_results() {
    let found =
        row("SELECT pe, market_cap, pat_ttm / 1e6, unvalued_because FROM fundamentals WHERE symbol = 'OLD'");
    assert!(found[0].is_null() && !found[1].is_null());
    near(&found[2], 40.0);
    assert_eq!(found[3], "Its newest results end on 2023-09-30, more than 200 days before the price.");
    let found = row("SELECT pe, unvalued_because FROM fundamentals WHERE symbol = 'YEARLY'");
    near(&found[0], 10.0);
    assert!(found[1].is_null());
}
