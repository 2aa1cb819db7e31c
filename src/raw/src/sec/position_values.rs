//! Values of positions in dollars: market prices determine the unit of a report, and of single lines.
//!
//! Form 13F states dollars since 2023 and thousands before; filers err either way. Value over shares is a price; if it is a thousandth of
//! the market price on every line, the unit is wrong.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::formats::positions::{Cover, PositionLine};
use parquote_catalogue::digits::counted;

/// Ratio between a stated price and the market's beyond which the unit is doubted; a split may cause a smaller one.
const DOUBTFUL_FACTOR: f64 = 30.0;
/// Maximum ratio in another unit at which that unit is used.
const MATCHING_FACTOR: f64 = 5.0;
const THOUSAND: f64 = 1_000.0;

/// A line and the close of its security on the day of the report.
#[derive(Clone, Copy)]
pub(super) struct PricedLine<'a> {
    pub(super) cover: &'a Cover,
    pub(super) line: &'a PositionLine,
    pub(super) close: Option<f64>,
}

pub(super) struct ValuedLines {
    /// Dollars of each line; `None` if its value only repeats the number of shares.
    pub(super) values: Vec<Option<f64>>,
    pub(super) notes: Vec<String>,
}

impl PricedLine<'_> {
    /// Returns value over shares, divided by the close.
    fn price_ratio(&self) -> Option<f64> {
        let shares = self.line.shares.filter(|shares| *shares > 0.0)?;
        self.close.map(|close| self.line.value / shares / close).filter(|ratio| *ratio > 0.0)
    }

    fn repeats_shares(&self) -> bool {
        self.line.shares.is_some_and(|shares| (shares - self.line.value).abs() < f64::EPSILON)
    }

    /// Returns the key of the report: the institution, the quarter and the submission.
    fn report_key(&self) -> (u64, NaiveDate, String) {
        (self.cover.cik, self.cover.report_date, self.cover.submission_key().1)
    }
}

