//! Pools of plans of prepared SELECTs, by shape.
//!
//! A plan instance serves one request at a time and returns to its pool only after its stream ended without an error; an instance that
//! failed or was cancelled is dropped with its state.
//!
//! As in PostgreSQL, a plan is custom, made for one shape, or generic, for all shapes with the same words. A generic plan serves a new
//! shape at once; a frequent shape gets a custom plan, which runs faster. Without generic plans a screen with a new choice of conditions
//! takes seven times as long, on the full demo.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use datafusion::arrow::array::RecordBatch;
use datafusion::physical_plan::ExecutionPlan;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::plan_pool::{Instance, Pool};
use super::prepared_select::PreparedSelect;
use super::template::{PlanKind, PlannedSelect, RowWindow};
use crate::deadline::Deadline;
use crate::encoded::Extent;
use crate::error::EngineError;
use crate::limits::{QueryLimits, Runtimes};
use crate::operators::key_scan::KeyScan;
use crate::operators::time_guard::{GuardDeadline, insert_guards};
use crate::tables::market_tables::MarketTables;
use parquote_catalogue::operation::{Arguments, Market, WantedRows};
use parquote_functions::context::task_of;

/// Key of a plan: the operation's name, the SELECT's position in it, and the shape.
type PlanKey = (Arc<str>, usize, String);

/// All plans of a market in a snapshot, bounded in bytes.
pub(crate) struct Plans {
    cache: Cache<PlanKey, Arc<Pool>, PlanWeight>,
    runtimes: Arc<Runtimes>,
}

#[derive(Clone)]
struct PlanWeight;

impl Weighter<PlanKey, Arc<Pool>> for PlanWeight {
    fn weight(&self, key: &PlanKey, pool: &Arc<Pool>) -> u64 {
        /// Bytes of an empty pool with its arguments.
        const POOL_BYTES: u64 = 512;
        POOL_BYTES + key.2.len() as u64 + pool.weight
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

    /// Makes a plan of this kind for these arguments, so that the first call does not have to make it.
    pub(crate) async fn plan_in_advance(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, kind): (&Arguments, PlanKind),
    ) -> Result<(), EngineError> {
        let requested = (select.template.window(arguments, WantedRows::After(0)), kind);
        let key = plan_key(select, arguments, requested);
        if !self.cache.get(&key).is_some_and(|pool| pool.has_plans()) {
            let instance = self.make_instance(tables, select, (arguments, requested)).await?;
            self.return_instance(key, instance, (arguments, kind));
        }
        Ok(())
    }

    /// Shares the plans of SELECTs that read the same tables in the previous snapshot. `reads_the_same` gets the name of an operation and
    /// the position of a SELECT in it.
    pub(crate) fn share_unchanged_plans(&self, before: &Self, reads_the_same: impl Fn(&str, usize) -> bool) {
        for (key, pool) in before.cache.iter() {
            if reads_the_same(&key.0, key.1) {
                self.cache.insert(key, pool);
            }
        }
    }

    /// Returns the names of the operations that have a plan in common.
    #[cfg(test)]
    pub(crate) fn shared_operations(&self, others: &Self) -> std::collections::BTreeSet<String> {
        let is_shared = |(key, pool): &(PlanKey, Arc<Pool>)| {
            others.cache.get(key).is_some_and(|other| Arc::ptr_eq(pool, &other))
        };
        self.cache.iter().filter(is_shared).map(|(key, _)| key.0.to_string()).collect()
    }

    /// Returns the existing plans: the name of the operation, arguments that the plan serves, and its kind.
    pub(crate) fn plans_in_use(&self) -> Vec<(Arc<str>, Arguments, PlanKind)> {
        let pools = self.cache.iter().filter(|(_, pool)| pool.has_plans());
        pools.map(|((operation, ..), pool)| (operation, pool.arguments.clone(), pool.kind)).collect()
    }

    /// Returns true if an idle plan for these arguments exists and its recent runs were quick.
    pub(crate) fn is_quick(
        &self,
        select: &PreparedSelect,
        (arguments, wanted): (&Arguments, WantedRows),
    ) -> bool {
        let window = select.template.window(arguments, wanted);
        let pool = self.cache.get(&plan_key(select, arguments, (window, PlanKind::Custom)));
        let pool = pool.filter(|pool| pool.gets_custom_plan()).or_else(|| {
            let generic = generic_key(select, arguments, window)?;
            self.cache.get(&generic).filter(|pool| !pool.is_retired())
        });
        pool.is_some_and(|pool| pool.latency.is_quick() && pool.has_idle())
    }

