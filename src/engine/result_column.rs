//! The columns of an answer: names and types from the planner, words and units from the dictionary.

use crate::operation::{ColumnType, Unit};

/// A column of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// Its name in the answer.
    pub name: String,
    /// Its type.
    pub ty: ColumnType,
    /// May be null.
    pub nullable: bool,
    /// Its unit.
    pub unit: Unit,
    /// What it is.
    pub words: String,
    /// The columns within, where it is a row or rows.
    pub fields: Vec<Self>,
}