pub(super) fn in_dollars(lines: &[PricedLine<'_>]) -> ValuedLines {
    let mut ratios: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for line in lines {
        let of_report = ratios.entry(line.report_key()).or_default();
        of_report.extend(line.price_ratio().filter(|_| !line.repeats_shares()));
    }
    let mut units = BTreeMap::new();
    let (mut reports, mut lines_in_thousands) = (Vec::new(), 0_u32);
    let values = lines.iter().map(|line| {
        let stated = line.cover.dollar_factor();
        let report = line.report_key();
        let unit = *units.entry(report.clone()).or_insert_with(|| {
            let unit = report_unit(stated, ratios.remove(&report).unwrap_or_default());
            if unit.total_cmp(&stated).is_ne() {
                reports.push(format!(
                    "{} of {}",
                    line.cover.manager.as_deref().unwrap_or(&report.2),
                    report.1
                ));
            }
            unit
        });
        let ratio = line.price_ratio().map(|ratio| ratio * unit);
        if line.repeats_shares() && ratio.is_some_and(|ratio| is_far(ratio, 3.0)) {
            return None;
        }
        let is_thousands = ratio.is_some_and(|ratio| !is_far(ratio * THOUSAND, 1.1));
        lines_in_thousands += u32::from(is_thousands);
        Some(line.line.value * if is_thousands { unit * THOUSAND } else { unit })
    });
    let values = values.collect();
    let mut notes = Vec::new();
    if !reports.is_empty() {
        notes.push(format!(
            "values of {} of Form 13F are in another unit than reports of their day state, as the prices of the day show, and are \
             brought to dollars: {}",
            counted(reports.len(), "report", "reports"),
            reports.iter().take(8).cloned().collect::<Vec<_>>().join(", ")
        ));
    }
    if lines_in_thousands > 0 {
        notes.push(format!(
            "values of {} of Form 13F are thousands among dollars, as the prices of the day show",
            counted(lines_in_thousands, "line", "lines")
        ));
    }
    ValuedLines { values, notes }
}

/// Returns the unit of a report by the ratios of its prices to the closes.
fn report_unit(stated: f64, mut ratios: Vec<f64>) -> f64 {
    ratios.sort_by(f64::total_cmp);
    let Some(median) = ratios.get(ratios.len() / 2) else { return stated };
    let others = [stated * THOUSAND, stated / THOUSAND];
    let other = others.into_iter().find(|other| !is_far(median * other, MATCHING_FACTOR));
    other.filter(|_| is_far(median * stated, DOUBTFUL_FACTOR)).unwrap_or(stated)
}

/// Returns true if a ratio differs from one by more than a factor.
fn is_far(ratio: f64, factor: f64) -> bool {
    ratio.ln().abs() > factor.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::provenance::Provenance;

    /// Returns the dollars of lines of a report that was filed in a year: value, shares, close.
    fn dollars(year: i32, lines: &[(f64, f64, f64)]) -> (Vec<Option<f64>>, usize) {
        let day = NaiveDate::from_ymd_opt(year, 5, 15).unwrap();
        let (cik, manager, accession) = (1, None, Some("1".to_owned()));
        let cover = Cover { cik, manager, accession, report_date: day, filed_on: day, adds: false };
        let line = |&(value, shares, _): &(f64, f64, f64)| PositionLine {
            cover: None,
            accession: None,
            issuer: String::new(),
            class: None,
            cusip: String::new(),
            value,
            shares: Some(shares),
            option: None,
            source: Provenance::default(),
        };
        let made: Vec<_> = lines.iter().map(line).collect();
        let closes = lines.iter().map(|(_, _, close)| Some(*close).filter(|close| *close > 0.0));
        let priced: Vec<_> =
            made.iter().zip(closes).map(|(line, close)| PricedLine { cover: &cover, line, close }).collect();
        let ValuedLines { values, notes } = in_dollars(&priced);
        (values, notes.len())
    }

    #[test]
    fn the_prices_of_the_day_tell_the_unit() {
        let dollars_of = |year, lines: &[(f64, f64, f64)]| dollars(year, lines);
        let lines = [(70.0, 1_000.0, 69.5), (8_000.0, 100_000.0, 80.0), (5.0, 10.0, 0.0)];
        assert_eq!(dollars_of(2026, &lines), (vec![Some(70e3), Some(8e6), Some(5e3)], 1), "still thousands");
        let lines = [(70e3, 1_000.0, 69.5), (8e6, 100_000.0, 80.0)];
        assert_eq!(dollars_of(2026, &lines), (vec![Some(70e3), Some(8e6)], 0));
        assert_eq!(dollars_of(2022, &lines), (vec![Some(70e3), Some(8e6)], 1), "dollars too early");
        // A split of one share into twenty in the prices alone does not change the unit.
        assert_eq!(dollars_of(2026, &[(70e3, 1_000.0, 3.5)]), (vec![Some(70e3)], 0));
        // Without a price the unit cannot be checked.
        assert_eq!(dollars_of(2022, &[(70.0, 1_000.0, 0.0)]), (vec![Some(70e3)], 0));
    }

    #[test]
    fn single_lines_may_be_wrong() {
        let sound = (8e6, 100_000.0, 80.0);
        let lines = [sound, sound, (70.0, 1_000.0, 70.2)];
        assert_eq!(dollars(2026, &lines), (vec![Some(8e6), Some(8e6), Some(70e3)], 1));
        let lines = [sound, (1_000.0, 1_000.0, 70.0), (500.0, 500.0, 1.1)];
        assert_eq!(
            dollars(2026, &lines),
            (vec![Some(8e6), None, Some(500.0)], 0),
            "the value repeats the shares"
        );
        // Another class of shares has another price.
        assert_eq!(dollars(2026, &[sound, (45e3, 100.0, 675e3)]).0, [Some(8e6), Some(45e3)]);
    }
}
