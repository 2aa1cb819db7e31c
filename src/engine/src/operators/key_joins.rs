//! Joins by key: if the second side of a join reads an in-memory table sorted by the key, it reads only the rows of the first side's keys.
//!
//! The join itself remains, so rows and their order do not change. Nodes between the join and the table must treat the rows of each key
//! separately: filters, projections, sorts, windows partitioned by the key, aggregates grouped by it, and joins that have it from one side.
//!
//! Without this rewrite, `chat/companies` takes three times as long and `company/pledge-history` 1.3 times as long, on the demo of some
//! hundred stocks; with more stocks the gain is larger.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinSide, JoinType};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::WindowExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::joins::utils::build_join_schema;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};

use super::join_keys::{KeyRecorder, RunKeys};
use super::key_scan::KeyScan;
use super::observed_plan::ObservedPlan;
use super::replace_inputs::replace_inputs;
use super::top_rows::TopRows;

/// Limits the second side of each join to the keys of its first side, where its tables allow that.
pub(crate) fn join_by_key(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_down(|node| {
        Ok(match node.downcast_ref::<HashJoinExec>().map(read_matching_keys).transpose()?.flatten() {
            Some(children) => Transformed::yes(replace_inputs(&node, children)?),
            None => Transformed::no(node),
        })
    })
    .data()
}

/// Returns both sides of a join, the second reading only rows with keys of the first; `None` if no join column allows that.
fn read_matching_keys(join: &HashJoinExec) -> Result<Option<Vec<Arc<dyn ExecutionPlan>>>> {
    // Other joins return rows of the second side without a match.
    let omits_unmatched = matches!(
        join.join_type,
        JoinType::Inner | JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark
    );
    if !omits_unmatched || join.null_aware {
        return Ok(None);
    }
    for (first, second) in &join.on {
        let (Some(first), Some(second)) = (column_index(first), column_index(second)) else { continue };
        let types = [(&join.left, first), (&join.right, second)].map(|(side, position)| {
            side.schema().fields().get(position).map(|field| field.data_type().clone())
        });
        let run_keys = Arc::new(RunKeys::default());
        if types[0] == types[1]
            && let Some(right) = limit_to_run_keys_below(&join.right, second, &run_keys)?
        {
            let left = ObservedPlan::observing(Arc::clone(&join.left), KeyRecorder::new(first, run_keys));
            return Ok(Some(vec![left, right]));
        }
    }
    Ok(None)
}

/// Returns a node whose tables yield only rows with keys of the first side; the node has the key in column `position`. `None` if no table
/// below the node can be limited.
fn limit_to_run_keys_below(
    node: &Arc<dyn ExecutionPlan>,
    position: usize,
    run_keys: &Arc<RunKeys>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(scan) = node.downcast_ref::<KeyScan>() {
        return Ok(scan.limit_to_run_keys(position, run_keys).map(|scan| Arc::new(scan) as _));
    }
    if let Some(top) = node.downcast_ref::<TopRows>() {
        return Ok(top.limit_to_run_keys(position, run_keys).map(|top| Arc::new(top) as _));
    }
    let inputs: Vec<(usize, usize)> = if node.is::<UnionExec>() {
        (0..node.children().len()).map(|child| (child, position)).collect()
    } else {
        column_of_input(node, position).into_iter().collect()
    };
    let mut children: Vec<_> = node.children().into_iter().cloned().collect();
    let mut is_changed = false;
    for (child, position) in inputs {
        let Some(child) = children.get_mut(child) else { continue };
        if let Some(changed) = limit_to_run_keys_below(child, position, run_keys)? {
            *child = changed;
            is_changed = true;
        }
    }
    if is_changed { replace_inputs(node, children).map(Some) } else { Ok(None) }
}

/// Returns the input that contains a node's column, and the index of the column there; `None` unless rows with other keys may be left out
/// of that input.
fn column_of_input(node: &Arc<dyn ExecutionPlan>, at: usize) -> Option<(usize, usize)> {
    if node.fetch().is_some() {
        return None;
    }
    if node.is::<CooperativeExec>() || node.is::<SortExec>() {
        return Some((0, at));
    }
    if let Some(filter) = node.downcast_ref::<FilterExec>() {
        return Some((
            0,
            filter.projection().as_deref().map_or(Some(at), |projection| projection.get(at).copied())?,
        ));
    }
    if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
        return Some((0, column_index(&projection.expr().get(at)?.expr)?));
    }
    if let Some(window) = node.downcast_ref::<WindowAggExec>() {
        return is_partitioned(window.window_expr(), at).then_some((0, at));
    }
    if let Some(window) = node.downcast_ref::<BoundedWindowAggExec>() {
        return is_partitioned(window.window_expr(), at).then_some((0, at));
    }
    if let Some(aggregate) = node.downcast_ref::<AggregateExec>() {
        let is_whole = matches!(aggregate.mode(), AggregateMode::Single | AggregateMode::SinglePartitioned);
        let groups = aggregate.group_expr();
        return (is_whole && groups.is_single()).then_some((0, column_index(&groups.expr().get(at)?.0)?));
    }
    let join = node.downcast_ref::<HashJoinExec>()?;
    let at = join.projection.as_deref().map_or(Some(at), |projection| projection.get(at).copied())?;
    let (_, columns) = build_join_schema(&join.left.schema(), &join.right.schema(), &join.join_type);
    let column = columns.get(at)?;
    match (column.side, join.join_type) {
        (JoinSide::Left, JoinType::Inner | JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti) => {
            Some((0, column.index))
        }
        (JoinSide::Right, JoinType::Inner | JoinType::Right | JoinType::RightSemi | JoinType::RightAnti) => {
            Some((1, column.index))
        }
        _ => None,
    }
}

/// Returns true if every window is partitioned by this column.
fn is_partitioned(windows: &[Arc<dyn WindowExpr>], at: usize) -> bool {
    windows.iter().all(|window| window.partition_by().iter().any(|by| column_index(by) == Some(at)))
}

fn column_index(expr: &Arc<dyn PhysicalExpr>) -> Option<usize> {
    expr.downcast_ref::<Column>().map(Column::index)
}
