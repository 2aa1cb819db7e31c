//! Nodes by which a run is interrupted: they read the clock before each batch, let other tasks have a turn, and count the bytes that go
//! into what holds all of its rows without asking for memory.
//!
//! Every leaf has one, and every node that can make many rows from few. A join compares a batch of its second side with all rows of its
//! first in one step, so that side comes in slices. No other rows are cut: whoever holds slices of a batch accounts for all of it each time.

use std::collections::VecDeque;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray as _, RecordBatch};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::execution_plan::ChildrenPropertiesMode;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, ReplaceChildrenOptions};
use futures::{StreamExt as _, stream};

use crate::engine::observed_plan::{ObservedPlan, RowObserver};
use crate::engine::time_guard::GuardedUntil;

/// Rows of a slice of which each is compared with all rows of another side in one step.
const COMPARED: usize = 64;
/// Rows of a slice that is put beside one row of another side in one step.
const CROSSED: usize = 4_096;

/// Takes turns.
#[derive(Debug, Clone)]
struct Turns {
    until: Arc<GuardedUntil>,
    /// The most rows of a slice; batches are not cut where there is none.
    slice: Option<usize>,
    /// The most bytes that may pass.
    bytes: Option<usize>,
}

/// The plan with such nodes.
pub(super) fn taking_turns(
    plan: Arc<dyn ExecutionPlan>,
    until: &Arc<GuardedUntil>,
    memory: usize,
) -> Result<Arc<dyn ExecutionPlan>> {
    let over = |plan: &Arc<dyn ExecutionPlan>, slice, bytes| {
        ObservedPlan::over(Arc::clone(plan), Turns { until: Arc::clone(until), slice, bytes })
    };
    plan.transform_up(|node| {
        let children = node.children();
        let is_window = node.is::<WindowAggExec>() || node.is::<BoundedWindowAggExec>();
        let slice = if node.is::<NestedLoopJoinExec>() || node.is::<HashJoinExec>() {
            Some(COMPARED)
        } else {
            node.is::<CrossJoinExec>().then_some(CROSSED)
        };
        if !children.is_empty()
            && children.len() < 2
            && !is_window
            && node.downcast_ref::<UnnestExec>().is_none()
        {
            return Ok(Transformed::no(node));
        }
        let node = if is_window {
            let inputs = children.into_iter().map(|child| over(child, None, Some(memory))).collect();
            replaced(&node, inputs)?
        } else if slice.is_some()
            && let [one, other] = children.as_slice()
        {
            let inputs = vec![Arc::clone(one), over(other, slice, None)];
            replaced(&node, inputs)?
        } else {
            node
        };
        Ok(Transformed::yes(over(&node, None, None)))
    })
    .data()
}

fn replaced(
    node: &Arc<dyn ExecutionPlan>,
    inputs: Vec<Arc<dyn ExecutionPlan>>,
) -> Result<Arc<dyn ExecutionPlan>> {
    Arc::clone(node).replace_children(inputs, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

impl RowObserver for Turns {
    const NAME: &'static str = "Turns";
    type Run = ();

    fn start(&self) {}

    fn observed(&self, input: SendableRecordBatchStream) -> SendableRecordBatchStream {
        /// Slices after which others get a turn.
        const TURN: u32 = 8;
        let schema = input.schema();
        let turns = self.clone();
        let left: VecDeque<RecordBatch> = VecDeque::new();
        let slices =
            stream::unfold((input, left, 0_u32, 0_usize), move |(mut input, mut left, count, bytes)| {
                let Turns { until, slice, bytes: most } = turns.clone();
                async move {
                    if until.passed() {
                        let over =
                            DataFusionError::ResourcesExhausted("the time of the query is over".to_owned());
                        return Some((Err(over), (input, left, count, bytes)));
                    }
                    if count > 0 && count.is_multiple_of(TURN) {
                        tokio::task::yield_now().await;
                    }
                    let mut bytes = bytes;
                    if left.is_empty() {
                        let batch = match input.next().await? {
                            Ok(batch) => batch,
                            Err(error) => return Some((Err(error), (input, left, count, bytes))),
                        };
                        bytes += most.map_or(0, |_| held(&batch));
                        if most.is_some_and(|most| bytes > most) {
                            let full = DataFusionError::ResourcesExhausted("rows of a window".to_owned());
                            return Some((Err(full), (input, left, count, bytes)));
                        }
                        left.extend(slices(&batch, slice));
                    }
                    let batch = left.pop_front()?;
                    Some((Ok(batch), (input, left, count.wrapping_add(1), bytes)))
                }
            });
        Box::pin(RecordBatchStreamAdapter::new(schema, slices.boxed()))
    }
}

fn slices(batch: &RecordBatch, rows: Option<usize>) -> impl Iterator<Item = RecordBatch> + '_ {
    let rows = rows.unwrap_or(batch.num_rows()).max(1);
    let starts = (0..batch.num_rows().max(1)).step_by(rows);
    starts.map(move |start| batch.slice(start, rows.min(batch.num_rows() - start)))
}

/// The bytes of the rows of a batch, and not of what it is a slice of.
pub(super) fn held(batch: &RecordBatch) -> usize {
    batch
        .columns()
        .iter()
        .map(|column| column.to_data().get_slice_memory_size().unwrap_or_default() + texts(column))
        .sum()
}

/// The bytes of texts that a column of views points to.
fn texts(column: &ArrayRef) -> usize {
    column.as_string_view_opt().map_or(0, |texts| texts.lengths().map(|length| length as usize).sum())
}
