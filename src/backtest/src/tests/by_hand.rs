//! Arithmetic by hand: small markets whose every number is in the test.

use super::raw_market::{RawMarket, decision, only_survivors, plain_costs, weekday};
use crate::{
    Activity, Backtest, BacktestRules, CostSchedule, Decision, ExitReason, FillTime, LeftOutReason, Pick,
    Slippage, TradeSide, UnfilledReason, Weighting, run,
};

/// No costs, no slippage, no limit of volume.
pub(super) fn free_rules() -> BacktestRules {
    BacktestRules {
        capital: 1_000.0,
        slippage: Slippage::default(),
        volume_share: None,
        ..BacktestRules::default()
    }
}

pub(super) fn test(market: &RawMarket, decisions: &[Decision], rules: &BacktestRules) -> Backtest {
    run(&market.history(), decisions, rules, &CostSchedule::default()).unwrap()
}

#[track_caller]
pub(super) fn assert_equity(test: &Backtest, expected: &[f64]) {
    let equity: Vec<f64> = test.equity.iter().map(|day| day.equity).collect();
    assert_eq!(equity.len(), expected.len(), "{equity:?}");
    let is_close = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-9;
    assert!(equity.iter().zip(expected).all(is_close), "{equity:?}\n{expected:?}");
}

#[test]
fn a_pick_fills_in_the_session_after_its_day() {
    let market =
        RawMarket::of_days(4).with_prices("A", &[(9.0, 10.0), (10.0, 12.0), (12.5, 11.0), (11.0, 15.0)]);
    let at_open = test(&market, &[decision(1, &["A"])], &free_rules());
    // 1,000 / 12.5 = 80 shares; 80 x 11 = 880 and 80 x 15 = 1,200.
    assert_equity(&at_open, &[1_000.0, 880.0, 1_200.0]);
    assert_eq!(at_open.equity[0].session, weekday(1));
    let fill = &at_open.fills[0];
    assert_eq!((fill.session, fill.decided, fill.side), (weekday(2), weekday(1), TradeSide::Buy));
    let rules = BacktestRules { fill: FillTime::Close, ..free_rules() };
    assert_equity(&test(&market, &[decision(1, &["A"])], &rules), &[1_000.0, 1_000.0, 1_000.0 / 11.0 * 15.0]);
    // Saturday's picks count for Friday and fill on Monday.
    let saturday = Decision { date: weekday(4).succ_opt().unwrap(), ..decision(4, &["A"]) };
    let market = RawMarket::of_days(7).with_prices("A", &[(10.0, 10.0); 7]);
    assert_eq!(test(&market, &[saturday], &free_rules()).fills[0].session, weekday(5));
}

#[test]
fn a_rebalance_sells_what_is_not_picked_and_resizes_what_is() {
    let market = RawMarket::of_days(4)
        .with_prices("A", &[(10.0, 10.0), (10.0, 10.0), (20.0, 20.0), (20.0, 20.0)])
        .with_prices("B", &[(5.0, 5.0), (5.0, 5.0), (5.0, 5.0), (10.0, 10.0)])
        .with_prices("C", &[(8.0, 8.0); 4]);
    let held = test(&market, &[decision(0, &["A", "B"]), decision(1, &["A", "C"])], &free_rules());
    // 50 A and 100 B; then 50 x 20 + 100 x 5 = 1,500: 37.5 A and 93.75 C; 37.5 x 20 + 93.75 x 8 = 1,500.
    assert_equity(&held, &[1_000.0, 1_000.0, 1_500.0, 1_500.0]);
    let fills: Vec<(&str, TradeSide, f64)> =
        held.fills.iter().map(|fill| (fill.symbol.as_str(), fill.side, fill.shares)).collect();
    let expected = [
        ("A", TradeSide::Buy, 50.0),
        ("B", TradeSide::Buy, 100.0),
        ("A", TradeSide::Sell, 12.5),
        ("B", TradeSide::Sell, 100.0),
        ("C", TradeSide::Buy, 93.75),
    ];
    assert_eq!(fills, expected);
    let trip = &held.round_trips[0];
    assert_eq!(
        (trip.symbol.as_str(), trip.closed, trip.exit),
        ("B", Some(weekday(2)), Some(ExitReason::NotPicked))
    );
    // Traded 1,000 and 250 + 500 + 750; half of it over a mean equity of 4,000 / 3, times 252 / 3.
    let turnover = 100.0 * 1_250.0 / (4_000.0 / 3.0) * 84.0;
    let activity = Activity::from_backtest(&held);
    assert!((activity.turnover_pct_a_year.unwrap() - turnover).abs() < 1e-9);
    assert_eq!(
        (activity.exposure_pct, activity.round_trips, activity.hit_rate_pct),
        (Some(100.0), 1, Some(0.0))
    );
}

