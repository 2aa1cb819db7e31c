//! A served table for the planner: the filters that the order of rows can answer, and the scan. It does not know how the scan finds rows.

use std::future::ready;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::DFSchema;
use datafusion::error::Result;
use datafusion::functions_nested::expr_fn::make_array;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::{ExecutionPlan, PhysicalExpr};
use futures::future::BoxFuture;

use crate::operators::key_scan::KeyScan;
use crate::storage::served_table::{FilterUse, ServedTable};

/// Handle for registering a served table; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct TableHandle(pub Arc<ServedTable>);

impl TableProvider for TableHandle {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.0.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let kind = |filter: &&Expr| match self.0.filter_use(filter) {
            Some(FilterUse::Key(_)) => TableProviderFilterPushDown::Exact,
            // An in-memory table may be read completely if that costs less.
            Some(FilterUse::AnyKey(_) | FilterUse::OneOf(_)) if self.0.is_long() => {
                TableProviderFilterPushDown::Exact
            }
            Some(_) => TableProviderFilterPushDown::Inexact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(kind).collect())
    }

    // Not an `async fn`: nothing is awaited, and the compiler would take seconds to examine a future that holds the filters.
    fn scan<'table: 'f, 'state: 'f, 'columns: 'f, 'filters: 'f, 'f>(
        &'table self,
        state: &'state dyn Session,
        projection: Option<&'columns Vec<usize>>,
        filters: &'filters [Expr],
        _limit: Option<usize>,
    ) -> BoxFuture<'f, Result<Arc<dyn ExecutionPlan>>> {
        Box::pin(ready(self.key_scan(state, projection, filters)))
    }
}

impl TableHandle {
    fn key_scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let no_columns = DFSchema::empty();
        let physical = |expr: &Expr| -> Result<Arc<dyn PhysicalExpr>> {
            state.create_physical_expr(expr.clone(), &no_columns)
        };
        let (mut keys, mut lists, mut from, mut to) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for filter in filters {
            match self.0.filter_use(filter) {
                Some(FilterUse::Key(value)) => keys.push(physical(value)?),
                Some(FilterUse::AnyKey(list)) => lists.push(physical(list)?),
                Some(FilterUse::OneOf(list)) => lists.push(physical(&make_array(list.to_vec()))?),
                Some(FilterUse::From(value)) => from.push(physical(value)?),
                Some(FilterUse::To(value)) => to.push(physical(value)?),
                None => {}
            }
        }
        let projection = projection.cloned().unwrap_or_else(|| (0..self.0.schema.fields().len()).collect());
        let scan = KeyScan::try_new(Arc::clone(&self.0), projection, keys, from, to)?;
        Ok(Arc::new(scan.with_any_key(lists)))
    }
}
