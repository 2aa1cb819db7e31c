//! Maps names in other classifications, industries, indices and words of company names to the sectors of a market.
//!
//! The files of `queries/sectors` declare the mapping. A company keeps the sector that its source states, even if the market's own
//! classification has another: the two differ for about every fourth member of the S&P 500. Industries are not mapped.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use parquote_catalogue::operation::{Market, built_in};

/// The sectors of a market.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SectorFile {
    /// Names in other classifications whose companies belong to several sectors of this taxonomy.
    #[serde(default)]
    divided: Vec<String>,
    sectors: BTreeMap<String, SectorWords>,
}

/// Words that imply a sector.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SectorWords {
    /// Names of other classifications.
    lists: Vec<String>,
    /// Pairs of a name of another classification and one of its industries that belongs to this sector.
    moved: Vec<[String; 2]>,
    /// Names of NSE's indices, without their prefix. Indices reach a little beyond their sector: a maker of steel tubes is in the metals
    /// index, but its own sector is capital goods.
    indices: Vec<String>,
    /// Ranges of SIC codes, each with its first and last code.
    sic: Vec<[u16; 2]>,
    /// Words of company names, in lower case.
    names: Vec<String>,
}

impl SectorFile {
    fn find(&self, is_sector: impl Fn(&String, &SectorWords) -> bool) -> Option<&str> {
        self.sectors.iter().find(|(name, words)| is_sector(name, words)).map(|(name, _)| name.as_str())
    }
}

fn sectors(market: Market) -> &'static SectorFile {
    static INDIA: LazyLock<SectorFile> = LazyLock::new(|| built_in("sectors/india.toml"));
    static US: LazyLock<SectorFile> = LazyLock::new(|| built_in("sectors/us.toml"));
    match market {
        Market::India => &INDIA,
        Market::Us => &US,
    }
}

/// Returns the market's sector for a name in any classification; `industry` is the industry in the same row. `None` if the name covers
/// several sectors or is unknown in the US; an unknown name in India is returned as it is.
pub(crate) fn market_sector(market: Market, word: &str, industry: Option<&str>) -> Option<String> {
    let sectors = sectors(market);
    let is_word = |known: &String| known.eq_ignore_ascii_case(word);
    if sectors.divided.iter().any(is_word) {
        return None;
    }
    let is_industry = |known: &String| industry.is_some_and(|industry| known.eq_ignore_ascii_case(industry));
    let moved =
        sectors.find(|_, words| words.moved.iter().any(|[name, moved]| is_word(name) && is_industry(moved)));
    let named = || sectors.find(|name, words| is_word(name) || words.lists.iter().any(is_word));
    let unknown = (market == Market::India).then_some(word);
    moved.or_else(named).or(unknown).map(str::to_owned)
}

/// Returns the sector for which an index of NSE is named, if any.
pub(super) fn sector_of_index(index: &str) -> Option<&'static str> {
    let name = index.strip_prefix("NIFTY")?;
    sectors(Market::India).find(|_, words| words.indices.iter().any(|known| known == name))
}

/// Returns the sector of a SIC code; `None` if its companies are in several sectors.
pub(super) fn sector_of_sic(sic: u16) -> Option<&'static str> {
    let contains = |[first, last]: &[u16; 2]| (*first..=*last).contains(&sic);
    sectors(Market::Us).find(|_, words| words.sic.iter().any(contains))
}

