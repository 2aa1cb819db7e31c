//! The tables whose rows are the records of a format, by name. Only the formats know which tables these are.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::records::columns::NamedColumns;
use crate::records::table_row::TableRecord;

/// Rows by table.
#[derive(Debug, Default)]
pub struct RecordTables(BTreeMap<&'static str, Box<dyn AnyRows>>);

/// All rows of a table.
trait AnyRows: Any + Debug + Send + Sync {
    fn columns(&self) -> NamedColumns;
}

impl<T: TableRecord> AnyRows for Vec<T> {
    fn columns(&self) -> NamedColumns {
        T::columns(self)
    }
}

impl RecordTables {
    pub(crate) fn insert<T: TableRecord>(&mut self, rows: Vec<T>) {
        self.0.insert(T::TABLE, Box::new(rows));
    }

    /// Returns the rows of a table; `None` if no file of their kind was found.
    #[cfg(test)]
    pub(crate) fn rows<T: TableRecord>(&self) -> Option<&[T]> {
        let rows: &dyn Any = &**self.0.get(T::TABLE)?;
        rows.downcast_ref::<Vec<T>>().map(Vec::as_slice)
    }

    /// Returns the columns of a table, by name.
    pub fn columns(&self, table: &str) -> Option<NamedColumns> {
        self.0.get(table).map(|rows| rows.columns())
    }
}
