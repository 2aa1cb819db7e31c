//! An operation made ready on one snapshot: its SELECTs parsed, its plans pooled by shape.
//!
//! A plan instance serves one request at a time and returns to its pool only after its stream ended well;
//! one that failed or was cancelled is dropped with whatever state it held.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Field, SchemaRef};
use datafusion::common::ScalarValue;
use datafusion::error::DataFusionError;
use datafusion::execution::TaskContext;
use datafusion::execution::context::{SessionContext, SessionState};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use futures::StreamExt;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::arrow_types::{column_type, scalar};
use super::cost::Cost;
use super::encoded::Extent;
use super::error::EngineError;
use super::guard::{Deadline, guarded};
use super::json::JsonRows;
use super::key_scan::KeyScan;
use super::limits::{Limits, Runtimes};
use super::matched::Matched;
use super::result_column::ResultColumn;
use super::slot::Slot;
use super::template::{Planned, Template, Window};
use crate::operation::{Arguments, Dictionary, Market, Operation, Statement, Unit};

/// Which plan: the operation's and the SELECT's places, and the shape.
type PlanKey = (usize, usize, String);

/// All plans of a market in a snapshot, bounded in bytes.
pub(super) struct Plans {
    cache: Cache<PlanKey, Arc<Pool>, PlanWeight>,
    runtimes: Arc<Runtimes>,
    deadline: Duration,
}

/// A SELECT of an operation, ready to be planned.
pub(super) struct Ready {
    template: Template,
    pub json: JsonRows,
    pub columns: Vec<ResultColumn>,
    /// The names and types of the columns.
    pub schema: SchemaRef,
    /// The line on which its SQL starts.
    line: usize,
}

/// Plan instances of one shape.
struct Pool {
    idle: Mutex<Vec<Instance>>,
    /// Arguments of that shape, to plan it by on the next snapshot.
    arguments: Arguments,
    weight: u64,
    cost: Cost,
}

struct Instance {
    plan: Arc<dyn ExecutionPlan>,
    matched: Option<Arc<Matched>>,
    slots: Vec<(usize, Arc<Slot>)>,
    context: Arc<TaskContext>,
    deadline: Arc<Deadline>,
}

#[derive(Clone)]
struct PlanWeight;

impl Weighter<PlanKey, Arc<Pool>> for PlanWeight {
    fn weight(&self, key: &PlanKey, pool: &Arc<Pool>) -> u64 {
        key.2.len() as u64 + pool.weight
    }
}

impl Ready {
    /// Parses a SELECT and finds what its columns mean.
    pub(super) async fn prepare(
        context: &SessionContext,
        operation: &Operation,
        statement: &Statement,
        dictionary: &Dictionary,
    ) -> Result<Self, EngineError> {
        let plan_error = |source| not_planned(operation, statement.line, source);
        let template =
            Template::parse(&context.state(), operation, &statement.sql).await.map_err(plan_error)?;
        let columns = result_columns(&template, operation, statement, dictionary)?;
        let schema = Arc::clone(template.plan().schema().inner());
        Ok(Self { json: JsonRows::new(&columns), template, columns, schema, line: statement.line })
    }
}

impl Plans {
    /// Plans of one market's share of the bytes that plans may take.
    pub(super) fn new(limits: &Limits, runtimes: Arc<Runtimes>) -> Self {
        const TYPICAL_PLAN: u64 = 64 * 1024;
        let bytes = limits.plan_bytes / Market::ALL.len() as u64;
        let items = (bytes / TYPICAL_PLAN).max(16) as usize;
        Self { cache: Cache::with_weighter(items, bytes, PlanWeight), runtimes, deadline: limits.deadline }
    }

    /// Makes the plan of these arguments' shape, so that the first call need not.
    pub(super) async fn warm(
        &self,
        state: &SessionState,
        place: (usize, usize),
        operation: &Operation,
        ready: &Ready,
        arguments: &Arguments,
    ) -> Result<(), EngineError> {
        let window = ready.template.window(arguments, 0);
        let key = (place.0, place.1, ready.template.shape(operation, arguments, window));
        if self.cache.get(&key).is_none() {
            let instance = self.instance(state, operation, ready, (arguments, window)).await?;
            self.give_back(key, instance, arguments);
        }
        Ok(())
    }

    /// The shapes that are planned, by the operation's and the SELECT's places, each with arguments that have it.
    pub(super) fn in_use(&self) -> Vec<((usize, usize), Arguments)> {
        let shape = |((operation, statement, _), pool): (PlanKey, Arc<Pool>)| {
            ((operation, statement), pool.arguments.clone())
        };
        self.cache.iter().map(shape).collect()
    }

    /// Whether a plan of these arguments' shape is at hand and runs of it were quick lately.
    pub(super) fn is_quick(
        &self,
        place: (usize, usize),
        (operation, ready): (&Operation, &Ready),
        (arguments, offset): (&Arguments, usize),
    ) -> bool {
        let window = ready.template.window(arguments, offset);
        let key = (place.0, place.1, ready.template.shape(operation, arguments, window));
        self.cache.get(&key).is_some_and(|pool| pool.cost.is_quick() && pool.has_idle())
    }

