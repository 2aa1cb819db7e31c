//! Turns a field and a bound into a condition: converts units, and fills in what the sentence leaves out.

use std::sync::Arc;

use super::field::{Better, Field, FieldKind, FieldUnit};
use super::fields::Fields;
use super::filter::{Filter, Test};
use super::quantities::{Mark, Quantity};
use super::vocabulary::{Adjective, is_in};
use super::word::Word;
use super::wording;
use crate::operation::Market;

/// A bound as it is written, before it is known of which field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bound {
    /// A comparison with one quantity.
    Compared(Word, Quantity),
    /// A range.
    Range(Quantity, Quantity),
    /// A quantity alone.
    Alone(Quantity),
}

/// Why a field and a bound do not fit together.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Unfit<'a> {
    /// The snapshot does not have the field.
    Missing(&'a Field),
    /// The bound cannot be of the field, for this reason.
    Units(String),
}

/// A condition, with what had to be assumed for it.
pub(super) type Fitted<'a> = Result<(Filter, Option<String>), Unfit<'a>>;

/// How far `around` reaches to either side.
const AROUND: f64 = 0.1;
/// A market capitalisation in the US of so much without a unit is in dollars, not in billions.
const DOLLARS_FROM: f64 = 100_000.0;

impl Bound {
    /// The first quantity of it.
    pub(super) const fn quantity(&self) -> &Quantity {
        match self {
            Self::Compared(_, quantity) | Self::Range(quantity, _) | Self::Alone(quantity) => quantity,
        }
    }
}

/// The condition that a bound is for a field.
pub(super) fn bounded<'a>(field: &'a Field, bound: &Bound, fields: &'a Fields) -> Fitted<'a> {
    let field = measured_by(field, bound, fields);
    if fields.find(&field.name).is_none() {
        return Err(Unfit::Missing(field));
    }
    let value = |quantity: &Quantity| converted(field, quantity, fields.market());
    let (test, guess) = match bound {
        Bound::Compared(Word::Unequal, quantity) => {
            let filter = Filter::number(&field.name, Test::Equal(value(quantity)?));
            return Ok((filter.negated(), None));
        }
        Bound::Compared(word, quantity) => (compared(*word, value(quantity)?), false),
        Bound::Range(low, high) => (Test::Between(value(low)?, value(high)?).in_order(), false),
        Bound::Alone(quantity) => (good_side(field, value(quantity)?), field.better != Better::Neither),
    };
    let unitless = matches!(field.kind, FieldKind::Number(FieldUnit::Crore | FieldUnit::BillionUsd))
        && bound.quantity().scale.is_none();
    let note = (guess || unitless).then(|| wording::limit(field, test, fields.market()));
    Ok((Filter::number(&field.name, test), note))
}

/// The condition that a level such as `high` is for a field.
pub(super) fn at_level<'a>(field: &'a Field, level: Word, fields: &Fields) -> Fitted<'a> {
    if fields.find(&field.name).is_none() {
        return Err(Unfit::Missing(field));
    }
    let is_lower_better = field.better == Better::Lower;
    let test = match level {
        Word::Positive => Some(Test::Above(0.0)),
        Word::Negative => Some(Test::Below(0.0)),
        Word::Zero => Some(Test::Equal(0.0)),
        Word::TwoDigits => Some(Test::AtLeast(10.0)),
        Word::Good if is_lower_better => field.low.map(Test::AtMost),
        Word::Poor if is_lower_better => field.high.map(Test::AtLeast),
        Word::High | Word::Good => field.high.map(Test::AtLeast),
        Word::Low | Word::Poor => field.low.map(Test::AtMost),
        _ => None,
    };
    let Some(test) = test else {
        return Err(Unfit::Units(format!("{} has no level of this name; give a number", field.label)));
    };
    let is_threshold = matches!(level, Word::High | Word::Low | Word::Good | Word::Poor);
    let note = is_threshold.then(|| wording::limit(field, test, fields.market()));
    Ok((Filter::number(&field.name, test), note))
}

/// The condition that an adjective is in a snapshot: the first of its meanings whose fields the snapshot has.
pub(super) fn described(adjective: &Adjective, fields: &Fields) -> Option<(Filter, String)> {
    let is_known = |leaf: &&Filter| leaf.field().is_some_and(|name| fields.find(name).is_some());
    let filter = adjective.means.iter().find(|filter| filter.leaves().iter().all(is_known))?;
    Some((filter.clone(), wording::words(filter, fields)))
}

/// What a phrase that states a condition means in a snapshot, such as `mid cap`.
pub fn stated_by(phrase: &str, fields: &Fields) -> Option<Filter> {
    let is_meant = |adjective: &&Arc<Adjective>| {
        is_in(adjective.market, fields.market()) && adjective.phrases.iter().any(|known| known == phrase)
    };
    let adjective = fields.vocabulary().adjectives.iter().find(is_meant)?;
    described(adjective, fields).map(|(filter, _)| filter)
}

