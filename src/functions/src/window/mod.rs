//! The indicators that SQL lacks, as window functions: `sma(close, 50) OVER (PARTITION BY symbol ORDER BY session)`.
//!
//! They are the figures of the formula book and the figures that these need (`ago`, `next_day`), except those that plain SQL computes. Each
//! evaluates a whole partition at once and ignores the window frame; its look-back is `n` alone.
//!
//! Invariant: the value at a row depends only on its partition's rows up to it (cross-sections: on all rows of its partition; `next_day`:
//! on the next row), so that a history that grows at its end preserves every figure to the last bit. The same holds for the end of a
//! history without its start: windows restart at fixed rows, and recursions continue from known figures.

/// Shared parts of indicators: arguments, their checks, and the conversion between arrays and slices.
mod indicator;
/// A pattern as a row.
mod pattern;
/// Ranks of figures among the rows of a set; used by ratings, ranks and percentiles.
mod ranks;
/// Folds over the last n rows without drift; used by `sma`, `rvol` and the extremes.
mod windows;
/// Figures computed from the figure of the row before, from the start of the history or from a known figure; used by `ema` and the means of
/// moves.
mod recursion;
/// Daily figures read week by week.
mod weeks;

mod ago;
mod ema;
mod extremes_in_days;
mod mean_moves;
mod next_day;
mod percentile;
mod roc;
mod rolling_extremes;
mod rolling_median;
mod rs_rank;
mod rs_rating;
mod rsi;
mod rvol;
mod sma;
mod stage;
mod vcp;
mod week_roc;
mod week_zscore;

/// The functions through SQL: partitions, plans, refusals.
#[cfg(test)]
mod through_sql;
/// Figures from other implementations, for the tests.
#[cfg(test)]
pub(crate) mod vectors;

use std::sync::Arc;

use datafusion::logical_expr::WindowUDF;

use indicator::Indicator;
pub use windows::FIXED_ROWS;

/// Returns every indicator, ready to be registered in a session context.
pub fn indicators() -> Vec<Arc<WindowUDF>> {
    [
        sma::SMA,
        ema::EMA,
        rsi::RSI,
        mean_moves::MEAN_GAIN,
        mean_moves::MEAN_LOSS,
        extremes_in_days::HIGHEST_IN_DAYS,
        extremes_in_days::LOWEST_IN_DAYS,
        rolling_extremes::ROLLING_MAX,
        rolling_extremes::ROLLING_MIN,
        rolling_median::ROLLING_MEDIAN,
        rvol::RVOL,
        roc::ROC,
        ago::AGO,
        next_day::NEXT_DAY,
        stage::STAGE,
        vcp::VCP,
        week_roc::WEEK_ROC,
        week_zscore::WEEK_ZSCORE,
        rs_rating::RS_RATING,
        rs_rank::RS_RANK,
        percentile::PERCENTILE,
        percentile::PERCENTILE_AMONG,
    ]
    .into_iter()
    .map(Indicator::into_udf)
    .collect()
}
