//! The instances of one plan, and the run of an instance. A slow or failing generic plan is retired here.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use futures::StreamExt;

use super::recent_latency::RecentLatency;
use super::slot::Slot;
use super::template::{PlanKind, RowWindow};
use crate::encoded::Extent;
use crate::error::EngineError;
use crate::operators::matched_rows::MatchedRows;
use crate::operators::time_guard::GuardDeadline;
use parquote_catalogue::operation::Arguments;
use parquote_functions::arrow_types::scalar;

/// Instances of one plan. A shape that is still served by a generic plan has an empty pool, which counts its calls.
pub(super) struct Pool {
    idle: Mutex<Vec<Instance>>,
    /// Arguments of that shape, used to plan it on the next snapshot.
    pub(super) arguments: Arguments,
    pub(super) kind: PlanKind,
    /// Estimated bytes of a plan; 0 if no plan was made.
    pub(super) weight: u64,
    pub(super) latency: RecentLatency,
    /// Number of calls of this shape that a generic plan served.
    pub(super) generic_calls: AtomicU32,
    /// Number of consecutive runs that took longer than planning takes.
    slow_runs: AtomicU8,
}

/// A plan that serves one call at a time, with its slots.
pub(super) struct Instance {
    pub(super) plan: Arc<dyn ExecutionPlan>,
    /// The number of matching rows of the last run; `None` if the plan does not count them.
    pub(super) matched: Option<Arc<MatchedRows>>,
    /// Slots by the position of their parameter.
    pub(super) slots: Vec<(usize, Arc<Slot>)>,
    pub(super) context: Arc<TaskContext>,
    pub(super) guard_deadline: Arc<GuardDeadline>,
}

impl Pool {
    pub(super) fn without_plans(arguments: &Arguments, kind: PlanKind) -> Self {
        Self {
            idle: Mutex::default(),
            arguments: arguments.clone(),
            kind,
            weight: 0,
            latency: RecentLatency::default(),
            generic_calls: AtomicU32::new(0),
            slow_runs: AtomicU8::new(0),
        }
    }

    pub(super) fn with_instance(instance: Instance, (arguments, kind): (&Arguments, PlanKind)) -> Self {
        /// Estimated bytes of a plan's nodes and expressions per character of its printed form.
        const BYTES_A_CHARACTER: u64 = 40;
        let text = datafusion::physical_plan::displayable(instance.plan.as_ref()).indent(false).to_string();
        Self {
            idle: Mutex::new(vec![instance]),
            weight: text.len() as u64 * BYTES_A_CHARACTER,
            ..Self::without_plans(arguments, kind)
        }
    }

    /// Returns true if a plan was made, even if no instance is idle.
    pub(super) fn has_plans(&self) -> bool {
        self.weight > 0
    }

    /// Returns true if calls of this shape get a custom plan: one exists, or the shape is so frequent that making one saves time.
    pub(super) fn gets_custom_plan(&self) -> bool {
        /// Number of calls after which a shape gets a custom plan: making a plan takes as long as ten runs and saves a quarter of each
        /// later run.
        const FREQUENT_CALLS: u32 = 32;
        self.has_plans() || self.generic_calls.load(Ordering::Relaxed) >= FREQUENT_CALLS
    }

    /// Records a run; a generic plan whose run failed is retired.
    pub(super) fn record_run(&self, took: Duration, succeeded: bool) {
        /// Usual time of planning. A run that takes at least as long counts as slow.
        const PLANNING_TIME: Duration = Duration::from_millis(2);
        self.latency.record_run(took);
        if !succeeded {
            self.retire();
        } else if took < PLANNING_TIME {
            self.slow_runs.store(0, Ordering::Relaxed);
        } else {
            self.slow_runs.store(self.slow_runs.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
        }
    }

    /// Retires a generic plan: it serves no further calls.
    pub(super) fn retire(&self) {
        self.slow_runs.store(u8::MAX, Ordering::Relaxed);
    }

    /// Returns true if a generic plan is retired. One slow run may be due to a busy machine, so several in a row are needed.
    pub(super) fn is_retired(&self) -> bool {
        const SLOW_RUNS: u8 = 3;
        self.slow_runs.load(Ordering::Relaxed) >= SLOW_RUNS
    }

    pub(super) fn has_idle(&self) -> bool {
        !self.idle.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub(super) fn take_instance(&self) -> Option<Instance> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    pub(super) fn return_instance(&self, instance: Instance) {
        /// Maximum number of idle instances. A burst of calls makes more, which are dropped.
        const MOST_IDLE: usize = 8;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE {
            idle.push(instance);
        }
    }
}

impl Instance {
    pub(super) fn bind(&self, arguments: &Arguments) {
        for (position, slot) in &self.slots {
            let value = arguments.values().get(*position).and_then(Option::as_ref);
            slot.set(value.map(scalar));
        }
    }

    /// Passes the rows of a window to `rows`, and returns their range among all rows that match.
    pub(super) async fn run(
        &self,
        window: RowWindow,
        mut rows: impl FnMut(RecordBatch),
    ) -> Result<Extent, EngineError> {
        let plan = reset_plan_states(Arc::clone(&self.plan))?;
        let mut stream = plan.execute(0, Arc::clone(&self.context))?;
        let RowWindow { mut skip, mut take } = window;
        let (mut rows_read, mut more) = (0, false);
        while let Some(batch) = stream.next().await {
            let batch = batch?;
            rows_read += batch.num_rows();
            let skipped = skip.min(batch.num_rows());
            skip -= skipped;
            let retained = take.min(batch.num_rows() - skipped);
            take -= retained;
            more = skipped + retained < batch.num_rows();
            if retained > 0 {
                rows(if retained == batch.num_rows() { batch } else { batch.slice(skipped, retained) });
            }
            // One row after a full window shows that there are more.
            if more {
                break;
            }
        }
        let total = match &self.matched {
            Some(matched) => Some(matched.get()),
            None => (!more).then_some(rows_read),
        };
        let rows = rows_read.min(window.skip.saturating_add(window.take)).saturating_sub(window.skip);
        Ok(Extent { offset: window.skip, rows, total, more })
    }
}
