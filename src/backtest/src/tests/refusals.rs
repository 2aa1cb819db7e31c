//! Input that is refused, with messages that say what is allowed.

use super::raw_market::{RawMarket, decision, weekday};
use crate::{
    BacktestError, BacktestRules, CashDividend, CostSchedule, Decision, MarketHistory, Pick, PricedStock,
    Slippage, Weighting, run,
};

fn market() -> RawMarket {
    RawMarket::of_days(4).with_prices("A", &[(10.0, 10.0); 4])
}

fn refusal(decisions: &[Decision], rules: &BacktestRules) -> String {
    run(&market().history(), decisions, rules, &CostSchedule::default()).unwrap_err().to_string()
}

fn stock(change: fn(&mut PricedStock)) -> PricedStock {
    let bar = crate::TradedBar {
        session: 0,
        price_segment: 0,
        limits: crate::BarLimits::default(),
        open: 1.0,
        high: 1.0,
        low: 1.0,
        close: 1.0,
        volume: 1.0,
        factor: 1.0,
    };
    let bars = vec![bar, crate::TradedBar { session: 1, ..bar }];
    let mut stock = PricedStock { symbol: "A".to_owned(), bars };
    change(&mut stock);
    stock
}

#[test]
fn invalid_bars_are_refused() {
    let days = || vec![weekday(0), weekday(1)];
    let build = |stock| MarketHistory::new(days(), vec![stock], &[]);
    assert!(build(stock(|_| ())).is_ok());
    let broken: [fn(&mut PricedStock); 9] = [
        |stock| stock.bars[1].session = 0,
        |stock| stock.bars[1].session = 2,
        |stock| stock.bars[0].open = 0.0,
        |stock| stock.bars[0].high = f64::NAN,
        |stock| stock.bars[0].low = 0.0,
        |stock| stock.bars[0].close = f64::NAN,
        |stock| stock.bars[0].volume = -1.0,
        |stock| stock.bars[0].factor = f64::INFINITY,
        |stock| stock.bars.reverse(),
    ];
    for change in broken {
        assert!(build(stock(change)).is_err());
    }
    let twice = MarketHistory::new(days(), vec![stock(|_| ()), stock(|_| ())], &[]);
    assert_eq!(twice, Err(BacktestError::SymbolOrder("A".to_owned())));
    let back = MarketHistory::new(vec![weekday(1), weekday(0)], Vec::new(), &[]);
    assert_eq!(back, Err(BacktestError::SessionOrder(weekday(0))));
    let owed = CashDividend { symbol: "A".to_owned(), ex_date: weekday(1), amount: -1.0 };
    assert!(MarketHistory::new(days(), vec![stock(|_| ())], &[owed]).is_err());
}

#[test]
fn invalid_picks_and_weights_are_refused() {
    let rules = BacktestRules::default();
    assert!(refusal(&[], &rules).contains("no picks are dated"));
    assert!(refusal(&[decision(9, &["A"])], &rules).contains("no picks are dated"));
    assert!(refusal(&[decision(1, &["A", "A"])], &rules).contains("twice"));
    assert!(refusal(&[decision(1, &["A"]), decision(1, &[])], &rules).contains("two lists"));
    let given_weights = BacktestRules { weighting: Weighting::Given, ..rules };
    assert!(refusal(&[decision(1, &["A"])], &given_weights).contains("no valid weight"));
    let heavy = |weight| Decision {
        picks: vec![Pick { symbol: "A".to_owned(), weight: Some(weight) }],
        ..decision(1, &[])
    };
    assert!(refusal(&[heavy(1.5)], &given_weights).contains("sum to 1.5"));
    assert!(refusal(&[heavy(-0.5)], &given_weights).contains("0 or more"));
    let empty = MarketHistory::new(Vec::new(), Vec::new(), &[]).unwrap();
    let none = run(&empty, &[heavy(0.5)], &rules, &CostSchedule::default());
    assert_eq!(none, Err(BacktestError::NoSession));
}

#[test]
fn rules_out_of_range_are_refused() {
    let rules = BacktestRules::default();
    let broken = [
        BacktestRules { capital: 0.0, ..rules },
        BacktestRules { capital: f64::NAN, ..rules },
        BacktestRules { volume_share: Some(0.0), ..rules },
        BacktestRules { recovery: 1.5, ..rules },
        BacktestRules { slippage: Slippage { bps: -1.0, impact_bps: 0.0 }, ..rules },
        BacktestRules { slippage: Slippage { bps: 0.0, impact_bps: f64::NAN }, ..rules },
        BacktestRules { gone_after: 0, ..rules },
        BacktestRules { hold: Some(0), ..rules },
        BacktestRules { stop_pct: Some(0.0), ..rules },
        BacktestRules { stop_pct: Some(100.0), ..rules },
        BacktestRules { target_pct: Some(f64::INFINITY), ..rules },
    ];
    for rules in broken {
        assert!(refusal(&[decision(1, &["A"])], &rules).contains("give"), "{rules:?}");
    }
}
