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
    /// Product of the multipliers after the number, such as `million` and `crore`; `None` without one.
    pub(super) scale: Option<f64>,
    /// True if one of the multipliers is an Indian word.
    pub(super) is_indian: bool,
    /// Market of its currency; `None` without a currency.
    pub(super) currency: Option<Market>,
    /// Suffix after the number. It is absent if the number has a multiplier or a currency.
    pub(super) suffix: NumberSuffix,
    /// The last of two multipliers, as in `20k crore`. It may also apply to the lower end of a range.
    pub(super) last_scale: Option<f64>,
}

/// A suffix that says how a number is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberSuffix {
    /// No suffix.
    Absent,
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
        let (suffix, length) = read_suffix(tokens, position, fields);
        quantity.suffix = suffix;
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
        suffix: NumberSuffix::Absent,
        last_scale: None,
    };

    /// Returns the amount of money, or the count.
    pub(super) fn amount(&self) -> f64 {
        self.number * self.scale.unwrap_or(1.0)
    }

    /// Returns the number if it is an integer from 1 to 10,000 without any unit.
    pub(super) fn count(&self) -> Option<u32> {
        let is_count = self.suffix == NumberSuffix::Absent && self.scale.is_none() && self.currency.is_none();
        (is_count && self.number.fract() == 0.0 && (1.0..=10_000.0).contains(&self.number))
            .then_some(self.number as u32)
    }

    /// Adds the units of another quantity that this one lacks: `5 to 10 billion`.
    #[must_use]
    pub(super) fn with_units_of(self, other: &Self) -> Self {
        let is_bare = self.suffix == NumberSuffix::Absent && self.scale.is_none();
        let (scale, suffix) = match (is_bare, other.last_scale.filter(|_| self.last_scale.is_none())) {
            // `500 to 20k crore`
            (true, last @ Some(_)) if self.number * other.scale.unwrap_or(1.0) > other.amount() => {
                (last, other.suffix)
            }
            (true, _) => (other.scale, other.suffix),
            // `5k to 20k crore`
            (false, Some(last)) => {
                (self.scale.map(|scale| if scale < last { scale * last } else { scale }), self.suffix)
            }
            (false, None) => (self.scale, self.suffix),
        };
        let is_indian = self.is_indian || ((is_bare || other.last_scale.is_some()) && other.is_indian);
        Self { scale, suffix, is_indian, currency: self.currency.or(other.currency), ..self }
    }
}

/// Returns true if a word is a unit of time, so that a number before it is not a bound, as in `PE below its 5 year average`.
pub(super) fn is_time(word: &str, fields: &Fields) -> bool {
    let singular = word.strip_suffix('s').unwrap_or(word);
    fields.vocabulary().units.get(singular) == Some(&CountedUnit::Time)
}

/// Returns the calendar days of a number of days, weeks or months; `None` for other spans, and for parts of a day.
pub(super) fn days(quantity: &Quantity, unit: &str) -> Option<u32> {
    let days_per_unit = match unit.strip_suffix('s').unwrap_or(unit) {
        "day" => 1,
        "week" => 7,
        "month" => 30,
        _ => return None,
    };
    quantity.count()?.checked_mul(days_per_unit)
}

/// Returns the currency before a number. `rs` also means relative strength. In India it is money if it is written `Rs` or the number is
/// above any rating or has a multiplier.
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

fn read_suffix(tokens: &[Token], at: usize, fields: &Fields) -> (NumberSuffix, usize) {
    /// `times` before one of these words belongs to the name of a field, as in `2 times book`.
    const MULTIPLES: [&str; 3] = ["earnings", "book", "sales"];
    let text = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.text.as_str());
    let units = &fields.vocabulary().units;
    match (units.get(text(0)), text(1)) {
        (None, "cent") if text(0) == "per" => (NumberSuffix::Percent, 2),
        (Some(CountedUnit::Percent), next) if units.get(next) == Some(&CountedUnit::Points) => {
            (NumberSuffix::Points, 2)
        }
        (Some(CountedUnit::Percent), _) => (NumberSuffix::Percent, 1),
        (Some(CountedUnit::Points), _) => (NumberSuffix::Points, 1),
        (Some(CountedUnit::Times), next) if !MULTIPLES.contains(&next) => {
            match average_length(tokens, at + 1, fields) {
                Some(length) => (NumberSuffix::TimesAverage, 1 + length),
                None => (NumberSuffix::Times, 1),
            }
        }
        _ => (NumberSuffix::Absent, 0),
    }
}

/// Returns the number of tokens of an average of the same figure, such as `its average` or `the 20 day average`; `None` if there is none.
fn average_length(tokens: &[Token], at: usize, fields: &Fields) -> Option<usize> {
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
