//! The rows of a picture as columns that somebody else holds.
//!
//! Nulls are allowed everywhere, and so are columns of unequal length. A number that is not finite, or too large for arithmetic on
//! it to stay finite, is null: no picture ever shows `NaN`.

use chrono::NaiveDate;

use super::kind::ValueType;
use super::number::NumberForm;

/// Beyond this, differences and squares of numbers may overflow; what is smaller than its inverse is 0.
const LARGEST: f64 = 1e100;

/// The values of a column, borrowed.
#[derive(Debug, Clone, Copy)]
pub enum ColumnValues<'a> {
    /// Calendar dates.
    Dates(&'a [Option<NaiveDate>]),
    /// Numbers.
    Numbers(&'a [Option<f64>]),
    /// Texts, not escaped.
    Texts(&'a [Option<&'a str>]),
    /// True or false.
    Bools(&'a [Option<bool>]),
}

impl ColumnValues<'_> {
    /// Their type.
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

/// A column under its name.
#[derive(Debug, Clone, Copy)]
pub struct DataColumn<'a> {
    /// The name that a declaration gives.
    pub name: &'a str,
    /// Its values.
    pub values: ColumnValues<'a>,
    /// How its numbers are written.
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

    /// Whether the row says yes: true, a text, or a number other than 0.
    pub(super) fn is_set(&self, row: usize) -> bool {
        match self.values {
            ColumnValues::Bools(values) => values.get(row).copied().flatten() == Some(true),
            ColumnValues::Texts(_) => self.text(row).is_some(),
            ColumnValues::Numbers(_) => self.number(row).is_some_and(|value| value != 0.0),
            ColumnValues::Dates(_) => self.date(row).is_some(),
        }
    }
}

/// The rows of an answer, as columns.
#[derive(Debug, Clone, Default)]
pub struct PictureData<'a> {
    columns: Vec<DataColumn<'a>>,
}

impl<'a> PictureData<'a> {
    /// No columns yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With another column, whose numbers are written in `form`.
    #[must_use]
    pub fn with(mut self, name: &'a str, values: ColumnValues<'a>, form: NumberForm) -> Self {
        self.columns.push(DataColumn { name, values, form });
        self
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&DataColumn<'a>> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The names of its columns.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.columns.iter().map(|column| column.name)
    }

    /// Rows of its longest column.
    pub fn rows(&self) -> usize {
        self.columns.iter().map(|column| column.values.len()).max().unwrap_or(0)
    }
}

/// A column in its role, as a kind reads it.
#[derive(Debug, Clone)]
pub(super) struct RoleColumn<'a> {
    pub role: &'static str,
    /// What a reader is told of it.
    pub label: String,
    pub column: DataColumn<'a>,
}

/// The columns that a declaration names, in their roles.
#[derive(Debug)]
pub(super) struct RoleColumns<'a> {
    pub list: Vec<RoleColumn<'a>>,
    pub rows: usize,
    /// Whether prices are drawn in equal percentages.
    pub is_log: bool,
}

impl<'a> RoleColumns<'a> {
    /// The first column of a role.
    pub(super) fn one(&self, role: &str) -> Option<&RoleColumn<'a>> {
        self.list.iter().find(|column| column.role == role)
    }

    /// All columns of a role, as declared.
    pub(super) fn all<'b>(&'b self, role: &'b str) -> impl Iterator<Item = &'b RoleColumn<'a>> {
        self.list.iter().filter(move |column| column.role == role)
    }

    pub(super) fn number(&self, role: &str, row: usize) -> Option<f64> {
        self.one(role)?.column.number(row)
    }

    pub(super) fn date(&self, role: &str, row: usize) -> Option<NaiveDate> {
        self.one(role)?.column.date(row)
    }

    pub(super) fn text(&self, role: &str, row: usize) -> Option<&'a str> {
        self.one(role)?.column.text(row)
    }

    pub(super) fn is_set(&self, role: &str, row: usize) -> bool {
        self.one(role).is_some_and(|column| column.column.is_set(row))
    }

    /// How the numbers of a role are written.
    pub(super) fn form(&self, role: &str) -> NumberForm {
        self.one(role).map_or(NumberForm::Plain, |column| column.column.form)
    }
}
