//! Comparison with the series and figures of `tests/independent/risk_vectors.json`.
//!
//! The figures come from numpy, scipy, scikit-learn, riskfolio-lib and PyPortfolioOpt; `risk_vectors.py` next to the file says which
//! library computed which figure and how conventions were aligned. The series are generated both there and here, from integers alone; the
//! file has the last closes, so that a difference shows.

use chrono::NaiveDate;
use serde::Deserialize;

use super::covariance::{Covariance, Estimator};
use super::{AlignedPrices, Allocation, Method, RiskFigures, align, allocate, audit};

/// Allowed difference from another implementation, relative to the figure, or to 1 if the figure is smaller.
const TOLERANCE: f64 = 1e-9;

/// A symbol, or the benchmark, with its closes by session.
pub(super) type Series = (String, Vec<(NaiveDate, f64)>);

/// Knuth's 64-bit linear congruential generator, of which the upper 24 bits are used.
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn draw(&mut self) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as i64
    }

    /// Draws a number from -1/2 to 1/2.
    pub(super) fn uniform(&mut self) -> f64 {
        self.draw() as f64 / f64::from(1 << 24) - 0.5
    }

    /// Draws a return in millionths: bell-shaped around 0, and within `scale` on either side.
    fn noise(&mut self, scale: i64) -> i64 {
        let sum: i64 = (0..4).map(|_| self.draw()).sum();
        ((sum - (1 << 25)) * scale).div_euclid(1 << 25)
    }
}

/// Generates random walks of closes in whole ten-thousandths, moved by a market, one of three groups and individual noise.
pub(super) fn series(seed: u64, symbols: usize, sessions: u64) -> Vec<Series> {
    let mut draws = Draws::new(seed);
    let mut closes: Vec<i64> = (0..symbols as i64).map(|symbol| 1_000_000 * (1 + symbol % 7)).collect();
    let mut all: Vec<Series> = (0..symbols).map(|symbol| (format!("S{symbol}"), Vec::new())).collect();
    for number in 0..sessions {
        let market = draws.noise(35_000);
        let groups = [draws.noise(20_000), draws.noise(20_000), draws.noise(20_000)];
        for (symbol, close) in closes.iter_mut().enumerate() {
            let index = symbol as i64;
            let individual = draws.noise(20_000 + 7_000 * (index % 5));
            let change =
                ((600 + index * 370 % 900) * market).div_euclid(1_000) + groups[symbol % 3] + individual;
            *close += (*close * change).div_euclid(1_000_000);
            let session = NaiveDate::from_ymd_opt(2024, 1, 1).unwrap() + chrono::Days::new(number);
            all[symbol].1.push((session, *close as f64 / 10_000.0));
        }
    }
    all
}

#[derive(Deserialize)]
struct Case {
    name: String,
    seed: u64,
    symbols: usize,
    sessions: u64,
    last_closes: Vec<f64>,
    singular: bool,
    weights: Vec<f64>,
    holdings: Vec<MeasuredRisk>,
    portfolio: MeasuredRisk,
    contributions: Vec<f64>,
    diversification_ratio: f64,
    shrinkage: f64,
    ledoit_wolf: Vec<Vec<f64>>,
    strongest: (String, String, f64),
    inverse_volatility: Vec<f64>,
    equal_risk: Vec<f64>,
    hierarchical: Vec<f64>,
    order: Vec<usize>,
}

#[derive(Deserialize)]
struct MeasuredRisk {
    annual_return_pct: f64,
    volatility_pct: f64,
    beta: f64,
    correlation_to_benchmark: f64,
    max_drawdown_pct: f64,
    var_95_pct: f64,
    cvar_95_pct: f64,
    var_99_pct: f64,
    cvar_99_pct: f64,
}

fn read_cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../../../tests/independent/risk_vectors.json")).unwrap()
}

fn assert_near(what: &str, actual: f64, expected: f64) {
    let difference = (actual - expected).abs();
    assert!(difference <= TOLERANCE * expected.abs().max(1.0), "{what}: {actual} for {expected}");
}

fn assert_all_near(what: &str, actual: impl IntoIterator<Item = f64>, expected: &[f64]) {
    let actual: Vec<f64> = actual.into_iter().collect();
    assert_eq!(actual.len(), expected.len(), "{what}");
    for (actual, expected) in actual.iter().zip(expected) {
        assert_near(what, *actual, *expected);
    }
}

