//! Numbers with their units: `20%`, `15x`, `5,000 crore`, `$2.5bn`, `Rs 100`.

use super::fields::Fields;
use super::lexer::Token;
use super::vocabulary::CountedUnit;
use parquote_catalogue::operation::Market;

/// A number with its units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quantity {
    /// The number as written.
    pub(super) number: f64,
    /// Multiplier of words such as `million` and `crore`.
    pub(super) scale: Option<f64>,
    /// True if those words belong to the Indian system.
    pub(super) is_indian: bool,
    /// Market of its currency.
    pub(super) currency: Option<Market>,
    /// Unit after the number.
    pub(super) mark: Mark,
    /// Multiplier of the last of two such words, as in `20k crore`: it may also apply to the lower end of a range.
    pub(super) last_scale: Option<f64>,
}

/// Unit after a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// None.
    Bare,
    /// `%`
    Percent,
    /// `points` or `percentage points`
    Points,
    /// `x` or `times`
    Times,
    /// `times its average`
    TimesAverage,
}

/// Largest relative-strength rating: `rs` before a larger number means rupees.
const LARGEST_RATING: f64 = 99.0;

/// Reads the quantity that begins at a token; returns it and its number of tokens.
pub(super) fn quantity(tokens: &[Token], at: usize, fields: &Fields) -> Option<(Quantity, usize)> {
    let vocabulary = fields.vocabulary();
    let mut position = at;
    let mut currency = currency_before(tokens, at, fields);
    position += usize::from(currency.is_some());
    let number = tokens.get(position)?.number?;
    position += 1;
    let mut quantity = Quantity { number, ..Quantity::ZERO };
    while let Some((scale, is_indian)) =
        tokens.get(position).and_then(|token| vocabulary.scales.get(&token.text))
    {
        quantity.last_scale = quantity.scale.and(Some(*scale));
        quantity.scale = Some(quantity.scale.unwrap_or(1.0) * scale);
        quantity.is_indian |= is_indian;
        position += 1;
    }
    if let Some(after) = tokens.get(position).and_then(|token| vocabulary.currency(&token.text)) {
        currency = currency.or(Some(after));
        position += 1;
    }
    quantity.currency = currency;
    if quantity.scale.is_none() && currency.is_none() {
        let (mark, length) = read_mark(tokens, position, fields);
        quantity.mark = mark;
        position += length;
    }
    Some((quantity, position - at))
}

impl Quantity {
    /// Zero without units.
    pub(super) const ZERO: Self = Self {
        number: 0.0,
        scale: None,
        is_indian: false,
        currency: None,
        mark: Mark::Bare,
        last_scale: None,
    };

    /// Returns the amount of money, or the count.
    pub(super) fn amount(&self) -> f64 {
        self.number * self.scale.unwrap_or(1.0)
    }

    /// Returns an integer without a unit.
    pub(super) fn count(&self) -> Option<u32> {
        let is_count = self.mark == Mark::Bare && self.scale.is_none() && self.currency.is_none();
        (is_count && self.number.fract() == 0.0 && (1.0..=10_000.0).contains(&self.number))
            .then_some(self.number as u32)
    }

    /// Takes the units of another quantity if it has none: `5 to 10 billion`.
    #[must_use]
    pub(super) fn with_units_of(self, other: &Self) -> Self {
        let is_bare = self.mark == Mark::Bare && self.scale.is_none();
        let (scale, mark) = match (is_bare, other.last_scale.filter(|_| self.last_scale.is_none())) {
            // `500 to 20k crore`
            (true, last @ Some(_)) if self.number * other.scale.unwrap_or(1.0) > other.amount() => {
                (last, other.mark)
            }
            (true, _) => (other.scale, other.mark),
            // `5k to 20k crore`
            (false, Some(last)) => {
                (self.scale.map(|scale| if scale < last { scale * last } else { scale }), self.mark)
            }
            (false, None) => (self.scale, self.mark),
        };
        let is_indian = self.is_indian || ((is_bare || other.last_scale.is_some()) && other.is_indian);
        Self { scale, mark, is_indian, currency: self.currency.or(other.currency), ..self }
    }
}

/// Returns true if a word counts time: a number before it is not a bound, as in `PE below its 5 year average`.
pub(super) fn is_time(word: &str, fields: &Fields) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    fields.vocabulary().units.get(one) == Some(&CountedUnit::Time)
}

/// Returns the calendar days of a number of days, weeks or months; `None` for other spans, and for parts of a day.
pub(super) fn days(quantity: &Quantity, unit: &str) -> Option<u32> {
    let of_one = match unit.strip_suffix('s').unwrap_or(unit) {
        "day" => 1,
        "week" => 7,
        "month" => 30,
        _ => return None,
    };
    quantity.count()?.checked_mul(of_one)
}

/// Returns the currency before a number. `rs` also means relative strength: it is money if written as `Rs` or `₹`, before a number above
/// any rating, or before one with a scale.
fn currency_before(tokens: &[Token], at: usize, fields: &Fields) -> Option<Market> {
    let token = tokens.get(at)?;
    let number = tokens.get(at + 1)?.number?;
    if token.text != "rs" {
        return fields.vocabulary().currency(&token.text);
    }
    let has_scale =
        tokens.get(at + 2).is_some_and(|token| fields.vocabulary().scales.contains_key(&token.text));
    let is_money =
        fields.market() == Market::India && (token.is_capitalised || number > LARGEST_RATING || has_scale);
    is_money.then_some(Market::India)
}

fn read_mark(tokens: &[Token], at: usize, fields: &Fields) -> (Mark, usize) {
    /// `2 times book` names its field.
    const MULTIPLES: [&str; 3] = ["earnings", "book", "sales"];
    let text = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.text.as_str());
    let units = &fields.vocabulary().units;
    match (units.get(text(0)), text(1)) {
        (None, "cent") if text(0) == "per" => (Mark::Percent, 2),
        (Some(CountedUnit::Percent), next) if units.get(next) == Some(&CountedUnit::Points) => {
            (Mark::Points, 2)
        }
        (Some(CountedUnit::Percent), _) => (Mark::Percent, 1),
        (Some(CountedUnit::Points), _) => (Mark::Points, 1),
        (Some(CountedUnit::Times), next) if !MULTIPLES.contains(&next) => {
            match average(tokens, at + 1, fields) {
                Some(length) => (Mark::TimesAverage, 1 + length),
                None => (Mark::Times, 1),
            }
        }
        _ => (Mark::Bare, 0),
    }
}

/// Returns the number of tokens of `its average` or `the 20 day average` at this position, the average of the same figure.
fn average(tokens: &[Token], at: usize, fields: &Fields) -> Option<usize> {
    const AVERAGES: [&str; 4] = ["average", "avg", "mean", "normal"];
    let passed_over = |token: &Token| fields.vocabulary().passed_over.contains(&token.text);
    let mut position = at + tokens.iter().skip(at).take_while(|token| passed_over(token)).count();
    if tokens.get(position)?.number.is_some()
        && tokens.get(position + 1).is_some_and(|unit| is_time(&unit.text, fields))
    {
        position += 2;
    }
    AVERAGES.contains(&tokens.get(position)?.text.as_str()).then_some(position + 1 - at)
}
