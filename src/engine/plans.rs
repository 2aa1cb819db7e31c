//! The plans of prepared SELECTs, pooled by shape.
//!
//! A plan instance serves one request at a time and returns to its pool only after its stream ended well;
//! one that failed or was cancelled is dropped with whatever state it held.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use futures::StreamExt;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::arrow_types::scalar;
use super::context::task_of;
use super::deadline::Deadline;
use super::encoded::Extent;
use super::error::EngineError;
use super::key_scan::KeyScan;
use super::limits::{QueryLimits, Runtimes};
use super::market_tables::MarketTables;
use super::matched_rows::MatchedRows;
use super::prepared_select::PreparedSelect;
use super::recent_latency::RecentLatency;
use super::slot::Slot;
use super::template::{PlannedSelect, RowWindow};
use super::time_guard::{GuardedUntil, guarded};
use crate::operation::{Arguments, Market};

/// Which plan: the operation's name, the SELECT's place in it, and the shape.
type PlanKey = (Arc<str>, usize, String);

/// All plans of a market in a snapshot, bounded in bytes.
pub(super) struct Plans {
    cache: Cache<PlanKey, Arc<Pool>, PlanWeight>,
    runtimes: Arc<Runtimes>,
}

/// Plan instances of one shape.
struct Pool {
    idle: Mutex<Vec<Instance>>,
    /// Arguments of that shape, to plan it by on the next snapshot.
    arguments: Arguments,
    weight: u64,
    latency: RecentLatency,
}

struct Instance {
    plan: Arc<dyn ExecutionPlan>,
    matched: Option<Arc<MatchedRows>>,
    slots: Vec<(usize, Arc<Slot>)>,
    context: Arc<TaskContext>,
    until: Arc<GuardedUntil>,
}

#[derive(Clone)]
struct PlanWeight;

impl Weighter<PlanKey, Arc<Pool>> for PlanWeight {
    fn weight(&self, key: &PlanKey, pool: &Arc<Pool>) -> u64 {
        key.2.len() as u64 + pool.weight
    }
}

impl Plans {
    /// Plans of one market's share of the bytes that plans may take.
    pub(super) fn new(limits: &QueryLimits, runtimes: Arc<Runtimes>) -> Self {
        const TYPICAL_PLAN: u64 = 64 * 1024;
        let bytes = limits.plan_bytes / Market::ALL.len() as u64;
        let items = (bytes / TYPICAL_PLAN).max(16) as usize;
        Self { cache: Cache::with_weighter(items, bytes, PlanWeight), runtimes }
    }

    /// Makes the plan of these arguments' shape, so that the first call need not.
    pub(super) async fn warm(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        arguments: &Arguments,
    ) -> Result<(), EngineError> {
        let window = select.template.window(arguments, 0);
        let key = key(select, arguments, window);
        if self.cache.get(&key).is_none() {
            let instance = self.instance(tables, select, (arguments, window)).await?;
            self.give_back(key, instance, arguments);
        }
        Ok(())
    }

    /// Shares the plans of the previous snapshot whose SELECT `reads_the_same` tables on both; it is asked with the name of the operation and
    /// the place of the SELECT in it.
    pub(super) fn share(&self, before: &Self, reads_the_same: impl Fn(&str, usize) -> bool) {
        for (key, pool) in before.cache.iter() {
            if reads_the_same(&key.0, key.1) {
                self.cache.insert(key, pool);
            }
        }
    }

    /// The operations of which both have a plan that is one and the same.
    #[cfg(test)]
    pub(super) fn shared_with(&self, others: &Self) -> std::collections::BTreeSet<String> {
        let is_shared = |(key, pool): &(PlanKey, Arc<Pool>)| {
            others.cache.get(key).is_some_and(|other| Arc::ptr_eq(pool, &other))
        };
        self.cache.iter().filter(is_shared).map(|(key, _)| key.0.to_string()).collect()
    }

    /// The shapes that are planned, each by the name of its operation, with arguments that have it.
    pub(super) fn in_use(&self) -> Vec<(Arc<str>, Arguments)> {
        let shape = |((operation, ..), pool): (PlanKey, Arc<Pool>)| (operation, pool.arguments.clone());
        self.cache.iter().map(shape).collect()
    }

    /// Whether a plan of these arguments' shape is at hand and runs of it were quick lately.
    pub(super) fn is_quick(&self, select: &PreparedSelect, (arguments, offset): (&Arguments, usize)) -> bool {
        let window = select.template.window(arguments, offset);
        self.cache
            .get(&key(select, arguments, window))
            .is_some_and(|pool| pool.latency.is_quick() && pool.has_idle())
    }

