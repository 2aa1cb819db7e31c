//! Invented names, symbols and ISINs.
//!
//! A name is a root of three made-up syllables and a word of its industry. The middle syllable always has a q, x or z, and US symbols have
//! six letters where real ones have at most five, so that no name is that of a listed company. Each root is used once: the n-th company of
//! a market has the n-th element of a permutation.

use super::draw::{Draw, Purpose};
use super::taxonomy::IndustryClass;
use parquote_catalogue::operation::Market;

const HEADS: [&str; 41] = [
    "ba", "be", "bo", "bu", "da", "de", "do", "du", "fa", "fe", "fo", "ga", "ge", "go", "ha", "he", "jo",
    "ju", "ka", "ke", "ko", "la", "le", "lo", "lu", "me", "mo", "mu", "na", "no", "nu", "pa", "pe", "po",
    "ra", "ro", "ru", "ta", "to", "vo", "yu",
];
const MIDDLE_SYLLABLES: [&str; 12] = ["qa", "qe", "qi", "qo", "xa", "xe", "xi", "xo", "xu", "ze", "zi", "zo"];
const TAILS: [&str; 46] = [
    "ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du", "fa", "fe", "fi", "fo", "ga", "ge", "gi",
    "go", "ha", "he", "hi", "la", "le", "li", "lo", "lu", "ma", "me", "mi", "mo", "na", "ne", "ni", "no",
    "pa", "pe", "pi", "po", "ra", "re", "ri", "ta", "ti", "va", "ve", "vi",
];
const ROOTS: usize = HEADS.len() * MIDDLE_SYLLABLES.len() * TAILS.len();

/// Maximum number of companies of one market.
pub(crate) const CAPACITY: usize = ROOTS / 2;

/// The roots of names, in the order that a seed decides.
#[derive(Debug)]
pub(crate) struct CompanyNames {
    start: usize,
    step: usize,
}

impl CompanyNames {
    /// Creates the permutation of a seed, shared by both markets so that no root is used twice.
    pub(crate) fn new(seed: u64) -> Self {
        let mut draw = Draw::new(seed, Market::India, Purpose::Names, 0);
        let start = draw.below(ROOTS);
        // A step coprime to the number of roots visits each of them once.
        let mut step = ROOTS / 3 + draw.below(ROOTS / 3);
        while common_divisor(step, ROOTS) != 1 {
            step += 1;
        }
        Self { start, step }
    }

    /// Returns the root of the `ordinal`-th company of a market, such as `Ruxodi`.
    pub(crate) fn root(&self, market: Market, ordinal: usize) -> String {
        let offset = match market {
            Market::India => 0,
            Market::Us => 1,
        };
        let index = (self.start + (2 * ordinal + offset) * self.step) % ROOTS;
        let head = HEADS.get(index % HEADS.len()).copied().unwrap_or_default();
        let middle =
            MIDDLE_SYLLABLES.get(index / HEADS.len() % MIDDLE_SYLLABLES.len()).copied().unwrap_or_default();
        let tail = TAILS.get(index / HEADS.len() / MIDDLE_SYLLABLES.len()).copied().unwrap_or_default();
        let mut root = format!("{head}{middle}{tail}");
        if let Some(first) = root.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        root
    }
}

/// Draws the name of an invented person or firm, such as `Daqebo`. Unlike roots, such names may repeat.
pub(crate) fn draw_name(draw: &mut Draw) -> String {
    let mut part = |parts: &[&'static str]| draw.pick(parts).copied().unwrap_or_default();
    let mut word = format!("{}{}{}", part(&HEADS), part(&MIDDLE_SYLLABLES), part(&TAILS));
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Returns the exchange symbol: the root and, in India, the industry's tag; at most ten letters.
pub(crate) fn symbol_for(market: Market, root: &str, industry: &IndustryClass) -> String {
    match market {
        Market::India => format!("{}{}", root.to_ascii_uppercase(), industry.tag),
        Market::Us => root.to_ascii_uppercase(),
    }
}

/// Returns a company's full name: root, word and legal form.
pub(crate) fn company_name(market: Market, root: &str, word: &str, draw: &mut Draw) -> String {
    let form = match market {
        Market::India => "Limited",
        Market::Us => {
            draw.pick(&["Inc.", "Corporation", "Holdings Inc.", "Company"]).copied().unwrap_or("Inc.")
        }
    };
    format!("{root} {word} {form}")
}

/// Returns a well-formed Indian ISIN: `INE` (companies) or `INF` (funds), an issuer code that begins with Z, `0101`, the check digit.
pub(crate) fn isin_for(kind: &str, ordinal: usize) -> String {
    const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let issuer: String = [1296, 36, 1]
        .iter()
        .filter_map(|unit| DIGITS.get(ordinal / unit % 36))
        .map(|digit| char::from(*digit))
        .collect();
    let body = format!("{kind}Z{issuer}0101");
    let check = isin_check_digit(&body);
    format!("{body}{check}")
}

/// Returns the check digit of ISO 6166: letters become two digits, then Luhn's sum over all digits.
fn isin_check_digit(body: &str) -> u32 {
    let digits: Vec<u32> = body
        .chars()
        .filter_map(|letter| letter.to_digit(36))
        .flat_map(|value| if value > 9 { vec![value / 10, value % 10] } else { vec![value] })
        .collect();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| if index % 2 == 0 { digit * 2 / 10 + digit * 2 % 10 } else { *digit })
        .sum();
    (10 - sum % 10) % 10
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_root_is_used_once() {
        let names = CompanyNames::new(11);
        let roots: BTreeSet<_> = Market::ALL
            .into_iter()
            .flat_map(|market| (0..CAPACITY).map(move |ordinal| (market, ordinal)))
            .map(|(market, ordinal)| names.root(market, ordinal))
            .collect();
        assert_eq!(roots.len(), 2 * CAPACITY);
    }

    #[test]
    fn no_root_is_a_well_known_company() {
        let real_names =
            ["Suzuki", "Mazda", "Texaco", "Amazon", "Exxon", "Xerox", "Wazirx", "Mizuho", "Yazaki", "Nexans"];
        let names = CompanyNames::new(11);
        let roots: BTreeSet<_> = (0..CAPACITY).map(|ordinal| names.root(Market::Us, ordinal)).collect();
        assert!(real_names.iter().all(|name| !roots.contains(*name)));
    }

    #[test]
    fn isin_check_digits_follow_the_standard() {
        // The worked examples of ISO 6166: US0378331005, and AU0000XVGZA3 from its Wikipedia article.
        assert_eq!(isin_check_digit("US037833100"), 5);
        assert_eq!(isin_check_digit("AU0000XVGZA"), 3);
        assert_eq!(isin_for("INE", 7).len(), 12);
        assert!(isin_for("INE", 7).starts_with("INEZ007"));
    }
}
