//! The cost schedules of `queries/costs`, against contract notes computed by hand.

use chrono::NaiveDate;

use crate::costs::{ChargedTrade, CostSchedule};
use crate::{BacktestError, TradeSide};

const INDIA: &str = include_str!("../../../../queries/costs/india.toml");
const US: &str = include_str!("../../../../queries/costs/us.toml");

fn paid(schedule: &CostSchedule, date: (i32, u32, u32), side: TradeSide, value: f64, shares: f64) -> f64 {
    let date = NaiveDate::from_ymd_opt(date.0, date.1, date.2).unwrap();
    schedule.charge(&ChargedTrade { date, side, value, shares }).iter().sum()
}

#[track_caller]
fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} and {expected}");
}

#[test]
fn india_charges_as_a_contract_note_does() {
    let india = CostSchedule::parse(INDIA).unwrap();
    // 1 lakh in November 2025: STT 100, exchange 2.97, protection fund 0.10, SEBI 0.10, GST 18 % of 3.17; stamp duty 15 on a purchase.
    let base = 100.0 + 2.97 + 0.1 + 0.1 + 0.18 * 3.17;
    assert_near(paid(&india, (2025, 11, 3), TradeSide::Sell, 1e5, 50.0), base);
    assert_near(paid(&india, (2025, 11, 3), TradeSide::Buy, 1e5, 50.0), base + 15.0);
    // January 2019: STT 100, exchange 3.25, SEBI 0.15, GST 18 % of 3.25, stamp duty 10 on both sides.
    let base = 100.0 + 3.25 + 0.15 + 0.18 * 3.25 + 10.0;
    assert_near(paid(&india, (2019, 1, 15), TradeSide::Sell, 1e5, 50.0), base);
    assert_near(paid(&india, (2019, 1, 15), TradeSide::Buy, 1e5, 50.0), base);
    // The last day of the old stamp duty and of the higher tax, and the first of the new ones.
    let change = |one, other| {
        paid(&india, one, TradeSide::Sell, 1e5, 50.0) - paid(&india, other, TradeSide::Sell, 1e5, 50.0)
    };
    assert_near(change((2020, 6, 30), (2020, 7, 1)), 10.0);
    assert_near(change((2012, 6, 30), (2012, 7, 2)), 25.0);
    // A brokerage of 0.1 % is 100, and 18 of GST.
    let dear = india.clone().with_brokerage(0.1).unwrap();
    let sale = |schedule: &CostSchedule| paid(schedule, (2025, 11, 3), TradeSide::Sell, 1e5, 50.0);
    assert_near(sale(&dear) - sale(&india), 118.0);
}

#[test]
fn the_us_charges_sales_alone() {
    let us = CostSchedule::parse(US).unwrap();
    assert_near(paid(&us, (2024, 7, 1), TradeSide::Buy, 1e5, 1_000.0), 0.0);
    // 27.80 dollars a million, and 0.000166 a share.
    assert_near(paid(&us, (2024, 7, 1), TradeSide::Sell, 1e5, 1_000.0), 2.78 + 0.166);
    // At most 8.30 a trade; no fee of the SEC from May 2025.
    assert_near(paid(&us, (2025, 6, 2), TradeSide::Sell, 1e5, 1e6), 8.3);
    assert_near(paid(&us, (2018, 6, 1), TradeSide::Sell, 1e6, 100.0), 13.0 + 0.0119);
}

#[test]
fn an_invalid_cost_file_is_refused() {
    let line = |rest: &str| format!("[[charges]]\nname = 'a'\nside = 'both'\nfrom = '2020-01-01'\n{rest}");
    let cases = [
        (line("pct = -1"), "0 or more"),
        (line("most = 3"), "sell"),
        (line("percent_of = ['b']"), "above it"),
        (line("percent_of = ['a']"), "above it"),
        (line("rate = 1"), "rate"),
        (line("pct = 1").replace("2020-01-01", "soon"), "from"),
        (format!("{}{}", line("pct = 1\n"), line("percent_of = ['a']")), "above it"),
    ];
    for (text, word) in cases {
        let Err(BacktestError::Costs(message)) = CostSchedule::parse(&text) else { panic!("{text}") };
        assert!(message.contains(word), "{text}\n{message}");
    }
    assert!(CostSchedule::parse(INDIA).unwrap().with_brokerage(-1.0).is_err());
}
