//! The audit: the risk of each holding and of the whole portfolio over the lookback.

use chrono::NaiveDate;
use serde::Serialize;

use super::covariance::Covariance;
use super::figures::RiskFigures;
use super::portfolio::PortfolioRisk;
use super::prices::{AlignedPrices, Laggard, MeasuredSpan};
use super::{FEWEST_RETURNS, RiskError, weights};

/// Smallest number of returns of which 1 % is at least one return.
const FEWEST_RETURNS_FOR_99: usize = 100;

/// The risk of a portfolio and its holdings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// Last session of the lookback.
    pub as_of: NaiveDate,
    /// Sessions over which risk was measured.
    pub sessions: MeasuredSpan,
    /// Holdings, in the order of the request.
    pub holdings: Vec<HoldingRisk>,
    /// The whole portfolio, rebalanced to its weights every session.
    pub portfolio: PortfolioRisk,
    /// Each pair once, the strongest correlation of either sign first, undefined ones last.
    pub correlations: Vec<Correlation>,
    /// Limits of the figures, for the reader.
    pub warnings: Vec<String>,
}

/// A holding and its figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HoldingRisk {
    /// Symbol, as in the request.
    pub symbol: String,
    /// Share of the portfolio, 0 to 1.
    pub weight: f64,
    /// Figures of the holding's daily returns.
    #[serde(flatten)]
    pub figures: RiskFigures,
    /// Share of the portfolio's variance by the sample covariance, in percent: the shares sum to 100, a hedge's is negative. `None` if the
    /// portfolio does not move.
    pub risk_contribution_pct: Option<f64>,
}

/// Correlation of two holdings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Correlation {
    /// The symbol that comes first in the request.
    pub a: String,
    /// The symbol that comes later in the request.
    pub b: String,
    /// Correlation of their log returns; `None` if one of them does not move.
    pub correlation: Option<f64>,
}

/// Audits holdings. Weights may be shares or percentages, one per symbol in the order of the prices; the benchmark is a
/// series of closes by session.
///
/// # Errors
/// Negative or infinite weights, or a sum other than 1 or 100; a benchmark with closes that are not positive.
pub fn audit(
    prices: &AlignedPrices,
    benchmark: Option<&[(NaiveDate, f64)]>,
    weights: &[f64],
) -> Result<Audit, RiskError> {
    let weights = weights::parse(prices.symbols(), weights)?;
    let benchmark = benchmark.map(|closes| prices.benchmark_returns(closes)).transpose()?;
    let returns = prices.returns();
    let covariance = Covariance::sample_covariance(&returns);
    let holdings = holdings(prices, &returns, &weights, &covariance, benchmark.as_deref());
    let mut warnings = warnings(prices, benchmark.as_deref());
    warnings.extend(constant_price_note(prices, &covariance));
    Ok(Audit {
        as_of: prices.span().to,
        sessions: prices.span(),
        holdings,
        portfolio: PortfolioRisk::measure(&returns, &weights, &covariance, benchmark.as_deref()),
        correlations: correlations(prices.symbols(), &covariance),
        warnings,
    })
}

fn holdings(
    prices: &AlignedPrices,
    returns: &[Vec<f64>],
    weights: &[f64],
    covariance: &Covariance,
    benchmark: Option<&[Option<f64>]>,
) -> Vec<HoldingRisk> {
    let contributions = covariance.contributions_pct(weights);
    let rows = prices.symbols().iter().zip(returns).zip(weights).zip(contributions);
    rows.map(|(((symbol, series), weight), contribution)| HoldingRisk {
        symbol: symbol.clone(),
        weight: *weight,
        figures: RiskFigures::measure(series, benchmark),
        risk_contribution_pct: contribution,
    })
    .collect()
}

fn correlations(symbols: &[String], covariance: &Covariance) -> Vec<Correlation> {
    let mut pairs = Vec::new();
    for (row, a) in symbols.iter().enumerate() {
        for (column, b) in symbols.iter().enumerate().skip(row + 1) {
            let correlation = covariance.correlation(row, column);
            pairs.push(Correlation { a: a.clone(), b: b.clone(), correlation });
        }
    }
    // Stable sort: pairs of equal strength keep the order of the symbols.
    let strength = |pair: &Correlation| pair.correlation.map_or(-1.0, f64::abs);
    pairs.sort_by(|one, other| strength(other).total_cmp(&strength(one)));
    pairs
}

