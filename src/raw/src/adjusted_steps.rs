//! Splits implied by adjusted closes: at a split, the ratio of the adjusted close to the close changes by the number of shares that one
//! share became.
//!
//! Dividends change the ratio as well, but by less, and seldom by the ratio of a split. If closes are already adjusted for splits, the
//! ratio does not change at a split.

use chrono::NaiveDate;

use crate::domain::bar::Bar;
use crate::steps::overlap;

/// Smallest step of a split; smaller steps are dividends.
const SMALLEST_STEP: f64 = 1.4;

/// State of the search for steps: facts on the previous row.
#[derive(Debug, Clone, Default)]
pub(crate) struct AdjustedSteps {
    symbol: String,
    /// Date, close, and ratio of the adjusted close to the close.
    previous: Option<(NaiveDate, f64, f64)>,
}

impl AdjustedSteps {
    /// Returns the ex-date and the factor of a split between two neighbouring rows, whose dates may ascend or descend.
    pub(crate) fn split(&mut self, symbol: &str, bar: &Bar, ratio: f64) -> Option<(NaiveDate, f64)> {
        let before = self.previous.replace((bar.date, bar.close(), ratio));
        if self.symbol != symbol {
            symbol.clone_into(&mut self.symbol);
            return None;
        }
        let (mut older, mut newer) = (before?, (bar.date, bar.close(), ratio));
        if older.0 > newer.0 {
            std::mem::swap(&mut older, &mut newer);
        }
        let factor = overlap::simple_split(older.2 / newer.2)?;
        let is_large = factor.max(factor.recip()) >= SMALLEST_STEP;
        // The close itself has to change by a ratio that is nearer to the split than to 1.
        let close_ratio = newer.1 / older.1;
        let follows_split = (close_ratio / factor).ln().abs() < factor.ln().abs() / 2.0;
        (is_large && follows_split).then_some((newer.0, factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::bar::Series;

    /// Returns the splits of closes and adjusted closes on days of May 2026.
    fn splits(rows: &[(u32, f64, f64)]) -> Vec<(u32, f64)> {
        let mut steps = AdjustedSteps::default();
        let found = rows.iter().filter_map(|(day, close, adjusted)| {
            let date = NaiveDate::from_ymd_opt(2026, 5, *day).unwrap();
            let prices = [*close; 4];
            let bar = Bar {
                date,
                file: 0,
                line: 0,
                series: Series::None,
                prices,
                volume: 0,
                delivered: -1,
                previous_close: 0.0,
            };
            steps.split("AA", &bar, adjusted / close)
        });
        found.map(|(date, factor)| (chrono::Datelike::day(&date), factor)).collect()
    }

    #[test]
    fn a_step_that_the_close_makes_too_is_a_split() {
        let rows = [(4, 200.0, 49.5), (5, 204.0, 50.49), (6, 51.0, 50.49), (7, 50.0, 50.0)];
        assert_eq!(splits(&rows), [(6, 0.25)]);
        let newest_first: Vec<_> = rows.iter().rev().copied().collect();
        assert_eq!(splits(&newest_first), [(6, 0.25)]);
        // A reverse split of ten shares into one.
        assert_eq!(splits(&[(4, 1.0, 10.0), (5, 10.1, 10.1)]), [(5, 10.0)]);
    }

    #[test]
    fn dividends_and_closes_that_are_adjusted_imply_none() {
        assert_eq!(splits(&[(4, 50.0, 49.5), (5, 51.0, 51.0)]), []);
        assert_eq!(splits(&[(4, 100.0, 80.0), (5, 81.0, 81.0)]), [], "a dividend of a fifth");
        assert_eq!(splits(&[(4, 50.0, 25.0), (5, 51.0, 51.0)]), [], "the close does not move");
    }
}
