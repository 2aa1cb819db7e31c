//! Rows of a picture, as columns borrowed from the caller.
//!
//! Any column may have nulls, and lengths may differ. A number that is not finite, or so large that arithmetic on it may overflow, is null:
//! no picture ever shows `NaN`.

use chrono::NaiveDate;

use super::kind::ValueType;
use super::number::NumberForm;

/// Numbers from this size on are null, as their differences and squares may overflow; numbers below its inverse are 0.
const LARGEST: f64 = 1e100;

/// The values of a column, borrowed.
#[derive(Debug, Clone, Copy)]
pub enum ColumnValues<'a> {
    /// Calendar dates.
    Dates(&'a [Option<NaiveDate>]),
    /// Numbers.
    Numbers(&'a [Option<f64>]),
    /// Texts, unescaped.
    Texts(&'a [Option<&'a str>]),
    /// True or false.
    Bools(&'a [Option<bool>]),
}

impl ColumnValues<'_> {
    /// Returns the type of the values.
    pub const fn value_type(&self) -> ValueType {
        match self {
            Self::Dates(_) => ValueType::Date,
            Self::Numbers(_) => ValueType::Number,
            Self::Texts(_) => ValueType::Text,
            Self::Bools(_) => ValueType::Bool,
        }
    }

    const fn len(&self) -> usize {
        match self {
            Self::Dates(values) => values.len(),
            Self::Numbers(values) => values.len(),
            Self::Texts(values) => values.len(),
            Self::Bools(values) => values.len(),
        }
    }
}

/// A named column.
#[derive(Debug, Clone, Copy)]
pub struct DataColumn<'a> {
    /// Name used in declarations.
    pub name: &'a str,
    /// Values, by row.
    pub values: ColumnValues<'a>,
    /// Format of its numbers.
    pub form: NumberForm,
}

impl<'a> DataColumn<'a> {
    pub(super) fn number(&self, row: usize) -> Option<f64> {
        match self.values {
            ColumnValues::Numbers(values) => {
                let value = values.get(row).copied().flatten().filter(|value| value.abs() < LARGEST)?;
                Some(if value.abs() < 1.0 / LARGEST { 0.0 } else { value })
            }
            _ => None,
        }
    }

    pub(super) fn date(&self, row: usize) -> Option<NaiveDate> {
        match self.values {
            ColumnValues::Dates(values) => values.get(row).copied().flatten(),
            _ => None,
        }
    }

    pub(super) fn text(&self, row: usize) -> Option<&'a str> {
        match self.values {
            ColumnValues::Texts(values) => {
                values.get(row).copied().flatten().filter(|text| !text.trim().is_empty())
            }
            _ => None,
        }
    }

    /// Returns true if the row is marked: `true`, a text, or a number other than 0.
    pub(super) fn is_set(&self, row: usize) -> bool {
        match self.values {
            ColumnValues::Bools(values) => values.get(row).copied().flatten() == Some(true),
            ColumnValues::Texts(_) => self.text(row).is_some(),
            ColumnValues::Numbers(_) => self.number(row).is_some_and(|value| value != 0.0),
            ColumnValues::Dates(_) => self.date(row).is_some(),
        }
    }
}

/// Rows to draw, as columns.
#[derive(Debug, Clone, Default)]
pub struct PictureData<'a> {
    columns: Vec<DataColumn<'a>>,
}

impl<'a> PictureData<'a> {
    /// Builds data without columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column; its numbers are written in `form`.
    #[must_use]
    pub fn with(mut self, name: &'a str, values: ColumnValues<'a>, form: NumberForm) -> Self {
        self.columns.push(DataColumn { name, values, form });
        self
    }

    /// Returns the column of that name.
    pub fn column(&self, name: &str) -> Option<&DataColumn<'a>> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the column names.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.columns.iter().map(|column| column.name)
    }

    /// Returns the length of the longest column.
    pub fn rows(&self) -> usize {
        self.columns.iter().map(|column| column.values.len()).max().unwrap_or(0)
    }
}

#[derive(Debug, Clone)]
pub(super) struct RoleColumn<'a> {
    pub role: &'static str,
    /// Name of the column for readers.
    pub label: String,
    pub column: DataColumn<'a>,
}

/// The columns that a declaration names, in their roles.
#[derive(Debug)]
pub(super) struct RoleColumns<'a> {
    pub list: Vec<RoleColumn<'a>>,
    pub rows: usize,
    /// True if prices are drawn on a logarithmic scale.
    pub is_log: bool,
    /// True if compared lines are drawn as falls from their highest value before.
    pub is_from_high: bool,
}

impl<'a> RoleColumns<'a> {
    pub(super) fn first_column(&self, role: &str) -> Option<&RoleColumn<'a>> {
        self.list.iter().find(|column| column.role == role)
    }

    /// Returns all columns of a role, in declared order.
    pub(super) fn with_role<'b>(&'b self, role: &'b str) -> impl Iterator<Item = &'b RoleColumn<'a>> {
        self.list.iter().filter(move |column| column.role == role)
    }

    pub(super) fn number(&self, role: &str, row: usize) -> Option<f64> {
        self.first_column(role)?.column.number(row)
    }

    pub(super) fn date(&self, role: &str, row: usize) -> Option<NaiveDate> {
        self.first_column(role)?.column.date(row)
    }

    pub(super) fn text(&self, role: &str, row: usize) -> Option<&'a str> {
        self.first_column(role)?.column.text(row)
    }

    pub(super) fn is_set(&self, role: &str, row: usize) -> bool {
        self.first_column(role).is_some_and(|column| column.column.is_set(row))
    }

    /// Returns the number format of a role.
    pub(super) fn form(&self, role: &str) -> NumberForm {
        self.first_column(role).map_or(NumberForm::Plain, |column| column.column.form)
    }
}
