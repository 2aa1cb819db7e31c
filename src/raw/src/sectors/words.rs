//! One taxonomy of sectors per market: maps the names of other classifications to the market's own.
//!
//! India's names are those of the classification that NSE and BSE share since 31 March 2022; the US's are those of the NASDAQ screener,
//! whose listings give nearly every company one. A company keeps the sector of its own source, even where the market would choose another:
//! the two differ on about every fourth member of the S&P 500. Industries are left as they are.

use parquote_catalogue::operation::Market;

/// The sectors of India. Lists before 2022 write those that existed in capitals.
const OF_INDIA: [&str; 22] = [
    "Automobile and Auto Components",
    "Capital Goods",
    "Chemicals",
    "Construction",
    "Construction Materials",
    "Consumer Durables",
    "Consumer Services",
    "Diversified",
    "Fast Moving Consumer Goods",
    "Financial Services",
    "Forest Materials",
    "Healthcare",
    "Information Technology",
    "Media Entertainment & Publication",
    "Metals & Mining",
    "Oil Gas & Consumable Fuels",
    "Power",
    "Realty",
    "Services",
    "Telecommunication",
    "Textiles",
    "Utilities",
];

/// NSE's industries before 2022 and the sectors that absorbed them. Unchanged names are not listed.
const INDIA_BEFORE_2022: [(&str, &str); 12] = [
    ("AUTOMOBILE", "Automobile and Auto Components"),
    ("CEMENT & CEMENT PRODUCTS", "Construction Materials"),
    ("FERTILISERS & PESTICIDES", "Chemicals"),
    ("HEALTHCARE SERVICES", "Healthcare"),
    ("INDUSTRIAL MANUFACTURING", "Capital Goods"),
    ("IT", "Information Technology"),
    ("MEDIA & ENTERTAINMENT", "Media Entertainment & Publication"),
    ("METALS", "Metals & Mining"),
    ("OIL & GAS", "Oil Gas & Consumable Fuels"),
    ("PAPER", "Forest Materials"),
    ("PHARMA", "Healthcare"),
    ("TELECOM", "Telecommunication"),
];

/// An industry before 2022 without one successor: its companies went to durables, to fast moving goods and elsewhere.
const INDIA_DIVIDED: &str = "CONSUMER GOODS";

/// The sectors of the NASDAQ screener.
const OF_THE_SCREENER: [&str; 12] = [
    "Basic Materials",
    "Consumer Discretionary",
    "Consumer Staples",
    "Energy",
    "Finance",
    "Health Care",
    "Industrials",
    "Miscellaneous",
    "Real Estate",
    "Technology",
    "Telecommunications",
    "Utilities",
];

/// Sectors of GICS that the screener names differently; the others have the same name.
const OF_GICS: [(&str, &str); 4] = [
    ("Financials", "Finance"),
    ("Information Technology", "Technology"),
    ("Materials", "Basic Materials"),
    ("Telecommunication Services", "Telecommunications"),
];

/// The GICS sector that combines telecommunications, media and interactive services since September 2018.
const COMMUNICATION: &str = "Communication Services";

/// Its sub-industries that were of another sector before, which the screener still uses. Cable and satellite, media in GICS, are
/// telecommunications in the screener, as is everything not listed here.
const OF_COMMUNICATION: [(&str, &str); 6] = [
    ("Advertising", "Consumer Discretionary"),
    ("Broadcasting", "Consumer Discretionary"),
    ("Interactive Home Entertainment", "Technology"),
    ("Interactive Media & Services", "Technology"),
    ("Movies & Entertainment", "Consumer Discretionary"),
    ("Publishing", "Consumer Discretionary"),
];

/// Returns the market's sector for a name of any classification, if it is known.
pub(crate) fn of_market(market: Market, word: &str, industry: Option<&str>) -> Option<String> {
    match market {
        Market::India => of_india(word.to_owned()),
        Market::Us => of_us(word, industry).map(str::to_owned),
    }
}

/// Returns the current sector for one in an index list of India; `None` if its industry was divided.
pub(crate) fn of_india(word: String) -> Option<String> {
    if word.eq_ignore_ascii_case(INDIA_DIVIDED) {
        return None;
    }
    let same = || OF_INDIA.into_iter().find(|sector| sector.eq_ignore_ascii_case(&word));
    Some(among(&INDIA_BEFORE_2022, &word).or_else(same).map_or(word, str::to_owned))
}

/// Returns the screener's sector for a name of GICS or of the screener; `industry` is the one in the same row.
pub(crate) fn of_us(word: &str, industry: Option<&str>) -> Option<&'static str> {
    if word.eq_ignore_ascii_case(COMMUNICATION) {
        let moved = industry.and_then(|industry| among(&OF_COMMUNICATION, industry));
        return Some(moved.unwrap_or("Telecommunications"));
    }
    let same = OF_THE_SCREENER.into_iter().find(|sector| sector.eq_ignore_ascii_case(word));
    same.or_else(|| among(&OF_GICS, word))
}

fn among(words: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    words.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, sector)| *sector)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(of_us(gics, None), Some(screener), "{gics}");
        }
        for sector in OF_THE_SCREENER {
            assert_eq!(of_us(sector, Some("Advertising")), Some(sector));
        }
        assert_eq!(of_us("Computer Software", Some("Computer Software")), None);
    }

    #[test]
    fn communication_is_put_where_it_came_from() {
        for (industry, screener) in [
            ("Wireless Telecommunication Services", "Telecommunications"),
            ("Cable & Satellite", "Telecommunications"),
            ("Interactive Media & Services", "Technology"),
            ("Movies & Entertainment", "Consumer Discretionary"),
        ] {
            assert_eq!(of_us("Communication Services", Some(industry)), Some(screener), "{industry}");
        }
    }

    #[test]
    fn industries_before_2022_are_sectors_of_today() {
        let of = |word: &str| of_india(word.to_owned());
        assert_eq!(of("IT").as_deref(), Some("Information Technology"));
        assert_eq!(of("PHARMA").as_deref(), Some("Healthcare"));
        assert_eq!(
            of("FINANCIAL SERVICES").as_deref(),
            Some("Financial Services"),
            "where no newer list says it"
        );
        assert_eq!(of("Fast Moving Consumer Goods").as_deref(), Some("Fast Moving Consumer Goods"));
        assert_eq!(of("CONSUMER GOODS"), None);
    }
}
