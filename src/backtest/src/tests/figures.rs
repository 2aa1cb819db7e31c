//! Figures of curves: by hand, and from a few lines of Python.

use chrono::NaiveDate;

use crate::{curve_statistics, year_statistics};

fn date(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap()
}

#[track_caller]
fn assert_near(value: Option<f64>, expected: f64) {
    let value = value.unwrap();
    assert!((value - expected).abs() < 1e-9 * expected.abs().max(1.0), "{value} and {expected}");
}

#[test]
fn growth_and_drawdown_of_a_curve_by_hand() {
    let curve = [
        (date(2020, 1, 1), 100.0),
        (date(2020, 6, 1), 125.0),
        (date(2020, 12, 31), 100.0),
        (date(2021, 3, 1), 130.0),
        (date(2021, 5, 1), 117.0),
        (date(2021, 12, 31), 121.0),
    ];
    let figures = curve_statistics(&curve, 0.0).unwrap();
    assert_near(Some(figures.total_return_pct), 21.0);
    // 730 days.
    assert_near(figures.cagr_pct, 100.0 * (1.21_f64.powf(365.25 / 730.0) - 1.0));
    let fall = figures.max_drawdown.unwrap();
    assert_near(Some(fall.depth_pct), 20.0);
    assert_eq!((fall.peak, fall.trough, fall.recovered), (curve[1].0, curve[2].0, Some(curve[3].0)));
    let years = year_statistics(&curve);
    let years: Vec<_> = years.iter().map(|year| (year.year, year.returns, year.return_pct.round())).collect();
    assert_eq!(years, [(2020, 2, 0.0), (2021, 3, 21.0)]);
    assert_near(Some(year_statistics(&curve)[1].max_drawdown_pct), 10.0);
}

#[test]
fn volatility_and_sharpe_agree_with_python() {
    // r = [b / a - 1 for a, b in zip(v, v[1:])]; m = mean(r); s = stdev(r); s * sqrt(252); (m - 0.05 / 252) / s * sqrt(252); the interval
    // is m +- 1.959963984540054 * s / sqrt(5).
    let values = [100.0, 101.0, 99.0, 102.5, 102.0, 104.0];
    let curve: Vec<_> =
        values.iter().enumerate().map(|(day, value)| (date(2024, 1, 1 + day as u32), *value)).collect();
    let figures = curve_statistics(&curve, 5.0).unwrap();
    assert_near(figures.volatility_pct, 33.914_803_378_225_535);
    assert_near(figures.sharpe, 5.838_689_357_374_78);
    assert_near(figures.mean_return_pct, 203.018_001_541_903_63);
    assert_near(figures.mean_return_low_pct, -268.884_916_479_363_65);
    assert_near(figures.mean_return_high_pct, 674.920_919_563_170_9);
    // A curve of less than a year has no annual growth.
    assert_eq!(figures.cagr_pct, None);
}

#[test]
fn figures_that_are_not_defined_are_none() {
    assert_eq!(curve_statistics(&[], 0.0), None);
    assert_eq!(curve_statistics(&[(date(2024, 1, 1), 5.0)], 0.0), None);
    let flat = [(date(2022, 1, 1), 5.0), (date(2023, 1, 2), 5.0), (date(2024, 1, 3), 5.0)];
    let figures = curve_statistics(&flat, 0.0).unwrap();
    assert_eq!((figures.sharpe, figures.max_drawdown, figures.volatility_pct), (None, None, Some(0.0)));
    let lost = [(date(2022, 1, 1), 5.0), (date(2023, 1, 2), 0.0), (date(2024, 1, 3), 0.0)];
    let figures = curve_statistics(&lost, 0.0).unwrap();
    assert_eq!((figures.cagr_pct, figures.total_return_pct), (None, -100.0));
    assert_eq!(figures.max_drawdown.unwrap().recovered, None);
}