/// What a field that is ruled out without a number means: `no dividend`.
pub(super) fn absent(field: &Field) -> Filter {
    // As with `debt free`: a lease or a credit line is no debt to speak of.
    const HARDLY_ANY: f64 = 0.05;
    let test = if field.name == "de" { Test::AtMost(HARDLY_ANY) } else { Test::Equal(0.0) };
    Filter::number(&field.name, test)
}

/// The field that a quantity of money is of when none is named: sizes of companies have words such as `billion` and
/// `crore` beside them, prices of shares have not.
pub(super) fn field_of_money<'a>(bound: &Bound, fields: &'a Fields) -> Option<&'a Field> {
    let (first, last) = match bound {
        Bound::Range(low, high) => (low.with_units_of(high), high),
        bound => (*bound.quantity(), bound.quantity()),
    };
    if last.mark != Mark::Bare {
        return None;
    }
    if first.scale.is_some_and(|scale| scale >= 1e5) {
        return fields.find(fields.market_cap());
    }
    (first.currency.is_some() && first.scale.is_none()).then(|| fields.find(super::field::PRICE)).flatten()
}

/// `volume at least 2x` is of the volume against its mean.
fn measured_by<'a>(field: &'a Field, bound: &Bound, fields: &'a Fields) -> &'a Field {
    let is_relative = field.name == "volume" && bound.quantity().mark == Mark::Times;
    is_relative.then(|| fields.declared("rvol_20")).flatten().unwrap_or(field)
}

/// The test that a comparison is.
fn compared(word: Word, value: f64) -> Test {
    match word {
        Word::Above => Test::Above(value),
        Word::AtLeast | Word::OrMore => Test::AtLeast(value),
        Word::Below => Test::Below(value),
        Word::AtMost | Word::OrLess | Word::Within => Test::AtMost(value),
        Word::Around => Test::Between(
            without_float_noise(value * (1.0 - AROUND)),
            without_float_noise(value * (1.0 + AROUND)),
        )
        .in_order(),
        _ => Test::Equal(value),
    }
}

/// A number without a comparison: a limit on the good side.
fn good_side(field: &Field, value: f64) -> Test {
    match field.better {
        Better::Higher => Test::AtLeast(value),
        Better::Lower => Test::AtMost(value),
        Better::Neither => Test::Equal(value),
    }
}

/// The quantity in the unit of a field.
fn converted<'a>(field: &Field, quantity: &Quantity, market: Market) -> Result<f64, Unfit<'a>> {
    let FieldKind::Number(unit) = field.kind else {
        return Err(Unfit::Units(format!("{} takes no number", field.label)));
    };
    let refused = |reason: &str| Err(Unfit::Units(format!("{} {reason}", field.label)));
    let has_money = quantity.currency.is_some();
    if has_money && !matches!(unit, FieldUnit::Crore | FieldUnit::BillionUsd | FieldUnit::Price) {
        return refused("is no amount of money");
    }
    if quantity.currency.is_some_and(|currency| currency != market)
        || (quantity.is_indian && market == Market::Us)
    {
        return refused(match market {
            Market::India => "is in rupees; other currencies are not converted",
            Market::Us => "is in dollars; other currencies are not converted",
        });
    }
    let is_marked = quantity.mark != Mark::Bare;
    match unit {
        FieldUnit::Crore | FieldUnit::BillionUsd | FieldUnit::Price | FieldUnit::Shares if is_marked => {
            refused("takes an amount, not a share of one")
        }
        FieldUnit::Crore if quantity.scale.is_some() => Ok(without_float_noise(quantity.amount() / 1e7)),
        FieldUnit::BillionUsd if quantity.scale.is_some() => Ok(without_float_noise(quantity.amount() / 1e9)),
        FieldUnit::BillionUsd if quantity.number >= DOLLARS_FROM => {
            Ok(without_float_noise(quantity.number / 1e9))
        }
        FieldUnit::Crore | FieldUnit::BillionUsd => Ok(quantity.number),
        FieldUnit::Price | FieldUnit::Shares => Ok(quantity.amount()),
        _ if quantity.scale.is_some() => refused("has no thousands, lakhs or millions"),
        FieldUnit::Percent if quantity.mark == Mark::Times => refused("is in percent"),
        FieldUnit::Ratio if quantity.mark == Mark::Percent => {
            Ok(without_float_noise(quantity.number / 100.0))
        }
        FieldUnit::Percent | FieldUnit::Ratio | FieldUnit::Points => Ok(quantity.number),
    }
}

/// A number without the last bits that arithmetic leaves: 11.000000000000002 is 11.
fn without_float_noise(number: f64) -> f64 {
    const DECIMALS: f64 = 1e6;
    if number.abs() < 1e9 { (number * DECIMALS).round() / DECIMALS } else { number }
}

impl Test {
    /// A range with the smaller number first.
    fn in_order(self) -> Self {
        match self {
            Self::Between(low, high) if low > high => Self::Between(high, low),
            test => test,
        }
    }
}
