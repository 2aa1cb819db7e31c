//! Properties of every market: splits change nothing, later rows change nothing before them, and money is neither made nor lost.

use super::raw_market::{RawMarket, TestNumbers, plain_costs};
use crate::{
    Backtest, BacktestRules, Decision, FillTime, TradeSide, Weighting, curve_statistics, run, with_weights,
};

fn rules_of(seed: u64) -> BacktestRules {
    BacktestRules {
        fill: if seed.is_multiple_of(2) { FillTime::Open } else { FillTime::Close },
        weighting: [Weighting::Equal, Weighting::Given, Weighting::InverseVolatility][seed as usize % 3],
        hold: (seed % 5 == 4).then_some(9),
        stop_pct: (seed % 4 == 1).then_some(5.0),
        target_pct: (seed % 4 > 1).then_some(8.0),
        ..BacktestRules::default()
    }
}

fn test(market: &RawMarket, decisions: &[Decision], seed: u64) -> Backtest {
    run(&market.history(), decisions, &rules_of(seed), &plain_costs()).unwrap()
}

/// Serialises the equity, the fills and the closed round trips of the first `days` sessions.
fn written_until(test: &Backtest, market: &RawMarket, days: usize) -> String {
    let last = market.days[days - 1];
    let equity = test.equity.iter().filter(|day| day.session <= last).collect::<Vec<_>>();
    let fills = test.fills.iter().filter(|fill| fill.session <= last).collect::<Vec<_>>();
    let closed = test.round_trips.iter().filter(|trip| trip.closed.is_some_and(|day| day <= last));
    serde_json::to_string(&(equity, fills, closed.collect::<Vec<_>>())).unwrap()
}

#[test]
fn splits_and_bonuses_while_held_leave_the_equity_unchanged() {
    for seed in 0..30 {
        let mut market = RawMarket::random(seed, 200, 10);
        let decisions = market.random_picks(seed, 11, 5, 10);
        let before = test(&market, &decisions, seed);
        // One more split of a stock from a day on: more shares, of which each is worth less, and more of them traded.
        let mut numbers = TestNumbers(seed + 77);
        for stock in 0..10 {
            let (symbol, day) = (format!("S{stock:02}"), 20 + numbers.below(150));
            let shares = [2.0, 5.0, 10.0, 1.25, 4.0 / 3.0, 0.1][numbers.below(6)];
            for bar in market.bars.iter_mut().filter(|bar| bar.symbol == symbol && bar.day >= day) {
                bar.open /= shares;
                bar.high /= shares;
                bar.low /= shares;
                bar.close /= shares;
                bar.upper = bar.upper.map(|limit| limit / shares);
                bar.lower = bar.lower.map(|limit| limit / shares);
                bar.volume *= shares;
                bar.factor *= shares;
            }
            let first = market.days[day];
            for paid in
                market.dividends.iter_mut().filter(|paid| paid.symbol == symbol && paid.ex_date >= first)
            {
                // A stock without a bar since the split still has its old shares.
                let day = market.days.iter().position(|date| *date == paid.ex_date).unwrap();
                if market.bars.iter().any(|bar| bar.symbol == symbol && bar.day == day) {
                    paid.amount /= shares;
                }
            }
        }
        let after = test(&market, &decisions, seed);
        for (one, other) in before.equity.iter().zip(&after.equity) {
            assert!((one.equity - other.equity).abs() <= 1e-9 * one.equity, "{seed}: {one:?} {other:?}");
        }
        assert_eq!(before.fills.len(), after.fills.len());
    }
}

