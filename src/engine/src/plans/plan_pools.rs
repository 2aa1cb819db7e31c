//! Pools of plans of prepared SELECTs, by shape.
//!
//! A plan instance serves one request at a time and returns to its pool only after its stream ended well; one that failed or was cancelled
//! is dropped with its state.
//!
//! As in PostgreSQL, a plan is custom, made for one shape, or generic, for all shapes with the same words. A generic plan serves a new
//! shape at once; a frequent shape gets a custom plan, which runs faster. Without generic plans a screen with a new choice of conditions
//! takes seven times as long, on the full demo.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use futures::StreamExt;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::prepared_select::PreparedSelect;
use super::recent_latency::RecentLatency;
use super::slot::Slot;
use super::template::{PlanKind, PlannedSelect, RowWindow};
use crate::deadline::Deadline;
use crate::encoded::Extent;
use crate::error::EngineError;
use crate::limits::{QueryLimits, Runtimes};
use crate::operators::key_scan::KeyScan;
use crate::operators::matched_rows::MatchedRows;
use crate::operators::time_guard::{GuardedUntil, guarded};
use crate::tables::market_tables::MarketTables;
use parquote_catalogue::operation::{Arguments, Market};
use parquote_functions::arrow_types::scalar;
use parquote_functions::context::task_of;

/// Key of a plan: the operation's name, the SELECT's position in it, and the shape.
type PlanKey = (Arc<str>, usize, String);

/// All plans of a market in a snapshot, bounded in bytes.
pub(crate) struct Plans {
    cache: Cache<PlanKey, Arc<Pool>, PlanWeight>,
    runtimes: Arc<Runtimes>,
}

/// Instances of one plan. A shape that a generic plan still serves has an empty pool, which counts its calls.
struct Pool {
    idle: Mutex<Vec<Instance>>,
    /// Arguments of that shape, used to plan it on the next snapshot.
    arguments: Arguments,
    kind: PlanKind,
    weight: u64,
    latency: RecentLatency,
    /// Number of calls of this shape that a generic plan served.
    served: AtomicU32,
    /// Number of consecutive runs that took longer than planning takes.
    slow: AtomicU8,
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
        /// Bytes of an empty pool with its arguments.
        const POOL: u64 = 512;
        POOL + key.2.len() as u64 + pool.weight
    }
}

impl Plans {
    /// Creates the plans of one market, with its share of the bytes for plans.
    pub(crate) fn new(limits: &QueryLimits, runtimes: Arc<Runtimes>) -> Self {
        const TYPICAL_PLAN: u64 = 64 * 1024;
        let bytes = limits.plan_bytes / Market::ALL.len() as u64;
        let items = (bytes / TYPICAL_PLAN).max(16) as usize;
        Self { cache: Cache::with_weighter(items, bytes, PlanWeight), runtimes }
    }

