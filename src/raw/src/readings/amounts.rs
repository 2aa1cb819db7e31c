//! Amounts in a text: sums of money, percentages, points and times, each with its unit.

use crate::readings::words::plain;
use parquote_catalogue::operation::Market;

/// Quantity that an amount measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AmountKind {
    Money,
    Percent,
    /// Percentage points.
    Points,
    Months,
    Other,
}

/// An amount and the words that state it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Amount {
    /// Position of its first word.
    pub(super) start: usize,
    /// Position of the word after its last one.
    pub(super) end: usize,
    pub(super) kind: AmountKind,
    /// The figure as stated, before its scale.
    pub(super) value: f64,
    /// The market of the currency; `None` without a currency.
    pub(super) currency: Option<Market>,
    /// Factor that converts `value` to ones, such as 1e7 for `crore`; `None` without such a word.
    pub(super) scale: Option<f64>,
}

/// Smallest number without a word such as `million` that counts as a sum of a company; smaller ones are prices.
const SMALLEST_SUM: f64 = 1e5;

/// Largest amount in ones, several times the annual product of India in rupees; a larger number is an identifier or no number.
const LARGEST: f64 = 1e16;

/// Signs and words before a sum, with the market of the currency.
const CURRENCIES: [(&str, Market); 7] = [
    ("us$", Market::Us),
    ("usd", Market::Us),
    ("inr", Market::India),
    ("rs.", Market::India),
    ("rs", Market::India),
    ("₹", Market::India),
    ("$", Market::Us),
];

/// Words after a sum, each with its scale.
const SCALES: [(&str, f64); 13] = [
    ("crore", 1e7),
    ("crores", 1e7),
    ("cr", 1e7),
    ("lakh", 1e5),
    ("lakhs", 1e5),
    ("lac", 1e5),
    ("lacs", 1e5),
    ("thousand", 1e3),
    ("million", 1e6),
    ("mn", 1e6),
    ("billion", 1e9),
    ("bn", 1e9),
    ("trillion", 1e12),
];

/// Scales that only sums in rupees have.
const RUPEE_SCALES: [&str; 7] = ["crore", "crores", "cr", "lakh", "lakhs", "lac", "lacs"];

/// Other words after a number, with the quantity that it measures and the factor to percent, points or months.
const UNITS: [(&str, AmountKind, f64); 12] = [
    ("%", AmountKind::Percent, 1.0),
    ("percent", AmountKind::Percent, 1.0),
    ("per cent", AmountKind::Percent, 1.0),
    ("bps", AmountKind::Points, 0.01),
    ("basis points", AmountKind::Points, 0.01),
    ("basis point", AmountKind::Points, 0.01),
    ("percentage points", AmountKind::Points, 1.0),
    ("percentage point", AmountKind::Points, 1.0),
    ("month", AmountKind::Months, 1.0),
    ("months", AmountKind::Months, 1.0),
    ("year", AmountKind::Months, 12.0),
    ("years", AmountKind::Months, 12.0),
];

impl Amount {
    /// Returns true for a sum in a market's currency, large enough to be one of a company.
    pub(super) fn is_sum(&self, home: Market) -> bool {
        self.is_money(home) && (self.scale.is_some() || self.value >= SMALLEST_SUM)
    }

    /// Returns true for money in a market's currency.
    pub(super) fn is_money(&self, home: Market) -> bool {
        self.kind == AmountKind::Money && self.currency == Some(home)
    }

    /// Returns a sum in the unit of large sums: crores of rupees, or millions of dollars.
    pub(super) fn in_home_unit(&self, home: Market) -> f64 {
        let unit = match home {
            Market::India => 1e7,
            Market::Us => 1e6,
        };
        self.value * self.scale.unwrap_or(1.0) / unit
    }
}

/// Returns the amounts in a text, in their order; `words` are its words as written.
pub(super) fn amounts(words: &[&str]) -> Vec<Amount> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        match amount(words, at) {
            Some(amount) => {
                at = amount.end;
                found.push(amount);
            }
            None => at += 1,
        }
    }
    found
}

