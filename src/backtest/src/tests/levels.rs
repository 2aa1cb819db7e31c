//! Stops and targets by hand: 10 shares of a stock that was bought at 100, with a stop at 90 and a target at 120.

use super::by_hand::{assert_equity, free_rules, test};
use super::raw_market::{RawBar, RawMarket, decision, plain_costs, weekday};
use crate::{BacktestRules, ExitReason, FillTime, Slippage, UnfilledReason, run};

fn levels() -> BacktestRules {
    BacktestRules { stop_pct: Some(10.0), target_pct: Some(20.0), ..free_rules() }
}

/// Returns a market of four days at 100, of which one has other prices: open, high, low and close.
fn market(day: usize, prices: [f64; 4]) -> RawMarket {
    let mut market = RawMarket::of_days(4).with_prices("A", &[(100.0, 100.0); 4]);
    let [open, high, low, close] = prices;
    let row = market.row("A", day);
    *row = RawBar { open, high, low, close, ..row.clone() };
    market
}

#[test]
fn a_position_ends_at_its_level_or_at_an_open_beyond_it() {
    use ExitReason::{Stop, Target};
    for (prices, equity, exit) in [
        ([98.0, 99.0, 89.0, 95.0], 900.0, Some(Stop)),
        ([98.0, 99.0, 90.0, 95.0], 900.0, Some(Stop)),
        ([85.0, 99.0, 80.0, 95.0], 850.0, Some(Stop)),
        ([98.0, 121.0, 95.0, 99.0], 1_200.0, Some(Target)),
        ([125.0, 130.0, 120.0, 121.0], 1_250.0, Some(Target)),
        // Both levels: the open comes first, then the stop.
        ([100.0, 130.0, 80.0, 125.0], 900.0, Some(Stop)),
        ([125.0, 130.0, 80.0, 85.0], 1_250.0, Some(Target)),
        ([98.0, 119.9, 90.1, 110.0], 1_000.0, None),
    ] {
        for fill in [FillTime::Open, FillTime::Close] {
            let held = test(&market(2, prices), &[decision(0, &["A"])], &BacktestRules { fill, ..levels() });
            assert_equity(&held, &[1_000.0, 1_000.0, if exit.is_some() { equity } else { 1_100.0 }, equity]);
            let trip = &held.round_trips[0];
            assert_eq!((trip.exit, trip.closed), (exit, exit.map(|_| weekday(2))), "{prices:?}");
            assert_eq!(held.fills.len(), 1 + usize::from(exit.is_some()));
        }
    }
}

#[test]
fn a_level_acts_in_the_session_of_a_purchase_at_the_open_only() {
    let market = market(1, [100.0, 100.0, 85.0, 100.0]);
    let decisions = [decision(0, &["A"])];
    assert_equity(&test(&market, &decisions, &levels()), &[1_000.0, 900.0, 900.0, 900.0]);
    let close = BacktestRules { fill: FillTime::Close, ..levels() };
    assert_equity(&test(&market, &decisions, &close), &[1_000.0; 4]);
}

#[test]
fn a_split_moves_the_level_and_a_larger_position_does_not() {
    let mut split = market(2, [49.0, 49.0, 44.0, 46.0]);
    split.row("A", 2).factor = 2.0;
    split.row("A", 3).factor = 2.0;
    // 20 shares at 45.
    assert_equity(&test(&split, &[decision(0, &["A"])], &levels()), &[1_000.0, 1_000.0, 900.0, 900.0]);
    // Bought with half of the money at 100 and with the rest at 110: the stop is still 90.
    let prices = [(100.0, 100.0), (100.0, 110.0), (110.0, 110.0), (95.0, 95.0)];
    let mut larger = RawMarket::of_days(4).with_prices("A", &prices);
    larger.row("A", 3).low = 89.0;
    let held = test(&larger, &[decision(0, &["A", "NONE"]), decision(1, &["A"])], &levels());
    let sale = &held.fills[2];
    assert!((sale.shares - (500.0 / 100.0 + 500.0 / 110.0)).abs() < 1e-9, "{sale:?}");
    assert!((sale.price - 90.0).abs() < 1e-9, "{sale:?}");
}

#[test]
fn an_exit_has_costs_and_waits_where_it_cannot_fill() {
    let rules = BacktestRules { slippage: Slippage { bps: 10.0, impact_bps: 0.0 }, ..levels() };
    let paid = market(2, [98.0, 99.0, 89.0, 95.0]);
    let charged = run(&paid.history(), &[decision(0, &["A"])], &rules, &plain_costs()).unwrap();
    // A purchase costs 0.34 %, a sale 0.22 %.
    let value = 1_000.0 / 1.0034 * 0.9;
    assert!((charged.equity[3].equity - value * 0.9978).abs() < 1e-9);
    // The stop is the lower limit: the sale is one of the next open, of which the volume allows 4 of 10 shares.
    let mut locked = market(2, [98.0, 99.0, 90.0, 90.0]);
    locked.row("A", 2).lower = Some(90.0);
    locked.row("A", 3).volume = 8.0;
    let rules = BacktestRules { volume_share: Some(0.5), ..levels() };
    let waited = test(&locked, &[decision(0, &["A"])], &rules);
    assert_equity(&waited, &[1_000.0, 1_000.0, 900.0, 1_000.0]);
    let sales: Vec<_> = waited.fills[1..].iter().map(|fill| (fill.session, fill.shares)).collect();
    assert_eq!(sales, [(weekday(3), 4.0)]);
    let [order] = waited.unfilled.as_slice() else { panic!("{:?}", waited.unfilled) };
    assert_eq!((order.reason, order.share), (UnfilledReason::Ended, 0.6));
}

#[test]
fn a_stop_acts_while_a_sale_of_some_shares_waits() {
    let mut market = market(2, [100.0, 100.0, 85.0, 85.0]);
    market.row("A", 2).volume = 4.0;
    let next = market.row("A", 3);
    *next = RawBar { open: 85.0, high: 100.0, low: 85.0, close: 100.0, ..next.clone() };
    let rules = BacktestRules { volume_share: Some(0.5), ..levels() };
    // Five of ten shares are to be sold at 100, of which the volume allows two. The stop sells two at 90 and the last six at the next open.
    let held = test(&market, &[decision(0, &["A"]), decision(1, &["A", "NONE"])], &rules);
    assert_equity(&held, &[1_000.0, 1_000.0, 200.0 + 180.0 + 6.0 * 85.0, 200.0 + 180.0 + 6.0 * 85.0]);
    let [order] = held.unfilled.as_slice() else { panic!("{:?}", held.unfilled) };
    assert_eq!((order.reason, order.share), (UnfilledReason::Replaced, 0.6));
    let trip = &held.round_trips[0];
    assert_eq!((trip.exit, trip.closed), (Some(ExitReason::Stop), Some(weekday(3))));
}