#[test]
fn costs_are_paid_and_purchases_scaled_to_cash() {
    let market = RawMarket::of_days(4).with_prices("A", &[(10.0, 10.0); 4]);
    let slippage = Slippage { bps: 10.0, impact_bps: 0.0 };
    let rules = BacktestRules { slippage, ..free_rules() };
    let decisions = [decision(0, &["A"]), decision(1, &[])];
    let charged = run(&market.history(), &decisions, &rules, &plain_costs()).unwrap();
    // A purchase costs 0.2 % x 1.2 + 0.1 % = 0.34 %, a sale 0.1 % x 1.2 + 0.1 % = 0.22 %.
    let value = 1_000.0 / 1.0034;
    assert_equity(&charged, &[1_000.0, value, value * 0.9978, value * 0.9978]);
    let names: Vec<&str> = charged.charges.iter().map(|charge| charge.name.as_str()).collect();
    assert_eq!(names, ["fee", "tax"]);
    assert!((charged.charges[0].paid - value * 0.003).abs() < 1e-12);
    assert!((charged.charges[1].paid - value * 0.0006).abs() < 1e-12);
    assert!(charged.unfilled.is_empty());
    // An impact of 2 hundredths of a percent for each percent: a value of 1,000 is 10 % of 10,000.
    let mut thin = RawMarket::of_days(2).with_prices("A", &[(10.0, 10.0); 2]);
    thin.row("A", 1).volume = 1_000.0;
    let slippage = Slippage { bps: 5.0, impact_bps: 2.0 };
    let slipped = test(&thin, &[decision(0, &["A"])], &BacktestRules { slippage, ..free_rules() });
    let fill = &slipped.fills[0];
    assert!((fill.slippage - fill.value * (5.0 + 2.0 * fill.value / 100.0) / 10_000.0).abs() < 1e-12);
    assert!((fill.value - 997.5).abs() < 0.1, "{}", fill.value);
}

#[test]
fn nothing_fills_at_a_limit_or_without_a_bar() {
    let prices = [(10.0, 10.0), (11.0, 11.0), (12.0, 12.0), (13.0, 13.0), (14.0, 14.0), (15.0, 15.0)];
    let mut market = RawMarket::of_days(6).with_prices("A", &prices).with_prices("B", &[(1.0, 1.0); 6]);
    market.row("A", 1).upper = Some(11.0);
    market.row("A", 2).volume = 0.0;
    let waited = test(&market, &[decision(0, &["A"])], &free_rules());
    assert_eq!(waited.fills[0].session, weekday(3));
    // A wait of one session ends on day 2, for want of a bar.
    let rules = BacktestRules { wait: 1, ..free_rules() };
    let dropped = test(&market, &[decision(0, &["A"])], &rules);
    assert!(dropped.fills.is_empty());
    let [order] = dropped.unfilled.as_slice() else { panic!("{:?}", dropped.unfilled) };
    assert_eq!((order.reason, order.side, order.share), (UnfilledReason::NoBar, TradeSide::Buy, 1.0));
    assert_equity(&dropped, &[1_000.0; 6]);
    // A purchase fills at the lower limit; a sale there does not, and the position falls on.
    market.row("A", 1).upper = None;
    market.row("A", 1).lower = Some(11.0);
    market.row("A", 3).lower = Some(13.0);
    market.row("A", 4).lower = Some(14.0);
    let locked = test(&market, &[decision(0, &["A"]), decision(2, &["B"])], &free_rules());
    let days: Vec<_> =
        locked.fills.iter().map(|fill| (fill.session, fill.symbol.as_str(), fill.side)).collect();
    let expected = [
        (weekday(1), "A", TradeSide::Buy),
        (weekday(5), "A", TradeSide::Sell),
        (weekday(5), "B", TradeSide::Buy),
    ];
    assert_eq!(days, expected);
}

