//! Filters with projections, sorts and unions, tuned for few rows: each batch is processed in one pass, all rows of a sort are sorted at
//! once, and the inputs of a union run in sequence in the call's task.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{Array, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::compute::{SortColumn, lexsort_to_indices, take_record_batch};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, PhysicalSortExpr, split_conjunction};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, Partitioning, PlanProperties, SendableRecordBatchStream};
use futures::{StreamExt, TryStreamExt, stream};

use super::lean_join::lean_join;
use super::lean_plan::{LeanPlan, LeanWork, ReservedMemory};
use super::replace_inputs::replace_inputs;
use super::row_choice::Choice;
use super::row_expr::{RowExpr, replace_columns};

/// Replaces the engine's nodes with nodes without metrics.
pub(crate) fn run_lean(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_down(|node| {
        Ok(match replace_node(&node)? {
            Some(lean) => Transformed::yes(lean),
            None => Transformed::no(node),
        })
    })
    .data()
}

fn replace_node(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(join) = lean_join(node)? {
        return Ok(Some(join));
    }
    if let Some(sort) = node.downcast_ref::<SortExec>().filter(|sort| !sort.preserve_partitioning()) {
        let work = SortedRows { keys: sort.expr().iter().cloned().collect(), fetch: sort.fetch() };
        return Ok(has_one_partition(sort.input())
            .then(|| LeanPlan::in_place_of(node, vec![Arc::clone(sort.input())], work)));
    }
    let all = node.downcast_ref::<CoalescePartitionsExec>().filter(|all| all.fetch().is_none());
    let parts = node.downcast_ref::<RepartitionExec>().filter(|_| has_one_partition(node));
    if let Some(partitioned) = all.map(CoalescePartitionsExec::input).or(parts.map(RepartitionExec::input)) {
        let Some(one) = in_one_partition(partitioned)? else { return Ok(None) };
        return Ok(Some(replace_node(&one)?.unwrap_or(one)));
    }
    if !node.is::<ProjectionExec>() && !node.is::<FilterExec>() {
        return Ok(None);
    }
    let Some(steps) = RowSteps::from_node(node)?.filter(|steps| has_one_partition(&steps.source)) else {
        return Ok(None);
    };
    let from = steps.source.schema();
    let row_exprs = |exprs: &[Arc<dyn PhysicalExpr>]| {
        exprs.iter().map(|expr| RowExpr::try_new(expr, &from)).collect::<Result<Vec<_>>>()
    };
    let work = MappedRows {
        conditions: row_exprs(&steps.conditions)?,
        columns: row_exprs(&steps.columns)?,
        schema: node.schema(),
    };
    Ok(Some(LeanPlan::in_place_of(node, vec![steps.source], work)))
}

/// Returns the node in one partition, with the inputs of unions in sequence; `None` if another node partitions the rows.
fn in_one_partition(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if has_one_partition(node) {
        return Ok(Some(Arc::clone(node)));
    }
    if let Some(union) = node.downcast_ref::<UnionExec>() {
        let inputs = union.inputs().iter().map(in_one_partition).collect::<Result<Option<Vec<_>>>>()?;
        return Ok(inputs.map(|inputs| {
            let equal = EquivalenceProperties::new(node.schema());
            let properties = PlanProperties::new(
                equal,
                Partitioning::UnknownPartitioning(1),
                EmissionType::Incremental,
                Boundedness::Bounded,
            );
            LeanPlan::with_properties(Arc::new(properties), inputs, SequentialInputs(node.schema()))
        }));
    }
    let keeps_rows_apart =
        node.is::<ProjectionExec>() || node.is::<FilterExec>() || node.is::<HashJoinExec>();
    if !keeps_rows_apart && !node.is::<CooperativeExec>() {
        return Ok(None);
    }
    let children = node.children().into_iter().map(in_one_partition).collect::<Result<Option<Vec<_>>>>()?;
    children.map(|children| replace_inputs(node, children)).transpose()
}

fn has_one_partition(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.properties().partitioning.partition_count() == 1
}

/// A chain of filters and projections, expressed over the columns of their source.
struct RowSteps {
    source: Arc<dyn ExecutionPlan>,
    conditions: Vec<Arc<dyn PhysicalExpr>>,
    columns: Vec<Arc<dyn PhysicalExpr>>,
}

impl RowSteps {
    /// Collects the chain from a node down. The chain ends at a node that computes columns, because the nodes above it may use such a
    /// column twice. `None` for a node with a limit, or of another kind.
    fn from_node(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Self>> {
        let mut steps = match node.children().as_slice() {
            [input] => Self::steps_below(input)?,
            _ => return Ok(None),
        };
        if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
            let columns = projection.expr().iter().map(|column| steps.over_source(&column.expr));
            steps.columns = columns.collect::<Result<_>>()?;
            return Ok(Some(steps));
        }
        let Some(filter) = node.downcast_ref::<FilterExec>().filter(|filter| filter.fetch().is_none()) else {
            return Ok(None);
        };
        let condition = steps.over_source(filter.predicate())?;
        steps.conditions.extend(split_conjunction(&condition).into_iter().cloned());
        if let Some(projected) = filter.projection() {
            steps.columns =
                projected.iter().filter_map(|position| steps.columns.get(*position).cloned()).collect();
        }
        Ok(Some(steps))
    }

