//! The real taxonomy of the invented companies: sectors, industries, index names, exchanges.
//!
//! The industries are those of `industries.csv`, in the words of NSE's index lists (India) and of the exchange screeners (US). Both have
//! more industries; the thinly populated ones are left out.

/// The 30 index lists of NSE and their membership rules.
pub(crate) mod indices;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use parquote_catalogue::operation::Market;

/// An industry and the words for its companies' names.
#[derive(Debug, PartialEq)]
pub(crate) struct IndustryClass {
    /// Official name of the industry.
    pub(crate) name: &'static str,
    /// Official name of the sector.
    pub(crate) sector: &'static str,
    /// Words that follow an invented root in a company's name.
    pub(crate) words: Vec<&'static str>,
    /// At most four letters that follow the root in an Indian symbol.
    pub(crate) tag: &'static str,
    /// Frequency of companies of this industry, relative to the other industries.
    pub(crate) weight: f64,
    /// Approximate market cap of the industry's largest company, in INR crore or USD billion: a round figure in the range of the real
    /// industry, so that banks are larger than water works.
    pub(crate) largest_cap: f64,
}

/// Returns the industries of a market, in the order of the file.
pub(crate) fn industries(market: Market) -> &'static [IndustryClass] {
    static INDIA: LazyLock<Vec<IndustryClass>> = LazyLock::new(|| read_industries(Market::India));
    static US: LazyLock<Vec<IndustryClass>> = LazyLock::new(|| read_industries(Market::Us));
    match market {
        Market::India => &INDIA,
        Market::Us => &US,
    }
}

fn read_industries(market: Market) -> Vec<IndustryClass> {
    include_str!("industries.csv").lines().filter_map(|line| industry(market, line)).collect()
}

/// Parses a row; `None` if it belongs to the other market.
fn industry(market: Market, line: &'static str) -> Option<IndustryClass> {
    let mut cells = line.strip_prefix(market.word())?.strip_prefix(';')?.split(';');
    let (sector, name, tag) = (cells.next()?, cells.next()?, cells.next()?);
    let (weight, largest_cap) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
    let words = cells.next()?.split(", ").collect();
    Some(IndustryClass { name, sector, words, tag, weight, largest_cap })
}

/// Returns the sectors of a market, by name.
pub(crate) fn sectors(market: Market) -> BTreeSet<&'static str> {
    industries(market).iter().map(|industry| industry.sector).collect()
}

#[cfg(test)]
mod tests {
    use parquote_catalogue::operation::built_in;

    use super::*;

    #[test]
    fn the_official_counts_hold() {
        assert_eq!(sectors(Market::India).len(), 22);
        assert_eq!((industries(Market::India).len(), industries(Market::Us).len()), (51, 55));
        assert_eq!(include_str!("industries.csv").lines().count(), 1 + 51 + 55);
        assert_eq!(sectors(Market::Us).len(), 11);
        assert_eq!(indices::INDICES.len(), 30);
    }

    #[test]
    fn sectors_are_those_of_the_market_and_industries_occur_once() {
        for market in Market::ALL {
            let declared: serde_json::Value = built_in(&format!("sectors/{market}.toml"));
            let unknown: Vec<_> = sectors(market)
                .into_iter()
                .filter(|sector| declared["sectors"].get(sector).is_none())
                .collect();
            assert!(unknown.is_empty(), "{market}: {unknown:?}");
            let names: BTreeSet<_> = industries(market).iter().map(|industry| industry.name).collect();
            assert_eq!(names.len(), industries(market).len(), "doubled industry in {market}");
        }
        for industry in industries(Market::India) {
            assert!(industry.tag.len() <= 4 && !industry.words.is_empty(), "{}", industry.name);
        }
    }
}
