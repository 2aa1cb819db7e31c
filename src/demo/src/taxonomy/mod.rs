//! The real taxonomy of the invented companies: sectors, industries, index names, exchanges.
//!
//! It has names and weights, no companies. Every industry names a sector of its market's sector list.

/// India: sectors and industries of NSE.
pub(crate) mod india;

/// The United States: sectors and industries of the exchange screeners.
pub(crate) mod us;

/// The 30 index lists of NSE and their membership rules.
pub(crate) mod indices;

use parquote_catalogue::operation::Market;

/// An industry and the words for its companies' names.
#[derive(Debug, PartialEq)]
pub(crate) struct IndustryClass {
    /// Its official name.
    pub(crate) name: &'static str,
    /// The official name of its sector.
    pub(crate) sector: &'static str,
    /// Words that follow an invented root in a company's name.
    pub(crate) words: &'static [&'static str],
    /// At most four letters that follow the root in an Indian symbol.
    pub(crate) tag: &'static str,
    /// Its share of companies, relative to the others.
    pub(crate) weight: f64,
    /// About the market cap of its largest company at full size, in INR crore or USD billion. A round figure in the range of the real
    /// industry, so that banks are larger than water works.
    pub(crate) largest: f64,
}

/// Builds an industry as one line of a table.
pub(crate) const fn industry(
    sector: &'static str,
    name: &'static str,
    tag: &'static str,
    (weight, largest): (f64, f64),
    words: &'static [&'static str],
) -> IndustryClass {
    IndustryClass { name, sector, words, tag, weight, largest }
}

/// Returns the industries of a market.
pub(crate) const fn industries(market: Market) -> &'static [IndustryClass] {
    match market {
        Market::India => india::INDUSTRIES,
        Market::Us => us::INDUSTRIES,
    }
}

/// Returns the sectors of a market.
pub(crate) const fn sectors(market: Market) -> &'static [&'static str] {
    match market {
        Market::India => india::SECTORS,
        Market::Us => us::SECTORS,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_official_counts_hold() {
        assert_eq!(sectors(Market::India).len(), 22);
        assert_eq!(industries(Market::India).len(), 51);
        assert_eq!(sectors(Market::Us).len(), 11);
        assert_eq!(indices::INDICES.len(), 30);
    }

    #[test]
    fn every_sector_has_an_industry_and_every_industry_a_sector() {
        for market in Market::ALL {
            let known: BTreeSet<_> = sectors(market).iter().copied().collect();
            let used: BTreeSet<_> = industries(market).iter().map(|industry| industry.sector).collect();
            assert_eq!(known, used, "{market}");
            let names: BTreeSet<_> = industries(market).iter().map(|industry| industry.name).collect();
            assert_eq!(names.len(), industries(market).len(), "doubled industry in {market}");
        }
        for industry in industries(Market::India) {
            assert!(industry.tag.len() <= 4 && !industry.words.is_empty(), "{}", industry.name);
        }
    }
}
