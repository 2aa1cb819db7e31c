//! The columns of an answer: names and types from the planner, descriptions and units from the dictionary.

use parquote_catalogue::operation::{Column, ColumnType, Operation, Unit};

/// A column of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// The name in the answer.
    pub name: String,
    /// The declared type of the values.
    pub ty: ColumnType,
    /// True if values may be null.
    pub nullable: bool,
    /// The unit of the numbers, which decides how they are rounded.
    pub unit: Unit,
    /// The description of the column, in words for readers.
    pub words: String,
    /// Nested columns, if this is a row or rows.
    pub fields: Vec<Self>,
}

impl ResultColumn {
    /// Returns the fields of the object that the Rust function of an operation makes, as its file declares them: the name `a.b` is the
    /// field `b` of the row or rows `a`.
    pub fn declared_fields(operation: &Operation) -> Vec<Self> {
        let mut fields = Vec::new();
        for column in &operation.columns {
            add(&mut fields, &column.name, column);
        }
        fields
    }

    fn new(name: &str, column: &Column) -> Self {
        Self {
            name: name.to_owned(),
            ty: column.ty,
            nullable: column.nullable,
            unit: column.unit,
            words: column.words.clone(),
            fields: Vec::new(),
        }
    }
}

/// Adds a field to the row that its name refers to: `a.b` is added to `a`, or to the top level if no row `a` is declared before it.
fn add(fields: &mut Vec<ResultColumn>, name: &str, column: &Column) {
    if let Some((row, rest)) = name.split_once('.')
        && let Some(row) = fields.iter_mut().find(|field| field.name == row)
    {
        return add(&mut row.fields, rest, column);
    }
    fields.push(ResultColumn::new(name, column));
}
