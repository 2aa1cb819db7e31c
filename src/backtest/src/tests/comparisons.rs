//! Comparisons of picks with the universe and with random portfolios.

use super::raw_market::{RawMarket, decision};
use crate::{
    BacktestRules, CostSchedule, Decision, PicksComparison, RandomPortfolios, Slippage, Weighting, compare,
    run,
};

const RANDOM: RandomPortfolios = RandomPortfolios { count: 1_000, seed: 42 };

fn names(symbols: &[&str]) -> Vec<String> {
    symbols.iter().map(|symbol| (*symbol).to_owned()).collect()
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn universe_and_percentile_by_hand() {
    // From open to open: A doubles then halves, B is flat, C gains a half and a third, with a dividend in the second period.
    let market = RawMarket::of_days(4)
        .with_prices("A", &[(1.0, 1.0), (1.0, 1.0), (2.0, 2.0), (2.0, 1.0)])
        .with_prices("B", &[(3.0, 3.0); 4])
        .with_prices("C", &[(2.0, 2.0), (2.0, 2.0), (3.0, 3.0), (3.0, 3.9)])
        .with_dividend("C", 3, 0.1);
    let all = names(&["A", "B", "C"]);
    let decisions = [(decision(0, &["A"]), all.clone()), (decision(1, &["C"]), all)];
    let compared = compare(&market.history(), &decisions, &BacktestRules::default(), RANDOM).unwrap();
    // A x 2, then C x 4 / 3; the universe (2 + 1 + 1.5) / 3 x (0.5 + 1 + 4 / 3) / 3.
    assert_eq!(compared.decisions, 2);
    assert!(is_near(compared.picks_return_pct, 100.0 * (8.0 / 3.0 - 1.0)), "{compared:?}");
    assert!(is_near(compared.universe_return_pct, 100.0 * (1.5 * (0.5 + 1.0 + 4.0 / 3.0) / 3.0 - 1.0)));
    // One of nine portfolios of one stock is as good, none is better: 100 x (8 + 0.5) / 9.
    let random = compared.random.unwrap();
    assert!((random.percentile - 94.44).abs() < 2.0, "{random:?}");
    assert!(
        is_near(random.high_return_pct, compared.picks_return_pct) && is_near(random.low_return_pct, -50.0)
    );
}

#[test]
fn without_costs_a_comparison_equals_the_back_test() {
    for seed in 0..20 {
        let mut market = RawMarket::random(seed, 200, 12);
        // A comparison does not see cash that waits; so all bars can be traded.
        market.bars.iter_mut().for_each(|bar| {
            (bar.volume, bar.upper, bar.lower, bar.segment) = (1e12, None, None, 0);
        });
        let rules = BacktestRules {
            wait: 0,
            slippage: Slippage::default(),
            weighting: Weighting::Equal,
            gone_after: 500,
            ..BacktestRules::default()
        };
        let always: Vec<String> = (0..12)
            .map(|stock| format!("S{stock:02}"))
            .filter(|symbol| market.bars.iter().filter(|bar| bar.symbol == *symbol).count() == 200)
            .collect();
        let picks = |day: usize| decision(day, &[always[day % always.len()].as_str(), "S99"]);
        market.dividends.clear();
        let decisions: Vec<Decision> =
            if always.is_empty() { continue } else { (1..190).step_by(9).map(picks).collect() };
        let history = market.history();
        let tested = run(&history, &decisions, &rules, &CostSchedule::default()).unwrap();
        let with_universe: Vec<_> = decisions.into_iter().map(|one| (one, always.clone())).collect();
        let compared = compare(&history, &with_universe, &rules, RANDOM).unwrap();
        let total = tested.equity.last().unwrap().equity / rules.capital;
        assert!(is_near(compared.picks_return_pct, 100.0 * (total - 1.0)), "seed {seed}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_portfolios() {
    let market = RawMarket::random(8, 250, 20);
    let decisions = market.random_picks(8, 10, 5, 20);
    let universe: Vec<String> = (0..20).map(|stock| format!("S{stock:02}")).collect();
    let decisions: Vec<_> = decisions.into_iter().map(|one| (one, universe.clone())).collect();
    let compare_with = |threads: usize, seed: u64| -> PicksComparison {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let random = RandomPortfolios { count: 500, seed };
        pool.install(|| compare(&market.history(), &decisions, &BacktestRules::default(), random).unwrap())
    };
    let serialized = |compared: &PicksComparison| serde_json::to_string(compared).unwrap();
    let one = serialized(&compare_with(1, 7));
    assert_eq!(one, serialized(&compare_with(8, 7)));
    assert_eq!(one, serialized(&compare_with(3, 7)));
    assert_ne!(one, serialized(&compare_with(1, 8)));
}

#[test]
fn random_picks_are_at_no_extreme_and_a_universe_of_none_is_cash() {
    let universe: Vec<String> = (0..20).map(|stock| format!("S{stock:02}")).collect();
    let percentiles = (0..60).map(|seed| {
        let market = RawMarket::random(seed, 200, 20);
        let decisions = market.random_picks(seed, 20, 5, 20);
        let decisions: Vec<_> = decisions.into_iter().map(|one| (one, universe.clone())).collect();
        let random = RandomPortfolios { count: 200, seed };
        compare(&market.history(), &decisions, &BacktestRules::default(), random)
            .unwrap()
            .random
            .unwrap()
            .percentile
    });
    let percentiles: Vec<f64> = percentiles.collect();
    // Uniform from 0 to 100 but for picks that are not traded: a mean of 50 with a standard deviation of 3.7.
    let mean = percentiles.iter().sum::<f64>() / 60.0;
    assert!((35.0..65.0).contains(&mean), "{mean} {percentiles:?}");
    let market = RawMarket::of_days(3).with_prices("A", &[(1.0, 1.0); 3]);
    let none = [(decision(0, &["A"]), Vec::new())];
    let random = RandomPortfolios { count: 0, seed: 0 };
    let compared = compare(&market.history(), &none, &BacktestRules::default(), random).unwrap();
    assert_eq!((compared.universe_return_pct, compared.random), (0.0, None));
}
