//! A node of a plan over other inputs, with its properties computed again.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::physical_plan::execution_plan::ChildrenPropertiesMode;
use datafusion::physical_plan::{ExecutionPlan, ReplaceChildrenOptions};

/// The node over these inputs, which take the places of its own.
pub(crate) fn replace_inputs(
    node: &Arc<dyn ExecutionPlan>,
    inputs: Vec<Arc<dyn ExecutionPlan>>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    Arc::clone(node).replace_children(inputs, options)
}

/// The node over this input, which takes the place of its only one.
pub(crate) fn replace_input(
    node: &Arc<dyn ExecutionPlan>,
    input: Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    replace_inputs(node, vec![input])
}