/// Returns warnings that limit the figures: few returns, sessions left out, a benchmark that is missing or has gaps.
pub(super) fn warnings(prices: &AlignedPrices, benchmark: Option<&[Option<f64>]>) -> Vec<String> {
    let returns = prices.sessions().len().saturating_sub(1);
    let mut warnings = Vec::new();
    if returns < prices.lookback() {
        let requested = prices.lookback();
        warnings
            .push(format!("only {returns} of the {requested} requested returns are common to all symbols"));
    }
    if returns < FEWEST_RETURNS_FOR_99 {
        warnings.push(format!(
            "1 % of {returns} returns is less than one: VaR and CVaR at 99 % are the single worst day"
        ));
    }
    if prices.left_out_sessions() > 0 {
        warnings.push(format!(
            "{} or more sessions are left out, as not all symbols have a close there; a return across them spans several sessions",
            prices.left_out_sessions()
        ));
    }
    if let Some(Laggard { symbol, newer_sessions: newer }) = prices.laggard() {
        let to = prices.span().to;
        warnings.push(format!(
            "the figures end on {to}, as `{symbol}` has no newer close that all share; others have up to {newer} newer sessions"
        ));
    }
    let present = benchmark.map(|returns| returns.iter().flatten().count());
    warnings.extend(match present {
        None => Some("without a benchmark there is no beta and no correlation to it".to_owned()),
        Some(present) if present < FEWEST_RETURNS => Some(format!(
            "the benchmark has only {present} of the {returns} returns; beta and correlation need at least {FEWEST_RETURNS}"
        )),
        Some(present) if present < returns => {
            Some(format!("beta and correlation rest on the {present} of {returns} returns that the benchmark has"))
        }
        Some(_) => None,
    });
    warnings
}

fn constant_price_note(prices: &AlignedPrices, covariance: &Covariance) -> Option<String> {
    let names = constant_symbols(prices, covariance);
    let list = names.join(", ");
    (!names.is_empty())
        .then(|| format!("did not move over the whole lookback, so that correlations are undefined: {list}"))
}