fn assert_figures_near(what: &str, actual: &RiskFigures, expected: &MeasuredRisk) {
    for (field, actual, expected) in [
        ("annual_return", actual.annual_return_pct, expected.annual_return_pct),
        ("volatility", actual.volatility_pct, expected.volatility_pct),
        ("beta", actual.beta, expected.beta),
        ("correlation", actual.correlation_to_benchmark, expected.correlation_to_benchmark),
        ("drawdown", actual.max_drawdown_pct, expected.max_drawdown_pct),
        ("var_95", actual.var_95_pct, expected.var_95_pct),
        ("cvar_95", actual.cvar_95_pct, expected.cvar_95_pct),
        ("var_99", actual.var_99_pct, expected.var_99_pct),
        ("cvar_99", actual.cvar_99_pct, expected.cvar_99_pct),
    ] {
        assert_near(&format!("{what}, {field}"), actual.unwrap(), expected);
    }
}

fn weights(allocation: &Allocation) -> Vec<f64> {
    allocation.weights.iter().map(|one| one.weight).collect()
}

/// Builds the prices of a case, and its benchmark: the last generated series.
fn prices_of_case(case: &Case) -> (AlignedPrices, Vec<(NaiveDate, f64)>) {
    let mut walks = series(case.seed, case.symbols + 1, case.sessions);
    let last: Vec<f64> = walks.iter().map(|(_, closes)| closes.last().unwrap().1).collect();
    assert_eq!(last, case.last_closes, "{}: the invented series differ", case.name);
    let (_, benchmark) = walks.pop().unwrap();
    (align(&walks, &[], case.sessions as usize).unwrap(), benchmark)
}

#[test]
fn audits_agree_with_other_implementations() {
    for case in read_cases() {
        let (prices, benchmark) = prices_of_case(&case);
        let actual = audit(&prices, Some(&benchmark), &case.weights).unwrap();
        for (holding, expected) in actual.holdings.iter().zip(&case.holdings) {
            assert_figures_near(&format!("{}, {}", case.name, holding.symbol), &holding.figures, expected);
        }
        assert_figures_near(&case.name, &actual.portfolio.figures, &case.portfolio);
        let shares = actual.holdings.iter().map(|holding| holding.risk_contribution_pct.unwrap() / 100.0);
        assert_all_near("contributions", shares, &case.contributions);
        assert_near(
            "diversification",
            actual.portfolio.diversification_ratio.unwrap(),
            case.diversification_ratio,
        );
        let strongest = &actual.correlations[0];
        assert_eq!((&strongest.a, &strongest.b), (&case.strongest.0, &case.strongest.1), "{}", case.name);
        assert_near("strongest", strongest.correlation.unwrap(), case.strongest.2);
    }
}

#[test]
fn shrinking_agrees_with_scikit_learn() {
    for case in read_cases() {
        let returns = prices_of_case(&case).0.returns();
        let shrunk = Covariance::sample_covariance(&returns).shrink(&returns);
        assert_near(&case.name, shrunk.note().shrinkage.unwrap(), case.shrinkage);
        // The file has the first rows of the matrix, in ten-thousandths, so that the numbers are not too small to compare.
        for (row, expected) in case.ledoit_wolf.iter().enumerate() {
            let actual = shrunk.matrix().row(row).iter().map(|product| product * 1e4).collect::<Vec<_>>();
            assert_all_near(&case.name, actual, expected);
        }
        let used = Covariance::sample_covariance(&returns).shrunk_if_needed(&returns);
        let expected = if case.singular { Estimator::LedoitWolf } else { Estimator::Sample };
        assert_eq!(used.note().estimator, expected, "{}", case.name);
    }
}

#[test]
fn allocations_agree_with_other_implementations() {
    for case in read_cases() {
        let (prices, _) = prices_of_case(&case);
        let allocated = |method| allocate(&prices, method, None, None).unwrap();
        let inverse = allocated(Method::InverseVolatility);
        assert_all_near("inverse volatility", weights(&inverse), &case.inverse_volatility);
        let equal_risk = allocated(Method::EqualRiskContribution);
        assert_all_near("equal risk", weights(&equal_risk), &case.equal_risk);
        let fair = 100.0 / case.symbols as f64;
        assert_all_near(
            "its contributions",
            equal_risk.weights.iter().map(|one| one.risk_contribution_pct.unwrap()),
            &vec![fair; case.symbols],
        );
        let hierarchical = allocated(Method::HierarchicalRiskParity);
        let order: Vec<_> = case.order.iter().map(|index| format!("S{index}")).collect();
        assert_eq!(hierarchical.order.as_ref(), Some(&order), "{}", case.name);
        assert_all_near("hierarchical", weights(&hierarchical), &case.hierarchical);
        let equal = allocated(Method::EqualWeight);
        assert_eq!(weights(&equal), vec![1.0 / case.symbols as f64; case.symbols]);
        for allocation in [inverse, equal_risk, hierarchical, equal] {
            assert!((weights(&allocation).iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert_eq!(allocation.covariance.estimator == Estimator::LedoitWolf, case.singular);
            assert!(allocation.covariance.positive_definite);
        }
    }
}
