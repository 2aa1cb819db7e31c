//! How many rows match before a limit cuts them, counted while a plan runs: a sort has to see them all in any case, so that
//! the number costs an addition for each batch.
//!
//! A plan that stops at its limit without a sort does not see them all; there is no count of it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::execution_plan::ChildrenPropertiesMode;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
    SendableRecordBatchStream,
};
use futures::Stream;

use super::top_rows::TopRows;

/// The rows that the last run of a plan has seen below its sort.
#[derive(Debug, Default)]
pub(super) struct Matched(AtomicUsize);

impl Matched {
    /// How many they are, once a row has come out of the sort.
    pub(super) fn rows(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// They are this many.
    pub(super) fn set(&self, rows: usize) {
        self.0.store(rows, Ordering::Relaxed);
    }
}

/// A plan, and its count where something in it sees all rows.
type Counting = (Arc<dyn ExecutionPlan>, Option<Arc<Matched>>);

/// A plan that counts, and its count; none where nothing in it sees all rows.
pub(super) fn counted(plan: Arc<dyn ExecutionPlan>) -> Result<Counting> {
    let matched = Arc::new(Matched::default());
    Ok(match below(&plan, &matched)? {
        Some(plan) => (plan, Some(matched)),
        None => (plan, None),
    })
}

/// The plan with a count under its sort, if nothing but nodes that keep every row stand above that.
fn below(node: &Arc<dyn ExecutionPlan>, matched: &Arc<Matched>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(top) = node.downcast_ref::<TopRows>() {
        return Ok(top.sorts().then(|| Arc::new(top.counting(matched)) as _));
    }
    let Some(input) = node.children().first().copied().cloned() else { return Ok(None) };
    let counting = if node.is::<SortExec>() {
        Some(Arc::new(Counted { input, matched: Arc::clone(matched) }) as Arc<dyn ExecutionPlan>)
    } else if node.is::<ProjectionExec>() || node.is::<CooperativeExec>() {
        below(&input, matched)?
    } else {
        None
    };
    counting.map(|input| with_input(node, input)).transpose()
}

fn with_input(
    node: &Arc<dyn ExecutionPlan>,
    input: Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    Arc::clone(node).replace_children(vec![input], options)
}

/// Passes rows on and counts them.
#[derive(Debug)]
struct Counted {
    input: Arc<dyn ExecutionPlan>,
    matched: Arc<Matched>,
}

impl DisplayAs for Counted {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counted")
    }
}

impl ExecutionPlan for Counted {
    fn name(&self) -> &'static str {
        "Counted"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let matched = Arc::clone(&self.matched);
        match children.into_iter().next() {
            Some(input) => Ok(Arc::new(Self { input, matched })),
            None => Ok(self),
        }
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.matched.set(0);
        let input = self.input.execute(partition, context)?;
        Ok(Box::pin(CountedRows { input, matched: Arc::clone(&self.matched) }))
    }
}

struct CountedRows {
    input: SendableRecordBatchStream,
    matched: Arc<Matched>,
}

impl Stream for CountedRows {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let poll = self.input.as_mut().poll_next(context);
        if let Poll::Ready(Some(Ok(batch))) = &poll {
            self.matched.0.fetch_add(batch.num_rows(), Ordering::Relaxed);
        }
        poll
    }
}

impl RecordBatchStream for CountedRows {
    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }
}