/// Returns the symbols whose returns have no variance.
pub(super) fn constant_symbols(prices: &AlignedPrices, covariance: &Covariance) -> Vec<String> {
    let deviations = covariance.deviations();
    let constant = prices.symbols().iter().zip(deviations.iter()).filter(|(_, deviation)| **deviation <= 0.0);
    constant.map(|(symbol, _)| symbol.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::align;
    use super::super::vectors::series;
    use super::*;

    #[test]
    fn an_audit_has_all_figures() {
        let mut input = series(5, 5, 300);
        let (_, benchmark) = input.pop().unwrap();
        let prices = align(&input, &[], 252).unwrap();
        let audit = audit(&prices, Some(&benchmark), &[40.0, 30.0, 20.0, 10.0]).unwrap();
        assert_eq!(audit.sessions.count, 253);
        assert_eq!(audit.as_of, audit.sessions.to);
        assert_eq!(audit.warnings, Vec::<String>::new());
        assert!((audit.portfolio.hhi - 0.3).abs() < 1e-15);
        let sum: f64 = audit.holdings.iter().map(|one| one.risk_contribution_pct.unwrap()).sum();
        assert!((sum - 100.0).abs() < 1e-10);
        assert_eq!(audit.correlations.len(), 6);
        assert!(audit.correlations.is_sorted_by_key(|pair| -pair.correlation.unwrap().abs()));
        let json = serde_json::to_value(&audit).unwrap();
        assert_eq!(json["holdings"][0]["symbol"], "S0");
        for field in
            ["volatility_pct", "beta", "cvar_99_pct", "hhi", "effective_names", "diversification_ratio"]
        {
            assert!(json["portfolio"][field].is_f64(), "{field}");
        }
        assert!(json["holdings"][3]["max_drawdown_pct"].is_f64());
    }

    #[test]
    fn one_symbol_is_its_own_portfolio() {
        let prices = align(&series(8, 1, 80), &[], 252).unwrap();
        let audit = audit(&prices, None, &[1.0]).unwrap();
        let (holding, portfolio) = (audit.holdings[0].figures, audit.portfolio.figures);
        assert!((holding.volatility_pct.unwrap() - portfolio.volatility_pct.unwrap()).abs() < 1e-10);
        assert!((holding.cvar_95_pct.unwrap() - portfolio.cvar_95_pct.unwrap()).abs() < 1e-10);
        assert_eq!(audit.holdings[0].risk_contribution_pct, Some(100.0));
        assert_eq!((audit.portfolio.hhi, audit.portfolio.effective_names), (1.0, 1.0));
        assert!((audit.portfolio.diversification_ratio.unwrap() - 1.0).abs() < 1e-12);
        let warnings = audit.warnings.join("\n");
        for part in ["only 79 of the 252", "1 % of 79 returns", "without a benchmark"] {
            assert!(warnings.contains(part), "{warnings}");
        }
    }

    #[test]
    fn a_price_that_never_moves_is_null_and_named() {
        let mut input = series(9, 2, 200);
        input.push(("STILL".to_owned(), input[0].1.iter().map(|&(session, _)| (session, 7.0)).collect()));
        let prices = align(&input, &[], 150).unwrap();
        let report = audit(&prices, None, &[0.5, 0.25, 0.25]).unwrap();
        assert_eq!(report.holdings[2].risk_contribution_pct, Some(0.0));
        assert!(report.correlations[0].correlation.is_some() && report.correlations[2].correlation.is_none());
        assert!(
            report.warnings.iter().any(|words| words.contains("undefined: STILL")),
            "{:?}",
            report.warnings
        );
        let only = audit(&prices, None, &[0.0, 0.0, 1.0]).unwrap();
        assert!(only.holdings.iter().all(|holding| holding.risk_contribution_pct.is_none()));
        assert_eq!(only.portfolio.diversification_ratio, None);
        assert_eq!(only.portfolio.figures.volatility_pct, Some(0.0));
    }

    #[test]
    fn a_symbol_that_stopped_trading_is_named() {
        let mut input = series(11, 2, 200);
        input[1].1.truncate(190);
        let report = audit(&align(&input, &[], 100).unwrap(), Some(&input[0].1), &[0.5, 0.5]).unwrap();
        assert_eq!(report.as_of, input[1].1[189].0);
        assert_eq!(report.warnings.len(), 1);
        assert!(
            report.warnings[0].contains("`S1`") && report.warnings[0].contains("10 newer"),
            "{:?}",
            report.warnings
        );
    }

    #[test]
    fn the_strongest_correlation_may_be_negative() {
        let mut input = series(12, 3, 200);
        input[2].1 = input[0].1.iter().map(|&(session, close)| (session, 1e4 / close)).collect();
        let report = audit(&align(&input, &[], 150).unwrap(), None, &[0.4, 0.3, 0.3]).unwrap();
        let first = &report.correlations[0];
        assert_eq!((first.a.as_str(), first.b.as_str()), ("S0", "S2"));
        assert!((first.correlation.unwrap() + 1.0).abs() < 1e-9);
        assert!(report.correlations[1].correlation.unwrap().abs() < 0.99);
    }

    #[test]
    fn a_benchmark_with_gaps_causes_a_warning() {
        let mut input = series(10, 3, 200);
        let (_, mut benchmark) = input.pop().unwrap();
        let prices = align(&input, &[], 150).unwrap();
        benchmark.remove(100);
        let gap = audit(&prices, Some(&benchmark), &[0.5, 0.5]).unwrap();
        assert_eq!(
            gap.warnings,
            ["beta and correlation rest on the 148 of 150 returns that the benchmark has"]
        );
        assert!(gap.portfolio.figures.beta.is_some());
        let short = audit(&prices, Some(&benchmark[..70]), &[0.5, 0.5]).unwrap();
        assert!(short.warnings[0].contains("only 20 of the 150"), "{:?}", short.warnings);
        assert_eq!(short.portfolio.figures.beta, None);
    }
}
