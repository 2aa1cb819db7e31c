//! Keeps a query to its time, also where a plan never waits: a join of joins can compute for minutes between two looks at
//! the clock of whoever waits for it.
//!
//! A guard stands above every operator that can make many rows of few. It looks at the clock at each batch, and steps aside
//! now and then so that other requests are served in between.

use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{RecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
    SendableRecordBatchStream,
};
use futures::Stream;

/// The moment by which a run must be done; set before each run, read by the guards of its plan.
#[derive(Debug, Default)]
pub(super) struct Deadline {
    /// Microseconds since the process began to count; 0 is none.
    at: AtomicU64,
}

static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Deadline {
    /// From now on there is this much time.
    pub(super) fn set(&self, limit: Duration) {
        self.at.store((BEGAN.elapsed() + limit).as_micros() as u64 + 1, Ordering::Relaxed);
    }

    /// Whether the time is over.
    pub(super) fn passed(&self) -> bool {
        let at = self.at.load(Ordering::Relaxed);
        at > 0 && BEGAN.elapsed().as_micros() as u64 > at
    }
}

/// Puts guards into a plan.
pub(super) fn guarded(
    plan: Arc<dyn ExecutionPlan>,
    deadline: &Arc<Deadline>,
) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        if node.children().len() < 2 && node.downcast_ref::<UnnestExec>().is_none() {
            return Ok(Transformed::no(node));
        }
        Ok(Transformed::yes(Arc::new(Guard { input: node, deadline: Arc::clone(deadline) }) as _))
    })
    .data()
}

#[derive(Debug, Clone)]
struct Guard {
    input: Arc<dyn ExecutionPlan>,
    deadline: Arc<Deadline>,
}

impl DisplayAs for Guard {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guard")
    }
}

impl ExecutionPlan for Guard {
    fn name(&self) -> &'static str {
        "Guard"
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
        let deadline = Arc::clone(&self.deadline);
        match children.into_iter().next() {
            Some(input) => Ok(Arc::new(Self { input, deadline })),
            None => Ok(self),
        }
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mode = datafusion::physical_plan::execution_plan::ChildrenPropertiesMode::Recompute;
        self.replace_children(children, ReplaceChildrenOptions::new(mode))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        Ok(Box::pin(GuardedRows { input, deadline: Arc::clone(&self.deadline), batches: 0 }))
    }
}

struct GuardedRows {
    input: SendableRecordBatchStream,
    deadline: Arc<Deadline>,
    batches: u32,
}

impl Stream for GuardedRows {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        /// Batches after which other requests get a turn: some hundred microseconds of work.
        const TURN: u32 = 16;
        if self.deadline.passed() {
            let over = DataFusionError::ResourcesExhausted("the time of the query is over".to_owned());
            return Poll::Ready(Some(Err(over)));
        }
        self.batches += 1;
        if self.batches.is_multiple_of(TURN) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.input.as_mut().poll_next(context)
    }
}

impl RecordBatchStream for GuardedRows {
    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }
}