#[test]
fn a_large_order_takes_the_allowed_share_of_each_session() {
    let mut market = RawMarket::of_days(5).with_prices("A", &[(10.0, 10.0); 5]);
    for day in 0..5 {
        market.row("A", day).volume = 400.0;
    }
    // A tenth of 400 shares at 10 is 400 a session: 400, 400, 200.
    let rules = BacktestRules { volume_share: Some(0.1), ..free_rules() };
    let bought = test(&market, &[decision(0, &["A"])], &rules);
    let values: Vec<f64> = bought.fills.iter().map(|fill| fill.value).collect();
    assert_eq!(values, [400.0, 400.0, 200.0]);
    let once = test(&market, &[decision(0, &["A"])], &BacktestRules { wait: 0, ..rules });
    assert_eq!((once.unfilled[0].reason, once.unfilled[0].share), (UnfilledReason::Volume, 0.6));
    let activity = Activity::from_backtest(&once);
    assert_eq!((activity.unfilled[0].whole, activity.unfilled[0].in_part), (0, 1));
}

#[test]
fn a_dividend_goes_to_the_holders_of_the_close_before() {
    let market = RawMarket::of_days(4)
        .with_prices("A", &[(10.0, 10.0); 4])
        .with_dividend("A", 1, 0.5)
        .with_dividend("A", 2, 0.25)
        .with_dividend("UNKNOWN", 2, 9.0);
    // Bought at the open of day 1, so without the first dividend; sold at the open of day 2, so with the second: 100 x 0.25.
    let paid = test(&market, &[decision(0, &["A"]), decision(1, &[])], &free_rules());
    assert_equity(&paid, &[1_000.0, 1_000.0, 1_025.0, 1_025.0]);
    assert_eq!((paid.round_trips[0].dividends, paid.round_trips[0].profit), (25.0, 25.0));
    assert!((Activity::from_backtest(&paid).dividends - 25.0).abs() < 1e-9);
}

#[test]
fn a_stock_that_is_gone_is_closed_by_the_rule() {
    let fall: Vec<(f64, f64)> = [10.0, 10.0, 4.0, 0.05].iter().map(|price| (*price, *price)).collect();
    let market = RawMarket::of_days(8).with_prices("GONE", &fall).with_prices("KEPT", &[(10.0, 10.0); 8]);
    let decisions = [decision(0, &["GONE", "KEPT"])];
    let rules = BacktestRules { gone_after: 3, recovery: 0.5, ..free_rules() };
    let lost = test(&market, &decisions, &rules);
    // 50 shares of each; the last bar is of day 3, so that day 6 is the third without one: half of 50 x 0.05.
    assert_equity(&lost, &[1_000.0, 1_000.0, 700.0, 502.5, 502.5, 502.5, 501.25, 501.25]);
    assert_eq!((lost.counts.positions_gone, lost.counts.open_without_bar), (1, 0));
    let trip = &lost.round_trips[0];
    assert_eq!((trip.exit, trip.closed, trip.sold), (Some(ExitReason::Gone), Some(weekday(6)), 1.25));
    // Survivors alone would have shown no loss.
    let picks_of_survivors = only_survivors(&market.history(), &decisions);
    assert_eq!(picks_of_survivors[0].picks.len(), 2, "a bar within the last five sessions");
    let long = RawMarket::of_days(12).with_prices("GONE", &fall).with_prices("KEPT", &[(10.0, 10.0); 12]);
    let picks_of_survivors = only_survivors(&long.history(), &decisions);
    assert_equity(&test(&long, &picks_of_survivors, &rules), &[1_000.0; 12]);
    let still_open = test(&market, &decisions, &free_rules());
    assert_eq!((still_open.counts.positions_gone, still_open.counts.open_without_bar), (0, 1));
}

#[test]
fn an_unexplained_jump_leaves_the_value_and_is_counted() {
    let mut market =
        RawMarket::of_days(4).with_prices("A", &[(10.0, 10.0), (10.0, 12.0), (3.0, 3.3), (3.3, 6.6)]);
    market.row("A", 2).segment = 1;
    market.row("A", 3).segment = 1;
    // 100 shares are worth 1,200 at the close of day 1 and at the open of day 2, where they are 400.
    let held = test(&market, &[decision(0, &["A"])], &free_rules());
    assert_equity(&held, &[1_000.0, 1_200.0, 1_320.0, 2_640.0]);
    assert_eq!(held.counts.jumps_held, 1);
}

