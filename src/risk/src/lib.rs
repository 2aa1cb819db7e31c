//! Risk audit and allocation: the risk of some holdings, and weights that spread the risk.
//!
//! Pure mathematics: closes in, figures out. No I/O, no clock, no randomness; the same closes give the same figures. Nothing is forecast
//! and no return is expected: everything is measured over the lookback and annualised.
//!
//! # Conventions
//!
//! - Returns are daily log returns, ln(close / close of the common session before). A year has 252 sessions.
//! - Figures whose name ends in `_pct` are in percent; weights, betas, correlations and HHI are plain numbers.
//! - Variances and covariances divide by n - 1.
//! - Losses and drawdowns are positive: a VaR of 2 is a loss of 2 %.
//! - Undefined figures are `None` (null in JSON), never NaN: the correlation of a price that never moves, a beta without a benchmark.
//!
//! Reading order: errors (`error`), closes by session (`closes`, `prices`), weights (`weights`), figures of one return series (`figures`,
//! `tail`), covariance of several (`covariance`), the audit (`portfolio`, `audit`), the methods (`method`, `parity`, `hierarchy`, `cap`)
//! and the allocation that uses them (`allocation`).

mod error;

mod closes;
mod prices;
mod weights;

mod figures;
mod tail;

mod covariance;

mod portfolio;
mod audit;

mod method;
mod parity;
mod hierarchy;
mod cap;
mod allocation;

#[cfg(test)]
mod vectors;

pub use allocation::{Allocation, AssignedWeight, allocate};
pub use audit::{Audit, Correlation, HoldingRisk, audit};
pub use covariance::{CovarianceNote, Estimator};
pub use error::RiskError;
pub use figures::RiskFigures;
pub use method::Method;
pub use portfolio::PortfolioRisk;
pub use prices::{AlignedPrices, MeasuredSpan, align};

/// Sessions per year, for annualised volatilities and mean returns.
pub const SESSIONS_A_YEAR: usize = 252;

/// Default number of returns in a lookback: about a year.
pub const DEFAULT_LOOKBACK: usize = 252;

/// Minimum number of returns for figures.
pub const FEWEST_RETURNS: usize = 30;

/// Maximum number of symbols of one audit or allocation.
pub const MOST_SYMBOLS: usize = 50;
