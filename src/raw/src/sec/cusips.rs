//! Maps CUSIPs to symbols: by a list of `cusip,symbol`, else by the issuer's name.
//!
//! CUSIPs are licensed, so that there is no public list of them. Form 13F truncates names and abbreviates their words; a name matches if,
//! with words spelled out and legal forms dropped, it is that of one listed company. If a name fits several symbols, the class of shares
//! decides; if that fails too, there is no symbol.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

/// Origin of a CUSIP's symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SymbolOrigin {
    /// The list of CUSIPs.
    List,
    /// The issuer's name.
    IssuerName,
}

pub(crate) struct Cusips<'a> {
    /// Symbols by CUSIP, from the list.
    by_cusip: &'a HashMap<String, String>,
    /// Keyed by the normalised name: symbols, each with the letter of its class of shares, empty without one.
    by_name: BTreeMap<String, BTreeSet<(String, String)>>,
}

/// Minimum length of a truncated name: the length at which Form 13F truncates names, less a last word that may be lost.
const TRUNCATED_LENGTH: usize = 27;

impl<'a> Cusips<'a> {
    /// Builds the map from a list, and from the names of listed companies with their symbols.
    pub(crate) fn new<'n>(
        by_cusip: &'a HashMap<String, String>,
        companies: impl Iterator<Item = (&'n str, &'n str)>,
    ) -> Self {
        let mut by_name: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
        for (name, symbol) in companies {
            let words = normalise(name);
            if !words.is_empty() {
                by_name.entry(words).or_default().insert((symbol.to_owned(), class_letter(name)));
            }
        }
        Self { by_cusip, by_name }
    }

    /// Returns the symbol of a CUSIP, by the issuer and class of shares that Form 13F states.
    pub(crate) fn symbol(&self, cusip: &str, issuer: &str, class_text: &str) -> Option<(&str, SymbolOrigin)> {
        if let Some(symbol) = self.by_cusip.get(cusip) {
            return Some((symbol, SymbolOrigin::List));
        }
        let words = normalise(issuer);
        if words.is_empty() {
            return None;
        }
        let whole = self.by_name.get(&words);
        let truncated = || {
            // A truncated name is the prefix of exactly one company's name.
            let mut longer =
                self.by_name.range(words.clone()..).take_while(|(name, _)| name.starts_with(&words));
            let (_, first) = longer.next().filter(|_| issuer.len() >= TRUNCATED_LENGTH)?;
            longer.next().is_none().then_some(first)
        };
        let symbols =
            whole.or_else(truncated).or_else(|| self.by_name.get(&without_truncated_form(issuer)?))?;
        let letter = class_letter(class_text);
        let mut fitting = symbols.iter().filter(|(_, class)| symbols.len() == 1 || *class == letter);
        let (symbol, _) = fitting.next()?;
        fitting.next().is_none().then_some((symbol.as_str(), SymbolOrigin::IssuerName))
    }
}

/// Abbreviations of Form 13F with the full words; legal forms, parts of them, and words that abbreviated names leave out have none.
static ISSUER_WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    include_str!("issuer_words.csv").lines().filter_map(|row| row.split_once(',')).collect()
});

/// Normalises a name: in capitals, with words spelled out, without legal forms and classes of shares.
fn normalise(name: &str) -> String {
    let name = name.to_uppercase().replace('\'', "");
    let name = [
        "CLASS ", " COMMON STOCK", " CAPITAL STOCK", " ORDINARY SHARE", " AMERICAN DEPOSITARY",
        " COMMON SHARES",
    ]
    .iter()
    .filter_map(|end| name.find(end))
    .min()
    .map_or(name.as_str(), |end| name.get(..end).unwrap_or(&name));
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let words = match words.as_slice() {
        [name @ .., "CL", letter] if letter.len() == 1 => name,
        all => all,
    };
    let spelled = words.iter().map(|word| ISSUER_WORDS.get(word).copied().unwrap_or(word));
    spelled.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the words of a name truncated within its legal form, such as `INTERCONTINENTAL EXCHANGE IN`.
fn without_truncated_form(issuer: &str) -> Option<String> {
    let (name, last) = issuer.trim().rsplit_once(' ').filter(|_| issuer.len() >= TRUNCATED_LENGTH)?;
    let last = last.to_uppercase();
    let is_form = ISSUER_WORDS.iter().any(|(form, long)| long.is_empty() && form.starts_with(&last));
    is_form.then(|| normalise(name)).filter(|words| !words.is_empty())
}

/// Returns the letter of a class of shares: `CL A`, `Class A Common Stock`, `CAP STK CL C`; empty if there is none.
fn class_letter(text: &str) -> String {
    let text = text.to_uppercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut pairs = words.windows(2);
    let letter = pairs.find_map(|pair| match pair {
        ["CL" | "CLASS" | "SER" | "SERIES", letter] if letter.len() == 1 => Some(*letter),
        _ => None,
    });
    letter.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_as_13f_writes_them() {
        let by_cusip = HashMap::from([("Z00000101".to_owned(), "LIST".to_owned())]);
        let names = [
            ("Alfa Systems, Inc. Common Stock", "ALFA"),
            ("Beta International Holdings Limited", "BETA"),
            ("Gamma Inc. Class A Common Stock", "GAMA"),
            ("Gamma Inc. Class C Capital Stock", "GAMC"),
            ("Intercontinental Deltaworks Incorporated", "DLT"),
            ("Bank of Epsilon & Zeta Corporation", "EPS"),
            ("Twins Company", "TW"),
            ("Twins Corp", "TWN"),
            ("Theta Tower Corporation (REIT) Common Stock", "THT"),
            ("Iota, Inc. Common Stock", "IOT"),
        ];
        let cusips = Cusips::new(&by_cusip, names.into_iter());
        let of = |cusip: &str, name: &str, class: &str| {
            cusips.symbol(cusip, name, class).map(|(symbol, _)| symbol)
        };
        assert_eq!(of("Z00000101", "ANYTHING", "COM"), Some("LIST"));
        assert_eq!(of("X", "ALFA SYS INC", "COM"), Some("ALFA"));
        assert_eq!(of("X", "BETA INTL HLDGS LTD", "SHS"), Some("BETA"));
        assert_eq!(of("X", "GAMMA INC", "CAP STK CL C"), Some("GAMC"));
        assert_eq!(of("X", "GAMMA INC", "COM"), None);
        assert_eq!(of("X", "INTERCONTINENTAL DELTAWORKS I", "COM"), Some("DLT"));
        assert_eq!(of("X", "INTERCONTINENTAL DELTAWORKS", "COM"), Some("DLT"));
        assert_eq!(of("X", "INTERCONTINENTAL DELTAWOR", "COM"), None);
        assert_eq!(of("X", "BANK EPSILON AND ZETA CORP", "COM"), Some("EPS"));
        assert_eq!(of("X", "THETA TOWER CORP", "COM"), Some("THT"));
        assert_eq!(of("X", "IOTA INC CL B", "IOTA INC CL B"), Some("IOT"));
        assert_eq!(of("X", "TWINS CO", "COM"), None);
        assert_eq!(of("X", "", "COM"), None);
    }
}
