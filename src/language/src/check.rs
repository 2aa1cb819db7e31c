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
    #[error("`{field}` is not a field of the {market} screen{}; the fields are {known}", did_you_mean(.nearest.as_deref()))]
    UnknownField {
        /// Name given.
        field: String,
        /// Market whose fields are searched.
        market: &'static str,
        /// Nearest known field.
        nearest: Option<String>,
        /// All fields.
        known: String,
    },
    /// The condition does not fit the field's type, such as a number for a text.
    #[error("`{field}` is a {is}; it is used as a {requested}")]
    WrongKind {
        /// Name of the field.
        field: String,
        /// Type of the field.
        is: &'static str,
        /// Type of the condition.
        requested: &'static str,
    },
    /// The field never has this text.
    #[error("`{text}` is no {field} of this market{}", did_you_mean(.nearest.as_deref()))]
    UnknownText {
        /// Name of the field.
        field: String,
        /// Text given.
        text: String,
        /// Nearest known text.
        nearest: Option<String>,
    },
    /// A bound is NaN or infinite, or a range ends before it begins.
    #[error("`{field}` has invalid bounds: {bounds}; give two finite numbers, the smaller one first")]
    Bounds {
        /// Name of the field.
        field: String,
        /// Bounds given.
        bounds: String,
    },
    /// An empty `any` or `in`: no row could match.
    #[error("`{0}` is empty; name at least one")]
    Nothing(String),
    /// Too many levels.
    #[error("the filter has {0} levels; at most {MAX_DEPTH} are allowed")]
    TooDeep(usize),
    /// Too many conditions.
    #[error("the filter has {0} conditions; at most {MAX_LEAVES} are allowed")]
    TooMany(usize),
}

/// Checks a filter against the fields of a snapshot.
///
/// # Errors
/// The first fault from the left, or the filter is too deep or too large.
pub fn check(filter: &Filter, fields: &Fields) -> Result<(), CheckError> {
    let (levels, leaves) = (filter.depth(), filter.leaves().len());
    if levels > MAX_DEPTH {
        return Err(CheckError::TooDeep(levels));
    }
    if leaves > MAX_LEAVES {
        return Err(CheckError::TooMany(leaves));
    }
    node(filter, fields)
}

fn node(filter: &Filter, fields: &Fields) -> Result<(), CheckError> {
    match filter {
        Filter::Any(filters) if filters.is_empty() => Err(CheckError::Nothing("any".to_owned())),
        Filter::All(filters) | Filter::Any(filters) => {
            filters.iter().try_for_each(|filter| node(filter, fields))
        }
        Filter::Not(filter) => node(filter, fields),
        Filter::Number { field, test } => number(find_field(field, fields)?, *test),
        Filter::Against { field, test, than } => {
            number(find_field(field, fields)?, *test)?;
            match than {
                ComparisonOperand::Field(other) => of_kind(find_field(other, fields)?, "number"),
                ComparisonOperand::MedianOf(group) => of_kind(find_field(group, fields)?, "text"),
            }
        }
        Filter::Text { field, one_of } => texts(find_field(field, fields)?, one_of, fields),
        Filter::Flag { field, .. } => of_kind(find_field(field, fields)?, "flag"),
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

fn of_kind(field: &Field, requested: &'static str) -> Result<(), CheckError> {
    let is = field.kind_word();
    if is == requested {
        Ok(())
    } else {
        Err(CheckError::WrongKind { field: field.name.clone(), is, requested })
    }
}

/// Returns the known word nearest to `word`, if it is near enough to be meant.
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
