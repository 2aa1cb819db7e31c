//! Idle plans of recent SELECTs, for the next identical call: programs repeat their calls, and planning takes ten times as long as a
//! look-up. Permissions are still checked at every call.
//!
//! A plan serves one call at a time. There are few plans, none of them large; the oldest is evicted first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;

use super::{SelectLimits, UserSelect};
use crate::answers::result_column::ResultColumn;

const MOST_PLANS: usize = 32;
/// Maximum number of columns over all nodes of a plan; so many take half a megabyte.
const MOST_COLUMNS: usize = 2_000;

pub(super) struct RunnableSelect {
    pub plan: Arc<dyn ExecutionPlan>,
    pub columns: Vec<ResultColumn>,
    pub context: Arc<TaskContext>,
}

/// Idle plans, the latest last, each with the SELECT that it was planned for.
#[derive(Default)]
pub(super) struct IdlePlans(Mutex<VecDeque<(String, RunnableSelect)>>);

impl IdlePlans {
    /// Removes and returns an idle plan of the same SELECT; `None` if there is none.
    pub(super) fn take_idle(
        &self,
        (user_select, limits): (&UserSelect<'_>, &SelectLimits),
    ) -> Option<RunnableSelect> {
        let plan_key = plan_key(user_select, limits);
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().rposition(|(key, _)| *key == plan_key)?;
        idle.remove(at).map(|(_, plan)| plan)
    }

    /// Returns a plan after a successful run.
    pub(super) fn return_plan(
        &self,
        (user_select, limits): (&UserSelect<'_>, &SelectLimits),
        select: RunnableSelect,
    ) {
        if column_count(&select.plan) > MOST_COLUMNS {
            return;
        }
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push_back((plan_key(user_select, limits), select));
        if idle.len() > MOST_PLANS {
            idle.pop_front();
        }
    }
}

/// Returns everything that a plan depends on, except the snapshot.
fn plan_key(user_select: &UserSelect<'_>, limits: &SelectLimits) -> String {
    let UserSelect { sql, values, market, offset, limit, .. } = user_select;
    format!("{market} {offset} {limit} {} {values:?} {sql}", limits.memory)
}

fn column_count(plan: &Arc<dyn ExecutionPlan>) -> usize {
    plan.schema().fields().len() + plan.children().into_iter().map(column_count).sum::<usize>()
}
