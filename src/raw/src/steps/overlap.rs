//! Files of one source that overlap in time: a constant ratio between them is a split that the newer one restates.
//!
//! Nothing is rescaled here. A bar has the scale of its file; if the selected bars of a symbol change to another scale, an inferred action
//! on the first date of the new scale lets factors convert the older bars.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::domain::bar::Bar;

/// Minimum number of days that two files must share for their ratio to count.
const FEWEST_DAYS: usize = 3;
/// Maximum distance of single ratios from their median: the effect of rounding to cents on a price of a few dollars.
const MOST_SPREAD: f64 = 0.005;
/// A ratio closer to one is a correction, not a split.
const SMALLEST_DIFFERENCE: f64 = 0.01;

/// Returns the factor of each file that converts its prices to the scale of the symbol's newest file.
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

/// Returns the constant ratio of the newer to the older closes on shared days, if there is one other than 1.
fn constant_ratio(older: &BTreeMap<NaiveDate, f64>, newer: &BTreeMap<NaiveDate, f64>) -> Option<f64> {
    let mut ratios: Vec<f64> =
        older.iter().filter_map(|(date, close)| newer.get(date).map(|restated| restated / close)).collect();
    ratios.sort_by(f64::total_cmp);
    let median = *ratios.get(ratios.len() / 2)?;
    let (least, most) = (ratios.first()?, ratios.last()?);
    let constant = most / median - 1.0 <= MOST_SPREAD && 1.0 - least / median <= MOST_SPREAD;
    // Prices rounded to cents blur a ratio of whole numbers.
    (ratios.len() >= FEWEST_DAYS && constant && (median - 1.0).abs() > SMALLEST_DIFFERENCE)
        .then(|| simple_split(median).unwrap_or(median))
}

/// Returns the ratio of a split within a thousandth of `ratio`: 1 to n or n to 1 for n up to 50, or of numbers up to 10.
pub(crate) fn simple_split(ratio: f64) -> Option<f64> {
    let whole = |most: u32| (1..=most).map(f64::from);
    let of_one = whole(50).flat_map(|many| [many.recip(), many]);
    let of_few = whole(10).flat_map(|new| whole(10).map(move |old| old / new));
    of_one.chain(of_few).find(|simple| (ratio / simple - 1.0).abs() < 0.001)
}

/// Returns the dates on which selected bars, sorted by date, change to another scale, with the factor of each.
pub(crate) fn steps(bars: &[Bar], scales: &BTreeMap<u32, f64>) -> Vec<(NaiveDate, f64)> {
    let scale = |bar: &Bar| scales.get(&bar.file).copied().unwrap_or(1.0);
    bars.iter()
        .zip(bars.iter().skip(1))
        .map(|(before, bar)| (bar.date, scale(before) / scale(bar)))
        .filter(|(_, factor)| (factor - 1.0).abs() > SMALLEST_DIFFERENCE)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_ratios_of_whole_numbers() {
        assert_eq!(simple_split(0.100_03), Some(0.1));
        assert_eq!(simple_split(2.999), Some(3.0));
        assert_eq!(simple_split(0.6667), Some(2.0 / 3.0));
        assert_eq!((simple_split(0.4185), simple_split(1.0157)), (None, None));
    }
}
