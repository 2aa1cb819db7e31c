//! The columns of an answer: names and types from the planner, words and units from the dictionary.

use parquote_catalogue::operation::{Column, ColumnType, Operation, Unit};

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

impl ResultColumn {
    /// The fields of the object that an operation answers with whose Rust function makes it, as its file declares them: the
    /// name `a.b` is the field `b` within the row or the rows `a`.
    pub fn declared(operation: &Operation) -> Vec<Self> {
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

/// Adds a field to the row that its name leads to: `a.b` goes into `a`. If no such row was declared before, the field is one of its own.
fn add(fields: &mut Vec<ResultColumn>, name: &str, column: &Column) {
    if let Some((row, rest)) = name.split_once('.')
        && let Some(row) = fields.iter_mut().find(|field| field.name == row)
    {
        return add(&mut row.fields, rest, column);
    }
    fields.push(ResultColumn::new(name, column));
}
