//! Fundamental figures of a handmade market, against calculations by hand.
//!
//! A US market of a few companies over two months; every expected figure is calculated next to its test. The demo market's figures
//! are checked against another implementation (`tests/independent`).

mod as_filed;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate, Weekday};
use parquote::engine::Snapshot;
use parquote::operation::Market;
use serde_json::{Value as Json, json};

use crate::demo_market::{derive_into, open_whole};
use crate::selected::select;

/// Symbol, sector and market capitalisation in millions.
const LISTED: [(&str, &str, f64); 16] = [
    ("ALTB", "Industrials", 401.0),
    ("ALTN", "Industrials", 990.8),
    ("ALTT", "Technology", 500.0),
    ("BANK", "Finance", 500.0),
    ("BOTH", "Technology", 500.0),
    ("FOUR", "Technology", 500.0),
    ("LONE", "Energy", 500.0),
    ("PEER1", "Utilities", 500.0),
    ("PEER2", "Utilities", 500.0),
    ("PEER3", "Utilities", 500.0),
    ("PEER4", "Utilities", 500.0),
    ("PEER5", "Utilities", 500.0),
    ("PIOA", "Technology", 500.0),
    ("PION", "Technology", 500.0),
    ("PIOW", "Technology", 500.0),
    ("SURP", "Technology", 500.0),
];

struct Market2Months {
    _folders: [tempfile::TempDir; 2],
    tables: Snapshot,
}

static MADE: LazyLock<Market2Months> = LazyLock::new(|| {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let us = raw.path().join("us");
    fs::create_dir_all(us.join("statements")).unwrap();
    fs::write(us.join("listings.csv"), listings()).unwrap();
    fs::write(us.join("prices_2026.csv"), prices()).unwrap();
    fs::write(
        us.join("corporate_actions.csv"),
        "symbol,ex_date,action,factor\nSURP,2026-10-05,split 1:2,0.5\n",
    )
    .unwrap();
    fs::write(us.join("statements/statement_lines.csv"), statements()).unwrap();
    derive_into(raw.path(), data.path(), None);
    let tables = open_whole(data.path());
    Market2Months { _folders: [raw, data], tables }
});

fn listings() -> String {
    let mut text = "symbol,name,sector,industry,market_cap,exchange\n".to_owned();
    for (symbol, sector, millions) in LISTED {
        writeln!(text, "{symbol},{symbol} Corporation,{sector},{sector},{},NYSE", millions * 1e6).unwrap();
    }
    text
}

/// Returns prices of the weekdays of September and October 2026; a split halves the price of SURP, which moves around its announcement.
fn prices() -> String {
    let mut text = "symbol,date,open,high,low,close,volume\n".to_owned();
    let day = |month, day| NaiveDate::from_ymd_opt(2026, month, day).unwrap();
    for date in day(9, 1).iter_days().take_while(|date| *date <= day(10, 30)) {
        if matches!(date.weekday(), Weekday::Sat | Weekday::Sun) {
            continue;
        }
        let mut bar = |symbol: &str, price: f64| {
            writeln!(text, "{symbol},{date},{price},{price},{price},{price},1000").unwrap();
        };
        bar(
            "SPY",
            if date < day(10, 21) {
                100.0
            } else if date < day(10, 30) {
                101.0
            } else {
                102.0
            },
        );
        for (symbol, ..) in LISTED {
            let surprise = match date {
                date if date < day(10, 5) => 20.0,
                date if date < day(10, 19) => 10.0,
                date if date < day(10, 21) => 10.5,
                date if date < day(10, 30) => 11.0,
                _ => 11.55,
            };
            bar(symbol, if symbol == "SURP" { surprise } else { 10.0 });
        }
    }
    text
}

/// The lines of a file of statements.
struct Filed(String);

/// A period: its end, its type, its basis, its filing date.
#[derive(Clone, Copy)]
struct Period<'a>(&'a str, &'a str, &'a str, &'a str);

