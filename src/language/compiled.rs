//! Evaluates a filter on rows with SQL's three-valued logic.
//!
//! A comparison with a null is neither true nor false, and neither is its negation: a row is kept only where the whole filter
//! is true. `All` is false as soon as one condition is, `Any` true as soon as one is; otherwise one unknown condition makes the
//! whole unknown.

use super::check::CheckError;
use super::field::{BETWEEN_NAMES, FieldKind, Reads, TextValues};
use super::fields::declared;
use super::filter::{Filter, Test};

/// A row whose cells are read by the name of their column.
pub trait CellReader {
    /// The number in a column; `None` for null.
    fn number(&self, column: &str) -> Option<f64>;
    /// The text in a column; `None` for null.
    fn text(&self, column: &str) -> Option<&str>;
    /// The flag in a column; `None` for null.
    fn flag(&self, column: &str) -> Option<bool>;
}

/// A row whose cells are read by the place of their column.
pub trait Row {
    /// The number in a column; `None` for null.
    fn number(&self, column: usize) -> Option<f64>;
    /// The text in a column; `None` for null.
    fn text(&self, column: usize) -> Option<&str>;
    /// The flag in a column; `None` for null.
    fn flag(&self, column: usize) -> Option<bool>;
}

/// A filter with the places of its columns, for many rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    root: CompiledNode,
}

#[derive(Debug, Clone, PartialEq)]
enum CompiledNode {
    All(Vec<CompiledNode>),
    Any(Vec<CompiledNode>),
    Not(Box<CompiledNode>),
    Number(usize, Test),
    Text(usize, Vec<String>),
    /// The text is a list of names, and one of these is among them.
    Member(usize, Vec<String>),
    Flag(usize, bool),
    /// The first column is above the second, or is not.
    Above(usize, usize, bool),
}

impl Compiled {
    /// Finds the columns of a filter among those of a table.
    ///
    /// # Errors
    /// A column that the table lacks.
    pub fn new(filter: &Filter, columns: &[&str]) -> Result<Self, CheckError> {
        Ok(Self { root: compile(filter, columns)? })
    }

    /// Whether a row meets the filter.
    pub fn matches(&self, row: &(impl Row + ?Sized)) -> bool {
        self.root.holds(row) == Some(true)
    }
}

/// Whether one row meets a filter; for many rows, use [`Compiled`].
pub fn matches(filter: &Filter, row: &dyn CellReader) -> bool {
    let columns = columns(filter);
    Compiled::new(filter, &columns).is_ok_and(|compiled| compiled.matches(&ByName { columns: &columns, row }))
}

/// The columns that a filter reads.
pub(super) fn columns(filter: &Filter) -> Vec<&str> {
    let mut columns: Vec<&str> = Vec::new();
    for name in filter.leaves().into_iter().filter_map(Filter::field) {
        match declared(name) {
            Some(field) => columns.extend(field.columns()),
            None => columns.push(name),
        }
    }
    columns.sort_unstable();
    columns.dedup();
    columns
}

struct ByName<'a> {
    columns: &'a [&'a str],
    row: &'a dyn CellReader,
}

impl Row for ByName<'_> {
    fn number(&self, column: usize) -> Option<f64> {
        self.row.number(self.columns.get(column)?)
    }

    fn text(&self, column: usize) -> Option<&str> {
        self.row.text(self.columns.get(column)?)
    }

    fn flag(&self, column: usize) -> Option<bool> {
        self.row.flag(self.columns.get(column)?)
    }
}

fn compile(filter: &Filter, columns: &[&str]) -> Result<CompiledNode, CheckError> {
    let all =
        |filters: &[Filter]| filters.iter().map(|filter| compile(filter, columns)).collect::<Result<_, _>>();
    Ok(match filter {
        Filter::All(filters) => CompiledNode::All(all(filters)?),
        Filter::Any(filters) => CompiledNode::Any(all(filters)?),
        Filter::Not(filter) => CompiledNode::Not(Box::new(compile(filter, columns)?)),
        Filter::Number { field, test } => CompiledNode::Number(place(field, columns)?, *test),
        Filter::Text { field, one_of } => match declared(field).map(|field| field.kind) {
            Some(FieldKind::Text(TextValues::Indices)) => {
                CompiledNode::Member(place(field, columns)?, one_of.clone())
            }
            _ => CompiledNode::Text(place(field, columns)?, one_of.clone()),
        },
        Filter::Flag { field, is } => match declared(field).map(|field| field.kind) {
            Some(FieldKind::Flag(Reads::PriceAbove(average))) => {
                CompiledNode::Above(place(super::field::PRICE, columns)?, place(average, columns)?, *is)
            }
            Some(FieldKind::Flag(Reads::Above(upper, lower))) => {
                CompiledNode::Above(place(upper, columns)?, place(lower, columns)?, *is)
            }
            _ => CompiledNode::Flag(place(field, columns)?, *is),
        },
    })
}

fn place(column: &str, columns: &[&str]) -> Result<usize, CheckError> {
    columns.iter().position(|known| *known == column).ok_or_else(|| CheckError::UnknownField {
        field: column.to_owned(),
        market: "present",
        nearest: None,
        known: columns.join(", "),
    })
}

impl CompiledNode {
    fn holds(&self, row: &(impl Row + ?Sized)) -> Option<bool> {
        match self {
            Self::All(nodes) => joined(nodes, row, false),
            Self::Any(nodes) => joined(nodes, row, true),
            Self::Not(node) => node.holds(row).map(|holds| !holds),
            Self::Number(column, test) => known_number(row, *column).map(|number| test.holds(number)),
            Self::Text(column, one_of) => row.text(*column).map(|text| one_of.iter().any(|one| one == text)),
            Self::Member(column, one_of) => row
                .text(*column)
                .map(|names| names.split(BETWEEN_NAMES).any(|name| one_of.iter().any(|one| one == name))),
            Self::Flag(column, is) => row.flag(*column).map(|flag| flag == *is),
            Self::Above(upper, lower, is) => {
                let (upper, lower) = (known_number(row, *upper)?, known_number(row, *lower)?);
                Some((upper > lower) == *is)
            }
        }
    }
}

/// Conditions of which one that `decides` settles the whole.
fn joined(nodes: &[CompiledNode], row: &(impl Row + ?Sized), decides: bool) -> Option<bool> {
    let mut whole = Some(!decides);
    for node in nodes {
        match node.holds(row) {
            Some(holds) if holds == decides => return Some(decides),
            Some(_) => {}
            None => whole = None,
        }
    }
    whole
}

/// A number that is one: not-a-number counts as null.
fn known_number(row: &(impl Row + ?Sized), column: usize) -> Option<f64> {
    row.number(column).filter(|number| !number.is_nan())
}
