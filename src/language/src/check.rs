//! Checks a filter against a snapshot: known fields, matching types, known texts, bounded size.

use super::field::Field;
use super::fields::Fields;
use super::filter::{ComparisonOperand, Filter, Test};
use parquote_catalogue::operation::Likeness;

/// Maximum depth of a filter.
pub(super) const MAX_DEPTH: usize = 6;
/// Maximum number of leaf conditions.
pub(super) const MAX_LEAVES: usize = 40;

/// Reason why a filter cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// This market's screen has no such field.
    #[error("`{field}` is not a field of the {market} screen{}; the fields are {known}", meant(.nearest.as_deref()))]
    UnknownField {
        /// Name given.
        field: String,
        /// Market.
        market: &'static str,
        /// Nearest known field.
        nearest: Option<String>,
        /// All fields.
        known: String,
    },
    /// The condition does not fit the field's type, such as a number for a text.
    #[error("`{field}` is a {is}; it is asked for as a {asked}")]
    WrongKind {
        /// Field.
        field: String,
        /// Type of the field.
        is: &'static str,
        /// Type of the condition.
        asked: &'static str,
    },
    /// The field never has this text.
    #[error("`{text}` is no {field} of this market{}", meant(.nearest.as_deref()))]
    UnknownText {
        /// Field.
        field: String,
        /// Text given.
        text: String,
        /// Nearest known text.
        nearest: Option<String>,
    },
    /// A bound is NaN or infinite, or a range ends before it begins.
    #[error("`{field}` has invalid bounds: {bounds}; give two finite numbers, the smaller one first")]
    Bounds {
        /// Field.
        field: String,
        /// Bounds given.
        bounds: String,
    },
    /// An empty `any` or `in`: no row could match.
    #[error("`{place}` is empty; name at least one")]
    Nothing {
        /// Position in the filter.
        place: String,
    },
    /// Too many levels.
    #[error("the filter has {levels} levels; at most {MAX_DEPTH} are allowed")]
    TooDeep {
        /// Depth of the filter.
        levels: usize,
    },
    /// Too many conditions.
    #[error("the filter has {leaves} conditions; at most {MAX_LEAVES} are allowed")]
    TooMany {
        /// Number of conditions.
        leaves: usize,
    },
}

/// Checks a filter against the fields of a snapshot.
///
/// # Errors
/// The first fault from the left, or the filter is too deep or too large.
pub fn check(filter: &Filter, fields: &Fields) -> Result<(), CheckError> {
    let (levels, leaves) = (filter.depth(), filter.leaves().len());
    if levels > MAX_DEPTH {
        return Err(CheckError::TooDeep { levels });
    }
    if leaves > MAX_LEAVES {
        return Err(CheckError::TooMany { leaves });
    }
    node(filter, fields)
}

fn node(filter: &Filter, fields: &Fields) -> Result<(), CheckError> {
    match filter {
        Filter::Any(filters) if filters.is_empty() => Err(CheckError::Nothing { place: "any".to_owned() }),
        Filter::All(filters) | Filter::Any(filters) => {
            filters.iter().try_for_each(|filter| node(filter, fields))
        }
        Filter::Not(filter) => node(filter, fields),
        Filter::Number { field, test } => number(known(field, fields)?, *test),
        Filter::Against { field, test, than } => {
            number(known(field, fields)?, *test)?;
            match than {
                ComparisonOperand::Field(other) => of_kind(known(other, fields)?, "number"),
                ComparisonOperand::MedianOf(group) => of_kind(known(group, fields)?, "text"),
            }
        }
        Filter::Text { field, one_of } => texts(known(field, fields)?, one_of, fields),
        Filter::Flag { field, .. } => of_kind(known(field, fields)?, "flag"),
    }
}

/// Returns the field of this name.
pub(super) fn known<'a>(name: &str, fields: &'a Fields) -> Result<&'a Field, CheckError> {
    fields.find(name).ok_or_else(|| CheckError::UnknownField {
        field: name.chars().take(60).collect(),
        market: fields.market().word(),
        nearest: nearest(name, fields.iter().map(|field| field.name.as_str())).map(str::to_owned),
        known: fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", "),
    })
}

fn number(field: &Field, test: Test) -> Result<(), CheckError> {
    of_kind(field, "number")?;
    let ends_early = matches!(test, Test::Between(low, high) if low > high);
    if ends_early || test.numbers().iter().any(|number| !number.is_finite()) {
        return Err(CheckError::Bounds {
            field: field.name.clone(),
            bounds: format!("{:?}", test.numbers()),
        });
    }
    Ok(())
}

fn texts(field: &Field, one_of: &[String], fields: &Fields) -> Result<(), CheckError> {
    of_kind(field, "text")?;
    if one_of.is_empty() {
        return Err(CheckError::Nothing { place: field.name.clone() });
    }
    let known = fields.texts(field);
    match one_of.iter().find(|text| !known.contains(text)) {
        None => Ok(()),
        Some(text) => Err(CheckError::UnknownText {
            field: field.name.clone(),
            text: text.chars().take(60).collect(),
            nearest: nearest(text, known.iter().map(String::as_str)).map(str::to_owned),
        }),
    }
}

fn of_kind(field: &Field, asked: &'static str) -> Result<(), CheckError> {
    let is = field.kind_word();
    if is == asked { Ok(()) } else { Err(CheckError::WrongKind { field: field.name.clone(), is, asked }) }
}

/// Returns the known word nearest to `word`, if it is near enough to be meant.
fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const NEAR_ENOUGH: f64 = 0.75;
    let word = Likeness::to(word).map(|_| word.to_lowercase())?;
    let likeness = Likeness::to(&word)?;
    known
        .into_iter()
        .map(|candidate| (likeness.similarity_to(&candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= NEAR_ENOUGH)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!(" (did you mean `{nearest}`?)")).unwrap_or_default()
}
