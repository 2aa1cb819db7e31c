//! A table as DataFusion sees it: rows in memory or in long files, found by key where the query names one.
//!
//! A filter `key = value` on the leading sort column becomes a key range. The value may be a late-bound slot: it is read
//! when the scan executes. `session` bounds on a table split by year leave out whole files.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use super::kept_columns::KeptColumns;
use super::key_index::KeyIndex;
use super::long_file::LongFile;

/// Where the rows are.
#[derive(Debug)]
pub(crate) enum TableRows {
    /// One batch, and the rows of each key where the table is sorted.
    Memory(RecordBatch, Option<KeyIndex>),
    /// One file a calendar year, oldest first.
    Files(Vec<Arc<LongFile>>),
}

/// A table of a snapshot.
#[derive(Debug)]
pub(crate) struct ServedTable {
    pub name: String,
    pub schema: SchemaRef,
    /// The columns by which the rows are sorted, as places in the schema.
    pub sorted: Vec<usize>,
    /// Whether the sort columns name a row.
    pub unique: bool,
    /// The place of `session`, if the table has it.
    pub session: Option<usize>,
    /// Declared columns that one of its files lacks.
    pub lacking: BTreeSet<String>,
    pub rows: TableRows,
    /// Of a long table, columns of keys that were read.
    pub kept_columns: KeptColumns,
}

/// What a filter asks of a table.
pub(crate) enum FilterUse<'a> {
    /// The key is this value.
    Key(&'a Expr),
    /// The key is in this list.
    AnyKey(&'a Expr),
    /// The key is one of these values.
    OneOf(&'a [Expr]),
    /// The session is not before this value.
    From(&'a Expr),
    /// The session is not after this value.
    To(&'a Expr),
}

impl ServedTable {
    /// How many rows the table has.
    pub(crate) fn count(&self) -> usize {
        match &self.rows {
            TableRows::Memory(batch, _) => batch.num_rows(),
            TableRows::Files(files) => files.iter().map(|file| file.rows()).sum(),
        }
    }

    /// Whether the rows are long: a scan of all of them has no place in serving.
    pub(crate) const fn is_long(&self) -> bool {
        matches!(self.rows, TableRows::Files(_))
    }

    /// Whether all rows follow one order, not just those of a key.
    pub(crate) fn globally_sorted(&self) -> bool {
        match &self.rows {
            TableRows::Memory(_, index) => index.is_some(),
            TableRows::Files(files) => files.len() <= 1 || self.is_by_session(),
        }
    }

    /// Whether its key is the session.
    pub(crate) fn is_by_session(&self) -> bool {
        self.session.is_some() && self.sorted.first() == self.session.as_ref()
    }

    fn can_seek(&self) -> bool {
        match &self.rows {
            TableRows::Memory(_, index) => index.is_some(),
            TableRows::Files(_) => true,
        }
    }

    fn name_of(&self, place: Option<&usize>) -> Option<&str> {
        Some(self.schema.fields().get(*place?)?.name())
    }

    /// What a filter asks, if it can be answered by where rows lie.
    pub(crate) fn asked<'a>(&self, filter: &'a Expr) -> Option<FilterUse<'a>> {
        let is_key = |column: &str| Some(column) == self.name_of(self.sorted.first());
        if let Expr::ScalarFunction(function) = filter
            && function.name() == "array_has"
            && let [list, Expr::Column(column)] = function.args.as_slice()
        {
            let is_found = is_key(&column.name) && self.can_seek();
            return (is_found && !list.any_column_refs()).then_some(FilterUse::AnyKey(list));
        }
        // So the optimizer writes an array whose values it knows.
        if let Expr::InList(InList { expr, list, negated: false }) = filter
            && let Expr::Column(column) = expr.as_ref()
        {
            let is_found = is_key(&column.name) && self.can_seek();
            return (is_found && !list.iter().any(Expr::any_column_refs)).then_some(FilterUse::OneOf(list));
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
        let is_session = Some(column.name.as_str()) == self.name_of(self.session.as_ref());
        match op {
            Operator::Eq if is_key(&column.name) && self.can_seek() => Some(FilterUse::Key(value)),
            Operator::GtEq | Operator::Gt if is_session && self.is_long() => Some(FilterUse::From(value)),
            Operator::LtEq | Operator::Lt if is_session && self.is_long() => Some(FilterUse::To(value)),
            _ => None,
        }
    }
}
