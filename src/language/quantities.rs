//! Numbers with their units: `20%`, `15x`, `5,000 crore`, `$2.5bn`, `Rs 100`.

use super::lexer::Token;
use crate::operation::Market;

/// A number with what was written beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quantity {
    /// The number as written.
    pub(super) number: f64,
    /// What words such as `million` and `crore` multiply it by.
    pub(super) scale: Option<f64>,
    /// Whether those words are of the Indian system.
    pub(super) is_indian: bool,
    /// The market in whose currency it is.
    pub(super) currency: Option<Market>,
    /// What it counts in.
    pub(super) mark: Mark,
}

/// What follows a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing.
    Bare,
    /// `%`
    Percent,
    /// `x` or `times`
    Times,
}

/// Words that are only understood beside a number, so that typing errors in them are found as well.
pub(super) const UNIT_WORDS: &[&str] = &[
    "crore",
    "lakh",
    "thousand",
    "million",
    "billion",
    "trillion",
    "hundred",
    "percent",
    "percentage",
    "dollar",
    "rupee",
    "times",
];

/// The largest relative-strength rating: `rs` before a larger number means rupees.
const LARGEST_RATING: f64 = 99.0;

/// The quantity that begins at a token, and how many tokens it has.
pub(super) fn quantity(tokens: &[Token], at: usize, market: Market) -> Option<(Quantity, usize)> {
    let mut place = at;
    let mut currency = currency_before(tokens, at, market);
    place += usize::from(currency.is_some());
    let number = tokens.get(place)?.number?;
    place += 1;
    let mut quantity = Quantity { number, scale: None, is_indian: false, currency: None, mark: Mark::Bare };
    while let Some((scale, is_indian)) = tokens.get(place).and_then(|token| scale(&token.text)) {
        quantity.scale = Some(quantity.scale.unwrap_or(1.0) * scale);
        quantity.is_indian |= is_indian;
        place += 1;
    }
    if let Some(after) = tokens.get(place).and_then(|token| currency_word(&token.text)) {
        currency = currency.or(Some(after));
        place += 1;
    }
    quantity.currency = currency;
    if quantity.scale.is_none() && currency.is_none() {
        let (mark, length) = mark(tokens, place);
        quantity.mark = mark;
        place += length;
    }
    Some((quantity, place - at))
}

impl Quantity {
    /// The amount of money or the count that it is.
    pub(super) fn amount(&self) -> f64 {
        self.number * self.scale.unwrap_or(1.0)
    }

    /// A whole number without anything beside it.
    pub(super) fn count(&self) -> Option<u32> {
        let is_count = self.mark == Mark::Bare && self.scale.is_none() && self.currency.is_none();
        (is_count && self.number.fract() == 0.0 && (1.0..=10_000.0).contains(&self.number))
            .then_some(self.number as u32)
    }

    /// The same with the units of another where it has none: `5 to 10 billion`.
    #[must_use]
    pub(super) fn with_units_of(self, other: &Self) -> Self {
        let is_bare = self.mark == Mark::Bare && self.scale.is_none();
        let (scale, mark) = if is_bare { (other.scale, other.mark) } else { (self.scale, self.mark) };
        let is_indian = self.is_indian || (is_bare && other.is_indian);
        Self { scale, mark, is_indian, currency: self.currency.or(other.currency), ..self }
    }
}

/// Whether a word counts time: a number before it is no bound, as in `PE below its 5 year average`.
pub(super) fn is_time(word: &str) -> bool {
    const TIMES: [&str; 6] = ["year", "yr", "quarter", "month", "week", "day"];
    TIMES.contains(&word.strip_suffix('s').unwrap_or(word))
}

/// The currency that stands before a number. `rs` is also short for relative strength: it is money where it is written
/// `Rs` or `₹`, before a number that no rating has, or before one with a scale.
fn currency_before(tokens: &[Token], at: usize, market: Market) -> Option<Market> {
    let token = tokens.get(at)?;
    let number = tokens.get(at + 1)?.number?;
    if token.text != "rs" {
        return currency_word(&token.text);
    }
    let has_scale = tokens.get(at + 2).is_some_and(|token| scale(&token.text).is_some());
    let is_money = market == Market::India && (token.is_capitalised || number > LARGEST_RATING || has_scale);
    is_money.then_some(Market::India)
}

fn currency_word(word: &str) -> Option<Market> {
    match word {
        "$" | "usd" | "dollar" | "dollars" => Some(Market::Us),
        "rupee" | "rupees" | "inr" => Some(Market::India),
        _ => None,
    }
}

/// What a word multiplies a number by, and whether it is Indian.
fn scale(word: &str) -> Option<(f64, bool)> {
    Some(match word {
        "hundred" => (1e2, false),
        "k" | "thousand" | "thousands" => (1e3, false),
        "lakh" | "lakhs" | "lac" | "lacs" => (1e5, true),
        "m" | "mn" | "mln" | "mm" | "million" | "millions" | "mio" => (1e6, false),
        "cr" | "crs" | "crore" | "crores" => (1e7, true),
        "b" | "bn" | "bln" | "billion" | "billions" => (1e9, false),
        "t" | "tn" | "trn" | "trillion" | "trillions" => (1e12, false),
        _ => return None,
    })
}

fn mark(tokens: &[Token], at: usize) -> (Mark, usize) {
    let text = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.text.as_str());
    match (text(0), text(1)) {
        ("per", "cent") => (Mark::Percent, 2),
        ("%" | "percent" | "pct" | "percentage", _) => (Mark::Percent, 1),
        // `2 times book` names its field.
        ("x" | "times", "earnings" | "book" | "sales") => (Mark::Bare, 0),
        ("x" | "times", _) => (Mark::Times, 1),
        _ => (Mark::Bare, 0),
    }
}
