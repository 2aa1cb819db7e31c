//! The plans of prepared SELECTs, pooled by shape.
//!
//! A plan instance serves one request at a time and returns to its pool only after its stream ended well;
//! one that failed or was cancelled is dropped with whatever state it held.
//!
//! A shape that nobody asked before is served by an open plan, which has served other shapes; where it is asked again and again it gets a
//! plan of its own, as that one runs faster. Without open plans a screen with conditions that nobody combined before takes seven times as
//! long, on the full demo.

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
use super::template::{Known, PlannedSelect, RowWindow};
use super::time_guard::{GuardedUntil, guarded};
use crate::operation::{Arguments, Market};

/// Which plan: the operation's name, the SELECT's place in it, and the shape.
type PlanKey = (Arc<str>, usize, String);

/// All plans of a market in a snapshot, bounded in bytes.
pub(super) struct Plans {
    cache: Cache<PlanKey, Arc<Pool>, PlanWeight>,
    runtimes: Arc<Runtimes>,
}

/// Plan instances of one shape; none where an open plan still serves the shape.
struct Pool {
    idle: Mutex<Vec<Instance>>,
    /// Arguments of that shape, to plan it by on the next snapshot.
    arguments: Arguments,
    known: Known,
    weight: u64,
    latency: RecentLatency,
    /// How often an open plan served the shape.
    served: AtomicU32,
    /// Runs in a row that took longer than to make a plan of the shape.
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
        /// A pool without plans, with its arguments.
        const POOL: u64 = 512;
        POOL + key.2.len() as u64 + pool.weight
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

    /// Makes the plan of these arguments' shape, or the open one, so that the first call need not.
    pub(super) async fn warm(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, known): (&Arguments, Known),
    ) -> Result<(), EngineError> {
        let asked = (select.template.window(arguments, 0), known);
        let key = key(select, arguments, asked);
        if !self.cache.get(&key).is_some_and(|pool| pool.has_plans()) {
            let instance = self.instance(tables, select, (arguments, asked)).await?;
            self.give_back(key, instance, (arguments, known));
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

    /// The plans that there are, each by the name of its operation, with arguments that it serves and what is known of them.
    pub(super) fn in_use(&self) -> Vec<(Arc<str>, Arguments, Known)> {
        let pools = self.cache.iter().filter(|(_, pool)| pool.has_plans());
        pools.map(|((operation, ..), pool)| (operation, pool.arguments.clone(), pool.known)).collect()
    }

    /// Whether a plan that serves these arguments is at hand and runs of it were quick lately.
    pub(super) fn is_quick(&self, select: &PreparedSelect, (arguments, offset): (&Arguments, usize)) -> bool {
        let window = select.template.window(arguments, offset);
        let pool = self.cache.get(&key(select, arguments, (window, Known::Shape)));
        let pool = pool.filter(|pool| pool.is_due()).or_else(|| {
            let open = open_key(select, arguments, window)?;
            self.cache.get(&open).filter(|pool| !pool.is_closed())
        });
        pool.is_some_and(|pool| pool.latency.is_quick() && pool.has_idle())
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
        let ReadyInstance { key, known, pool, instance } =
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
                self.give_back(key, instance, (arguments, known));
                Ok(extent)
            }
            Ok(Err(error)) if !instance.until.passed() => Err(error),
            Ok(Err(_)) | Err(_) => Err(deadline.overrun()),
        }
    }

    /// An instance for these arguments: of their shape, or an open one where the shape has no plan yet.
    async fn ready(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, window): (&Arguments, RowWindow),
    ) -> Result<ReadyInstance, EngineError> {
        let asked = (window, Known::Shape);
        let key = key(select, arguments, asked);
        let pool = self.cache.get(&key);
        if let Some(instance) = pool.as_ref().and_then(|pool| pool.take()) {
            return Ok(ReadyInstance { key, known: Known::Shape, pool, instance });
        }
        if !pool.as_ref().is_some_and(|pool| pool.is_due())
            && let Some(open) = open_key(select, arguments, window)
            && let Some(ready) = self.ready_open(tables, select, (arguments, window), open).await
        {
            match pool {
                Some(pool) => drop(pool.served.fetch_add(1, Ordering::Relaxed)),
                None => self.cache.insert(key, Arc::new(Pool::without_plans(arguments, Known::Shape))),
            }
            return Ok(ready);
        }
        let instance = self.instance(tables, select, (arguments, asked)).await?;
        Ok(ReadyInstance { key, known: Known::Shape, pool, instance })
    }

    /// An instance of the open plan; none where it cannot be made, or runs longer than it takes to make another.
    async fn ready_open(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, window): (&Arguments, RowWindow),
        key: PlanKey,
    ) -> Option<ReadyInstance> {
        let pool = self.cache.get(&key);
        if pool.as_ref().is_some_and(|pool| pool.is_closed()) {
            return None;
        }
        let known = Known::Words;
        let idle = pool.as_ref().and_then(|pool| pool.take());
        let made = match idle {
            Some(instance) => Ok(instance),
            None => self.instance(tables, select, (arguments, (window, known))).await,
        };
        if let Ok(instance) = made {
            return Some(ReadyInstance { key, known, pool, instance });
        }
        // Without a key, say, it would read a long table whole. The plan of the shape tells what is wrong where more is.
        let closed = Pool::without_plans(arguments, known);
        closed.close();
        self.cache.insert(key, Arc::new(closed));
        None
    }

    async fn instance(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, asked): (&Arguments, (RowWindow, Known)),
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

    fn give_back(&self, key: PlanKey, instance: Instance, asked: (&Arguments, Known)) {
        match self.cache.get(&key).filter(|pool| pool.has_plans()) {
            Some(pool) => pool.put(instance),
            None => self.cache.insert(key, Arc::new(Pool::of(instance, asked))),
        }
    }
}

