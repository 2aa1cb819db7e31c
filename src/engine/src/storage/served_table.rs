//! A table for DataFusion: rows in memory or in long files, looked up by key if the query has one.
//!
//! A filter `key = value` on the leading sort column becomes a key range. The value may be a late-bound slot: it is read when the scan
//! executes. `session` bounds on a table split by year skip whole files.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use super::column_cache::ColumnCache;
use super::key_index::KeyIndex;
use super::long_file::LongFile;

/// Storage of the rows.
#[derive(Debug)]
pub(crate) enum TableRows {
    /// One batch, with the index of keys if the table is sorted.
    Memory(RecordBatch, Option<KeyIndex>),
    /// One file per calendar year, oldest first.
    Files(Vec<Arc<LongFile>>),
}

/// A table of a snapshot.
#[derive(Debug)]
pub(crate) struct ServedTable {
    pub name: String,
    pub schema: SchemaRef,
    /// Sort columns, as positions in the schema.
    pub sort_columns: Vec<usize>,
    /// True if the sort columns identify a row.
    pub has_unique_rows: bool,
    /// Position of the column `session`; `None` if the table lacks it.
    pub session_column: Option<usize>,
    /// Declared columns that at least one of its files lacks.
    pub missing_columns: BTreeSet<String>,
    pub rows: TableRows,
    /// Cached columns of keys of a long table.
    pub column_cache: ColumnCache,
}

/// Use of a filter by a table.
pub(crate) enum FilterUse<'a> {
    /// The key is this value.
    Key(&'a Expr),
    /// The key is in a list that is one expression: `array_has(list, key)`.
    AnyKey(&'a Expr),
    /// The key is one of several expressions: `key IN (a, b)`.
    OneOf(&'a [Expr]),
    /// The session is not before this value.
    From(&'a Expr),
    /// The session is not after this value.
    To(&'a Expr),
}

impl ServedTable {
    /// Returns the number of rows.
    pub(crate) fn count(&self) -> usize {
        match &self.rows {
            TableRows::Memory(batch, _) => batch.num_rows(),
            TableRows::Files(files) => files.iter().map(|file| file.row_count()).sum(),
        }
    }

    /// Returns true if the rows are in long files, which serving must not scan completely.
    pub(crate) const fn is_long(&self) -> bool {
        matches!(self.rows, TableRows::Files(_))
    }

    /// Returns true if all rows are in one order, not only the rows of one key.
    pub(crate) fn is_globally_sorted(&self) -> bool {
        match &self.rows {
            TableRows::Memory(_, index) => index.is_some(),
            TableRows::Files(files) => files.len() <= 1 || self.is_by_session(),
        }
    }

    /// Returns true if the key column of the table is the session.
    pub(crate) fn is_by_session(&self) -> bool {
        self.session_column.is_some() && self.sort_columns.first() == self.session_column.as_ref()
    }

    /// Returns true if its rows are sorted by symbol.
    pub(crate) fn is_by_symbol(&self) -> bool {
        self.column_name(self.sort_columns.first()) == Some("symbol")
    }

    fn can_seek(&self) -> bool {
        match &self.rows {
            TableRows::Memory(_, index) => index.is_some(),
            TableRows::Files(_) => true,
        }
    }

    fn column_name(&self, position: Option<&usize>) -> Option<&str> {
        Some(self.schema.fields().get(*position?)?.name())
    }

    /// Returns the use of a filter; `None` if the order of the rows cannot answer it.
    pub(crate) fn filter_use<'a>(&self, filter: &'a Expr) -> Option<FilterUse<'a>> {
        let is_key = |column: &str| Some(column) == self.column_name(self.sort_columns.first());
        if let Expr::ScalarFunction(function) = filter
            && function.name() == "array_has"
            && let [list, Expr::Column(column)] = function.args.as_slice()
        {
            let is_usable = is_key(&column.name) && self.can_seek();
            return (is_usable && !list.any_column_refs()).then_some(FilterUse::AnyKey(list));
        }
        // The optimizer rewrites `array_has` over constants like this.
        if let Expr::InList(InList { expr, list, negated: false }) = filter
            && let Expr::Column(column) = expr.as_ref()
        {
            let is_usable = is_key(&column.name) && self.can_seek();
            return (is_usable && !list.iter().any(Expr::any_column_refs)).then_some(FilterUse::OneOf(list));
        }
        let Expr::BinaryExpr(BinaryExpr { left, op, right }) = filter else { return None };
        let (column, op, value) = match (left.as_ref(), right.as_ref()) {
            (Expr::Column(column), value) => (column, *op, value),
            (value, Expr::Column(column)) => (column, op.swap()?, value),
            _ => return None,
        };
        if value.any_column_refs() {
            return None;
        }
        let is_session = Some(column.name.as_str()) == self.column_name(self.session_column.as_ref());
        match op {
            Operator::Eq if is_key(&column.name) && self.can_seek() => Some(FilterUse::Key(value)),
            Operator::GtEq | Operator::Gt if is_session && self.is_long() => Some(FilterUse::From(value)),
            Operator::LtEq | Operator::Lt if is_session && self.is_long() => Some(FilterUse::To(value)),
            _ => None,
        }
    }
}
