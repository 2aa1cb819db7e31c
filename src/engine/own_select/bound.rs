//! The values of `$1`, `$2` and so on: bound to the plan in the types that it asks for, never written into the text.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::LogicalPlan;
use serde::{Deserialize, Serialize};

use super::refusal::SelectRefusal;
use crate::operation::shown;

/// A value that a caller binds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum BoundValue {
    /// None.
    Null,
    /// A flag.
    Flag(bool),
    /// A whole number.
    Int(i64),
    /// Another number.
    Number(f64),
    /// A text; a date is one, too.
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

    fn shown(&self) -> String {
        match self {
            Self::Text(text) => shown(text),
            other => other.scalar().to_string(),
        }
    }
}

/// The plan with these values.
///
/// # Errors
/// More or fewer values than places, a place that is no number, a value of another type than its place.
pub(super) fn bind(plan: LogicalPlan, values: &[BoundValue]) -> Result<LogicalPlan, SelectRefusal> {
    let types = plan.get_parameter_types()?;
    let mut places: Vec<(Option<usize>, &String, &Option<DataType>)> = types
        .iter()
        .map(|(name, ty)| {
            let number = name.strip_prefix('$').and_then(|place| place.parse::<usize>().ok());
            (number.and_then(|number| number.checked_sub(1)), name, ty)
        })
        .collect();
    places.sort_by_key(|(place, name, _)| (*place, *name));
    let mut bound = vec![None; values.len()];
    for (place, name, ty) in places {
        let Some(place) = place else {
            return Err(SelectRefusal::Placeholder { name: shown(name) });
        };
        let value = values
            .get(place)
            .ok_or_else(|| SelectRefusal::Unbound { name: shown(name), values: values.len() })?;
        if let Some(slot) = bound.get_mut(place) {
            *slot = Some(typed(name, value, ty.as_ref())?);
        }
    }
    let unused = |place: usize| SelectRefusal::Unused { place: place + 1 };
    let scalars = bound.into_iter().enumerate().map(|(place, value)| value.ok_or_else(|| unused(place)));
    let scalars = scalars.collect::<Result<Vec<ScalarValue>, _>>()?;
    if scalars.is_empty() { Ok(plan) } else { Ok(plan.with_param_values(scalars)?) }
}

fn typed(name: &str, value: &BoundValue, ty: Option<&DataType>) -> Result<ScalarValue, SelectRefusal> {
    let scalar = value.scalar();
    let Some(ty) = ty.filter(|ty| **ty != DataType::Null) else { return Ok(scalar) };
    scalar.cast_to(ty).map_err(|_| SelectRefusal::Value {
        name: name.to_owned(),
        value: value.shown(),
        ty: type_word(ty),
    })
}

/// A type as a caller knows it.
pub(super) fn type_word(ty: &DataType) -> String {
    match crate::engine::arrow_types::column_type(ty) {
        Some(ty) => ty.word().to_owned(),
        None => ty.to_string(),
    }
}
