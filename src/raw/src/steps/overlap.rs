//! Files of one source that overlap in time: a constant ratio between them is a split that the newer one restates.
//!
//! Nothing is rescaled here. A bar keeps the scale of its file; where the chosen bars of a symbol pass from one scale to
//! another, an inferred action stands on the first date of the new scale, so that factors carry the older bars over.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::domain::bar::Bar;

/// Days that two files must have in common before their ratio counts.
const FEWEST_DAYS: usize = 3;
/// How far single ratios may lie from their median: what rounding to cents does to a price of a few dollars.
const SPREAD: f64 = 0.005;
/// A ratio nearer to one is a correction, not a split.
const SMALLEST: f64 = 0.01;

/// By file: what multiplies its prices to bring them to the scale of the newest file of the symbol.
pub(crate) fn scales(bars: &[Bar]) -> BTreeMap<u32, f64> {
    let mut files: BTreeMap<u32, BTreeMap<NaiveDate, f64>> = BTreeMap::new();
    for bar in bars {
        files.entry(bar.file).or_default().insert(bar.date, bar.close());
    }
    let mut scales = BTreeMap::new();
    let mut scale = 1.0;
    let mut newer: Option<BTreeMap<NaiveDate, f64>> = None;
    for (file, closes) in files.into_iter().rev() {
        if let Some(ratio) = newer.as_ref().and_then(|newer| constant_ratio(&closes, newer)) {
            scale *= ratio;
        }
        scales.insert(file, scale);
        newer = Some(closes);
    }
    scales
}

/// The constant ratio of the newer to the older closes on the days that both have, if it is one other than 1.
fn constant_ratio(older: &BTreeMap<NaiveDate, f64>, newer: &BTreeMap<NaiveDate, f64>) -> Option<f64> {
    let mut ratios: Vec<f64> =
        older.iter().filter_map(|(date, close)| newer.get(date).map(|restated| restated / close)).collect();
    ratios.sort_by(f64::total_cmp);
    let median = *ratios.get(ratios.len() / 2)?;
    let (least, most) = (ratios.first()?, ratios.last()?);
    let constant = most / median - 1.0 <= SPREAD && 1.0 - least / median <= SPREAD;
    (ratios.len() >= FEWEST_DAYS && constant && (median - 1.0).abs() > SMALLEST).then(|| simple(median))
}

/// The ratio of whole numbers that a split is, if one is near (prices rounded to cents blur it); else the ratio as it is.
fn simple(ratio: f64) -> f64 {
    split_near(ratio).unwrap_or(ratio)
}

/// The ratio of a split within a thousandth of `ratio`: 1 to anything, or of numbers up to 10.
pub(crate) fn split_near(ratio: f64) -> Option<f64> {
    let whole = |most: u32| (1..=most).map(f64::from);
    let of_one = whole(50).flat_map(|many| [many.recip(), many]);
    let of_few = whole(10).flat_map(|new| whole(10).map(move |old| old / new));
    of_one.chain(of_few).find(|simple| (ratio / simple - 1.0).abs() < 0.001)
}

/// The dates on which chosen bars, in the order of their dates, pass to another scale, and the factor of each.
pub(crate) fn steps(bars: &[Bar], scales: &BTreeMap<u32, f64>) -> Vec<(NaiveDate, f64)> {
    let scale = |bar: &Bar| scales.get(&bar.file).copied().unwrap_or(1.0);
    bars.iter()
        .zip(bars.iter().skip(1))
        .map(|(before, bar)| (bar.date, scale(before) / scale(bar)))
        .filter(|(_, factor)| (factor - 1.0).abs() > SMALLEST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_ratios_of_whole_numbers() {
        assert_eq!(split_near(0.100_03), Some(0.1));
        assert_eq!(split_near(2.999), Some(3.0));
        assert_eq!(split_near(0.6667), Some(2.0 / 3.0));
        assert_eq!((split_near(0.4185), split_near(1.0157)), (None, None));
    }
}
