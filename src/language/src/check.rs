//! Checks a filter against a snapshot: its fields exist, conditions fit their types, texts exist, and its size is limited.

use super::field::Field;
use super::fields::Fields;
use super::filter::{ComparisonOperand, Filter, Test};
use parquote_catalogue::operation::Likeness;

/// Maximum number of levels of a filter; a single condition has one.
pub(super) const MAX_DEPTH: usize = 6;
/// Maximum number of leaf conditions.
pub(super) const MAX_LEAVES: usize = 40;

/// Reason why a filter cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// This market's screen has no such field.
    #[error("`{field}` is not a field of the {market} screen{}; the fields are {known}", did_you_mean(.nearest.as_deref()))]
    UnknownField {
        /// Name in the filter, cut to 60 characters.
        field: String,
        /// Name of the market.
        market: &'static str,
        /// Name of the most similar field, if one is similar enough.
        nearest: Option<String>,
        /// Names of all fields, joined by `, `.
        known: String,
    },
    /// The condition does not fit the field's type, such as a number for a text.
    #[error("`{field}` is a {is}; it is used as a {requested}")]
    WrongKind {
        /// Name of the field.
        field: String,
        /// Type of the field: `number`, `text` or `flag`.
        is: &'static str,
        /// Type that the condition requires: `number`, `text` or `flag`.
        requested: &'static str,
    },
    /// The field never has this text.
    #[error("`{text}` is no {field} of this market{}", did_you_mean(.nearest.as_deref()))]
    UnknownText {
        /// Name of the field.
        field: String,
        /// Text in the filter, cut to 60 characters.
        text: String,
        /// The most similar text of the field, if one is similar enough.
        nearest: Option<String>,
    },
    /// A bound is NaN or infinite, or a range ends before it begins.
    #[error("`{field}` has invalid bounds: {bounds}; give two finite numbers, the smaller one first")]
    Bounds {
        /// Name of the field.
        field: String,
        /// Bounds in the filter, as a list of numbers.
        bounds: String,
    },
    /// The list of `any`, or of the `in` of this field, is empty, so that no row could match.
    #[error("`{0}` is empty; name at least one")]
    Nothing(String),
    /// The filter has this number of levels, more than allowed.
    #[error("the filter has {0} levels; at most {MAX_DEPTH} are allowed")]
    TooDeep(usize),
    /// The filter has this number of conditions, more than allowed.
    #[error("the filter has {0} conditions; at most {MAX_LEAVES} are allowed")]
    TooMany(usize),
}

/// Checks a filter against the fields of a snapshot.
///
/// # Errors
/// The filter is too deep or too large, or else its first fault from the left.
pub fn check(filter: &Filter, fields: &Fields) -> Result<(), CheckError> {
    let (levels, leaves) = (filter.depth(), filter.leaves().len());
    if levels > MAX_DEPTH {
        return Err(CheckError::TooDeep(levels));
    }
    if leaves > MAX_LEAVES {
        return Err(CheckError::TooMany(leaves));
    }
    check_node(filter, fields)
}

fn check_node(filter: &Filter, fields: &Fields) -> Result<(), CheckError> {
    match filter {
        Filter::Any(filters) if filters.is_empty() => Err(CheckError::Nothing("any".to_owned())),
        Filter::All(filters) | Filter::Any(filters) => {
            filters.iter().try_for_each(|filter| check_node(filter, fields))
        }
        Filter::Not(filter) => check_node(filter, fields),
        Filter::Number { field, test } => check_number(find_field(field, fields)?, *test),
        Filter::Against { field, test, than } => {
            check_number(find_field(field, fields)?, *test)?;
            match than {
                ComparisonOperand::Field(other) => check_kind(find_field(other, fields)?, "number"),
                ComparisonOperand::MedianOf(group) => check_kind(find_field(group, fields)?, "text"),
            }
        }
        Filter::Text { field, one_of } => check_texts(find_field(field, fields)?, one_of, fields),
        Filter::Flag { field, .. } => check_kind(find_field(field, fields)?, "flag"),
    }
}

pub(super) fn find_field<'a>(name: &str, fields: &'a Fields) -> Result<&'a Field, CheckError> {
    fields.find(name).ok_or_else(|| CheckError::UnknownField {
        field: name.chars().take(60).collect(),
        market: fields.market().word(),
        nearest: nearest_word(name, fields.iter().map(|field| field.name.as_str())).map(str::to_owned),
        known: fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", "),
    })
}

fn check_number(field: &Field, test: Test) -> Result<(), CheckError> {
    check_kind(field, "number")?;
    let ends_early = matches!(test, Test::Between(low, high) if low > high);
    if ends_early || test.numbers().iter().any(|number| !number.is_finite()) {
        return Err(CheckError::Bounds {
            field: field.name.clone(),
            bounds: format!("{:?}", test.numbers()),
        });
    }
    Ok(())
}

fn check_texts(field: &Field, one_of: &[String], fields: &Fields) -> Result<(), CheckError> {
    check_kind(field, "text")?;
    if one_of.is_empty() {
        return Err(CheckError::Nothing(field.name.clone()));
    }
    let known = fields.texts(field);
    match one_of.iter().find(|text| !known.contains(text)) {
        None => Ok(()),
        Some(text) => Err(CheckError::UnknownText {
            field: field.name.clone(),
            text: text.chars().take(60).collect(),
            nearest: nearest_word(text, known.iter().map(String::as_str)).map(str::to_owned),
        }),
    }
}

fn check_kind(field: &Field, requested: &'static str) -> Result<(), CheckError> {
    let is = field.kind_word();
    if is == requested {
        Ok(())
    } else {
        Err(CheckError::WrongKind { field: field.name.clone(), is, requested })
    }
}

/// Returns the most similar of the known words, if its similarity to `word` is at least 0.75.
fn nearest_word<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LEAST_LIKENESS: f64 = 0.75;
    let word = Likeness::new_for(word).map(|_| word.to_lowercase())?;
    let likeness = Likeness::new_for(&word)?;
    known
        .into_iter()
        .map(|candidate| (likeness.similarity_to(&candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!(" (did you mean `{nearest}`?)")).unwrap_or_default()
}
