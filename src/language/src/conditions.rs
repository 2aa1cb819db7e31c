//! Turns a field and a bound into a condition: converts units, and fills in omitted parts of the sentence.

use std::sync::Arc;

use super::crossings;
use super::field::{Field, FieldKind, FieldUnit, GoodSide};
use super::fields::Fields;
use super::filter::{Filter, Test};
use super::quantities::{NumberSuffix, Quantity};
use super::vocabulary::{Adjective, is_in};
use super::word::Word;
use super::wording;
use parquote_catalogue::operation::Market;

/// A bound as written. Its quantities are not yet converted to the unit of its field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bound {
    /// A comparison with one quantity.
    Compared(Word, Quantity),
    /// From the first quantity to the second, in either order.
    Range(Quantity, Quantity),
    /// A number without a comparison.
    Alone(Quantity),
}

/// Reason why a field and a bound do not fit together.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BoundMismatch<'a> {
    /// The snapshot does not have the field.
    Missing(&'a Field),
    /// The bound cannot belong to the field, for this reason.
    Units(String),
}

/// A condition, with a note if something was assumed for it; or the reason why there is no condition.
pub(super) type BoundConditionResult<'a> = Result<(Filter, Option<String>), BoundMismatch<'a>>;

/// Share of the number by which `around` extends the range to either side.
const AROUND_SHARE: f64 = 0.1;
/// Distance from the 52-week high: 0 at the high, negative below it.
pub(super) const FROM_HIGH: &str = "pct_from_high";
/// Market capitalisation in India.
const MARKET_CAP_CR: &str = "market_cap_cr";
/// In the US, a market capitalisation without a unit is in dollars from this number on, and in billions of dollars below it.
const DOLLARS_FROM: f64 = 100_000.0;

impl Bound {
    /// Returns its first quantity.
    pub(super) const fn quantity(&self) -> &Quantity {
        match self {
            Self::Compared(_, quantity) | Self::Range(quantity, _) | Self::Alone(quantity) => quantity,
        }
    }
}

/// Builds the condition of a field with a bound.
pub(super) fn bound_condition<'a>(
    field: &'a Field,
    bound: &Bound,
    fields: &'a Fields,
) -> BoundConditionResult<'a> {
    let field = field_for_bound(field, bound, fields);
    let (bound, is_negated) = match signed_distance_from_high(field, bound) {
        Some(negated) => (negated.map_err(BoundMismatch::Units)?, true),
        None => (*bound, false),
    };
    if fields.find(&field.name).is_none() {
        return Err(BoundMismatch::Missing(field));
    }
    let value = |quantity: &Quantity| convert_to_unit(field, quantity, fields.market());
    let (test, is_assumed) = match &bound {
        Bound::Compared(Word::Unequal, quantity) => {
            let filter = Filter::number(&field.name, Test::Equal(value(quantity)?));
            return Ok((filter.negate(), None));
        }
        Bound::Compared(word @ (Word::CrossedAbove | Word::CrossedBelow), quantity) => {
            let now = Filter::number(&field.name, comparison_test(*word, value(quantity)?));
            return crossings::crossing_condition(now, fields)
                .map(|filter| (filter, None))
                .map_err(BoundMismatch::Units);
        }
        Bound::Compared(word, quantity) => (comparison_test(*word, value(quantity)?), is_negated),
        Bound::Range(low, high) => (Test::Between(value(low)?, value(high)?).in_order(), is_negated),
        Bound::Alone(quantity) => {
            (good_side_test(field, value(quantity)?), field.better != GoodSide::Neither)
        }
    };
    let unitless = matches!(field.kind, FieldKind::Number(FieldUnit::Crore | FieldUnit::BillionUsd))
        && (bound.quantity().scale.is_none() || is_small(bound.quantity()));
    let note = (is_assumed || unitless).then(|| wording::limit(field, test, fields.market()));
    Ok((Filter::number(&field.name, test), note))
}

/// Builds the condition of a field with a level such as `high`.
pub(super) fn level_condition<'a>(
    field: &'a Field,
    level: Word,
    fields: &Fields,
) -> BoundConditionResult<'a> {
    if fields.find(&field.name).is_none() {
        return Err(BoundMismatch::Missing(field));
    }
    let is_lower_better = field.better == GoodSide::Lower;
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
        return Err(BoundMismatch::Units(format!(
            "{} has no level of this name; give a number",
            field.label
        )));
    };
    let is_threshold = matches!(level, Word::High | Word::Low | Word::Good | Word::Poor);
    let note = is_threshold.then(|| wording::limit(field, test, fields.market()));
    Ok((Filter::number(&field.name, test), note))
}

