//! Chooses the first rows of an order before a join, if each of them has at most one match on the other side and the order uses only their
//! columns: then only the filings of the answer look up their companies, not all filings that match.
//!
//! Rows and their order do not change, because the sort above the join remains.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinSide, JoinType};
use datafusion::error::Result;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::joins::utils::build_join_schema;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;

use super::key_scan::KeyScan;
use super::replace_inputs::{replace_input, replace_inputs};
use super::row_expr::replace_columns;

/// Selects the first rows already below a join under a sort with a limit, if the result is the same.
pub(crate) fn choose_before_join(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_down(|node| {
        let limited = node
            .downcast_ref::<SortExec>()
            .map(|sort| limit_first_side(sort.input(), sort.expr(), sort.fetch()));
        Ok(match limited.transpose()?.flatten() {
            Some(input) => Transformed::yes(replace_input(&node, input)?),
            None => Transformed::no(node),
        })
    })
    .data()
}

/// Returns the node over a join that reads only the first rows of its first side, by an order over the node's columns; `None` if the result
/// could differ.
fn limit_first_side(
    node: &Arc<dyn ExecutionPlan>,
    order: &[PhysicalSortExpr],
    fetch: Option<usize>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let input = if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        let Some(first) = fetch.filter(|_| matches_exactly_once(join)) else { return Ok(None) };
        let Some(order) = LexOrdering::new(map_to_first_side(join, order)?) else { return Ok(None) };
        let first = SortExec::new(order, Arc::clone(&join.left)).with_fetch(Some(first));
        return replace_inputs(node, vec![Arc::new(first), Arc::clone(&join.right)]).map(Some);
    } else if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
        let computed =
            |column: &Column| projection.expr().get(column.index()).map(|from| Arc::clone(&from.expr));
        limit_first_side(projection.input(), &replace_order_columns(order, computed)?, fetch)?
    } else if let Some(cooperative) = node.downcast_ref::<CooperativeExec>() {
        limit_first_side(cooperative.input(), order, fetch)?
    } else {
        None
    };
    input.map(|input| replace_input(node, input)).transpose()
}

/// Returns true if a join returns each row of the first side exactly once.
fn matches_exactly_once(join: &HashJoinExec) -> bool {
    let [(_, key)] = join.on.as_slice() else { return false };
    let cooperative = join.right.downcast_ref::<CooperativeExec>().map(CooperativeExec::input);
    let scan = cooperative.unwrap_or(&join.right).downcast_ref::<KeyScan>();
    let key = key.downcast_ref::<Column>().map(Column::index);
    let is_unique = scan.zip(key).is_some_and(|(scan, key)| scan.is_unique(key));
    join.join_type == JoinType::Left && join.filter.is_none() && is_unique
}

/// Maps a sort order over a join to the columns of its first side; empty if the order also uses the second side.
fn map_to_first_side(join: &HashJoinExec, order: &[PhysicalSortExpr]) -> Result<Vec<PhysicalSortExpr>> {
    let (_, columns) = build_join_schema(&join.left.schema(), &join.right.schema(), &join.join_type);
    let mut uses_only_first = true;
    let mapped = replace_order_columns(order, |column| {
        let projection = join.projection.as_deref();
        let position =
            projection.map_or(Some(column.index()), |projection| projection.get(column.index()).copied());
        let source = position
            .and_then(|position| columns.get(position))
            .filter(|source| source.side == JoinSide::Left);
        uses_only_first &= source.is_some();
        source.map(|source| Arc::new(Column::new(column.name(), source.index)) as _)
    })?;
    Ok(if uses_only_first { mapped } else { Vec::new() })
}

/// Replaces the columns of an order by other expressions.
fn replace_order_columns(
    order: &[PhysicalSortExpr],
    mut replacement: impl FnMut(&Column) -> Option<Arc<dyn PhysicalExpr>>,
) -> Result<Vec<PhysicalSortExpr>> {
    let key = |key: &PhysicalSortExpr| {
        Ok(PhysicalSortExpr { expr: replace_columns(&key.expr, &mut replacement)?, options: key.options })
    };
    order.iter().map(key).collect()
}