impl Filed {
    fn period(&mut self, symbol: &str, Period(end, span, basis, filed): Period<'_>, lines: &[(&str, f64)]) {
        for (line, value) in lines {
            let (statement, unit) = match *line {
                "eps_diluted" => ("income", "per share"),
                "shares_outstanding" => ("balance", "shares"),
                "revenue" | "ebit" | "pat" | "gross_profit" | "interest_earned" => ("income", "USD million"),
                "cfo" => ("cashflow", "USD million"),
                _ => ("balance", "USD million"),
            };
            writeln!(
                self.0,
                "{symbol},{end},{span},{basis},{statement},{line},{value},{unit},USD,{filed},paper"
            )
            .unwrap();
        }
    }

    /// Adds a fiscal year to December, filed the following February.
    fn year(&mut self, symbol: &str, year: i32, basis: &str, lines: &[(&str, f64)]) {
        let (end, filed) = (format!("{year}-12-31"), format!("{}-02-15", year + 1));
        self.period(symbol, Period(&end, "annual", basis, &filed), lines);
    }

    fn altman(&mut self, symbol: &str, [current, retained, ebit, owed, revenue]: [f64; 5]) {
        let lines = [
            ("total_assets", 1000.0),
            ("current_assets", current),
            ("current_liabilities", 100.0),
            ("retained_earnings", retained),
            ("ebit", ebit),
            ("total_liabilities", owed),
            ("equity", 1000.0 - owed),
            ("revenue", revenue),
        ];
        self.year(symbol, 2025, GROUP, &lines);
    }

    fn piotroski(&mut self, symbol: &str, year: i32, lines: usize, figures: [f64; 8]) {
        let [pat, cfo, assets, debt, current, revenue, shares, gross] = figures;
        let all = [
            ("pat", pat),
            ("cfo", cfo),
            ("total_assets", assets),
            ("long_term_debt", debt),
            ("current_assets", current),
            ("current_liabilities", 200.0),
            ("revenue", revenue),
            ("shares_outstanding", shares),
            ("gross_profit", gross),
        ];
        self.year(symbol, year, GROUP, &all[..lines]);
    }

    /// Adds thirteen quarters: earnings per share grow over a year by 0.1 and 0.2 in turn, then by 0.5. The last is reported after
    /// the split, so it is half of its former value. A correction filed after the last session is not yet
    /// known.
    fn surprises(&mut self) {
        let eps = [1.0, 1.0, 1.0, 1.0, 1.1, 1.2, 1.1, 1.2, 1.2, 1.4, 1.2, 1.4, 1.7 / 2.0];
        for (place, eps) in eps.into_iter().enumerate() {
            let month = 9 + 3 * place as i32;
            let next = NaiveDate::from_ymd_opt(2023 + month / 12, (month % 12 + 1) as u32, 1).unwrap();
            let end = next.pred_opt().unwrap();
            // The last one is a Saturday.
            let filed = (end + chrono::Days::new(17)).to_string();
            let lines = [("eps_diluted", eps), ("revenue", 100.0), ("pat", 10.0)];
            self.period("SURP", Period(&end.to_string(), "quarterly", GROUP, &filed), &lines);
        }
        let corrected = Period("2026-09-30", "quarterly", GROUP, "2026-11-15");
        self.period("SURP", corrected, &[("eps_diluted", 9.0)]);
    }
}

const GROUP: &str = "consolidated";