/// Returns the first meaning of an adjective whose fields the snapshot has, and the meaning in words.
pub(super) fn adjective_condition(adjective: &Adjective, fields: &Fields) -> Option<(Filter, String)> {
    let is_known = |leaf: &&Filter| leaf.leaf_fields().all(|name| fields.find(name).is_some());
    let filter = adjective.meanings.iter().find(|filter| filter.leaves().iter().all(is_known))?;
    Some((filter.clone(), wording::filter_words(filter, fields)))
}

/// Returns the condition of an adjective phrase such as `mid cap`; `None` if no adjective has this phrase or the snapshot lacks its fields.
pub fn phrase_condition(phrase: &str, fields: &Fields) -> Option<Filter> {
    let is_meant = |adjective: &&Arc<Adjective>| {
        is_in(adjective.market, fields.market()) && adjective.phrases.iter().any(|known| known == phrase)
    };
    let adjective = fields.vocabulary().adjectives.iter().find(is_meant)?;
    adjective_condition(adjective, fields).map(|(filter, _)| filter)
}

/// Builds the condition that a figure is 0: `no dividend`.
pub(super) fn absence_condition(field: &Field) -> Filter {
    // `debt free` ignores a small debt, such as a lease or a credit line.
    const SMALL_DEBT: f64 = 0.05;
    let test = if field.name == "de" { Test::AtMost(SMALL_DEBT) } else { Test::Equal(0.0) };
    Filter::number(&field.name, test)
}

/// Returns the field of an amount of money without a field: the market capitalisation for an amount with a word such as `billion` or
/// `crore`, else the share price. `None` if the bound is not an amount of money.
pub(super) fn field_of_money<'a>(bound: &Bound, fields: &'a Fields) -> Option<&'a Field> {
    let (first, last) = match bound {
        Bound::Range(low, high) => (low.with_units_of(high), high),
        bound => (*bound.quantity(), bound.quantity()),
    };
    if last.suffix != NumberSuffix::Absent {
        return None;
    }
    if first.scale.is_some_and(|scale| scale >= 1e5) {
        return fields.find(fields.market_cap());
    }
    (first.currency.is_some() && first.scale.is_none()).then(|| fields.find(super::field::PRICE)).flatten()
}

/// Replaces the field of `volume at least 2x` by the volume relative to its mean.
fn field_for_bound<'a>(field: &'a Field, bound: &Bound, fields: &'a Fields) -> &'a Field {
    let is_relative = field.name == "volume"
        && matches!(bound.quantity().suffix, NumberSuffix::Times | NumberSuffix::TimesAverage);
    is_relative.then(|| fields.declared_field("rvol_20")).flatten().unwrap_or(field)
}

/// Negates a positive bound on the distance from the high, as the figure is negative below the high: `distance from high above 30%` means
/// below -30. Returns `None` if the bound stays, an error if it cannot be a distance.
fn signed_distance_from_high(field: &Field, bound: &Bound) -> Option<Result<Bound, String>> {
    let is_distance = |quantity: &Quantity| field.name == FROM_HIGH && quantity.number > 0.0;
    let negated = |quantity: &Quantity| Quantity { number: -quantity.number, ..*quantity };
    match bound {
        quantity if is_distance(quantity.quantity()) && quantity.quantity().number > 100.0 => Some(Err(
            format!("{} is at most 100 %; the price at the high is not a figure of this screen", field.label),
        )),
        Bound::Compared(word, quantity) if is_distance(quantity) => {
            Some(Ok(Bound::Compared(mirror(*word), negated(quantity))))
        }
        Bound::Range(low, high) if is_distance(low) && is_distance(high) => {
            Some(Ok(Bound::Range(negated(high), negated(low))))
        }
        Bound::Alone(quantity) if is_distance(quantity) => {
            Some(Err(format!("{}: say `above` or `below` before the number", field.label)))
        }
        _ => None,
    }
}

/// Returns the comparison that holds for the negated numbers.
pub(super) const fn mirror(word: Word) -> Word {
    match word {
        Word::Above => Word::Below,
        Word::AtLeast | Word::OrMore => Word::AtMost,
        Word::Below => Word::Above,
        Word::AtMost | Word::OrLess => Word::AtLeast,
        word => word,
    }
}

