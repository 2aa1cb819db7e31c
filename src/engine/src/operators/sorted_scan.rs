//! Removes a sort over a long table whose rows are already in that order, forwards or backwards, and pushes its limit down to the scan.
//!
//! DataFusion does this only if the sort reads the scan directly; here filters and projections, which preserve the order, may be between.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, SortOrderPushdownResult};

use super::key_scan::KeyScan;
use super::replace_inputs::replace_input;

/// Removes the sorts that the order of rows in long files makes redundant.
pub(crate) fn read_in_order(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_down(|node| {
        let Some(sort) = node.downcast_ref::<SortExec>() else { return Ok(Transformed::no(node)) };
        let order: Vec<PhysicalSortExpr> = sort.expr().iter().cloned().collect();
        Ok(match scan_in_order(sort.input(), order, sort.fetch())? {
            Some(ordered) => Transformed::yes(ordered),
            None => Transformed::no(node),
        })
    })
    .data()
}

/// Returns the node with its scan in this order, limited to `fetch` rows; `None` if the scan does not support that order.
fn scan_in_order(
    node: &Arc<dyn ExecutionPlan>,
    order: Vec<PhysicalSortExpr>,
    fetch: Option<usize>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(scan) = node.downcast_ref::<KeyScan>() {
        if !scan.is_long() {
            return Ok(None);
        }
        return Ok(match scan.try_pushdown_sort(&order)? {
            SortOrderPushdownResult::Exact { inner } if fetch.is_some() => inner.with_fetch(fetch),
            SortOrderPushdownResult::Exact { inner } => Some(inner),
            _ => None,
        });
    }
    if let Some(filter) = node.downcast_ref::<FilterExec>()
        && filter.fetch().is_none()
    {
        let projection = filter.projection().as_deref();
        let order = match projection {
            Some(projection) => order_below(order, |position| {
                let below = *projection.get(position)?;
                column_below(filter.input(), below)
            }),
            None => Some(order),
        };
        let Some(order) = order else { return Ok(None) };
        let Some(input) = scan_in_order(filter.input(), order, None)? else { return Ok(None) };
        let filter = FilterExecBuilder::from(filter).with_input(input).with_fetch(fetch).build()?;
        return Ok(Some(Arc::new(filter)));
    }
    if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
        let order = order_below(order, |position| Some(Arc::clone(&projection.expr().get(position)?.expr)));
        let Some(order) = order else { return Ok(None) };
        let input = scan_in_order(projection.input(), order, fetch)?;
        return input.map(|input| replace_input(node, input)).transpose();
    }
    if let Some(cooperative) = node.downcast_ref::<CooperativeExec>() {
        let input = scan_in_order(cooperative.input(), order, fetch)?;
        return input.map(|input| replace_input(node, input)).transpose();
    }
    Ok(None)
}

/// Maps the order to the columns of the plan below; `None` unless each column of the order is a plain column of that plan.
fn order_below(
    order: Vec<PhysicalSortExpr>,
    below: impl Fn(usize) -> Option<Arc<dyn PhysicalExpr>>,
) -> Option<Vec<PhysicalSortExpr>> {
    order
        .into_iter()
        .map(|sort| {
            let expr = below(sort.expr.downcast_ref::<Column>()?.index())?;
            expr.is::<Column>().then(|| PhysicalSortExpr::new(expr, sort.options))
        })
        .collect()
}

fn column_below(node: &Arc<dyn ExecutionPlan>, position: usize) -> Option<Arc<dyn PhysicalExpr>> {
    let schema = node.schema();
    Some(Arc::new(Column::new(schema.fields().get(position)?.name(), position)))
}