fn statements() -> String {
    let mut filed = Filed(
        "symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source\n".to_owned(),
    );
    filed.altman("ALTB", [39.0, -626.0, -318.0, 1000.0, 1500.0]);
    for symbol in ["ALTN", "ALTT", "BANK"] {
        filed.altman(symbol, [514.0, 355.0, 153.0, 400.0, 1900.0]);
    }
    let debts =
        [("LONE", 30.0), ("PEER1", 10.0), ("PEER2", 20.0), ("PEER3", 20.0), ("PEER4", 40.0), ("PEER5", 50.0)];
    for (symbol, debt) in debts {
        filed.year(symbol, 2025, GROUP, &[("equity", 100.0), ("total_debt", debt), ("revenue", 1.0)]);
    }
    for symbol in ["PIOA", "PION", "PIOW"] {
        let lines = if symbol == "PION" { 8 } else { 9 };
        filed.year(symbol, 2023, GROUP, &[("total_assets", 1000.0), ("revenue", 900.0)]);
        filed.piotroski(symbol, 2024, lines, [50.0, 60.0, 1100.0, 220.0, 300.0, 1000.0, 100.0, 300.0]);
        let last = match symbol {
            "PIOW" => [40.0, 30.0, 1200.0, 300.0, 250.0, 1200.0, 110.0, 400.0],
            _ => [80.0, 100.0, 1200.0, 200.0, 400.0, 1200.0, 100.0, 400.0],
        };
        filed.piotroski(symbol, 2025, lines, last);
    }
    let revenues =
        [(2023, GROUP, 300.0), (2024, GROUP, 400.0), (2025, GROUP, 500.0), (2025, "standalone", 50.0)];
    for (year, basis, revenue) in revenues {
        filed.year("BOTH", year, basis, &[("revenue", revenue)]);
    }
    filed.year("FOUR", 2025, GROUP, &[("revenue", 100.0), ("total_assets", 70.0)]);
    let quarters = [
        ("2025-03-31", "2025-05-01", 20.0),
        ("2025-06-30", "2025-08-01", 25.0),
        ("2025-09-30", "2025-11-01", 25.0),
    ];
    for (end, day, revenue) in quarters {
        filed.period("FOUR", Period(end, "quarterly", GROUP, day), &[("revenue", revenue)]);
    }
    filed.surprises();
    filed.0
}

/// Returns the rows of a SELECT, keyed by the first column.
fn found(sql: &str) -> BTreeMap<String, Vec<Json>> {
    let rows = select(&MADE.tables, Market::Us, sql).into_iter();
    rows.map(|row| {
        let mut cells = row.as_object().unwrap().values().cloned();
        (cells.next().unwrap().as_str().unwrap().to_owned(), cells.collect())
    })
    .collect()
}

fn near(cell: &Json, wanted: f64) {
    let figure = cell.as_f64().unwrap_or_else(|| panic!("`{cell}` is not {wanted}"));
    assert!((figure - wanted).abs() <= 1e-9 * wanted.abs().max(1.0), "{figure} is not {wanted}");
}

#[test]
fn altman_is_that_of_his_two_groups() {
    // The mean ratios of the bankrupt and of the other firms in Altman (1968), table 1: -6.1, -62.6, -31.8, 40.1 and 150 %;
    // 41.4, 35.5, 15.3, 247.7 and 190 %. With today's rounded weights, by hand:
    //   -0.0732 - 0.8764 - 1.0494 + 0.2406 + 1.5 = -0.2584;  0.4968 + 0.497 + 0.5049 + 1.4862 + 1.9 = 4.8849
    // (the paper has -0.2599 and 4.8863 with its own). Z'' of the latter: 3.25 + 2.71584 + 1.1573 + 1.02816 + 1.575 = 9.7263.
    let rows = found("SELECT symbol, altman_z_score, altman_model, altman_zone FROM fundamentals");
    near(&rows["ALTB"][0], -0.2584);
    near(&rows["ALTN"][0], 4.8849);
    near(&rows["ALTT"][0], 9.7263);
    assert_eq!(rows["ALTB"][1..], ["Z", "distress"]);
    assert_eq!(rows["ALTN"][1..], ["Z", "safe"]);
    assert_eq!(rows["ALTT"][1..], ["Z''", "safe"]);
    assert!(rows["BANK"].iter().all(Json::is_null), "no score for a financial company");
}