    /// Makes a plan of this kind for these arguments, so that the first call need not.
    pub(crate) async fn warm(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, kind): (&Arguments, PlanKind),
    ) -> Result<(), EngineError> {
        let asked = (select.template.window(arguments, 0), kind);
        let key = key(select, arguments, asked);
        if !self.cache.get(&key).is_some_and(|pool| pool.has_plans()) {
            let instance = self.instance(tables, select, (arguments, asked)).await?;
            self.give_back(key, instance, (arguments, kind));
        }
        Ok(())
    }

    /// Shares the plans of the previous snapshot whose SELECT reads the same tables on both; `reads_the_same` gets the operation's name and
    /// the position of the SELECT in it.
    pub(crate) fn share(&self, before: &Self, reads_the_same: impl Fn(&str, usize) -> bool) {
        for (key, pool) in before.cache.iter() {
            if reads_the_same(&key.0, key.1) {
                self.cache.insert(key, pool);
            }
        }
    }

    /// Returns the operations of which both have one identical plan.
    #[cfg(test)]
    pub(crate) fn shared_with(&self, others: &Self) -> std::collections::BTreeSet<String> {
        let is_shared = |(key, pool): &(PlanKey, Arc<Pool>)| {
            others.cache.get(key).is_some_and(|other| Arc::ptr_eq(pool, &other))
        };
        self.cache.iter().filter(is_shared).map(|(key, _)| key.0.to_string()).collect()
    }

    /// Returns the existing plans: the name of the operation, arguments that the plan serves, and its kind.
    pub(crate) fn in_use(&self) -> Vec<(Arc<str>, Arguments, PlanKind)> {
        let pools = self.cache.iter().filter(|(_, pool)| pool.has_plans());
        pools.map(|((operation, ..), pool)| (operation, pool.arguments.clone(), pool.kind)).collect()
    }

    /// Returns true if an idle plan for these arguments exists and its recent runs were quick.
    pub(crate) fn is_quick(&self, select: &PreparedSelect, (arguments, offset): (&Arguments, usize)) -> bool {
        let window = select.template.window(arguments, offset);
        let pool = self.cache.get(&key(select, arguments, (window, PlanKind::Custom)));
        let pool = pool.filter(|pool| pool.is_due()).or_else(|| {
            let generic = generic_key(select, arguments, window)?;
            self.cache.get(&generic).filter(|pool| !pool.is_retired())
        });
        pool.is_some_and(|pool| pool.latency.is_quick() && pool.has_idle())
    }

    /// Runs a SELECT with these arguments, skips `offset` rows, and passes each batch of the requested rows to `rows`.
    pub(crate) async fn run(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, offset): (&Arguments, usize),
        deadline: Deadline,
        rows: impl FnMut(RecordBatch),
    ) -> Result<Extent, EngineError> {
        let window = select.template.window(arguments, offset);
        let ReadyInstance { key, kind, pool, instance } =
            self.ready(tables, select, (arguments, window)).await?;
        instance.bind(arguments);
        instance.until.set(deadline);
        let began = Instant::now();
        let ran = tokio::time::timeout_at(deadline.at(), instance.run(window, rows)).await;
        if let Some(pool) = pool {
            pool.note(began.elapsed(), matches!(ran, Ok(Ok(_))));
        }
        match ran {
            Ok(Ok(extent)) => {
                self.give_back(key, instance, (arguments, kind));
                Ok(extent)
            }
            Ok(Err(error)) if !instance.until.passed() => Err(error),
            Ok(Err(_)) | Err(_) => Err(deadline.overrun()),
        }
    }

    /// Takes an instance for these arguments: of the custom plan, or of the generic one if the shape has no custom plan.
    async fn ready(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, window): (&Arguments, RowWindow),
    ) -> Result<ReadyInstance, EngineError> {
        let asked = (window, PlanKind::Custom);
        let key = key(select, arguments, asked);
        let pool = self.cache.get(&key);
        if let Some(instance) = pool.as_ref().and_then(|pool| pool.take()) {
            return Ok(ReadyInstance { key, kind: PlanKind::Custom, pool, instance });
        }
        if !pool.as_ref().is_some_and(|pool| pool.is_due())
            && let Some(generic) = generic_key(select, arguments, window)
            && let Some(ready) = self.ready_generic(tables, select, (arguments, window), generic).await
        {
            match pool {
                Some(pool) => drop(pool.served.fetch_add(1, Ordering::Relaxed)),
                None => self.cache.insert(key, Arc::new(Pool::without_plans(arguments, PlanKind::Custom))),
            }
            return Ok(ready);
        }
        let instance = self.instance(tables, select, (arguments, asked)).await?;
        Ok(ReadyInstance { key, kind: PlanKind::Custom, pool, instance })
    }

    /// Takes an instance of the generic plan; `None` if it cannot be made or is retired.
    async fn ready_generic(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, window): (&Arguments, RowWindow),
        key: PlanKey,
    ) -> Option<ReadyInstance> {
        let pool = self.cache.get(&key);
        if pool.as_ref().is_some_and(|pool| pool.is_retired()) {
            return None;
        }
        let kind = PlanKind::Generic;
        let idle = pool.as_ref().and_then(|pool| pool.take());
        let made = match idle {
            Some(instance) => Ok(instance),
            None => self.instance(tables, select, (arguments, (window, kind))).await,
        };
        if let Ok(instance) = made {
            return Some(ReadyInstance { key, kind, pool, instance });
        }
        // For example, without a key it would read all of a long table. Any other error recurs when the custom plan is made.
        let retired = Pool::without_plans(arguments, kind);
        retired.retire();
        self.cache.insert(key, Arc::new(retired));
        None
    }

    async fn instance(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, asked): (&Arguments, (RowWindow, PlanKind)),
    ) -> Result<Instance, EngineError> {
        let planned = select.template.physical(tables, &select.operation, arguments, asked).await;
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

    fn give_back(&self, key: PlanKey, instance: Instance, asked: (&Arguments, PlanKind)) {
        match self.cache.get(&key).filter(|pool| pool.has_plans()) {
            Some(pool) => pool.return_instance(instance),
            None => self.cache.insert(key, Arc::new(Pool::with_instance(instance, asked))),
        }
    }
}

