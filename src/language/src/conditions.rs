//! Turns a field and a bound into a condition: converts units, and fills in what the sentence leaves out.

use std::sync::Arc;

use super::crossings;
use super::field::{Better, Field, FieldKind, FieldUnit};
use super::fields::Fields;
use super::filter::{Filter, Test};
use super::quantities::{Mark, Quantity};
use super::vocabulary::{Adjective, is_in};
use super::word::Word;
use super::wording;
use parquote_catalogue::operation::Market;

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
/// The field of the distance from the 52-week high: 0 there, negative below it.
pub(super) const FROM_HIGH: &str = "pct_from_high";
/// The market capitalisation in India.
const MARKET_CAP_CR: &str = "market_cap_cr";
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
    let (bound, is_turned) = match below_high(field, bound) {
        Some(turned) => (turned.map_err(Unfit::Units)?, true),
        None => (*bound, false),
    };
    if fields.find(&field.name).is_none() {
        return Err(Unfit::Missing(field));
    }
    let value = |quantity: &Quantity| converted(field, quantity, fields.market());
    let (test, guess) = match &bound {
        Bound::Compared(Word::Unequal, quantity) => {
            let filter = Filter::number(&field.name, Test::Equal(value(quantity)?));
            return Ok((filter.negated(), None));
        }
        Bound::Compared(word @ (Word::CrossedAbove | Word::CrossedBelow), quantity) => {
            let now = Filter::number(&field.name, compared(*word, value(quantity)?));
            return crossings::crossed(now, fields).map(|filter| (filter, None)).map_err(Unfit::Units);
        }
        Bound::Compared(word, quantity) => (compared(*word, value(quantity)?), is_turned),
        Bound::Range(low, high) => (Test::Between(value(low)?, value(high)?).in_order(), is_turned),
        Bound::Alone(quantity) => (good_side(field, value(quantity)?), field.better != Better::Neither),
    };
    let unitless = matches!(field.kind, FieldKind::Number(FieldUnit::Crore | FieldUnit::BillionUsd))
        && (bound.quantity().scale.is_none() || is_small(bound.quantity()));
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
    let is_known = |leaf: &&Filter| leaf.reads().all(|name| fields.find(name).is_some());
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
    let is_relative =
        field.name == "volume" && matches!(bound.quantity().mark, Mark::Times | Mark::TimesAverage);
    is_relative.then(|| fields.declared("rvol_20")).flatten().unwrap_or(field)
}

/// A bound of a distance from the high that is written without a sign, as the figure has it: `distance from high above 30%` is below
/// -30. `None` where nothing is to be turned, an error where no distance can be meant.
fn below_high(field: &Field, bound: &Bound) -> Option<Result<Bound, String>> {
    let is_distance = |quantity: &Quantity| field.name == FROM_HIGH && quantity.number > 0.0;
    let turned = |quantity: &Quantity| Quantity { number: -quantity.number, ..*quantity };
    match bound {
        quantity if is_distance(quantity.quantity()) && quantity.quantity().number > 100.0 => Some(Err(
            format!("{} is at most 100 %; the price at the high is no figure of this screen", field.label),
        )),
        Bound::Compared(word, quantity) if is_distance(quantity) => {
            Some(Ok(Bound::Compared(mirrored(*word), turned(quantity))))
        }
        Bound::Range(low, high) if is_distance(low) && is_distance(high) => {
            Some(Ok(Bound::Range(turned(high), turned(low))))
        }
        Bound::Alone(quantity) if is_distance(quantity) => {
            Some(Err(format!("{}: say `above` or `below` before the number", field.label)))
        }
        _ => None,
    }
}

/// The comparison for the negative of a number.
pub(super) const fn mirrored(word: Word) -> Word {
    match word {
        Word::Above => Word::Below,
        Word::AtLeast | Word::OrMore => Word::AtMost,
        Word::Below => Word::Above,
        Word::AtMost | Word::OrLess => Word::AtLeast,
        word => word,
    }
}

/// The test that a comparison is.
fn compared(word: Word, value: f64) -> Test {
    match word {
        Word::Above | Word::AboveIt | Word::CrossedAbove => Test::Above(value),
        Word::AtLeast | Word::OrMore => Test::AtLeast(value),
        Word::Below | Word::BelowIt | Word::CrossedBelow => Test::Below(value),
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
    if quantity.mark == Mark::TimesAverage && field.name != "rvol_20" {
        return refused("is not among the figures whose own average is known");
    }
    let is_marked = quantity.mark != Mark::Bare;
    match unit {
        FieldUnit::Crore | FieldUnit::BillionUsd | FieldUnit::Price | FieldUnit::Shares if is_marked => {
            refused("takes an amount, not a share of one")
        }
        FieldUnit::BillionUsd if is_small(quantity) => refused("is in millions or billions of dollars"),
        FieldUnit::Crore | FieldUnit::BillionUsd => Ok(size(field, quantity)),
        FieldUnit::Price | FieldUnit::Shares => Ok(quantity.amount()),
        _ if quantity.scale.is_some() => refused("has no thousands, lakhs or millions"),
        FieldUnit::Percent if quantity.mark == Mark::Times => refused("is in percent"),
        FieldUnit::Ratio if quantity.mark == Mark::Percent => {
            Ok(without_float_noise(quantity.number / 100.0))
        }
        FieldUnit::Percent | FieldUnit::Ratio | FieldUnit::Points => Ok(quantity.number),
    }
}

/// An amount in crores or billions, as its field counts it.
fn size(field: &Field, quantity: &Quantity) -> f64 {
    let is_crore = field.kind == FieldKind::Number(FieldUnit::Crore);
    let unit = if is_crore { 1e7 } else { 1e9 };
    match quantity.scale {
        // `5k` and `1 lakh` of a company are of crores: nobody means a market capitalisation of 5,000 rupees.
        Some(_) if is_small(quantity) && field.name == MARKET_CAP_CR => quantity.amount(),
        Some(_) => without_float_noise(quantity.amount() / unit),
        None if !is_crore && quantity.number >= DOLLARS_FROM => without_float_noise(quantity.number / unit),
        None => quantity.number,
    }
}

/// Whether the words behind a number are of less than a million.
fn is_small(quantity: &Quantity) -> bool {
    quantity.scale.is_some_and(|scale| scale < 1e6)
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
