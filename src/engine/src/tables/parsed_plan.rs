//! A parsed SELECT of a file: a logical plan with the names of its tables and not the tables. It is made once per process, and bound to the
//! tables and the calendar of each snapshot.
//!
//! The plan depends on the query files, on the market and on the missing tables, because these fold away, but not on rows. Parsing all
//! SELECTs of a market takes some 100 ms in a development build.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::default_table_source::provider_as_source;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchemaRef, plan_datafusion_err};
use datafusion::error::Result;
use datafusion::execution::context::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, TableScan, TableSource};

use super::table_handle::TableHandle;
use super::type_erased::TypeErased;
use crate::storage::served_table::ServedTable;

/// A logical plan whose scans only name tables.
#[derive(Debug)]
pub(crate) struct ParsedPlan(TypeErased<LogicalPlan>);

/// Table source of a parsed SELECT: only the columns.
struct NamedSource(SchemaRef);

impl TableSource for NamedSource {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.0)
    }
}

impl ParsedPlan {
    /// Detaches a plan from the tables that it was parsed on.
    pub(crate) fn from_plan(plan: LogicalPlan) -> Result<Self> {
        let detached_source =
            |scan: &TableScan| Ok(Arc::new(NamedSource(scan.source.schema())) as Arc<dyn TableSource>);
        let plan = plan.transform_up_with_subqueries(|plan| replace_scan_source(plan, detached_source))?.data;
        Ok(Self(TypeErased::new(plan)))
    }

    pub(crate) fn schema(&self) -> &DFSchemaRef {
        self.0.schema()
    }

    /// Binds the plan to these tables and to the functions of `state`, some of which read the sessions of its market.
    ///
    /// # Errors
    /// A missing table.
    pub(crate) fn bind_to_tables(
        &self,
        state: &SessionState,
        tables: &BTreeMap<String, Arc<ServedTable>>,
    ) -> Result<LogicalPlan> {
        let table_source = |scan: &TableScan| {
            let name = scan.table_name.table();
            let table =
                tables.get(name).ok_or_else(|| plan_datafusion_err!("the table {name} is missing"))?;
            Ok(provider_as_source(Arc::new(TableHandle(Arc::clone(table)))))
        };
        let bind_functions = |expr: Expr| {
            expr.transform_up(|expr| {
                Ok(match expr {
                    Expr::ScalarFunction(mut call) => match state.scalar_functions().get(call.func.name()) {
                        Some(function) if !Arc::ptr_eq(function, &call.func) => {
                            call.func = Arc::clone(function);
                            Transformed::yes(Expr::ScalarFunction(call))
                        }
                        _ => Transformed::no(Expr::ScalarFunction(call)),
                    },
                    other => Transformed::no(other),
                })
            })
        };
        let bind_node = |plan: LogicalPlan| {
            replace_scan_source(plan, table_source)?
                .transform_data(|plan| plan.map_expressions(bind_functions))
        };
        Ok(self.0.clone().transform_up_with_subqueries(bind_node)?.data)
    }
}

fn replace_scan_source(
    plan: LogicalPlan,
    source: impl Fn(&TableScan) -> Result<Arc<dyn TableSource>>,
) -> Result<Transformed<LogicalPlan>> {
    Ok(match plan {
        LogicalPlan::TableScan(scan) => {
            let source = source(&scan)?;
            Transformed::yes(LogicalPlan::TableScan(TableScan { source, ..scan }))
        }
        other => Transformed::no(other),
    })
}