    /// Runs a SELECT with these arguments, and passes each batch of the wanted rows to `rows`.
    pub(crate) async fn run(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, wanted): (&Arguments, WantedRows),
        deadline: Deadline,
        rows: impl FnMut(RecordBatch),
    ) -> Result<Extent, EngineError> {
        let window = select.template.window(arguments, wanted);
        let ReadyInstance { key, kind, pool, instance } =
            self.take_or_plan(tables, select, (arguments, window)).await?;
        instance.bind(arguments);
        instance.guard_deadline.set(deadline);
        let start = Instant::now();
        let result = tokio::time::timeout_at(deadline.at(), instance.run(window, rows)).await;
        if let Some(pool) = pool {
            pool.record_run(start.elapsed(), matches!(result, Ok(Ok(_))));
        }
        match result {
            Ok(Ok(extent)) => {
                self.return_instance(key, instance, (arguments, kind));
                Ok(extent)
            }
            Ok(Err(error)) if !instance.guard_deadline.has_passed() => Err(error),
            Ok(Err(_)) | Err(_) => Err(deadline.timeout_error()),
        }
    }

    /// Takes an instance for these arguments: of the custom plan, or of the generic one if the shape has no custom plan.
    async fn take_or_plan(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, window): (&Arguments, RowWindow),
    ) -> Result<ReadyInstance, EngineError> {
        let requested = (window, PlanKind::Custom);
        let key = plan_key(select, arguments, requested);
        let pool = self.cache.get(&key);
        if let Some(instance) = pool.as_ref().and_then(|pool| pool.take_instance()) {
            return Ok(ReadyInstance { key, kind: PlanKind::Custom, pool, instance });
        }
        if !pool.as_ref().is_some_and(|pool| pool.gets_custom_plan())
            && let Some(generic) = generic_key(select, arguments, window)
            && let Some(ready) = self.ready_generic(tables, select, (arguments, window), generic).await
        {
            match pool {
                Some(pool) => drop(pool.generic_calls.fetch_add(1, Ordering::Relaxed)),
                None => self.cache.insert(key, Arc::new(Pool::without_plans(arguments, PlanKind::Custom))),
            }
            return Ok(ready);
        }
        let instance = self.make_instance(tables, select, (arguments, requested)).await?;
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
        let idle = pool.as_ref().and_then(|pool| pool.take_instance());
        let instance = match idle {
            Some(instance) => Ok(instance),
            None => self.make_instance(tables, select, (arguments, (window, kind))).await,
        };
        if let Ok(instance) = instance {
            return Some(ReadyInstance { key, kind, pool, instance });
        }
        // For example, a generic plan without a key would read all of a long table. Any other error recurs when the custom plan is made.
        let retired = Pool::without_plans(arguments, kind);
        retired.retire();
        self.cache.insert(key, Arc::new(retired));
        None
    }

    async fn make_instance(
        &self,
        tables: &MarketTables,
        select: &PreparedSelect,
        (arguments, requested): (&Arguments, (RowWindow, PlanKind)),
    ) -> Result<Instance, EngineError> {
        let planned = select.template.plan_shape(tables, &select.operation, arguments, requested).await;
        let PlannedSelect { plan, matched, slots } = planned.map_err(|source| select.plan_error(source))?;
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
        let guard_deadline = Arc::new(GuardDeadline::default());
        Ok(Instance {
            plan: insert_guards(plan, &guard_deadline)?,
            matched,
            slots,
            context: Arc::new(task),
            guard_deadline,
        })
    }

    fn return_instance(&self, key: PlanKey, instance: Instance, requested: (&Arguments, PlanKind)) {
        match self.cache.get(&key).filter(|pool| pool.has_plans()) {
            Some(pool) => pool.return_instance(instance),
            None => self.cache.insert(key, Arc::new(Pool::with_instance(instance, requested))),
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

fn plan_key(select: &PreparedSelect, arguments: &Arguments, requested: (RowWindow, PlanKind)) -> PlanKey {
    let shape = select.template.shape(&select.operation, arguments, requested);
    (Arc::clone(&select.name), select.position, shape)
}

/// Returns the key of the generic plan for these arguments; `None` if it would serve only their shape.
fn generic_key(select: &PreparedSelect, arguments: &Arguments, window: RowWindow) -> Option<PlanKey> {
    let has_generic_plan = select.template.has_generic_plan(&select.operation, arguments);
    has_generic_plan.then(|| plan_key(select, arguments, (window, PlanKind::Generic)))
}

/// Returns the name of a long table that a plan would read completely; `None` if there is none.
fn whole_long_table(plan: &Arc<dyn ExecutionPlan>) -> Option<String> {
    if let Some(scan) = plan.downcast_ref::<KeyScan>() {
        return scan.reads_all_of_a_long_table().map(str::to_owned);
    }
    plan.children().into_iter().find_map(whole_long_table)
}
