//! Computes windows over whole partitions instead of row by row in bounded memory: the tables are in memory in any case, and functions such
//! as `LAG` and `ROW_NUMBER` then compute a partition at once.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::sliding_windows::over_columns;

/// Computes every window with sorted input over whole partitions, and sliding windows over whole columns.
pub(crate) fn compute_whole(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        let (windows, input, is_bounded) = if let Some(bounded) = node.downcast_ref::<BoundedWindowAggExec>()
        {
            if bounded.input_order_mode != InputOrderMode::Sorted {
                return Ok(Transformed::no(node));
            }
            (bounded.window_expr(), bounded.input(), true)
        } else if let Some(whole) = node.downcast_ref::<WindowAggExec>() {
            (whole.window_expr(), whole.input(), false)
        } else {
            return Ok(Transformed::no(node));
        };
        let schema = input.schema();
        let replacements: Vec<_> = windows.iter().map(|window| over_columns(window, &schema)).collect();
        if !is_bounded && replacements.iter().all(Option::is_none) {
            return Ok(Transformed::no(node));
        }
        let replaced = windows.iter().zip(replacements);
        let windows = replaced.map(|(window, new)| new.unwrap_or_else(|| Arc::clone(window)));
        let rewritten = WindowAggExec::try_new(windows.collect(), Arc::clone(input), false)?;
        Ok(Transformed::yes(Arc::new(rewritten)))
    })
    .data()
}
