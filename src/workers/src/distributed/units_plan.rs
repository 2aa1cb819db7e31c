//! Units as a leaf of an execution plan: the engine sends each worker a list of them, and receives a row for each finished unit.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{exec_datafusion_err, internal_datafusion_err, internal_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use futures::StreamExt as _;

use super::executor::{UnitExecutor, UnitOutcome};
use parquote_derive::{MadeUnit, WorkUnit};

/// Number of units of a task that are started at a time; a worker runs one per core.
const UNIT_LANES: usize = 2;

/// The plan that runs a list of units.
#[derive(Debug, Clone)]
pub(super) struct UnitsExec {
    units: Arc<Vec<WorkUnit>>,
    properties: Arc<PlanProperties>,
}

impl UnitsExec {
    pub(super) fn new(units: Vec<WorkUnit>) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(reply_columns()),
            Partitioning::UnknownPartitioning(UNIT_LANES),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self { units: Arc::new(units), properties: Arc::new(properties) }
    }
}

/// Returns the columns of a reply: number of files, rows and bytes, microseconds taken, the unit's name, the result as JSON, and the error
/// if the unit failed.
pub(super) fn reply_columns() -> SchemaRef {
    let number = |name: &str| Field::new(name, DataType::Int64, false);
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    let numbers = ["files", "rows", "bytes", "took_us"].map(number);
    let texts = [text("unit", false), text("made", true), text("failed", true)];
    Arc::new(Schema::new(numbers.into_iter().chain(texts).collect::<Vec<_>>()))
}

fn reply_row(unit: &WorkUnit, outcome: UnitOutcome) -> Result<RecordBatch> {
    let (made, failed) = match outcome {
        UnitOutcome::Made(made) => (made, None),
        UnitOutcome::Failed(why) => {
            (MadeUnit { files: Vec::new(), took: std::time::Duration::ZERO }, Some(why))
        }
    };
    let files = &made.files;
    let numbers = [
        files.len() as u64,
        files.iter().map(|file| file.rows).sum(),
        files.iter().map(|file| file.blob.bytes).sum(),
        made.took.as_micros() as u64,
    ];
    let text = serde_json::to_string(&made).map_err(|error| exec_datafusion_err!("{error}"))?;
    let texts = [Some(unit.name()), failed.is_none().then_some(text), failed];
    let numbers = numbers.map(|number| Arc::new(Int64Array::from(vec![number as i64])) as ArrayRef);
    let texts = texts.map(|text| Arc::new(StringArray::from(vec![text])) as ArrayRef);
    Ok(RecordBatch::try_new(reply_columns(), numbers.into_iter().chain(texts).collect())?)
}

impl DisplayAs for UnitsExec {
    fn fmt_as(&self, _: DisplayFormatType, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "UnitsExec: units={}", self.units.len())
    }
}

impl ExecutionPlan for UnitsExec {
    fn name(&self) -> &'static str {
        "UnitsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let executor = context.session_config().get_extension::<UnitExecutor>();
        let executor = executor.ok_or_else(|| internal_datafusion_err!("units run on workers alone"))?;
        let lane: Vec<WorkUnit> = self.units.iter().skip(partition).step_by(UNIT_LANES).cloned().collect();
        let rows = futures::stream::iter(lane).then(move |unit| {
            let executor = Arc::clone(&executor);
            async move {
                let outcome =
                    executor.run(&unit).await.map_err(|error| DataFusionError::External(Box::new(error)))?;
                reply_row(&unit, outcome)
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(reply_columns(), rows)))
    }
}

/// Encodes lists of units as JSON.
#[derive(Debug)]
pub(super) struct UnitsCodec;

impl PhysicalExtensionCodec for UnitsCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        _: &[Arc<dyn ExecutionPlan>],
        _: &TaskContext,
        _: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let units = serde_json::from_slice(bytes)
            .map_err(|error| internal_datafusion_err!("a list of units cannot be read: {error}"))?;
        Ok(Arc::new(UnitsExec::new(units)))
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        _: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let Some(list) = node.downcast_ref::<UnitsExec>() else {
            return internal_err!("{} is not a list of units", node.name());
        };
        serde_json::to_writer(bytes, &*list.units).map_err(|error| internal_datafusion_err!("{error}"))
    }
}
