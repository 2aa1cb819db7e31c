//! Words in company names that imply a sector: the last resort, if no list has one.
//!
//! A word is used only if nearly every company with it on the lists of members (India) or in the listings (US) is of the one sector.
//! Ambiguous words are left out: "power" is of utilities and of makers of transformers, "steel" of mills and of makers of parts,
//! "infotech", "films" and "investments" of anything. A name with words of two sectors implies none.

use parquote_catalogue::operation::Market;

/// Words and their sector in India, in lower case.
const INDIA: [(&str, &[&str]); 16] = [
    ("Automobile and Auto Components", &["auto", "automobiles", "automotive", "motor", "tyres"]),
    (
        "Capital Goods",
        &[
            "aerospace",
            "bearings",
            "cables",
            "defence",
            "pipes",
            "shipbuilders",
            "shipyard",
            "transformers",
            "tubes",
        ],
    ),
    (
        "Chemicals",
        &[
            "agrochem",
            "agrochemicals",
            "amines",
            "chemicals",
            "dyes",
            "fertilisers",
            "fertilizers",
            "organics",
            "petrochemicals",
        ],
    ),
    ("Construction", &["constructions", "infraprojects"]),
    ("Construction Materials", &["cement", "cements"]),
    ("Consumer Durables", &["ceramics", "footwear", "granito", "jewellers", "jewellery", "paints", "tiles"]),
    ("Consumer Services", &["hotel", "hotels", "resorts", "retail"]),
    (
        "Fast Moving Consumer Goods",
        &["beverages", "breweries", "dairy", "distilleries", "foods", "spirits", "sugar", "sugars", "tea"],
    ),
    (
        "Financial Services",
        &[
            "bank",
            "broking",
            "capital",
            "credit",
            "finance",
            "financial",
            "fincorp",
            "finserv",
            "insurance",
            "investment",
            "leasing",
            "microfinance",
            "securities",
        ],
    ),
    ("Forest Materials", &["paper", "papers"]),
    (
        "Healthcare",
        &[
            "biosciences",
            "diagnostics",
            "drugs",
            "formulations",
            "healthcare",
            "hospital",
            "hospitals",
            "laboratories",
            "lifesciences",
            "medicare",
            "pharma",
            "pharmaceutical",
            "pharmaceuticals",
            "remedies",
        ],
    ),
    ("Information Technology", &["software"]),
    ("Oil Gas & Consumable Fuels", &["coal", "petroleum", "refineries", "refinery"]),
    ("Realty", &["realtors", "realty"]),
    ("Services", &["logistics", "shipping"]),
    (
        "Textiles",
        &[
            "apparels", "cotspin", "denim", "fabrics", "garments", "knitting", "spinners", "spinning",
            "syntex", "textile", "textiles", "weaving", "yarns",
        ],
    ),
];

/// The same in the US.
const US: [(&str, &[&str]); 2] = [
    ("Finance", &["bancorp", "bancshares", "bank", "bankshares", "financial", "insurance"]),
    (
        "Health Care",
        &[
            "biopharma",
            "biotech",
            "biotherapeutics",
            "medical",
            "oncology",
            "pharma",
            "pharmaceuticals",
            "therapeutics",
        ],
    ),
];

/// Returns the sector that a company's name implies, if its words imply exactly one.
pub(super) fn sector(market: Market, name: &str) -> Option<&'static str> {
    let sectors: &[(&str, &[&str])] = match market {
        Market::India => &INDIA,
        Market::Us => &US,
    };
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_alphanumeric());
    let mut said = words.filter_map(|word| {
        sectors.iter().find(|(_, words)| words.contains(&word)).map(|(sector, _)| *sector)
    });
    let first = said.next()?;
    said.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(sector(Market::India, name), of, "{name}");
        }
        assert_eq!(sector(Market::Us, "Alfa Bancorp, Inc. Common Stock"), Some("Finance"));
        assert_eq!(sector(Market::Us, "Alfa Pharma Insurance"), None);
        assert_eq!(sector(Market::Us, "Alfa Sugars"), None);
    }

    #[test]
    fn no_word_stands_under_two_sectors() {
        for sectors in [&INDIA[..], &US[..]] {
            let mut words: Vec<&str> = sectors.iter().flat_map(|(_, words)| *words).copied().collect();
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), count);
        }
    }
}
