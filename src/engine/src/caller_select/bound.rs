//! Values of `$1`, `$2` and so on: bound to the plan, never written into the text. A number or flag is typed like the same literal in the
//! text, so that no number loses its fraction, sign or range; a text is read as the type that its position requires.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use chrono::NaiveDate;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result as PlanResult;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::sql::sqlparser::ast::{
    Expr as AstExpr, Statement, Value, ValueWithSpan, VisitMut, VisitorMut,
};
use serde::{Deserialize, Serialize};

use super::refusal::SelectRefusal;
use parquote_catalogue::digits;
use parquote_catalogue::operation::truncate_for_message;

/// A value bound by a caller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum BoundValue {
    /// Null.
    Null,
    /// A flag.
    Flag(bool),
    /// An integer.
    Int(i64),
    /// Any other number.
    Number(f64),
    /// A text or a date.
    Text(String),
}

impl BoundValue {
    fn scalar(&self) -> ScalarValue {
        match self {
            Self::Null => ScalarValue::Null,
            Self::Flag(flag) => ScalarValue::Boolean(Some(*flag)),
            Self::Int(number) => ScalarValue::Int64(Some(*number)),
            Self::Number(number) => ScalarValue::Float64(Some(*number)),
            Self::Text(text) => ScalarValue::Utf8View(Some(text.clone())),
        }
    }

    fn display_value(&self) -> String {
        match self {
            Self::Text(text) => truncate_for_message(text),
            Self::Number(number) => digits::shortest(*number),
            other => other.scalar().to_string(),
        }
    }
}

/// Replaces placeholders of numbers and flags in a parsed statement by typed literals, so that the planner does not infer their types from
/// neighbouring expressions. Returns the indices of these values.
pub(super) fn replace_placeholders(statement: &mut Statement, values: &[BoundValue]) -> BTreeSet<usize> {
    let mut replacer = PlaceholderReplacer { values, replaced: BTreeSet::new() };
    // The visitor never breaks.
    let _ = statement.visit(&mut replacer);
    replacer.replaced
}

struct PlaceholderReplacer<'a> {
    values: &'a [BoundValue],
    /// The indices of the values whose placeholders were replaced.
    replaced: BTreeSet<usize>,
}

impl VisitorMut for PlaceholderReplacer<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut AstExpr) -> ControlFlow<()> {
        let AstExpr::Value(ValueWithSpan { value: Value::Placeholder(name), .. }) = &*expr else {
            return ControlFlow::Continue(());
        };
        let value = placeholder_index(name).and_then(|position| Some((position, self.values.get(position)?)));
        let (position, value) = match value {
            Some((position, BoundValue::Flag(flag))) => (position, Value::Boolean(*flag)),
            Some((position, BoundValue::Int(number))) => (position, Value::Number(number.to_string(), false)),
            Some((position, BoundValue::Number(number))) => {
                (position, Value::Number(format!("{number:?}"), false))
            }
            _ => return ControlFlow::Continue(()),
        };
        self.replaced.insert(position);
        // A bare number after ORDER BY is the position of a column; a number in brackets is not.
        *expr = AstExpr::Nested(Box::new(AstExpr::value(value)));
        ControlFlow::Continue(())
    }
}

/// Returns the index of a placeholder, from 0; `None` if its name is not `$` and a positive number.
fn placeholder_index(name: &str) -> Option<usize> {
    name.strip_prefix('$')?.parse::<usize>().ok()?.checked_sub(1)
}

/// Returns the placeholders of a plan with their types; `None` for a type that cannot be inferred.
///
/// # Errors
/// A placeholder that would need several types.
pub(super) fn placeholder_types(plan: &LogicalPlan) -> PlanResult<BTreeMap<String, Option<DataType>>> {
    let mut types: BTreeMap<_, _> = plan.get_parameter_types()?.into_iter().collect();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::Limit(limit) = node {
            for operand in [&limit.skip, &limit.fetch].into_iter().flatten() {
                if let Expr::Placeholder(placeholder) = operand.as_ref() {
                    types.insert(placeholder.id.clone(), Some(DataType::Int64));
                }
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(types)
}

/// Binds values to a plan. The values at `literal_indices` are already literals in the statement.
///
/// # Errors
/// More or fewer values than placeholders, a placeholder that is not a number, a value of another type than its position.
pub(super) fn bind(
    plan: LogicalPlan,
    values: &[BoundValue],
    literal_indices: &BTreeSet<usize>,
) -> Result<LogicalPlan, SelectRefusal> {
    let mut bound: Vec<_> = values
        .iter()
        .enumerate()
        .map(|(at, value)| literal_indices.contains(&at).then(|| value.scalar()))
        .collect();
    let types = placeholder_types(&plan)?;
    for (name, ty) in &types {
        let position =
            placeholder_index(name).ok_or_else(|| SelectRefusal::Placeholder(truncate_for_message(name)))?;
        let value = values.get(position).ok_or_else(|| SelectRefusal::Unbound {
            name: truncate_for_message(name),
            values: values.len(),
        })?;
        if let Some(slot) = bound.get_mut(position) {
            *slot = Some(typed_value(name, value, ty.as_ref())?);
        }
    }
    let unused = |position: usize| SelectRefusal::Unused(position + 1);
    let scalars =
        bound.into_iter().enumerate().map(|(position, value)| value.ok_or_else(|| unused(position)));
    let scalars = scalars.collect::<Result<Vec<ScalarValue>, _>>()?;
    if types.is_empty() { Ok(plan) } else { Ok(plan.with_param_values(scalars)?) }
}

fn typed_value(name: &str, value: &BoundValue, ty: Option<&DataType>) -> Result<ScalarValue, SelectRefusal> {
    let scalar = value.scalar();
    let (Some(ty), BoundValue::Text(text)) = (ty.filter(|ty| !ty.is_null()), value) else {
        return Ok(scalar);
    };
    let parsed = match ty {
        ty if ty.is_numeric() => parse_number(text, ty),
        DataType::Date32 => parse_date(text),
        ty => scalar.cast_to(ty).ok(),
    };
    parsed.ok_or_else(|| SelectRefusal::Value {
        name: name.to_owned(),
        value: value.display_value(),
        ty: type_word(ty),
    })
}

/// Parses a number without losing digits; `None` if `ty` cannot hold all digits, or for any other text.
fn parse_number(text: &str, ty: &DataType) -> Option<ScalarValue> {
    let text = text.trim();
    if let Ok(whole) = text.parse::<i64>() {
        return Some(ScalarValue::from(whole));
    }
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    // An integer beyond `i64` would lose digits as a float.
    let is_whole = text.trim_start_matches(['+', '-']).chars().all(|c| c.is_ascii_digit());
    (!is_whole || ty.is_floating()).then(|| ScalarValue::from(number))
}

/// Parses a date, or a number of days to add to a date; `None` for any other text.
fn parse_date(text: &str) -> Option<ScalarValue> {
    match text.trim().parse::<NaiveDate>() {
        Ok(_) => ScalarValue::from(text.trim()).cast_to(&DataType::Date32).ok(),
        Err(_) => text.trim().parse::<i64>().ok().map(ScalarValue::from),
    }
}

/// Returns the name of a type for messages to callers.
pub(super) fn type_word(ty: &DataType) -> String {
    match parquote_functions::arrow_types::column_type(ty) {
        Some(ty) => ty.word().to_owned(),
        None => ty.to_string(),
    }
}