    fn steps_below(node: &Arc<dyn ExecutionPlan>) -> Result<Self> {
        if let Some(cooperative) = node.downcast_ref::<CooperativeExec>() {
            return Self::steps_below(cooperative.input());
        }
        let is_step = node.is::<ProjectionExec>() || node.is::<FilterExec>();
        let steps = if is_step { Self::from_node(node)? } else { None };
        if let Some(steps) = steps.filter(|steps| !steps.computes()) {
            return Ok(steps);
        }
        let column = |(position, field): (usize, &Arc<_>)| column(position, field);
        let columns = node.schema().fields().iter().enumerate().map(column).collect();
        Ok(Self { source: Arc::clone(node), conditions: Vec::new(), columns })
    }

    fn computes(&self) -> bool {
        self.columns.iter().any(|column| !column.is::<Column>() && !column.is::<Literal>())
    }

    fn over_source(&self, expr: &Arc<dyn PhysicalExpr>) -> Result<Arc<dyn PhysicalExpr>> {
        replace_columns(expr, |column| self.columns.get(column.index()).cloned())
    }
}

fn column(position: usize, field: &datafusion::arrow::datatypes::Field) -> Arc<dyn PhysicalExpr> {
    Arc::new(Column::new(field.name(), position))
}

/// Filters rows, then computes columns.
#[derive(Debug)]
struct MappedRows {
    conditions: Vec<RowExpr>,
    columns: Vec<RowExpr>,
    schema: SchemaRef,
}

impl MappedRows {
    fn map_batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = match Choice::filter_rows(&self.conditions, batch, None)? {
            Choice::All(_) => None,
            choice if choice.len() == batch.num_rows() => None,
            choice => Some(choice.rows()),
        };
        let columns = self.columns.iter().map(|column| column.evaluate(batch, rows.as_ref()));
        let count = rows.as_ref().map_or(batch.num_rows(), Array::len);
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let columns = columns.collect::<Result<_>>()?;
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }
}

impl LeanWork for MappedRows {
    const NAME: &'static str = "MappedRows";

    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.columns.iter().try_for_each(|column| write!(f, ", {}", column.expr()))?;
        self.conditions.iter().try_for_each(|condition| write!(f, ", where {}", condition.expr()))
    }

    fn run(
        self: Arc<Self>,
        inputs: Vec<SendableRecordBatchStream>,
        _: &TaskContext,
    ) -> Result<SendableRecordBatchStream> {
        let schema = Arc::clone(&self.schema);
        let batches = stream::iter(inputs).flatten().map(move |batch| self.map_batch(&batch?));
        let batches = batches.try_filter(|batch| std::future::ready(batch.num_rows() > 0));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }
}

/// A stable sort; `fetch` is its row limit, `None` for all rows.
#[derive(Debug)]
struct SortedRows {
    keys: Vec<PhysicalSortExpr>,
    fetch: Option<usize>,
}

impl SortedRows {
    fn sort_batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let key = |key: &PhysicalSortExpr| key.evaluate_to_sort_column(batch);
        let mut keys = self.keys.iter().map(key).collect::<Result<Vec<_>>>()?;
        let position: UInt32Array = (0..batch.num_rows() as u32).collect::<Vec<_>>().into();
        keys.push(SortColumn { values: Arc::new(position), options: None });
        Ok(take_record_batch(batch, &lexsort_to_indices(&keys, self.fetch)?)?)
    }
}

impl LeanWork for SortedRows {
    const NAME: &'static str = "SortedRows";

    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.keys.iter().try_for_each(|key| write!(f, ", by {key}"))?;
        self.fetch.map_or(Ok(()), |fetch| write!(f, ", fetch = {fetch}"))
    }

    fn run(
        self: Arc<Self>,
        mut inputs: Vec<SendableRecordBatchStream>,
        context: &TaskContext,
    ) -> Result<SendableRecordBatchStream> {
        let Some(input) = inputs.pop() else {
            return datafusion::common::internal_err!("a sort has an input");
        };
        let (schema, mut memory) = (input.schema(), ReservedMemory::for_task(context));
        let sorted = async move {
            let rows = memory.collect_batch(input).await?;
            self.sort_batch(&rows)
        };
        let batches = stream::once(sorted).try_filter(|batch| std::future::ready(batch.num_rows() > 0));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }

    fn fetch(&self) -> Option<usize> {
        self.fetch
    }
}

/// Runs inputs in sequence.
#[derive(Debug)]
struct SequentialInputs(SchemaRef);

impl LeanWork for SequentialInputs {
    const NAME: &'static str = "OneByOne";

    fn describe(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    fn run(
        self: Arc<Self>,
        inputs: Vec<SendableRecordBatchStream>,
        _: &TaskContext,
    ) -> Result<SendableRecordBatchStream> {
        let schema = Arc::clone(&self.0);
        let output_schema = Arc::clone(&schema);
        // The column names of the inputs may differ.
        let with_schema = move |batch: Result<RecordBatch>| {
            let batch = batch?;
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            Ok(RecordBatch::try_new_with_options(
                Arc::clone(&output_schema),
                batch.columns().to_vec(),
                &options,
            )?)
        };
        let batches = stream::iter(inputs).flatten().map(with_schema);
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }
}
