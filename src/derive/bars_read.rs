//! Which columns of the bars the tables of the symbol pass read: where bars are linked, no other column need be unpacked.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::empty::EmptyTable;
use datafusion::error::Result;
use datafusion::logical_expr::LogicalPlan;

use super::sources::BARS;
use super::symbol_pass::SymbolPass;
use crate::engine::arrow_types::table_schema;
use crate::engine::context::{market_context, register};
use crate::operation::Table;

/// The columns that the pass reads, with those by which bars are ordered.
///
/// # Errors
/// SQL that does not plan.
pub(super) async fn columns(pass: &SymbolPass) -> Result<BTreeSet<String>> {
    let context = market_context(pass.market, &pass.calendar);
    let empty = |table: &Table| -> Arc<dyn TableProvider> {
        Arc::new(EmptyTable::new(table_schema(table, pass.market)))
    };
    for (name, batch) in &pass.small {
        register(&context, name, Arc::new(EmptyTable::new(batch.schema())))?;
    }
    register(&context, BARS, empty(&pass.bars))?;
    let mut read: BTreeSet<String> = ["symbol", "history", "session"].map(str::to_owned).into();
    for table in &pass.tables {
        let plan = context.sql(table.sql().unwrap_or_default()).await?.into_optimized_plan()?;
        collect(&plan, &mut read)?;
        register(&context, &table.name, empty(table))?;
    }
    Ok(read)
}

/// Adds the columns of the bars that a plan scans, those in its sub-queries too.
fn collect(plan: &LogicalPlan, read: &mut BTreeSet<String>) -> Result<()> {
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && scan.table_name.table() == BARS
        {
            read.extend(scan.projected_schema.fields().iter().map(|field| field.name().clone()));
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .map(drop)
}