/// Builds the test of a comparison.
fn comparison_test(word: Word, value: f64) -> Test {
    match word {
        Word::Above | Word::AboveIt | Word::CrossedAbove => Test::Above(value),
        Word::AtLeast | Word::OrMore => Test::AtLeast(value),
        Word::Below | Word::BelowIt | Word::CrossedBelow => Test::Below(value),
        Word::AtMost | Word::OrLess | Word::Within => Test::AtMost(value),
        Word::Around => Test::Between(
            without_float_noise(value * (1.0 - AROUND_SHARE)),
            without_float_noise(value * (1.0 + AROUND_SHARE)),
        )
        .in_order(),
        _ => Test::Equal(value),
    }
}

/// Builds the test of a number without a comparison: a limit on the good side.
fn good_side_test(field: &Field, value: f64) -> Test {
    match field.better {
        GoodSide::Higher => Test::AtLeast(value),
        GoodSide::Lower => Test::AtMost(value),
        GoodSide::Neither => Test::Equal(value),
    }
}

fn convert_to_unit<'a>(field: &Field, quantity: &Quantity, market: Market) -> Result<f64, BoundMismatch<'a>> {
    let FieldKind::Number(unit) = field.kind else {
        return Err(BoundMismatch::Units(format!("{} takes no number", field.label)));
    };
    let mismatch = |reason: &str| Err(BoundMismatch::Units(format!("{} {reason}", field.label)));
    let has_money = quantity.currency.is_some();
    if has_money && !matches!(unit, FieldUnit::Crore | FieldUnit::BillionUsd | FieldUnit::Price) {
        return mismatch("is not an amount of money");
    }
    if quantity.currency.is_some_and(|currency| currency != market)
        || (quantity.is_indian && market == Market::Us)
    {
        return mismatch(match market {
            Market::India => "is in rupees; other currencies are not converted",
            Market::Us => "is in dollars; other currencies are not converted",
        });
    }
    if quantity.suffix == NumberSuffix::TimesAverage && field.name != "rvol_20" {
        return mismatch("is not among the figures whose own average is known");
    }
    let is_marked = quantity.suffix != NumberSuffix::Absent;
    match unit {
        FieldUnit::Crore | FieldUnit::BillionUsd | FieldUnit::Price | FieldUnit::Shares if is_marked => {
            mismatch("takes an amount, not a share of one")
        }
        FieldUnit::BillionUsd if is_small(quantity) => mismatch("is in millions or billions of dollars"),
        FieldUnit::Crore | FieldUnit::BillionUsd => Ok(company_size(field, quantity)),
        FieldUnit::Price | FieldUnit::Shares => Ok(quantity.amount()),
        _ if quantity.scale.is_some() => mismatch("has no thousands, lakhs or millions"),
        FieldUnit::Percent if matches!(quantity.suffix, NumberSuffix::Times | NumberSuffix::Points) => {
            mismatch("is in percent")
        }
        FieldUnit::Ratio if quantity.suffix == NumberSuffix::Percent => {
            Ok(without_float_noise(quantity.number / 100.0))
        }
        FieldUnit::Percent | FieldUnit::Ratio | FieldUnit::Points => Ok(quantity.number),
    }
}

/// Converts an amount to the field's unit: crores or billions.
fn company_size(field: &Field, quantity: &Quantity) -> f64 {
    let is_crore = field.kind == FieldKind::Number(FieldUnit::Crore);
    let unit = if is_crore { 1e7 } else { 1e9 };
    match quantity.scale {
        // `5k` and `1 lakh` of a company mean crores: a market capitalisation of 5,000 rupees makes no sense.
        Some(_) if is_small(quantity) && field.name == MARKET_CAP_CR => quantity.amount(),
        Some(_) => without_float_noise(quantity.amount() / unit),
        None if !is_crore && quantity.number >= DOLLARS_FROM => without_float_noise(quantity.number / unit),
        None => quantity.number,
    }
}

/// Returns true if the multiplier after a number is less than a million.
fn is_small(quantity: &Quantity) -> bool {
    quantity.scale.is_some_and(|scale| scale < 1e6)
}

/// Rounds off the last bits of float arithmetic: 11.000000000000002 is 11.
fn without_float_noise(number: f64) -> f64 {
    const DECIMALS: f64 = 1e6;
    if number.abs() < 1e9 { (number * DECIMALS).round() / DECIMALS } else { number }
}

impl Test {
    /// Returns a range with the smaller number first.
    fn in_order(self) -> Self {
        match self {
            Self::Between(low, high) if low > high => Self::Between(high, low),
            test => test,
        }
    }
}