    /// Runs a SELECT with these arguments, behind so many rows, and hands over each batch of the rows asked for.
    pub(super) async fn run(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, offset): (&Arguments, usize),
        deadline: Deadline,
        rows: impl FnMut(RecordBatch),
    ) -> Result<Extent, EngineError> {
        let window = select.template.window(arguments, offset);
        let key = key(select, arguments, window);
        let pool = self.cache.get(&key);
        let idle = pool.as_ref().and_then(|pool| pool.take());
        let instance = match idle {
            Some(instance) => instance,
            None => self.instance(tables, select, (arguments, window)).await?,
        };
        instance.bind(arguments);
        instance.until.set(deadline);
        let began = Instant::now();
        let ran = tokio::time::timeout_at(deadline.at(), instance.run(window, rows)).await;
        if let Some(pool) = pool {
            pool.latency.note(began.elapsed());
        }
        match ran {
            Ok(Ok(extent)) => {
                self.give_back(key, instance, arguments);
                Ok(extent)
            }
            Ok(Err(error)) if !instance.until.passed() => Err(error),
            Ok(Err(_)) | Err(_) => Err(deadline.overrun()),
        }
    }

    async fn instance(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, window): (&Arguments, RowWindow),
    ) -> Result<Instance, EngineError> {
        let planned = select.template.physical(tables, &select.operation, arguments, window).await;
        let PlannedSelect { plan, matched, slots } = planned.map_err(|source| select.not_planned(source))?;
        if let Some(table) = whole_long_table(&plan) {
            return Err(EngineError::Rule {
                file: select.operation.file.clone(),
                line: 1,
                message: format!(
                    "this reads all of the long table `{table}`; ask for a key, `symbol = $symbol`"
                ),
            });
        }
        let task = task_of(&tables.state, self.runtimes.runtime()?);
        let until = Arc::new(GuardedUntil::default());
        Ok(Instance { plan: guarded(plan, &until)?, matched, slots, context: Arc::new(task), until })
    }

    fn give_back(&self, key: PlanKey, instance: Instance, arguments: &Arguments) {
        match self.cache.get(&key) {
            Some(pool) => pool.put(instance),
            None => self.cache.insert(key, Arc::new(Pool::of(instance, arguments))),
        }
    }
}

impl Pool {
    fn of(instance: Instance, arguments: &Arguments) -> Self {
        /// What a plan's nodes and expressions weigh for each character that they print.
        const BYTES_A_CHARACTER: u64 = 40;
        let text = datafusion::physical_plan::displayable(instance.plan.as_ref()).indent(false).to_string();
        Self {
            idle: Mutex::new(vec![instance]),
            arguments: arguments.clone(),
            weight: text.len() as u64 * BYTES_A_CHARACTER,
            latency: RecentLatency::default(),
        }
    }

    fn has_idle(&self) -> bool {
        !self.idle.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn take(&self) -> Option<Instance> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put(&self, instance: Instance) {
        /// More than this many at once come from a burst; the rest of them go.
        const KEPT: usize = 8;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(instance);
        }
    }
}

impl Instance {
    fn bind(&self, arguments: &Arguments) {
        for (place, slot) in &self.slots {
            let value = arguments.values().get(*place).and_then(Option::as_ref);
            slot.set(value.map_or(ScalarValue::Null, scalar));
        }
    }

    /// Hands over the rows of a window; which of all that match they are.
    async fn run(&self, window: RowWindow, mut rows: impl FnMut(RecordBatch)) -> Result<Extent, EngineError> {
        let plan = reset_plan_states(Arc::clone(&self.plan))?;
        let mut stream = plan.execute(0, Arc::clone(&self.context))?;
        let RowWindow { mut skip, mut take } = window;
        let (mut seen, mut more) = (0, false);
        while let Some(batch) = stream.next().await {
            let batch = batch?;
            seen += batch.num_rows();
            let passed = skip.min(batch.num_rows());
            skip -= passed;
            let kept = take.min(batch.num_rows() - passed);
            take -= kept;
            more = passed + kept < batch.num_rows();
            if kept > 0 {
                rows(if kept == batch.num_rows() { batch } else { batch.slice(passed, kept) });
            }
            // A full window needs one row more, which tells that others follow.
            if more {
                break;
            }
        }
        let total = match &self.matched {
            Some(matched) => Some(matched.rows()),
            None => (!more).then_some(seen),
        };
        let rows = seen.min(window.skip.saturating_add(window.take)).saturating_sub(window.skip);
        Ok(Extent { offset: window.skip, rows, total, more })
    }
}

fn key(select: &PreparedSelect, arguments: &Arguments, window: RowWindow) -> PlanKey {
    let shape = select.template.shape(&select.operation, arguments, window);
    (Arc::clone(&select.name), select.at, shape)
}

/// The long table that a plan would read from end to end, if there is one.
fn whole_long_table(plan: &Arc<dyn ExecutionPlan>) -> Option<String> {
    if let Some(scan) = plan.downcast_ref::<KeyScan>() {
        return scan.reads_all_of_a_long_table().map(str::to_owned);
    }
    plan.children().into_iter().find_map(whole_long_table)
}