/// Parses the amount that begins start a word.
fn amount(words: &[&str], start: usize) -> Option<Amount> {
    let first = words.get(start)?.to_lowercase();
    let first = first.trim_start_matches(['(', '[', '"', '\'', '“']);
    let (currency, number, position) = match currency(first) {
        Some((currency, "")) => (Some(currency), words.get(start + 1)?.to_lowercase(), start + 1),
        Some((currency, number)) => (Some(currency), number.to_owned(), start),
        None => (None, first.to_owned(), start),
    };
    let (digits, rest) = number.split_at_checked(number_length(&number))?;
    let value: f64 = digits.replace(',', "").parse().ok()?;
    let attached = plain(rest);
    let is_closed = rest.starts_with([',', ';', ')']) || rest == ".";
    let (unit, end) = match attached.as_str() {
        "" if !is_closed => unit_after(words, position + 1),
        _ => (attached, position + 1),
    };
    let scale = SCALES.iter().find(|(word, _)| *word == unit).map(|(_, scale)| *scale);
    let measured = UNITS.iter().find(|(word, ..)| *word == unit);
    let (kind, factor) = match measured {
        Some((_, kind, factor)) => (*kind, *factor),
        None if scale.is_some() || (unit.is_empty() && currency.is_some()) => (AmountKind::Money, 1.0),
        None => (AmountKind::Other, 1.0),
    };
    let currency = currency.or_else(|| RUPEE_SCALES.contains(&unit.as_str()).then_some(Market::India));
    let value = value * factor;
    (value * scale.unwrap_or(1.0) <= LARGEST).then_some(Amount { start, end, kind, value, currency, scale })
}

/// Returns the market of the currency that a word begins with, and the number after it; empty if the word is only the currency.
fn currency(word: &str) -> Option<(Market, &str)> {
    CURRENCIES.iter().find_map(|(sign, currency)| {
        let rest = word.strip_prefix(sign)?;
        let is_alone = rest.trim_end_matches(',').is_empty();
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        (is_alone || is_number).then_some((*currency, if is_alone { "" } else { rest }))
    })
}

/// Returns the length of the number at the start of a word: digits, and points and commas before digits.
fn number_length(word: &str) -> usize {
    let bytes = word.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut length = 0;
    while is_digit(length)
        || (length > 0 && matches!(bytes.get(length), Some(b',' | b'.')) && is_digit(length + 1))
    {
        length += 1;
    }
    length
}

/// Returns the unit in the words from a position on, and the position after it; empty if there is none.
fn unit_after(words: &[&str], at: usize) -> (String, usize) {
    let Some(first) = words.get(at).map(|word| plain(word)) else { return (String::new(), at) };
    let second = words.get(at + 1).map(|word| plain(word)).unwrap_or_default();
    let both = format!("{first} {second}");
    let is_unit = |unit: &str| {
        UNITS.iter().any(|(word, ..)| *word == unit) || SCALES.iter().any(|(word, _)| *word == unit)
    };
    if is_unit(&both) {
        (both, at + 2)
    } else if is_unit(&first) {
        (first, at + 1)
    } else {
        (String::new(), at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Amount> {
        amounts(&text.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn sums_are_read_in_the_units_of_both_markets() {
        for (text, home, value) in [
            ("worth Rs. 1,250.5 crore.", Market::India, 1250.5),
            ("(₹95 lakhs)", Market::India, 0.95),
            ("INR 8,250 million", Market::India, 825.0),
            ("450cr", Market::India, 450.0),
            ("$300,000,000 aggregate", Market::Us, 300.0),
            ("US$ 1.2bn,", Market::Us, 1200.0),
        ] {
            let found: Vec<f64> =
                read(text).iter().filter(|it| it.is_sum(home)).map(|it| it.in_home_unit(home)).collect();
            assert!(found.len() == 1 && (found[0] - value).abs() < 1e-9, "{text}: {found:?}");
        }
        assert!(
            !read("$24.50 a share")[0].is_sum(Market::Us)
                && !read("12 million tonnes")[0].is_money(Market::Us)
        );
    }

    #[test]
    fn other_amounts_have_their_kind() {
        for (text, kind, value) in [
            ("12.5%,", AmountKind::Percent, 12.5),
            ("6 per cent of", AmountKind::Percent, 6.0),
            ("90 basis points", AmountKind::Points, 0.9),
            ("two or 3 years", AmountKind::Months, 36.0),
            ("42 stores", AmountKind::Other, 42.0),
            ("5, million", AmountKind::Other, 5.0),
        ] {
            let found = read(text);
            assert_eq!((found.len(), found[0].kind, found[0].value), (1, kind, value), "{text}");
        }
        assert!(read("no figure, v1.2.3 and $ x").is_empty());
        assert!(read("$2,000,000,000 trillion").is_empty());
        // More digits than a number has.
        assert!(read(&format!("Rs. {} crore", "9".repeat(320))).is_empty());
    }
}
