//! The indicators that SQL lacks, as window functions: `sma(close, 50) OVER (PARTITION BY symbol ORDER BY session)`.
//!
//! They are the figures of the formula book and what they lean on (`ago`, `next_day`), and nothing else that SQL can say
//! itself. Each evaluates a whole partition at once and ignores the window frame; its `n` alone says how far it looks back.
//!
//! Invariant: the value at a row depends on its partition's rows up to it (for the cross-sections: on all rows of its
//! partition; for `next_day`: on the row behind) and on nothing else, so a history that grows at its end keeps every figure to
//! the last bit. So does the end of a history: windows start again at fixed rows, and recursions go on from known figures.

/// What all indicators share: arguments, their checks, and the way from arrays to slices and back.
mod indicator;
/// A pattern as a row.
mod pattern;
/// Places in a sorted set, ties averaged: what ratings and percentiles are made of.
mod ranks;
/// Folds over the last n rows without drift: what `sma`, `rvol` and the extremes are made of.
mod windows;
/// Extremes over calendar days: what the 52-week high and low are.
mod day_windows;
/// Figures made of the one before, from the start of the history or from a known figure: what `ema` and the means of moves are made of.
mod recursion;
/// Daily figures read week by week.
mod weeks;

mod ago;
mod ema;
mod highest_in_days;
mod lowest_in_days;
mod mean_moves;
mod next_day;
mod percentile;
mod roc;
mod rolling_max;
mod rolling_median;
mod rolling_min;
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

/// Every indicator, ready to be registered in a session context.
pub fn all() -> Vec<Arc<WindowUDF>> {
    [
        sma::SMA,
        ema::EMA,
        rsi::RSI,
        mean_moves::MEAN_GAIN,
        mean_moves::MEAN_LOSS,
        highest_in_days::HIGHEST_IN_DAYS,
        lowest_in_days::LOWEST_IN_DAYS,
        rolling_max::ROLLING_MAX,
        rolling_min::ROLLING_MIN,
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
