//! Figures of a curve: of the equity of a back-test, or of the closes of an index.

use chrono::{Datelike, NaiveDate};
use serde::Serialize;

/// Sessions per year.
pub(super) const SESSIONS_A_YEAR: f64 = 252.0;

/// Days per year.
const DAYS_A_YEAR: f64 = 365.25;

/// Half the width of a 95 % interval, in standard errors.
const WIDTH_OF_95_PCT: f64 = 1.959_963_984_540_054;

/// Figures of a curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurveStatistics {
    /// Date of the first value.
    pub from: NaiveDate,
    /// Date of the last value.
    pub to: NaiveDate,
    /// Number of daily returns.
    pub returns: usize,
    /// Return from the first to the last value.
    pub total_return_pct: f64,
    /// Growth in a year of 365.25 days; `None` for less than a year, or if the last value is 0.
    pub cagr_pct: Option<f64>,
    /// Standard deviation (n - 1) of the daily returns, times the square root of 252; `None` for a single return.
    pub volatility_pct: Option<f64>,
    /// Mean daily return minus the risk-free one, divided by the standard deviation, times the square root of 252; `None` if the deviation
    /// is 0 or undefined.
    pub sharpe: Option<f64>,
    /// Mean daily return times 252; `None` for a single return.
    pub mean_return_pct: Option<f64>,
    /// Lower end of the 95 % confidence interval of the mean return, assuming that daily returns are independent.
    pub mean_return_low_pct: Option<f64>,
    /// Upper end of the same interval.
    pub mean_return_high_pct: Option<f64>,
    /// Deepest fall from a high; `None` if the curve never fell.
    pub max_drawdown: Option<DeepestFall>,
}

/// The deepest fall from a high.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DeepestFall {
    /// Depth in percent of the high, as a positive number.
    pub depth_pct: f64,
    /// Session of the high.
    pub peak: NaiveDate,
    /// Session of the low.
    pub trough: NaiveDate,
    /// First later session at or above the high; `None` if the curve has not recovered.
    pub recovered: Option<NaiveDate>,
}

/// Figures of one calendar year.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct YearStatistics {
    /// Calendar year, such as 2026.
    pub year: i32,
    /// Number of daily returns.
    pub returns: usize,
    /// Return from the last value of the year before, or the first value, to the last of the year.
    pub return_pct: f64,
    /// Deepest fall within the year, as a positive number; 0 if the curve never fell.
    pub max_drawdown_pct: f64,
}

/// Returns the figures of a curve, ascending by session; `None` without a first value above 0 and a daily return. `risk_free_pct` is the
/// simple risk-free return of a year.
pub fn curve_statistics(curve: &[(NaiveDate, f64)], risk_free_pct: f64) -> Option<CurveStatistics> {
    let (&(from, first), &(to, last)) = (curve.first()?, curve.last()?);
    let returns = daily_returns(curve);
    if returns.is_empty() || first <= 0.0 {
        return None;
    }
    let count = returns.len() as f64;
    let mean = returns.iter().sum::<f64>() / count;
    let squares: f64 = returns.iter().map(|one| (one - mean).powi(2)).sum();
    let deviation = (returns.len() > 1).then(|| (squares / (count - 1.0)).sqrt());
    let nonzero_deviation = deviation.filter(|deviation| *deviation > 0.0);
    let years = (to - from).num_days() as f64 / DAYS_A_YEAR;
    let growth = (years >= 1.0 && last > 0.0).then(|| (last / first).powf(1.0 / years) - 1.0);
    let annual = 100.0 * SESSIONS_A_YEAR;
    let interval = deviation.map(|deviation| WIDTH_OF_95_PCT * deviation / count.sqrt());
    Some(CurveStatistics {
        from,
        to,
        returns: returns.len(),
        total_return_pct: 100.0 * (last / first - 1.0),
        cagr_pct: growth.map(|growth| 100.0 * growth),
        volatility_pct: deviation.map(|deviation| 100.0 * deviation * SESSIONS_A_YEAR.sqrt()),
        sharpe: nonzero_deviation.map(|deviation| {
            (mean - risk_free_pct / 100.0 / SESSIONS_A_YEAR) / deviation * SESSIONS_A_YEAR.sqrt()
        }),
        mean_return_pct: deviation.map(|_| annual * mean),
        mean_return_low_pct: interval.map(|half| annual * (mean - half)),
        mean_return_high_pct: interval.map(|half| annual * (mean + half)),
        max_drawdown: deepest_fall(curve),
    })
}

/// Returns the figures of each calendar year of a curve, ascending.
pub fn year_statistics(curve: &[(NaiveDate, f64)]) -> Vec<YearStatistics> {
    let mut years = Vec::new();
    let mut start = 0;
    for (index, &(date, last)) in curve.iter().enumerate() {
        let is_last = curve.get(index + 1).is_none_or(|(next, _)| next.year() != date.year());
        if !is_last {
            continue;
        }
        // A year begins at the last value of the year before.
        let values = curve.get(start..=index).unwrap_or_default();
        if let Some(&(_, first)) = values.first()
            && values.len() > 1
        {
            years.push(YearStatistics {
                year: date.year(),
                returns: values.len() - 1,
                return_pct: 100.0 * (last / first - 1.0),
                max_drawdown_pct: deepest_fall(values).map_or(0.0, |fall| fall.depth_pct),
            });
        }
        start = index;
    }
    years
}

/// Returns the simple return of each session that begins with a value above 0.
fn daily_returns(curve: &[(NaiveDate, f64)]) -> Vec<f64> {
    let pairs = curve.iter().zip(curve.iter().skip(1));
    pairs.filter(|((_, before), _)| *before > 0.0).map(|((_, before), (_, now))| now / before - 1.0).collect()
}

fn deepest_fall(curve: &[(NaiveDate, f64)]) -> Option<DeepestFall> {
    let mut high = *curve.first()?;
    let mut deepest: Option<(DeepestFall, f64)> = None;
    for &(date, value) in curve {
        if value >= high.1 {
            high = (date, value);
        } else if high.1 > 0.0 {
            let depth_pct = 100.0 * (1.0 - value / high.1);
            if deepest.is_none_or(|(fall, _)| depth_pct > fall.depth_pct) {
                let fall = DeepestFall { depth_pct, peak: high.0, trough: date, recovered: None };
                deepest = Some((fall, high.1));
            }
        }
    }
    let (fall, level) = deepest?;
    let recovered = curve.iter().find(|(date, value)| *date > fall.trough && *value >= level);
    Some(DeepestFall { recovered: recovered.map(|(date, _)| *date), ..fall })
}