#[test]
fn piotroski_counts_nine_signs() {
    // PIOA, scaled by opening assets: 80/1100 > 0, 100 > 0, 0.0727 > 50/1000, 100 > 80, 200/1100 < 220/1000, 2 > 1.5,
    // 100 <= 100, 0.333 > 0.3, 1200/1100 > 1000/1000: nine. PIOW: 40/1100 > 0, 30 > 0, the last two: four.
    let rows = found("SELECT symbol, piotroski_f FROM fundamentals");
    assert_eq!((rows["PIOA"][0].as_i64(), rows["PIOW"][0].as_i64()), (Some(9), Some(4)));
    assert!(rows["PION"][0].is_null(), "without gross profit there is no score");
}

#[test]
fn classes_are_percentiles_of_the_sector() {
    // Debt to equity 0.1, 0.2, 0.2, 0.4, 0.5, lower is better: ranks 5, 3.5, 3.5, 2, 1 of five, less one, in quarters.
    let rows = found(
        "SELECT symbol, ratio_value, peer_percentile, classification, peer_count, peer_group FROM ratios \
         WHERE ratio_code = 'de'",
    );
    let wanted = [
        ("PEER1", 0.1, 100.0, "Excellent"),
        ("PEER2", 0.2, 62.5, "Good"),
        ("PEER3", 0.2, 62.5, "Good"),
        ("PEER4", 0.4, 25.0, "Average"),
        ("PEER5", 0.5, 0.0, "Poor"),
    ];
    for (symbol, value, percentile, class) in wanted {
        near(&rows[symbol][0], value);
        near(&rows[symbol][1], percentile);
        assert_eq!(rows[symbol][2..], [json!(class), json!(5), json!("sector")]);
    }
    // 0.3 is the only one of its sector, and the third from the end of six in the market: two fifths of 100.
    near(&rows["LONE"][1], 40.0);
    assert_eq!(rows["LONE"][2..], [json!("Average"), json!(6), json!("market")]);
    assert!(rows["PIOA"][1..3].iter().all(Json::is_null), "it has no ratio to be ranked by");
}

#[test]
fn the_surprise_is_in_units_of_its_own_spread() {
    // Changes of 0.1 and 0.2 in turn have the sample deviation sqrt(8 x 0.05^2 / 7); 0.5 over it is sqrt(87.5). The split
    // halves all of them.
    let sql = "SELECT period_end, eps, eps_change, sue, announced_on, day_0, announcement_return, drift_return, days_since \
               FROM earnings WHERE symbol = 'SURP'";
    let rows = found(sql);
    let last = &rows["2026-09-30"];
    near(&last[0], 0.85);
    near(&last[1], 0.25);
    near(&last[2], 87.5_f64.sqrt());
    assert!(rows["2026-06-30"][2].is_null(), "only seven changes stand before it");
    // Filed on a Saturday: day 0 is Monday. 10 to 11 against 100 to 101, then 10.5 to 11.55 against 100 to 102.
    assert_eq!(last[3..5], ["2026-10-17", "2026-10-19"]);
    near(&last[5], 9.0);
    near(&last[6], 8.0);
    assert_eq!(last[7], 13);
}

#[test]
fn series_keep_to_one_basis_and_missing_quarters_are_made() {
    let rows =
        found("SELECT symbol || ' ' || period, revenue / 1e6, basis, total_assets / 1e6 FROM statements");
    near(&rows["BOTH FY2025"][0], 500.0);
    assert_eq!(rows["BOTH FY2025"][1], "consolidated");
    near(&rows["FOUR Dec 2025"][0], 30.0);
    near(&rows["FOUR Dec 2025"][2], 70.0);
    let grown = found("SELECT symbol, revenue_growth_1y, revenue_cagr_3y FROM fundamentals");
    near(&grown["BOTH"][0], 25.0);
    assert!(grown["BOTH"][1].is_null(), "three years need four of them");
}
