//! A plan node without metrics: the engine's nodes measure each batch and each expression, which over a few rows takes longer than the
//! work. The work of such nodes is in [`super::lean_rows`] and [`super::lean_join`].

use std::fmt::{self, Debug};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::utils::memory::get_record_batch_memory_size;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
};
use futures::TryStreamExt;

/// Work of a node on the rows of its inputs.
pub(crate) trait LeanWork: Debug + Send + Sync + 'static {
    /// The name of the node in a printed plan.
    const NAME: &'static str;

    /// Runs the node once.
    fn run(
        self: Arc<Self>,
        inputs: Vec<SendableRecordBatchStream>,
        context: &TaskContext,
    ) -> Result<SendableRecordBatchStream>;

    /// Describes the work in a printed plan.
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Returns the row limit of the node; `None` if it has none.
    fn fetch(&self) -> Option<usize> {
        None
    }
}

/// The memory of a node's rows, reserved in the pool of its query. The memory of few rows is not reserved.
pub(crate) struct ReservedMemory {
    pool: Arc<dyn MemoryPool>,
    bytes: usize,
    reserved: Option<MemoryReservation>,
}

impl ReservedMemory {
    pub(crate) fn for_task(context: &TaskContext) -> Self {
        Self { pool: Arc::clone(context.memory_pool()), bytes: 0, reserved: None }
    }

    /// Collects an input into one batch.
    ///
    /// # Errors
    /// Rows that cannot be computed, or that exceed the query's memory.
    pub(crate) async fn collect_batch(&mut self, mut rows: SendableRecordBatchStream) -> Result<RecordBatch> {
        let schema = rows.schema();
        let mut batches = Vec::new();
        while let Some(batch) = rows.try_next().await? {
            self.grow(&batch)?;
            batches.push(batch);
        }
        match batches.as_slice() {
            [only] => Ok(only.clone()),
            batches => Ok(concat_batches(&schema, batches)?),
        }
    }

    fn grow(&mut self, batch: &RecordBatch) -> Result<()> {
        /// Bytes from which memory is reserved.
        const RESERVED_FROM_BYTES: usize = 256 * 1024;
        self.bytes += get_record_batch_memory_size(batch);
        if self.bytes < RESERVED_FROM_BYTES {
            return Ok(());
        }
        let reserve = || MemoryConsumer::new("rows in memory").register(&self.pool);
        self.reserved.get_or_insert_with(reserve).try_resize(self.bytes)
    }
}

/// A node over inputs that have one partition each.
#[derive(Debug)]
pub(crate) struct LeanPlan<W> {
    inputs: Vec<Arc<dyn ExecutionPlan>>,
    work: Arc<W>,
    /// The properties of the node that it replaces.
    properties: Arc<PlanProperties>,
}

impl<W: LeanWork> LeanPlan<W> {
    /// Builds a node that replaces another.
    pub(crate) fn in_place_of(
        node: &Arc<dyn ExecutionPlan>,
        inputs: Vec<Arc<dyn ExecutionPlan>>,
        work: W,
    ) -> Arc<dyn ExecutionPlan> {
        Self::with_properties(Arc::clone(node.properties()), inputs, work)
    }

    /// Builds a node with these properties.
    pub(crate) fn with_properties(
        properties: Arc<PlanProperties>,
        inputs: Vec<Arc<dyn ExecutionPlan>>,
        work: W,
    ) -> Arc<dyn ExecutionPlan> {
        Arc::new(Self { inputs, work: Arc::new(work), properties })
    }
}

impl<W: LeanWork> DisplayAs for LeanPlan<W> {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(W::NAME)?;
        self.work.describe(f)
    }
}

impl<W: LeanWork> ExecutionPlan for LeanPlan<W> {
    fn name(&self) -> &'static str {
        W::NAME
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inputs.iter().collect()
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        inputs: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (work, properties) = (Arc::clone(&self.work), Arc::clone(&self.properties));
        Ok(Arc::new(Self { inputs, work, properties }))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let inputs = self.inputs.iter().map(|input| input.execute(partition, Arc::clone(&context)));
        Arc::clone(&self.work).run(inputs.collect::<Result<_>>()?, &context)
    }

    fn fetch(&self) -> Option<usize> {
        self.work.fetch()
    }
}