/// An instance for a call, with its key and kind, and its pool if one exists.
struct ReadyInstance {
    key: PlanKey,
    kind: PlanKind,
    pool: Option<Arc<Pool>>,
    instance: Instance,
}

impl Pool {
    fn without_plans(arguments: &Arguments, kind: PlanKind) -> Self {
        Self {
            idle: Mutex::default(),
            arguments: arguments.clone(),
            kind,
            weight: 0,
            latency: RecentLatency::default(),
            served: AtomicU32::new(0),
            slow: AtomicU8::new(0),
        }
    }

    fn with_instance(instance: Instance, (arguments, kind): (&Arguments, PlanKind)) -> Self {
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
    fn has_plans(&self) -> bool {
        self.weight > 0
    }

    /// Returns true if calls of this shape get a custom plan: one exists, or the shape is frequent enough for making one to pay.
    fn is_due(&self) -> bool {
        /// Making a plan takes as long as ten runs, and a custom plan saves a quarter of each run.
        const OFTEN: u32 = 32;
        self.has_plans() || self.served.load(Ordering::Relaxed) >= OFTEN
    }

    /// Records a run; a generic plan whose run failed is retired.
    fn note(&self, took: Duration, is_well: bool) {
        /// Time that planning takes.
        const PLANNED: Duration = Duration::from_millis(2);
        self.latency.note(took);
        if !is_well {
            self.retire();
        } else if took < PLANNED {
            self.slow.store(0, Ordering::Relaxed);
        } else {
            self.slow.store(self.slow.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
        }
    }

    /// Retires a generic plan: it serves no further calls.
    fn retire(&self) {
        self.slow.store(u8::MAX, Ordering::Relaxed);
    }

    /// Returns true if a generic plan is retired. One slow run may be due to a busy machine, so several in a row are needed.
    fn is_retired(&self) -> bool {
        const SLOW_RUNS: u8 = 3;
        self.slow.load(Ordering::Relaxed) >= SLOW_RUNS
    }

    fn has_idle(&self) -> bool {
        !self.idle.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn take(&self) -> Option<Instance> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn return_instance(&self, instance: Instance) {
        /// Limit of idle instances; more come from a burst and are dropped.
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
            slot.set(value.map(scalar));
        }
    }

    /// Passes on the rows of a window, and returns their range among all matches.
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
            // A full window needs one row more, which says that others follow.
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

fn key(select: &PreparedSelect, arguments: &Arguments, asked: (RowWindow, PlanKind)) -> PlanKey {
    let shape = select.template.shape(&select.operation, arguments, asked);
    (Arc::clone(&select.name), select.at, shape)
}

/// Returns the key of the generic plan for these arguments; `None` if it would serve only their shape.
fn generic_key(select: &PreparedSelect, arguments: &Arguments, window: RowWindow) -> Option<PlanKey> {
    let is_worth_it = select.template.has_generic_plan(&select.operation, arguments);
    is_worth_it.then(|| key(select, arguments, (window, PlanKind::Generic)))
}

/// Returns the name of a long table that a plan would read completely, if any.
fn whole_long_table(plan: &Arc<dyn ExecutionPlan>) -> Option<String> {
    if let Some(scan) = plan.downcast_ref::<KeyScan>() {
        return scan.reads_all_of_a_long_table().map(str::to_owned);
    }
    plan.children().into_iter().find_map(whole_long_table)
}
