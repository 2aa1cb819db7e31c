//! A table as DataFusion sees it: rows in memory or in long files, found by key where the query names one.
//!
//! A filter `key = value` on the leading sort column becomes a key range. The value may be a late-bound slot: it is read
//! when the scan executes. `session` bounds on a table split by year leave out whole files.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::DFSchema;
use datafusion::error::Result;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::{ExecutionPlan, PhysicalExpr};

use super::key_index::KeyIndex;
use super::key_scan::KeyScan;
use super::long_file::LongFile;

/// Where the rows are.
#[derive(Debug)]
pub(super) enum Rows {
    /// One batch, and the rows of each key where the table is sorted.
    Memory(RecordBatch, Option<KeyIndex>),
    /// One file a calendar year, oldest first.
    Files(Vec<Arc<LongFile>>),
}

/// A table of a snapshot.
#[derive(Debug)]
pub(super) struct ServedTable {
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
    pub rows: Rows,
}

/// What a filter asks of a table.
pub(super) enum Asked<'a> {
    /// The key is this value.
    Key(&'a Expr),
    /// The session is not before this value.
    From(&'a Expr),
    /// The session is not after this value.
    To(&'a Expr),
}

impl ServedTable {
    /// How many rows the table has.
    pub(super) fn count(&self) -> usize {
        match &self.rows {
            Rows::Memory(batch, _) => batch.num_rows(),
            Rows::Files(files) => files.iter().map(|file| file.rows()).sum(),
        }
    }

    /// Whether the rows are long: a scan of all of them has no place in serving.
    pub(super) const fn is_long(&self) -> bool {
        matches!(self.rows, Rows::Files(_))
    }

    /// Whether all rows follow one order, not just those of a key.
    pub(super) fn globally_sorted(&self) -> bool {
        match &self.rows {
            Rows::Memory(_, index) => index.is_some(),
            Rows::Files(files) => files.len() <= 1 || self.sorted.first() == self.session.as_ref(),
        }
    }

    fn can_seek(&self) -> bool {
        match &self.rows {
            Rows::Memory(_, index) => index.is_some(),
            Rows::Files(_) => true,
        }
    }

    fn name_of(&self, place: Option<&usize>) -> Option<&str> {
        Some(self.schema.fields().get(*place?)?.name())
    }

    /// What a filter asks, if it can be answered by where rows lie.
    pub(super) fn asked<'a>(&self, filter: &'a Expr) -> Option<Asked<'a>> {
        let Expr::BinaryExpr(BinaryExpr { left, op, right }) = filter else { return None };
        let (column, op, value) = match (left.as_ref(), right.as_ref()) {
            (Expr::Column(column), value) => (column, *op, value),
            (value, Expr::Column(column)) => (column, op.swap()?, value),
            _ => return None,
        };
        if value.any_column_refs() {
            return None;
        }
        let is_key = Some(column.name.as_str()) == self.name_of(self.sorted.first());
        let is_session = Some(column.name.as_str()) == self.name_of(self.session.as_ref());
        match op {
            Operator::Eq if is_key && self.can_seek() => Some(Asked::Key(value)),
            Operator::GtEq | Operator::Gt if is_session && self.is_long() => Some(Asked::From(value)),
            Operator::LtEq | Operator::Lt if is_session && self.is_long() => Some(Asked::To(value)),
            _ => None,
        }
    }
}

/// The handle by which a served table is registered; cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct TableHandle(pub Arc<ServedTable>);

#[async_trait]
impl TableProvider for TableHandle {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.0.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let kind = |filter: &&Expr| match self.0.asked(filter) {
            Some(Asked::Key(_)) => TableProviderFilterPushDown::Exact,
            Some(Asked::From(_) | Asked::To(_)) => TableProviderFilterPushDown::Inexact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(kind).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let none = DFSchema::empty();
        let physical = |expr: &Expr| -> Result<Arc<dyn PhysicalExpr>> {
            state.create_physical_expr(expr.clone(), &none)
        };
        let (mut keys, mut from, mut to) = (Vec::new(), Vec::new(), Vec::new());
        for filter in filters {
            match self.0.asked(filter) {
                Some(Asked::Key(value)) => keys.push(physical(value)?),
                Some(Asked::From(value)) => from.push(physical(value)?),
                Some(Asked::To(value)) => to.push(physical(value)?),
                None => {}
            }
        }
        let projection = projection.cloned().unwrap_or_else(|| (0..self.0.schema.fields().len()).collect());
        Ok(Arc::new(KeyScan::try_new(Arc::clone(&self.0), projection, keys, from, to)?))
    }
}
