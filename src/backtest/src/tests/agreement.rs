//! Compares the crate with the reference on random markets, and checks that this comparison finds faults.

use super::raw_market::{RawMarket, only_survivors, plain_costs};
use super::reference::{Fault, Reference, reference};
use crate::{
    Backtest, BacktestRules, CostSchedule, Decision, ExitReason, FillTime, Slippage, TradeSide,
    UnfilledReason, Weighting, run,
};

/// Returns the first difference between a back-test and the reference, in words.
fn difference(test: &Backtest, simple: &Reference<'_>) -> Option<String> {
    let is_close = |one: f64, other: f64, scale: f64| (one - other).abs() <= 1e-9 * scale;
    for (day, (one, other)) in test.equity.iter().zip(&simple.equity).enumerate() {
        if !is_close(one.equity, *other, simple.rules.capital) {
            return Some(format!("equity of day {day}: {} and {other}", one.equity));
        }
    }
    if test.equity.len() != simple.equity.len() || test.fills.len() != simple.fills.len() {
        return Some(format!("{} fills and {}", test.fills.len(), simple.fills.len()));
    }
    for (fill, (day, symbol, is_buy, shares, price)) in test.fills.iter().zip(&simple.fills) {
        let same = fill.session == simple.market.days[*day]
            && fill.symbol == *symbol
            && (fill.side == TradeSide::Buy) == *is_buy
            && is_close(fill.shares, *shares, shares.abs().max(1.0))
            && is_close(fill.price, *price, *price);
        if !same {
            return Some(format!("{fill:?} and {day} {symbol} {is_buy} {shares} {price}"));
        }
    }
    let word = |reason: UnfilledReason| match reason {
        UnfilledReason::NoBar => "no bar",
        UnfilledReason::Locked => "locked",
        UnfilledReason::Volume => "volume",
        UnfilledReason::Cash => "cash",
        UnfilledReason::Replaced => "replaced",
        UnfilledReason::Ended => "ended",
    };
    let unfilled = test.unfilled.iter();
    let mut unfilled: Vec<_> = unfilled
        .map(|order| (order.symbol.clone(), order.side == TradeSide::Buy, word(order.reason)))
        .collect();
    let mut dropped = simple.dropped.clone();
    unfilled.sort();
    dropped.sort();
    (unfilled != dropped).then(|| format!("unfilled {unfilled:?} and {dropped:?}"))
}

fn random_rules(seed: u64) -> BacktestRules {
    let pick = |bit: u64| seed >> bit & 1 == 1;
    BacktestRules {
        capital: if pick(0) { 1e5 } else { 2e7 },
        fill: if pick(1) { FillTime::Open } else { FillTime::Close },
        weighting: if pick(2) { Weighting::Equal } else { Weighting::Given },
        hold: pick(3).then_some(if pick(7) { 7 } else { 25 }),
        wait: if pick(4) { 0 } else { 3 },
        volume_share: pick(5).then_some(0.05),
        slippage: Slippage { bps: 5.0, impact_bps: if pick(6) { 2.0 } else { 0.0 } },
        recovery: 0.4,
        ..BacktestRules::default()
    }
}

fn scenario(seed: u64) -> (RawMarket, Vec<Decision>, BacktestRules) {
    let market = RawMarket::random(seed, 260, 14);
    let decisions = market.random_picks(seed, 5 + (seed as usize * 7) % 17, 6, 14);
    (market, decisions, random_rules(seed.wrapping_mul(0x9e37_79b9) >> 3))
}

#[test]
fn the_crate_equals_an_independent_reference() {
    let (mut fills, mut unfilled, mut gone, mut jumps) = (0, [0; 6], 0, 0);
    for seed in 0..120 {
        let (market, decisions, rules) = scenario(seed);
        let test = run(&market.history(), &decisions, &rules, &plain_costs()).unwrap();
        let simple = reference(&market, &decisions, &rules, Fault::None);
        assert_eq!(difference(&test, &simple), None, "seed {seed}");
        fills += test.fills.len();
        for order in &test.unfilled {
            unfilled[order.reason as usize] += 1;
        }
        gone += test.counts.positions_gone;
        jumps += test.counts.jumps_held;
    }
    // The markets reached every rule.
    assert!(fills > 5_000 && gone > 10 && jumps > 10, "{fills} {gone} {jumps}");
    assert!(unfilled.iter().all(|count| *count > 10), "{unfilled:?}");
}

#[test]
fn stops_and_targets_equal_the_reference() {
    let mut exits = [0; 2];
    for seed in 0..120 {
        let (market, decisions, rules) = scenario(seed);
        let rules = BacktestRules {
            stop_pct: (seed % 3 > 0).then_some(4.0),
            target_pct: (seed % 3 < 2).then_some(6.0),
            ..rules
        };
        let test = run(&market.history(), &decisions, &rules, &plain_costs()).unwrap();
        let simple = reference(&market, &decisions, &rules, Fault::None);
        assert_eq!(difference(&test, &simple), None, "seed {seed}");
        for (count, reason) in exits.iter_mut().zip([ExitReason::Stop, ExitReason::Target]) {
            *count += test.round_trips.iter().filter(|trip| trip.exit == Some(reason)).count();
        }
    }
    assert!(exits.iter().all(|count| *count > 200), "{exits:?}");
}

/// Checks that the comparison above finds each fault (negative controls).
#[test]
fn every_fault_of_a_back_test_is_found() {
    for fault in [Fault::OneBarEarly, Fault::NoCosts, Fault::NoDividends, Fault::IgnoresLimits] {
        let detected = (0..20).filter(|seed| {
            let (market, decisions, rules) = scenario(*seed);
            let test = run(&market.history(), &decisions, &rules, &plain_costs()).unwrap();
            difference(&test, &reference(&market, &decisions, &rules, fault)).is_some()
        });
        assert!(detected.count() >= 18);
    }
    let survivors = (0..20).filter(|seed| {
        let (market, decisions, rules) = scenario(*seed);
        let history = market.history();
        let picks_of_survivors = only_survivors(&history, &decisions);
        let test = run(&history, &picks_of_survivors, &rules, &plain_costs()).unwrap();
        difference(&test, &reference(&market, &decisions, &rules, Fault::None)).is_some()
    });
    assert!(survivors.count() >= 18);
    let (market, decisions, rules) = scenario(1);
    let free = run(&market.history(), &decisions, &rules, &CostSchedule::default()).unwrap();
    assert!(difference(&free, &reference(&market, &decisions, &rules, Fault::None)).is_some());
}
