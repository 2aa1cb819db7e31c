//! Ends a query at its deadline, even if its plan never yields: nested joins can compute for minutes before the waiting task gets a turn.
//!
//! A guard is above every operator that can make many rows from few. It checks the clock at each batch, and yields from time to time so
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

/// Deadline of a run; set before each run and read by the guards of its plan.
#[derive(Debug, Default)]
pub(crate) struct GuardDeadline {
    /// Microseconds since `CLOCK_START`; 0 means no deadline.
    at: AtomicU64,
}

/// The instant from which deadlines are counted.
static CLOCK_START: LazyLock<Instant> = LazyLock::new(Instant::now);

impl GuardDeadline {
    /// Sets the deadline of the next run.
    pub(crate) fn set(&self, deadline: Deadline) {
        let at = deadline.at().into_std().saturating_duration_since(*CLOCK_START);
        self.at.store(at.as_micros() as u64 + 1, Ordering::Relaxed);
    }

    pub(crate) fn has_passed(&self) -> bool {
        let at = self.at.load(Ordering::Relaxed);
        at > 0 && CLOCK_START.elapsed().as_micros() as u64 > at
    }
}

/// Inserts guards into a plan.
pub(crate) fn insert_guards(
    plan: Arc<dyn ExecutionPlan>,
    deadline: &Arc<GuardDeadline>,
) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        if node.children().len() < 2 && node.downcast_ref::<UnnestExec>().is_none() {
            return Ok(Transformed::no(node));
        }
        Ok(Transformed::yes(ObservedPlan::observing(node, TimeGuard(Arc::clone(deadline)))))
    })
    .data()
}

/// Checks the clock before each batch.
#[derive(Debug, Clone)]
struct TimeGuard(Arc<GuardDeadline>);

struct GuardedRun {
    deadline: Arc<GuardDeadline>,
    batches: u32,
}

impl RowObserver for TimeGuard {
    const NAME: &'static str = "TimeGuard";
    type Run = GuardedRun;

    fn start(&self) -> GuardedRun {
        GuardedRun { deadline: Arc::clone(&self.0), batches: 0 }
    }

    fn before(run: &mut GuardedRun, context: &mut Context<'_>) -> Option<Poll<Result<RecordBatch>>> {
        /// Number of batches after which other requests are served: a few hundred microseconds of work.
        const BATCHES_PER_TURN: u32 = 16;
        if run.deadline.has_passed() {
            let error = DataFusionError::ResourcesExhausted("the time of the query is over".to_owned());
            return Some(Poll::Ready(Err(error)));
        }
        run.batches += 1;
        run.batches.is_multiple_of(BATCHES_PER_TURN).then(|| {
            context.waker().wake_by_ref();
            Poll::Pending
        })
    }
}
