//! The numbers of shares on the covers of filings: the sum of all classes, and when it was known.

use std::cmp::Reverse;

use crate::domain::share_count::CountedShares;
use crate::statements::gathered_statements::{FilingFacts, TaggedRow};
use parquote_encodings::documents::statement_tags::{COVER, COVER_OF_FOREIGN, TAGS};

const COUNT: &str = "EntityCommonStockSharesOutstanding";

/// The shares on the cover of a filing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CoverCount {
    /// The position of the company's symbol.
    pub(crate) company: u32,
    pub(crate) count: CountedShares,
    /// True if the cover counts several classes.
    pub(crate) has_classes: bool,
}

/// Returns the cover counts of dated domestic filings with a known filer. In `tagged`, the counts of a filing's classes are replaced with
/// their sum. `filing_facts` is indexed by the number of the filing.
pub(crate) fn take_counts(tagged: &mut Vec<TaggedRow>, filing_facts: &[FilingFacts]) -> Vec<CoverCount> {
    let [domestic, foreign] = [COVER, COVER_OF_FOREIGN].map(|taxonomy| TAGS.number(taxonomy, COUNT));
    let mut covers = Vec::new();
    tagged.retain(|row| {
        let is_count = Some(row.tag) == domestic || Some(row.tag) == foreign;
        covers.extend(is_count.then_some(*row));
        !is_count
    });
    covers.sort_by_key(|row| (row.filing, Reverse(row.end), row.file, row.file_line));
    let mut counts = Vec::new();
    for of_filing in covers.chunk_by(|a, b| a.filing == b.filing) {
        let (Some(first), Some(filing)) =
            (of_filing.first(), of_filing.first().and_then(|row| filing_facts.get(row.filing as usize)))
        else {
            continue;
        };
        let mut values: Vec<f64> =
            of_filing.iter().take_while(|row| row.end == first.end).map(|row| row.value).collect();
        // A filing may be in several files: a repeated number is the same class.
        values.sort_by(f64::total_cmp);
        values.dedup();
        let shares = total(&values);
        tagged.push(TaggedRow { value: shares, ..*first });
        let is_domestic = Some(first.tag) == domestic && !filing.is_foreign;
        if let (Some(company), Some(known_on), true) =
            (filing.company, filing.filed_on, is_domestic && shares > 0.0)
        {
            // Data sets round the day to a month end.
            let count = CountedShares { known_on, day: first.end.min(known_on), shares, is_from_cover: true };
            counts.push(CoverCount { company, count, has_classes: values.len() > 1 });
        }
    }
    counts
}

/// Sums ascending numbers; if the greatest is already the sum of the others, returns it.
fn total(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    match values {
        [_, _, .., greatest] if (sum - 2.0 * greatest).abs() < 0.5 => *greatest,
        _ => sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_summed_once() {
        // Shares of three classes of a cover of October 2025, and the three together with their sum.
        let classes = [844.0, 5_407.0, 5_817.0];
        assert_eq!((total(&classes), total(&[844.0, 5_407.0, 5_817.0, 12_068.0])), (12_068.0, 12_068.0));
        assert_eq!((total(&[7.0]), total(&[5.0, 5.5])), (7.0, 10.5));
    }
}