#[test]
fn weights_are_equal_given_proportional_or_by_volatility() {
    let market =
        RawMarket::of_days(3).with_prices("A", &[(10.0, 10.0); 3]).with_prices("B", &[(10.0, 10.0); 3]);
    let weighted = |weighting, weights: [Option<f64>; 2]| {
        let picks = ["A", "B"].iter().zip(weights);
        let picks = picks.map(|(symbol, weight)| Pick { symbol: (*symbol).to_owned(), weight }).collect();
        let rules = BacktestRules { weighting, ..free_rules() };
        let test = test(&market, &[Decision { date: weekday(0), picks }], &rules);
        let values: Vec<f64> = test.fills.iter().map(|fill| fill.value.round()).collect();
        (values, test.equity[1].cash.round(), test.counts.unweighted_picks)
    };
    assert_eq!(weighted(Weighting::Equal, [None, None]), (vec![500.0, 500.0], 0.0, 0));
    assert_eq!(weighted(Weighting::Given, [Some(0.2), Some(0.3)]), (vec![200.0, 300.0], 500.0, 0));
    assert_eq!(weighted(Weighting::Proportional, [Some(9e9), Some(1e9)]), (vec![900.0, 100.0], 0.0, 0));
    assert_eq!(weighted(Weighting::Proportional, [Some(5.0), None]), (vec![1_000.0], 0.0, 1));
    assert_eq!(weighted(Weighting::InverseVolatility, [None, None]), (vec![], 1_000.0, 2));
    // Prices that alternate by 1 % and by 2 %: twice the deviation, half the weight. The third has 19 returns only.
    let moving = |step: f64| -> Vec<(f64, f64)> {
        (0..40)
            .map(|day| if day % 2 == 0 { (100.0, 100.0) } else { (100.0, 100.0 * f64::exp(step)) })
            .collect()
    };
    let mut market = RawMarket::of_days(40)
        .with_prices("A", &moving(0.01))
        .with_prices("B", &moving(0.02))
        .with_prices("C", &moving(0.02));
    market.bars.retain(|bar| bar.symbol != "C" || bar.day >= 11);
    let rules = BacktestRules { weighting: Weighting::InverseVolatility, ..free_rules() };
    let test = test(&market, &[decision(30, &["A", "B", "C"])], &rules);
    let values: Vec<f64> = test.fills.iter().map(|fill| fill.value).collect();
    assert!(
        (values[0] - 2_000.0 / 3.0).abs() < 1e-9 && (values[1] - 1_000.0 / 3.0).abs() < 1e-9,
        "{values:?}"
    );
    assert_eq!((values.len(), test.counts.unweighted_picks), (2, 1));
    assert_eq!((test.left_out[0].symbol.as_str(), test.left_out[0].reason), ("C", LeftOutReason::NoWeight));
}

#[test]
fn a_stock_is_held_for_its_sessions_unless_it_is_picked_again() {
    let market = RawMarket::of_days(8).with_prices("A", &[(10.0, 10.0); 8]);
    let rules = BacktestRules { hold: Some(3), ..free_rules() };
    // Bought on day 1, and sold three sessions after it; picked again on day 2, which counts from day 3 on.
    for (again, sold) in [(None, 4), (Some(2), 6)] {
        let decisions: Vec<Decision> =
            [0].into_iter().chain(again).map(|day| decision(day, &["A"])).collect();
        let held = test(&market, &decisions, &rules);
        let fills: Vec<_> = held.fills.iter().map(|fill| (fill.side, fill.session)).collect();
        assert_eq!(fills, [(TradeSide::Buy, weekday(1)), (TradeSide::Sell, weekday(sold))]);
        assert_eq!(held.round_trips[0].exit, Some(ExitReason::HeldLongEnough));
    }
}

