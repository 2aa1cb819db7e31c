//! Units in words, as files of statements write them: `INR crore`, `USD million`, `thousand`, `%`, `USD/shares`.
//!
//! A unit is a currency, a scale and a kind, each of which may be left out. One unknown word makes the unit unknown; nothing is guessed.

use parquote_catalogue::operation::line_item::Measure;

/// A currency by its three letters.
pub(crate) type Currency = [u8; 3];

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WrittenUnit {
    /// Factor that converts a figure to plain units.
    pub(crate) scale: f64,
    pub(crate) currency: Option<Currency>,
    kind: Option<Measure>,
}

impl WrittenUnit {
    /// Parses a unit; an empty text is a plain figure.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut unit = Self { scale: 1.0, currency: None, kind: None };
        let spaced = text.replace('/', " per ").replace('%', " pct ").replace(['_', '(', ')', ',', '-'], " ");
        let (mut is_per, mut is_shares) = (false, false);
        for word in spaced.split_whitespace() {
            let word = word.trim_end_matches('.').to_ascii_lowercase();
            match word.as_str() {
                "in" | "of" => {}
                "per" => is_per = true,
                "share" | "shares" => is_shares = true,
                "pct" | "percent" | "percentage" => unit.kind = Some(Measure::Pct),
                "money" => unit.kind = Some(Measure::Money),
                word => match (scale(word), currency(word)) {
                    (Some(scale), _) => unit.scale *= scale,
                    (None, Some(currency)) => unit.currency = Some(currency),
                    (None, None) => return None,
                },
            }
        }
        match (is_per, is_shares) {
            (true, true) => unit.kind = Some(Measure::PerShare),
            (false, true) => unit.kind = Some(Measure::Shares),
            (true, false) => return None,
            (false, false) => {}
        }
        Some(unit)
    }

    /// Returns true if a line of this measure may be in the unit. A currency alone also suits a line per share.
    pub(crate) fn suits(&self, measure: Measure) -> bool {
        match self.kind {
            Some(Measure::Money) => measure == Measure::Money,
            Some(kind) => kind == measure,
            None => match self.currency {
                Some(_) => matches!(measure, Measure::Money | Measure::PerShare),
                // A bare scale suits money and shares; no unit at all suits anything but money.
                None if (self.scale - 1.0).abs() < f64::EPSILON => measure != Measure::Money,
                None => matches!(measure, Measure::Money | Measure::Shares),
            },
        }
    }
}

fn scale(word: &str) -> Option<f64> {
    Some(match word {
        "crore" | "crores" | "cr" => 1e7,
        "lakh" | "lakhs" | "lac" | "lacs" => 1e5,
        "billion" | "billions" | "bn" => 1e9,
        "million" | "millions" | "mn" | "mm" => 1e6,
        "thousand" | "thousands" | "k" | "000s" => 1e3,
        _ => return None,
    })
}

/// Returns the code of a currency that companies report in.
pub(crate) fn currency(word: &str) -> Option<Currency> {
    const CODES: [&Currency; 42] = [
        b"AED", b"ARS", b"AUD", b"BRL", b"CAD", b"CHF", b"CLP", b"CNY", b"COP", b"CZK", b"DKK", b"EUR",
        b"GBP", b"HKD", b"HUF", b"IDR", b"ILS", b"INR", b"JPY", b"KRW", b"KZT", b"MXN", b"MYR", b"NGN",
        b"NOK", b"NZD", b"PEN", b"PHP", b"PLN", b"RON", b"RUB", b"SAR", b"SEK", b"SGD", b"THB", b"TRY",
        b"TWD", b"UAH", b"USD", b"UYU", b"VND", b"ZAR",
    ];
    match word.trim_end_matches('.') {
        "₹" | "rs" | "Rs" | "rupee" | "rupees" => Some(*b"INR"),
        "$" | "us$" | "dollar" | "dollars" => Some(*b"USD"),
        "rmb" => Some(*b"CNY"),
        // Other words are codes; a code that companies do not report in is no currency.
        word => {
            let code = Currency::try_from(word.as_bytes()).ok()?.map(|letter| letter.to_ascii_uppercase());
            CODES.contains(&&code).then_some(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Measure::{Money, Pct, PerShare, Shares};

    #[test]
    fn words_make_plain_units() {
        for (text, scale, currency, measures) in [
            ("INR crore", 1e7, Some(*b"INR"), vec![Money, PerShare]),
            ("INR_lakhs", 1e5, Some(*b"INR"), vec![Money, PerShare]),
            ("Rs. Cr.", 1e7, Some(*b"INR"), vec![Money, PerShare]),
            ("USD million", 1e6, Some(*b"USD"), vec![Money, PerShare]),
            ("USD", 1.0, Some(*b"USD"), vec![Money, PerShare]),
            ("thousand", 1e3, None, vec![Money, Shares]),
            ("%", 1.0, None, vec![Pct]),
            ("pct", 1.0, None, vec![Pct]),
            ("per share", 1.0, None, vec![PerShare]),
            ("INR per share", 1.0, Some(*b"INR"), vec![PerShare]),
            ("USD/shares", 1.0, Some(*b"USD"), vec![PerShare]),
            ("shares", 1.0, None, vec![Shares]),
            ("million shares", 1e6, None, vec![Shares]),
            ("money", 1.0, None, vec![Money]),
            ("", 1.0, None, vec![PerShare, Shares, Pct]),
        ] {
            let unit = WrittenUnit::parse(text).unwrap();
            assert_eq!((unit.scale, unit.currency), (scale, currency), "{text}");
            let suits: Vec<Measure> =
                [Money, PerShare, Shares, Pct].into_iter().filter(|it| unit.suits(*it)).collect();
            assert_eq!(suits, measures, "{text}");
        }
        for text in ["bushels", "per", "INR quintillion", "QQQ"] {
            assert_eq!(WrittenUnit::parse(text), None, "{text}");
        }
    }
}
