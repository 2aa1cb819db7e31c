//! Plans of SELECTs that were run lately, for the next call of the same: a program asks again and again, and planning takes ten times as
//! long as a look-up. What may be written and read is checked at every call all the same.
//!
//! A plan serves one call at a time. There are few of them, none of them large; the oldest goes first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;

use super::{OwnSelect, SelectLimits};
use crate::answers::result_column::ResultColumn;

/// The most plans.
const MOST: usize = 32;
/// The most columns of all nodes of one of them: half a megabyte.
const MOST_COLUMNS: usize = 2_000;

/// A SELECT that is planned.
pub(super) struct RunnableSelect {
    pub plan: Arc<dyn ExecutionPlan>,
    pub columns: Vec<ResultColumn>,
    pub context: Arc<TaskContext>,
}

/// Plans that nobody runs at the moment, the latest last, each with what it was planned for.
#[derive(Default)]
pub(super) struct IdlePlans(Mutex<VecDeque<(String, RunnableSelect)>>);

impl IdlePlans {
    /// A plan of the same SELECT, which belongs to the caller from now on.
    pub(super) fn take(&self, (asked, limits): (&OwnSelect<'_>, &SelectLimits)) -> Option<RunnableSelect> {
        let name = name(asked, limits);
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().rposition(|(of, _)| *of == name)?;
        idle.remove(at).map(|(_, plan)| plan)
    }

    /// Takes back a plan whose run ended well.
    pub(super) fn put(&self, (asked, limits): (&OwnSelect<'_>, &SelectLimits), select: RunnableSelect) {
        if columns(&select.plan) > MOST_COLUMNS {
            return;
        }
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push_back((name(asked, limits), select));
        if idle.len() > MOST {
            idle.pop_front();
        }
    }
}

/// All that a plan depends on but the snapshot.
fn name(asked: &OwnSelect<'_>, limits: &SelectLimits) -> String {
    let OwnSelect { sql, values, market, offset, limit, .. } = asked;
    format!("{market} {offset} {limit} {} {values:?} {sql}", limits.memory)
}

fn columns(plan: &Arc<dyn ExecutionPlan>) -> usize {
    plan.schema().fields().len() + plan.children().into_iter().map(columns).sum::<usize>()
}
