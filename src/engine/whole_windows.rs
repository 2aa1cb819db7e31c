//! Windows over whole partitions, in the place of the engine's that work row by row in bounded memory: what is served lies in memory in
//! any case, and functions such as `LAG` and `ROW_NUMBER` then compute a partition at once.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

/// Computes every window whose rows come in its order over whole partitions.
pub(super) fn compute_whole(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        let Some(bounded) = node.downcast_ref::<BoundedWindowAggExec>() else {
            return Ok(Transformed::no(node));
        };
        if bounded.input_order_mode != InputOrderMode::Sorted {
            return Ok(Transformed::no(node));
        }
        let (windows, input) = (bounded.window_expr().to_vec(), Arc::clone(bounded.input()));
        Ok(Transformed::yes(Arc::new(WindowAggExec::try_new(windows, input, false)?)))
    })
    .data()
}
