//! Submits units to workers as one plan, and reads the rows that come back.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{AsArray as _, RecordBatch};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::datasource::TableType;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_distributed::{
    DesiredTaskCountEvent, DesiredTaskCountEventResponse, DistributedExt as _, DistributedLeafExec,
    RouteTasksEvent, RouteTasksEventResponse, ScaleUpLeafNodeEvent, ScaleUpLeafNodeEventResponse,
    SessionStateBuilderExt as _, WorkerResolver,
};
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use url::Url;

use super::channels::Channels;
use super::units_plan::{UnitsCodec, UnitsExec, reply_columns};
use parquote_derive::{MadeUnit, WorkUnit};

/// A row of the reply.
pub(super) struct UnitReply {
    /// Name of the unit: a hash of its description.
    pub unit: String,
    /// The result, or the error with which it fails on every worker.
    pub made: std::result::Result<MadeUnit, String>,
}

/// Runs units on at least one worker; `first` is the index of the worker that gets the largest unit. Replies are passed to `on_reply` as
/// they arrive.
///
/// # Errors
/// A worker is lost or cannot run its units; earlier replies have been passed on.
pub(super) fn submit<'a>(
    units: Vec<WorkUnit>,
    workers: &[Url],
    first: usize,
    channels: Channels,
    on_reply: &'a mut (dyn FnMut(UnitReply) + Send),
) -> BoxFuture<'a, Result<()>> {
    // Boxed for compile time: the compiler checks once that a boxed future is `Send`; nested in another future it takes seconds each time.
    submit_units(units, TaskSlots::new(workers, first), channels, on_reply).boxed()
}

async fn submit_units(
    units: Vec<WorkUnit>,
    TaskSlots(urls): TaskSlots,
    channels: Channels,
    on_reply: &mut (dyn FnMut(UnitReply) + Send),
) -> Result<()> {
    let lists = distribute_units(units, urls.len());
    let (tasks, routes) = (urls.len(), urls.clone());
    let desired = move |event: DesiredTaskCountEvent<'_>| {
        event.plan.is::<UnitsExec>().then(|| Ok(DesiredTaskCountEventResponse::desired(tasks)))
    };
    let task_lists = lists.clone();
    let scale_up = move |event: ScaleUpLeafNodeEvent<'_>| {
        event.plan.is::<UnitsExec>().then(|| {
            let task_plan =
                |units: &Vec<WorkUnit>| Arc::new(UnitsExec::new(units.clone())) as Arc<dyn ExecutionPlan>;
            let leaf =
                DistributedLeafExec::try_new(Arc::clone(event.plan), task_lists.iter().map(task_plan))?;
            Ok(ScaleUpLeafNodeEventResponse::new(Arc::new(leaf)))
        })
    };
    let route = move |event: RouteTasksEvent<'_>| {
        (event.task_count == routes.len()).then(|| Ok(RouteTasksEventResponse::new(routes.clone())))
    };
    let state = SessionStateBuilder::new()
        .with_default_features()
        .with_config(SessionConfig::new().with_target_partitions(1))
        .with_distributed_worker_resolver(TaskSlots(urls))
        .with_distributed_channel_resolver(channels)
        .with_distributed_planner()
        .with_distributed_user_codec(UnitsCodec)
        .with_distributed_desired_task_count_handler(desired)
        .with_distributed_scale_up_leaf_node_handler(scale_up)
        .with_distributed_route_tasks_handler(route)
        .with_distributed_metrics_collection(false)?
        .build();
    let all = Arc::new(UnitsTable(lists.into_iter().flatten().collect()));
    let mut rows = SessionContext::new_with_state(state).read_table(all)?.execute_stream().await?;
    while let Some(batch) = rows.next().await {
        for reply in parse_replies(&batch?)? {
            on_reply(reply);
        }
    }
    Ok(())
}

/// Distributes units over `lists` lists of about equal weight.
fn distribute_units(mut units: Vec<WorkUnit>, lists: usize) -> Vec<Vec<WorkUnit>> {
    units.sort_by_cached_key(|unit| std::cmp::Reverse((unit.weight(), unit.name())));
    let mut weighted_lists = vec![(0, Vec::new()); lists];
    for unit in units {
        if let Some((weight, list)) = weighted_lists.iter_mut().min_by_key(|(weight, _)| *weight) {
            *weight += unit.weight().max(1);
            list.push(unit);
        }
    }
    weighted_lists.into_iter().map(|(_, list)| list).collect()
}

fn parse_replies(batch: &RecordBatch) -> Result<Vec<UnitReply>> {
    let invalid_row = |why: &str| DataFusionError::Execution(format!("a worker's row is not sound: {why}"));
    let text = |name: &str| {
        let column = batch.column_by_name(name).and_then(|column| column.as_string_opt::<i32>());
        column.ok_or_else(|| invalid_row(name))
    };
    let (units, made, failed) = (text("unit")?, text("made")?, text("failed")?);
    let rows = units.iter().zip(made).zip(failed);
    rows.map(|((unit, made), failed)| {
        let unit = unit.ok_or_else(|| invalid_row("no unit"))?.to_owned();
        let made = match (made, failed) {
            (Some(made), None) => {
                Ok(serde_json::from_str(made).map_err(|error| invalid_row(&error.to_string()))?)
            }
            (_, failed) => Err(failed.unwrap_or("it does not say why").to_owned()),
        };
        Ok(UnitReply { unit, made })
    })
    .collect()
}

/// Worker URLs of the tasks; each worker has several tasks.
pub(super) struct TaskSlots(Vec<Url>);

impl TaskSlots {
    /// Assigns two tasks to each worker, beginning with the worker of index `first`.
    pub(super) fn new(workers: &[Url], first: usize) -> Self {
        /// Tasks per worker. A single task would run in this process.
        const TASKS_PER_WORKER: usize = 2;
        let rotated = workers.iter().cycle().skip(first % workers.len().max(1));
        Self(rotated.take(workers.len() * TASKS_PER_WORKER).cloned().collect())
    }
}

impl WorkerResolver for TaskSlots {
    fn get_urls(&self) -> Result<Vec<Url>> {
        Ok(self.0.clone())
    }
}

/// Units as a table, with one row for each finished unit.
#[derive(Debug)]
struct UnitsTable(Vec<WorkUnit>);

#[async_trait]
impl TableProvider for UnitsTable {
    fn schema(&self) -> SchemaRef {
        reply_columns()
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        _: &dyn Session,
        _: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(UnitsExec::new(self.0.clone())))
    }
}