#[test]
fn rows_after_a_day_change_nothing_up_to_it() {
    for seed in 0..24 {
        let market = RawMarket::random(seed, 220, 12);
        let decisions = market.random_picks(seed, 7, 5, 12);
        let full_run = test(&market, &decisions, seed);
        let mut numbers = TestNumbers(seed + 5);
        let days = 60 + numbers.below(150);
        let cut = market.truncated(days);
        let expected = written_until(&full_run, &market, days);
        assert_eq!(written_until(&test(&cut, &decisions, seed), &market, days), expected, "cut, seed {seed}");
        // Replaces all later rows by noise: prices, splits, segments, limits, dividends, and later picks.
        let mut noise = market.clone();
        for bar in noise.bars.iter_mut().filter(|bar| bar.day >= days) {
            bar.open = 1.0 + 999.0 * numbers.unit();
            bar.close = 1.0 + 999.0 * numbers.unit();
            (bar.high, bar.low) = (bar.open.max(bar.close), bar.open.min(bar.close));
            bar.volume = 1e6 * numbers.unit();
            bar.factor = 0.1 + 10.0 * numbers.unit();
            bar.segment = numbers.below(4) as u16;
            bar.upper = numbers.happens(0.5).then_some(bar.open);
        }
        for paid in noise.dividends.iter_mut().filter(|paid| paid.ex_date >= market.days[days]) {
            paid.amount *= 100.0;
        }
        let mut other_picks = noise.random_picks(seed + 1, 3, 4, 12);
        other_picks.retain(|decision| decision.date >= market.days[days]);
        let earlier_picks = decisions.iter().filter(|decision| decision.date < market.days[days]).cloned();
        let other_picks: Vec<Decision> = earlier_picks.chain(other_picks).collect();
        let poisoned = test(&noise, &other_picks, seed);
        assert_eq!(written_until(&poisoned, &market, days), expected, "noise, seed {seed}");
    }
}

#[test]
fn money_is_neither_made_nor_lost() {
    for seed in 0..30 {
        let market = RawMarket::random(seed, 240, 12);
        let decisions = market.random_picks(seed, 6, 6, 12);
        let test = test(&market, &decisions, seed);
        let sum = |figure: &dyn Fn(&crate::StockFill) -> f64| test.fills.iter().map(figure).sum::<f64>();
        let charges: f64 = test.charges.iter().map(|charge| charge.paid).sum();
        let tolerance = 1e-9 * rules_of(seed).capital;
        assert!((sum(&|fill| fill.charges) - charges).abs() < tolerance);
        // Each fill has the charges of its side: 0.24 % and 0.12 %.
        for fill in &test.fills {
            let pct = if fill.side == TradeSide::Buy { 0.24 } else { 0.12 };
            assert!((fill.charges - fill.value * pct / 100.0).abs() < tolerance);
            assert!((fill.shares * fill.price - fill.value).abs() < tolerance);
        }
        let trips =
            |figure: &dyn Fn(&crate::RoundTrip) -> f64| test.round_trips.iter().map(figure).sum::<f64>();
        assert!((trips(&|trip| trip.costs) - sum(&|fill| fill.charges + fill.slippage)).abs() < tolerance);
        let last = test.equity.last().unwrap();
        let profit = last.equity - rules_of(seed).capital;
        assert!((trips(&|trip| trip.profit) - profit).abs() < tolerance, "seed {seed}");
        // There is never a loan.
        assert!(test.equity.iter().all(|day| day.cash > -tolerance), "seed {seed}");
    }
}

#[test]
fn weights_written_out_give_the_same_back_test() {
    for seed in 0..12 {
        let market = RawMarket::random(seed, 240, 12);
        let (decisions, history) = (market.random_picks(seed, 9, 6, 12), market.history());
        let written = with_weights(&history, &decisions, &rules_of(seed)).unwrap();
        let rules = BacktestRules { weighting: Weighting::Given, ..rules_of(seed) };
        let repeated = run(&history, &written, &rules, &plain_costs()).unwrap();
        assert_eq!(repeated.equity, test(&market, &decisions, seed).equity, "seed {seed}");
    }
}

#[test]
fn the_same_input_gives_the_same_text() {
    let market = RawMarket::random(3, 240, 12);
    let mut decisions = market.random_picks(3, 6, 6, 12);
    let one = test(&market, &decisions, 3);
    decisions.reverse();
    let mut other = test(&market, &decisions, 3);
    assert_eq!(serde_json::to_string(&one).unwrap(), serde_json::to_string(&other).unwrap());
    other.equity.truncate(100);
    let curve: Vec<_> = other.equity.iter().map(|day| (day.session, day.equity)).collect();
    assert!(curve_statistics(&curve, 0.0).unwrap().volatility_pct.unwrap() > 0.0);
}