/// Returns the sector that a company's name implies, if its words imply exactly one. The finder uses it if no list has a sector.
pub(super) fn sector_of_company_name(market: Market, name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_alphanumeric());
    let mut implied = words
        .filter_map(|word| sectors(market).find(|_, words| words.names.iter().any(|known| known == word)));
    let first = implied.next()?;
    implied.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us_sector(word: &str, industry: Option<&str>) -> Option<String> {
        market_sector(Market::Us, word, industry)
    }

    /// 22 sectors of NSE and BSE, 12 of the NASDAQ screener.
    #[test]
    fn no_word_implies_two_sectors() {
        for (market, count) in [(Market::India, 22), (Market::Us, 12)] {
            assert_eq!(sectors(market).sectors.len(), count);
            let words = |words: fn(&SectorWords) -> &Vec<String>| {
                sectors(market).sectors.values().flat_map(words).collect::<Vec<_>>()
            };
            for mut words in [words(|it| &it.lists), words(|it| &it.indices), words(|it| &it.names)] {
                let count = words.len();
                words.sort_unstable();
                words.dedup();
                assert_eq!(words.len(), count);
            }
            let mut ranges: Vec<_> = sectors(market).sectors.values().flat_map(|it| &it.sic).collect();
            ranges.sort_unstable();
            assert!(ranges.windows(2).all(|pair| pair[0][1] < pair[1][0]));
        }
    }

    /// The 11 sectors of GICS in its published structure of 2023, and in that before September 2018.
    #[test]
    fn every_sector_of_gics_is_one_of_the_screener() {
        for (gics, screener) in [
            ("Energy", "Energy"),
            ("Materials", "Basic Materials"),
            ("Industrials", "Industrials"),
            ("Consumer Discretionary", "Consumer Discretionary"),
            ("Consumer Staples", "Consumer Staples"),
            ("Health Care", "Health Care"),
            ("Financials", "Finance"),
            ("Information Technology", "Technology"),
            ("Communication Services", "Telecommunications"),
            ("Utilities", "Utilities"),
            ("Real Estate", "Real Estate"),
            ("Telecommunication Services", "Telecommunications"),
            ("FINANCIALS", "Finance"),
        ] {
            assert_eq!(us_sector(gics, None).as_deref(), Some(screener), "{gics}");
        }
        for sector in sectors(Market::Us).sectors.keys() {
            assert_eq!(us_sector(sector, Some("Advertising")).as_ref(), Some(sector));
        }
        assert_eq!(us_sector("Computer Software", Some("Computer Software")), None);
    }

    #[test]
    fn communication_is_put_where_it_came_from() {
        for (industry, screener) in [
            ("Wireless Telecommunication Services", "Telecommunications"),
            ("Cable & Satellite", "Telecommunications"),
            ("Interactive Media & Services", "Technology"),
            ("Movies & Entertainment", "Consumer Discretionary"),
        ] {
            let sector = us_sector("Communication Services", Some(industry));
            assert_eq!(sector.as_deref(), Some(screener), "{industry}");
        }
    }

    #[test]
    fn industries_before_2022_are_sectors_of_today() {
        let of = |word: &str| market_sector(Market::India, word, None);
        assert_eq!(of("IT").as_deref(), Some("Information Technology"));
        assert_eq!(of("PHARMA").as_deref(), Some("Healthcare"));
        assert_eq!(
            of("FINANCIAL SERVICES").as_deref(),
            Some("Financial Services"),
            "where no newer list says it"
        );
        assert_eq!(of("Fast Moving Consumer Goods").as_deref(), Some("Fast Moving Consumer Goods"));
        assert_eq!(of("A newer sector").as_deref(), Some("A newer sector"));
        assert_eq!(of("CONSUMER GOODS"), None);
    }

    #[test]
    fn only_whole_names_say_a_sector() {
        for (index, named) in [
            ("NIFTYFMCG", Some("Fast Moving Consumer Goods")),
            ("NIFTYPSUBANK", Some("Financial Services")),
            ("NIFTYIT", Some("Information Technology")),
            ("NIFTY50", None),
            ("NIFTYITES", None),
            ("FMCG", None),
            // Indices whose members belong to many sectors.
            ("NIFTYENERGY", None),
            ("NIFTYINDIACONSUMPTION", None),
        ] {
            assert_eq!(sector_of_index(index), named, "{index}");
        }
    }

    #[test]
    fn industries_have_the_sector_of_their_range() {
        for (sic, of) in [
            (7372, Some("Technology")),
            (6021, Some("Finance")),
            (6324, Some("Health Care")),
            (6331, Some("Finance")),
            (6798, Some("Real Estate")),
            (4911, Some("Utilities")),
            (2834, Some("Health Care")),
            (2999, Some("Energy")),
            (3714, None),
            (2320, None),
            (0, None),
            (9999, None),
        ] {
            assert_eq!(sector_of_sic(sic), of, "{sic}");
        }
    }

    #[test]
    fn a_name_says_a_sector_by_whole_words() {
        for (name, of) in [
            ("Arohi Small Finance Bank Limited", Some("Financial Services")),
            ("AROHI SUGARS LTD", Some("Fast Moving Consumer Goods")),
            ("Arohi-Textiles (India) Ltd.", Some("Textiles")),
            ("Bankura Industries Limited", None),
            ("Arohi Chemicals and Pharmaceuticals Limited", None),
            ("Arohi Tea & Petroleum", None),
            ("Arohi Financial Services Software", None),
            ("Arohi Limited", None),
            ("", None),
        ] {
            assert_eq!(sector_of_company_name(Market::India, name), of, "{name}");
        }
        assert_eq!(sector_of_company_name(Market::Us, "Alfa Bancorp, Inc. Common Stock"), Some("Finance"));
        assert_eq!(sector_of_company_name(Market::Us, "Alfa Pharma Insurance"), None);
        assert_eq!(sector_of_company_name(Market::Us, "Alfa Sugars"), None);
    }
}
