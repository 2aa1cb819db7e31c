//! A record that is a row of a table.

use std::fmt::Debug;

use crate::records::columns::NamedColumns;

pub(crate) trait TableRecord: Debug + Send + Sync + Sized + 'static {
    const TABLE: &'static str;

    /// Returns the named columns of rows that are in the order of the table.
    fn columns(rows: &[Self]) -> NamedColumns;
}
