//! Ends a query at its deadline, also where a plan never waits: a join of joins can compute for minutes without giving the waiting task
//! a turn.
//!
//! A guard is above every operator that can make many rows from few. It reads the clock at each batch, and yields from time to time so
//! that other requests are served in between.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::Instant;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::unnest::UnnestExec;

use super::observed_plan::{ObservedPlan, RowObserver};
use crate::deadline::Deadline;

/// The moment by which a run must be done; set before each run, read by the guards of its plan.
#[derive(Debug, Default)]
pub(crate) struct GuardedUntil {
    /// Microseconds since the process began to count; 0 is none.
    at: AtomicU64,
}

static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

impl GuardedUntil {
    /// The next run must be done by then.
    pub(crate) fn set(&self, deadline: Deadline) {
        let at = deadline.at().into_std().saturating_duration_since(*BEGAN);
        self.at.store(at.as_micros() as u64 + 1, Ordering::Relaxed);
    }

    /// Whether the time is over.
    pub(crate) fn passed(&self) -> bool {
        let at = self.at.load(Ordering::Relaxed);
        at > 0 && BEGAN.elapsed().as_micros() as u64 > at
    }
}

/// Puts guards into a plan.
pub(crate) fn guarded(
    plan: Arc<dyn ExecutionPlan>,
    until: &Arc<GuardedUntil>,
) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        if node.children().len() < 2 && node.downcast_ref::<UnnestExec>().is_none() {
            return Ok(Transformed::no(node));
        }
        Ok(Transformed::yes(ObservedPlan::over(node, TimeGuard(Arc::clone(until)))))
    })
    .data()
}

/// Looks at the clock before each batch.
#[derive(Debug, Clone)]
struct TimeGuard(Arc<GuardedUntil>);

/// A run that is guarded.
struct GuardedRun {
    until: Arc<GuardedUntil>,
    batches: u32,
}

impl RowObserver for TimeGuard {
    const NAME: &'static str = "TimeGuard";
    type Run = GuardedRun;

    fn start(&self) -> GuardedRun {
        GuardedRun { until: Arc::clone(&self.0), batches: 0 }
    }

    fn before(run: &mut GuardedRun, context: &mut Context<'_>) -> Option<Poll<Result<RecordBatch>>> {
        /// Batches after which other requests get a turn: some hundred microseconds of work.
        const TURN: u32 = 16;
        if run.until.passed() {
            let over = DataFusionError::ResourcesExhausted("the time of the query is over".to_owned());
            return Some(Poll::Ready(Err(over)));
        }
        run.batches += 1;
        run.batches.is_multiple_of(TURN).then(|| {
            context.waker().wake_by_ref();
            Poll::Pending
        })
    }
}
