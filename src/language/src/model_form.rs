//! The JSON form in which a language model returns a screen, and its conversion into a filter.
//!
//! Structured outputs of the common providers allow no recursion, no optional properties and no bounds. So the form is flat: at least one
//! condition of each group must hold. A property that does not apply has a neutral value. The result is checked like any filter, whatever
//! the provider guarantees.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::check::{self, CheckError, check};
use super::contradictions::contradictions;
use super::field::{FieldKind, FieldUnit};
use super::fields::Fields;
use super::filter::{Filter, Test};
use super::screen::{Direction, Screen, Sort, UnreadWords};
use super::sorting::MOST_ROWS;

/// Reason why a model's answer is not a valid screen.
#[derive(Debug, thiserror::Error)]
pub enum ModelFormError {
    /// The answer does not have the form of [`schema`].
    #[error("the answer does not have the requested form: {0}")]
    Form(#[source] serde_json::Error),
    /// An unknown comparison, or one that does not fit the field.
    #[error("`{op}` is not a comparison for `{field}`; use {allowed}")]
    Comparison {
        /// Name of the field.
        field: String,
        /// Comparison in the answer.
        op: String,
        /// Allowed comparisons.
        allowed: &'static str,
    },
    /// An invalid filter.
    #[error(transparent)]
    Filter(#[from] CheckError),
    /// There is neither a condition nor an order.
    #[error("the answer has neither a condition nor an order")]
    Nothing,
}

/// Maximum number of texts that the schema lists, as providers limit the size of lists.
const MOST_TEXTS: usize = 240;
/// Value of `sort_field` if there is no order.
const NO_FIELD: &str = "none";

const NUMBER_OPS: &str = ">=, >, <=, <, = or between";

#[derive(Deserialize)]
struct ScreenReply {
    groups: Vec<ConditionGroup>,
    sort_field: String,
    sort_direction: String,
    limit: i64,
    not_understood: Vec<String>,
}

#[derive(Deserialize)]
struct ConditionGroup {
    any: Vec<Leaf>,
}

#[derive(Deserialize)]
struct Leaf {
    field: String,
    op: String,
    number: f64,
    upper: f64,
    texts: Vec<String>,
    flag: bool,
    negate: bool,
}

/// Builds the JSON schema of the form, for the fields of a snapshot.
pub fn schema(fields: &Fields) -> Json {
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let mut unique: Vec<&String> = fields.iter().flat_map(|field| fields.texts(field)).collect();
    unique.sort_unstable();
    unique.dedup();
    let text = if unique.is_empty() || unique.len() > MOST_TEXTS {
        json!({ "type": "string" })
    } else {
        json!({ "type": "string", "enum": unique })
    };
    let sorts: Vec<&str> = std::iter::once(NO_FIELD)
        .chain(fields.iter().filter(|field| field.is_number()).map(|field| field.name.as_str()))
        .collect();
    let leaf = object(&json!({
        "field": { "type": "string", "enum": names, "description": describe_fields(fields) },
        "op": { "type": "string", "enum": [">=", ">", "<=", "<", "=", "between", "in", "is"],
                "description": "A comparison or between for numbers, in for texts, is for flags." },
        "number": { "type": "number", "description": "The number, or the lower one of a range, in the field's unit; 0 otherwise." },
        "upper": { "type": "number", "description": "The upper number of a range; 0 otherwise." },
        "texts": { "type": "array", "items": text, "description": "The texts for in; empty otherwise." },
        "flag": { "type": "boolean", "description": "What the flag must be, for is; false otherwise." },
        "negate": { "type": "boolean", "description": "Whether the condition must not hold." },
    }));
    object(&json!({
        "groups": { "type": "array", "description": "Every group must hold.", "items": object(&json!({
            "any": { "type": "array", "description": "At least one condition of the group must hold.", "items": leaf },
        })) },
        "sort_field": { "type": "string", "enum": sorts, "description": "The field to order by, or none." },
        "sort_direction": { "type": "string", "enum": ["asc", "desc"], "description": "desc: the largest first." },
        "limit": { "type": "integer", "description": "Requested rows, 0 if no number was." },
        "not_understood": { "type": "array", "items": { "type": "string" },
                            "description": "Words of the query, as written, that no field can express." },
    }))
}

/// Reads a model's answer. Its filter is checked like any other.
///
/// # Errors
/// The fault in the answer, in words that can be sent back to the model.
pub fn from_model(answer: &Json, fields: &Fields) -> Result<Screen, ModelFormError> {
    let answer = ScreenReply::deserialize(answer).map_err(ModelFormError::Form)?;
    let mut groups = Vec::new();
    for group in answer.groups.iter().filter(|group| !group.any.is_empty()) {
        let leaves = group.any.iter().map(|leaf| leaf.filter(fields)).collect::<Result<Vec<_>, _>>()?;
        groups.push(Filter::any(leaves));
    }
    let filter = Filter::all(groups);
    check(&filter, fields)?;
    let sort = parse_sort(&answer, fields)?;
    if filter.is_everything() && sort.is_none() {
        return Err(ModelFormError::Nothing);
    }
    let limit = u32::try_from(answer.limit).ok().filter(|limit| *limit > 0).map(|limit| limit.min(MOST_ROWS));
    let notes = contradictions(&filter, fields);
    // A model returns no positions of words.
    let not_understood =
        answer.not_understood.into_iter().map(|words| UnreadWords { words, at: 0 }).collect();
    Ok(Screen { filter, sort, limit, per: None, not_understood, notes })
}

impl Leaf {
    fn filter(&self, fields: &Fields) -> Result<Filter, ModelFormError> {
        let field = check::find_field(&self.field, fields)?;
        let comparison_error =
            |allowed| ModelFormError::Comparison { field: self.field.clone(), op: self.op.clone(), allowed };
        let filter = match (&field.kind, self.op.as_str()) {
            (FieldKind::Number(_), "between") => {
                Filter::number(&field.name, Test::Between(self.number, self.upper))
            }
            (FieldKind::Number(_), op) => Filter::number(
                &field.name,
                Test::from_operator(op, self.number).ok_or_else(|| comparison_error(NUMBER_OPS))?,
            ),
            (FieldKind::Text(_), "in" | "=") => {
                Filter::Text { field: self.field.clone(), one_of: self.texts.clone() }
            }
            (FieldKind::Text(_), _) => return Err(comparison_error("in")),
            (FieldKind::Flag(_), "is" | "=") => Filter::Flag { field: self.field.clone(), is: self.flag },
            (FieldKind::Flag(_), _) => return Err(comparison_error("is")),
        };
        Ok(if self.negate { filter.negate() } else { filter })
    }
}

fn parse_sort(answer: &ScreenReply, fields: &Fields) -> Result<Option<Sort>, ModelFormError> {
    if answer.sort_field == NO_FIELD || answer.sort_field.is_empty() {
        return Ok(None);
    }
    let field = check::find_field(&answer.sort_field, fields)?;
    if !field.is_number() {
        check(&Filter::number(&field.name, Test::Equal(0.0)), fields)?;
    }
    let direction = if answer.sort_direction == "asc" { Direction::Asc } else { Direction::Desc };
    Ok(Some(Sort { field: field.name.clone(), direction }))
}

/// Builds the schema of an object that requires every property and allows no others.
fn object(properties: &Json) -> Json {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(serde_json::Map::keys).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Describes the type and unit of each field.
fn describe_fields(fields: &Fields) -> String {
    let unit = |kind: &FieldKind| match kind {
        FieldKind::Number(FieldUnit::Percent) => "percent, 15 is 15 %",
        FieldKind::Number(FieldUnit::Crore) => "crore rupees",
        FieldKind::Number(FieldUnit::BillionUsd) => "billion dollars",
        FieldKind::Number(FieldUnit::Price) => "money a share",
        FieldKind::Number(FieldUnit::Ratio) => "ratio",
        FieldKind::Number(FieldUnit::Points | FieldUnit::Shares) => "number",
        FieldKind::Text(_) => "text",
        FieldKind::Flag(_) => "flag",
    };
    let lines: Vec<String> = fields
        .iter()
        .map(|field| format!("{}: {} ({})", field.name, field.label, unit(&field.kind)))
        .collect();
    lines.join("; ")
}
