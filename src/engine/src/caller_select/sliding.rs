//! Sums, means and deviations over sliding frames: the engine subtracts each value that leaves a frame, which leaves its rounding error in
//! the sum. Here each frame is computed by itself, without subtraction.

use std::collections::VecDeque;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::compute::concat;
use datafusion::arrow::datatypes::{DataType, FieldRef, Schema};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Expr, Signature, WindowFunctionDefinition,
};
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr};

/// Functions that the engine computes exactly over sliding frames: they subtract nothing, or only integers.
const EXACT_FUNCTIONS: [&str; 3] = ["count", "max", "min"];
/// Number of parts above which a frame's parts are merged.
const MOST_PARTS: usize = 16;

/// Makes a function over a sliding frame compute each frame by itself, unless the engine's result is exact.
pub(super) fn compute_frames_separately(window: &mut WindowFunction, type_of: impl Fn(&Expr) -> DataType) {
    let WindowFunctionDefinition::AggregateUDF(function) = &window.fun else { return };
    let is_integer_sum =
        || function.name() == "sum" && !window.params.args.iter().any(|arg| type_of(arg).is_floating());
    let slides = !window.params.window_frame.start_bound.is_unbounded();
    if slides && !EXACT_FUNCTIONS.contains(&function.name()) && !is_integer_sum() {
        let separate = AggregateUDF::from(SeparateFrames(Arc::clone(function)));
        window.fun = WindowFunctionDefinition::AggregateUDF(Arc::new(separate));
    }
}

/// Computes each frame by itself.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SeparateFrames(Arc<AggregateUDF>);

impl AggregateUDFImpl for SeparateFrames {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        self.0.return_type(arguments)
    }

    fn return_field(&self, arguments: &[FieldRef]) -> Result<FieldRef> {
        self.0.return_field(arguments)
    }

    fn coerce_types(&self, arguments: &[DataType]) -> Result<Vec<DataType>> {
        self.0.coerce_types(arguments)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        self.0.accumulator(args)
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        self.0.state_fields(args)
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(FrameRows {
            function: Arc::clone(&self.0),
            accumulator_args: AccumulatorCopy::from_args(&args),
            parts: VecDeque::new(),
        }))
    }
}

/// Owned copy of the arguments of an accumulator.
#[derive(Debug)]
struct AccumulatorCopy {
    return_field: FieldRef,
    schema: Schema,
    ignore_nulls: bool,
    order_bys: Vec<PhysicalSortExpr>,
    is_reversed: bool,
    name: String,
    is_distinct: bool,
    exprs: Vec<Arc<dyn PhysicalExpr>>,
    expr_fields: Vec<FieldRef>,
}

impl AccumulatorCopy {
    fn from_args(args: &AccumulatorArgs<'_>) -> Self {
        Self {
            return_field: Arc::clone(&args.return_field),
            schema: args.schema.clone(),
            ignore_nulls: args.ignore_nulls,
            order_bys: args.order_bys.to_vec(),
            is_reversed: args.is_reversed,
            name: args.name.to_owned(),
            is_distinct: args.is_distinct,
            exprs: args.exprs.to_vec(),
            expr_fields: args.expr_fields.to_vec(),
        }
    }

    fn args(&self) -> AccumulatorArgs<'_> {
        AccumulatorArgs {
            return_field: Arc::clone(&self.return_field),
            schema: &self.schema,
            ignore_nulls: self.ignore_nulls,
            order_bys: &self.order_bys,
            is_reversed: self.is_reversed,
            name: &self.name,
            is_distinct: self.is_distinct,
            exprs: &self.exprs,
            expr_fields: &self.expr_fields,
        }
    }
}

/// Accumulates the rows of the current frame, and computes their result from scratch.
#[derive(Debug)]
struct FrameRows {
    function: Arc<AggregateUDF>,
    accumulator_args: AccumulatorCopy,
    /// Arguments of rows that arrived together, earliest first.
    parts: VecDeque<Vec<ArrayRef>>,
}

fn row_count(part: &[ArrayRef]) -> usize {
    part.first().map_or(0, Array::len)
}

impl FrameRows {
    /// Merges the rows into one part.
    fn join(&mut self) -> Result<()> {
        let columns = self.parts.front().map_or(0, Vec::len);
        let joined = (0..columns).map(|column| {
            let arrays: Vec<&dyn Array> =
                self.parts.iter().filter_map(|part| Some(part.get(column)?.as_ref())).collect();
            concat(&arrays)
        });
        let joined = joined.collect::<Result<Vec<ArrayRef>, _>>()?;
        self.parts = VecDeque::from([joined]);
        Ok(())
    }
}

impl Accumulator for FrameRows {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.parts.push_back(values.to_vec());
        if self.parts.len() > MOST_PARTS { self.join() } else { Ok(()) }
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let mut remaining = row_count(values);
        while remaining > 0
            && let Some(mut part) = self.parts.pop_front()
        {
            let part_rows = row_count(&part);
            if part_rows > remaining {
                for values in &mut part {
                    *values = values.slice(remaining, part_rows - remaining);
                }
                self.parts.push_front(part);
            }
            remaining = remaining.saturating_sub(part_rows);
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut frame = self.function.accumulator(self.accumulator_args.args())?;
        for part in &self.parts {
            frame.update_batch(part)?;
        }
        frame.evaluate()
    }

    fn size(&self) -> usize {
        let bytes = |values: &ArrayRef| values.to_data().get_slice_memory_size().unwrap_or_default();
        size_of_val(self) + self.parts.iter().flatten().map(bytes).sum::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }
}
