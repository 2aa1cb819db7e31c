//! A record that is a row of a table.

use std::fmt::Debug;

use crate::records::columns::NamedColumns;

/// A row of a table.
pub(crate) trait TableRecord: Debug + Send + Sync + Sized + 'static {
    /// The table.
    const TABLE: &'static str;

    /// The columns of rows that are in the order of the table, each by its name.
    fn columns(rows: &[Self]) -> NamedColumns;
}