    /// Runs a SELECT with these arguments, behind so many rows, and hands over each batch of the rows asked for.
    pub(super) async fn run(
        &self,
        state: &SessionState,
        place: (usize, usize),
        (operation, ready): (&Operation, &Ready),
        (arguments, offset): (&Arguments, usize),
        rows: impl FnMut(RecordBatch),
    ) -> Result<Extent, EngineError> {
        let window = ready.template.window(arguments, offset);
        let key = (place.0, place.1, ready.template.shape(operation, arguments, window));
        let pool = self.cache.get(&key);
        let idle = pool.as_ref().and_then(|pool| pool.take());
        let instance = match idle {
            Some(instance) => instance,
            None => self.instance(state, operation, ready, (arguments, window)).await?,
        };
        instance.bind(arguments);
        instance.deadline.set(self.deadline);
        let began = Instant::now();
        let ran = tokio::time::timeout(self.deadline, instance.run(window, rows)).await;
        if let Some(pool) = pool {
            pool.cost.note(began.elapsed());
        }
        match ran {
            Ok(Ok(extent)) => {
                self.give_back(key, instance, arguments);
                Ok(extent)
            }
            Ok(Err(error)) if !instance.deadline.passed() => Err(error),
            Ok(Err(_)) | Err(_) => Err(EngineError::Deadline { limit_ms: self.deadline.as_millis() as u64 }),
        }
    }

    async fn instance(
        &self,
        state: &SessionState,
        operation: &Operation,
        ready: &Ready,
        (arguments, window): (&Arguments, Window),
    ) -> Result<Instance, EngineError> {
        let Planned { plan, matched, slots } = ready
            .template
            .physical(state, operation, arguments, window)
            .await
            .map_err(|source| not_planned(operation, ready.line, source))?;
        if let Some(table) = whole_long_table(&plan) {
            return Err(EngineError::Rule {
                file: operation.file.clone(),
                line: 1,
                message: format!(
                    "this reads all of the long table `{table}`; ask for a key, `symbol = $symbol`"
                ),
            });
        }
        let task = TaskContext::new(
            None,
            state.session_id().to_owned(),
            state.config().clone(),
            state.scalar_functions().clone(),
            std::collections::HashMap::new(),
            state.aggregate_functions().clone(),
            state.window_functions().clone(),
            self.runtimes.runtime()?,
        );
        let deadline = Arc::new(Deadline::default());
        Ok(Instance { plan: guarded(plan, &deadline)?, matched, slots, context: Arc::new(task), deadline })
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
            cost: Cost::default(),
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
    async fn run(&self, window: Window, mut rows: impl FnMut(RecordBatch)) -> Result<Extent, EngineError> {
        let plan = reset_plan_states(Arc::clone(&self.plan))?;
        let mut stream = plan.execute(0, Arc::clone(&self.context))?;
        let Window { mut skip, mut take } = window;
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

fn not_planned(operation: &Operation, line: usize, source: DataFusionError) -> EngineError {
    EngineError::Plan { file: operation.file.clone(), line, source: Box::new(source) }
}

/// The long table that a plan would read from end to end, if there is one.
fn whole_long_table(plan: &Arc<dyn ExecutionPlan>) -> Option<String> {
    if let Some(scan) = plan.downcast_ref::<KeyScan>() {
        return scan.reads_all_of_a_long_table().map(str::to_owned);
    }
    plan.children().into_iter().find_map(whole_long_table)
}

fn result_columns(
    template: &Template,
    operation: &Operation,
    statement: &Statement,
    dictionary: &Dictionary,
) -> Result<Vec<ResultColumn>, EngineError> {
    let rule = |message| EngineError::Rule { file: operation.file.clone(), line: statement.line, message };
    let fields = template.plan().schema().fields();
    let names: Vec<&String> = fields.iter().map(|field| field.name()).collect();
    if let Some((_, twice)) =
        names.iter().enumerate().find(|(at, name)| names.iter().take(*at).any(|earlier| earlier == *name))
    {
        return Err(rule(format!("the column `{twice}` is there twice; give one of them another name")));
    }
    fields.iter().map(|field| result_column(field, operation, dictionary).map_err(&rule)).collect()
}

/// A column of an answer, or of a row within one; what is wrong with it is said in words.
fn result_column(
    field: &Field,
    operation: &Operation,
    dictionary: &Dictionary,
) -> Result<ResultColumn, String> {
    let name = field.name();
    let declared = operation.columns.iter().find(|column| column.name == *name);
    let (unit, words) = match (declared, dictionary.get(name)) {
        (Some(column), _) => (column.unit, column.words.clone()),
        (None, Some(entry)) => (entry.unit, entry.words.clone()),
        // Rows that a Rust function goes on with are shown to nobody as they are.
        (None, None) if operation.run.is_some() => (Unit::None, String::new()),
        (None, None) => {
            return Err(format!(
                "the column `{name}` has no words; name it as a table does or add `column:`"
            ));
        }
    };
    let ty = declared.map(|column| column.ty).or_else(|| column_type(field.data_type()));
    let ty = ty.ok_or_else(|| {
        format!("the column `{name}` has the type {}, which no answer has", field.data_type())
    })?;
    let within = match field.data_type() {
        DataType::List(item) => item.data_type(),
        other => other,
    };
    let fields = match within {
        DataType::Struct(fields) => fields
            .iter()
            .map(|field| result_column(field, operation, dictionary))
            .collect::<Result<_, _>>()?,
        _ => Vec::new(),
    };
    Ok(ResultColumn { name: name.clone(), ty, nullable: field.is_nullable(), unit, words, fields })
}