#[test]
fn later_picks_leave_a_position_within_its_hold_and_use_the_rest() {
    let market = ["A", "B", "C", "D"]
        .iter()
        .fold(RawMarket::of_days(10), |market, symbol| market.with_prices(symbol, &[(10.0, 10.0); 10]));
    let rules = BacktestRules { hold: Some(4), ..free_rules() };
    let fills = |decisions: &[Decision], rules: &BacktestRules| {
        let test = test(&market, decisions, rules);
        let fills = test.fills.iter().map(|fill| (fill.session, fill.symbol.clone(), fill.side, fill.value));
        (fills.collect::<Vec<_>>(), test)
    };
    let fill = |day, symbol: &str, side, value| (weekday(day), symbol.to_owned(), side, value);
    // The list of day 2 has A, which counts again, and not B, which stays until day 5. Nothing is left for C.
    let weekly = [decision(0, &["A", "B"]), decision(2, &["A", "C"])];
    let (found, held) = fills(&weekly, &rules);
    let expected = [
        fill(1, "A", TradeSide::Buy, 500.0),
        fill(1, "B", TradeSide::Buy, 500.0),
        fill(5, "B", TradeSide::Sell, 500.0),
        fill(7, "A", TradeSide::Sell, 500.0),
    ];
    assert_eq!(found, expected);
    assert!(held.round_trips.iter().all(|trip| trip.exit == Some(ExitReason::HeldLongEnough)));
    let [order] = held.unfilled.as_slice() else { panic!("{:?}", held.unfilled) };
    assert_eq!((order.symbol.as_str(), order.reason, order.share), ("C", UnfilledReason::Cash, 1.0));
    // The list of day 4 fills as B ends: C, its first stock, gets the half that is left, and D nothing.
    let (found, ended) = fills(&[weekly[0].clone(), weekly[1].clone(), decision(4, &["C", "D"])], &rules);
    assert_eq!(found[2..4], [fill(5, "B", TradeSide::Sell, 500.0), fill(5, "C", TradeSide::Buy, 500.0)]);
    let trip = &ended.round_trips[0];
    assert_eq!((trip.symbol.as_str(), trip.exit), ("B", Some(ExitReason::HeldLongEnough)));
    assert!(found[4..].iter().all(|(_, symbol, ..)| symbol != "D"), "{found:?}");
    // An empty list sells nothing, and an order that waits for a position within `hold` fills; a session has volume for 300.
    let mut thin = RawMarket::of_days(8).with_prices("A", &[(10.0, 10.0); 8]);
    for day in 0..8 {
        thin.row("A", day).volume = 30.0;
    }
    let limited = BacktestRules { volume_share: Some(1.0), ..rules };
    let bought = test(&thin, &[decision(0, &["A"]), decision(1, &[])], &limited);
    let values: Vec<f64> = bought.fills.iter().map(|fill| fill.value).collect();
    assert_eq!(values, [300.0, 300.0, 300.0, 100.0, 300.0, 300.0, 300.0]);
    // A tenth of the equity a day, each in another stock.
    let tenth = |day, symbol: &str| Decision {
        date: weekday(day),
        picks: vec![Pick { symbol: symbol.to_owned(), weight: Some(0.1) }],
    };
    let given_weights = BacktestRules { weighting: Weighting::Given, ..rules };
    let (found, _) = fills(&[tenth(0, "A"), tenth(1, "B"), tenth(2, "C")], &given_weights);
    let expected =
        [(1, "A"), (2, "B"), (3, "C")].map(|(day, symbol)| fill(day, symbol, TradeSide::Buy, 100.0));
    assert_eq!(found[..3], expected);
}

#[test]
fn picks_of_the_last_session_are_not_due() {
    let market = RawMarket::of_days(3).with_prices("A", &[(10.0, 10.0); 3]);
    let decisions = [decision(0, &["A", "NONE"]), decision(2, &["A", "NONE"]), decision(9, &["A"])];
    let tested = test(&market, &decisions, &free_rules());
    let counted = tested.counts;
    assert_eq!(
        (
            counted.decisions, counted.picks, counted.unknown_picks, counted.picks_not_due,
            counted.picks_outside
        ),
        (1, 2, 1, 2, 1)
    );
    let left_out: Vec<_> =
        tested.left_out.iter().map(|one| (one.decided, one.symbol.as_str(), one.reason)).collect();
    let (no_bar, not_due, outside) =
        (LeftOutReason::NoBar, LeftOutReason::NotDue, LeftOutReason::OutsideDays);
    assert_eq!(
        left_out,
        [
            (weekday(0), "NONE", no_bar),
            (weekday(2), "A", not_due),
            (weekday(2), "NONE", not_due),
            (weekday(9), "A", outside)
        ]
    );
}