/// An instance for a call, and the pool that it came from or goes to.
struct ReadyInstance {
    key: PlanKey,
    known: Known,
    pool: Option<Arc<Pool>>,
    instance: Instance,
}

impl Pool {
    fn without_plans(arguments: &Arguments, known: Known) -> Self {
        Self {
            idle: Mutex::default(),
            arguments: arguments.clone(),
            known,
            weight: 0,
            latency: RecentLatency::default(),
            served: AtomicU32::new(0),
            slow: AtomicU8::new(0),
        }
    }

    fn of(instance: Instance, (arguments, known): (&Arguments, Known)) -> Self {
        /// What a plan's nodes and expressions weigh for each character that they print.
        const BYTES_A_CHARACTER: u64 = 40;
        let text = datafusion::physical_plan::displayable(instance.plan.as_ref()).indent(false).to_string();
        Self {
            idle: Mutex::new(vec![instance]),
            weight: text.len() as u64 * BYTES_A_CHARACTER,
            ..Self::without_plans(arguments, known)
        }
    }

    /// Whether it had plans, idle or not.
    fn has_plans(&self) -> bool {
        self.weight > 0
    }

    /// Whether a call is to be answered by a plan of its shape, which is to be made where there is none.
    fn is_due(&self) -> bool {
        /// To make a plan takes as long as ten runs, and each run of it saves a quarter of one.
        const OFTEN: u32 = 32;
        self.has_plans() || self.served.load(Ordering::Relaxed) >= OFTEN
    }

    /// Takes note of a run and whether it ended well.
    fn note(&self, took: Duration, is_well: bool) {
        /// What it takes to make a plan.
        const PLANNED: Duration = Duration::from_millis(2);
        self.latency.note(took);
        if !is_well {
            self.close();
        } else if took < PLANNED {
            self.slow.store(0, Ordering::Relaxed);
        } else {
            self.slow.store(self.slow.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
        }
    }

    /// Has no open plan serve others any more.
    fn close(&self) {
        self.slow.store(u8::MAX, Ordering::Relaxed);
    }

    /// Whether a plan of the shape is worth making where this one is open: one slow run may be that of a busy machine.
    fn is_closed(&self) -> bool {
        const SLOW_RUNS: u8 = 3;
        self.slow.load(Ordering::Relaxed) >= SLOW_RUNS
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
            slot.set(value.map(scalar));
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

fn key(select: &PreparedSelect, arguments: &Arguments, asked: (RowWindow, Known)) -> PlanKey {
    let shape = select.template.shape(&select.operation, arguments, asked);
    (Arc::clone(&select.name), select.at, shape)
}

/// The key of the open plan that serves these arguments; none where it would serve their shape alone.
fn open_key(select: &PreparedSelect, arguments: &Arguments, window: RowWindow) -> Option<PlanKey> {
    let is_worth_it = select.template.has_open_plan(&select.operation, arguments);
    is_worth_it.then(|| key(select, arguments, (window, Known::Words)))
}

/// The long table that a plan would read from end to end, if there is one.
fn whole_long_table(plan: &Arc<dyn ExecutionPlan>) -> Option<String> {
    if let Some(scan) = plan.downcast_ref::<KeyScan>() {
        return scan.reads_all_of_a_long_table().map(str::to_owned);
    }
    plan.children().into_iter().find_map(whole_long_table)
}
