//! Moves the side of a join that has one row to the front: a join without keys reads its second side once for each row of its first side.
//!
//! Rows and their order do not change, because the other side gives the order in both cases.

use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{CrossJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::physical_plan::projection::ProjectionExec;

use super::key_scan::KeyScan;
use super::top_rows::TopRows;

/// Swaps the sides of joins without keys if only the second side has at most one row.
pub(crate) fn put_one_row_first(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        let swapped = if let Some(join) = node.downcast_ref::<CrossJoinExec>() {
            should_swap(join.left(), join.right()).then(|| join.swap_inputs())
        } else if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
            // With a filter, unmatched rows would come after all matched rows.
            let keeps_order = match join.join_type() {
                JoinType::Inner => true,
                JoinType::Left => join.filter().is_none(),
                _ => false,
            };
            (keeps_order && should_swap(join.left(), join.right())).then(|| join.swap_inputs())
        } else {
            None
        };
        Ok(match swapped.transpose()? {
            Some(swapped) => Transformed::yes(swapped),
            None => Transformed::no(node),
        })
    })
    .data()
}

fn should_swap(first: &Arc<dyn ExecutionPlan>, second: &Arc<dyn ExecutionPlan>) -> bool {
    !has_one_row(first) && has_one_row(second)
}

/// Returns true if the node yields at most one row.
pub(crate) fn has_one_row(node: &Arc<dyn ExecutionPlan>) -> bool {
    if let Some(aggregate) = node.downcast_ref::<AggregateExec>() {
        let is_whole = matches!(aggregate.mode(), AggregateMode::Single | AggregateMode::SinglePartitioned);
        return is_whole && aggregate.group_expr().expr().is_empty();
    }
    if let Some(scan) = node.downcast_ref::<KeyScan>() {
        return scan.has_one_row();
    }
    if let Some(top) = node.downcast_ref::<TopRows>() {
        return top.has_one_row();
    }
    if node.is::<PlaceholderRowExec>() || node.fetch() == Some(1) {
        return true;
    }
    let keeps_rows = node.is::<ProjectionExec>() || node.is::<FilterExec>() || node.is::<CooperativeExec>();
    keeps_rows && node.children().into_iter().all(has_one_row)
}
