//! A `sum` that does not wrap: integers and decimals are summed in a wider type and converted back. A sum that does not fit is an error.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray};
use datafusion::arrow::compute::{CastOptions, cast, cast_with_options};
use datafusion::arrow::datatypes::{
    DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, DataType, Field, FieldRef,
};
use datafusion::arrow::error::ArrowError;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, ReversedUDAF, Signature,
    utils::AggregateOrderSensitivity,
};

/// The engine's `sum`, in wider types.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
struct ExactSum(Sum);

/// Returns the function that replaces the engine's `sum`.
pub(super) fn function() -> AggregateUDF {
    AggregateUDF::from(ExactSum::default())
}

/// Returns the wider type in which values of a type are summed; `None` if they are summed in their type.
fn sum_type(ty: &DataType) -> Option<DataType> {
    match ty {
        DataType::Int64 | DataType::UInt64 => Some(DataType::Decimal128(DECIMAL128_MAX_PRECISION, 0)),
        DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) | DataType::Decimal128(_, scale) => {
            Some(DataType::Decimal256(DECIMAL256_MAX_PRECISION, *scale))
        }
        _ => None,
    }
}

fn field_with_type(field: &Field, ty: &DataType) -> FieldRef {
    Arc::new(field.clone().with_data_type(ty.clone()))
}

impl ExactSum {
    /// Builds the engine's accumulator for the same arguments in the wider type.
    #[expect(clippy::needless_pass_by_value, reason = "the engine hands its arguments over")]
    fn widened_accumulator<A: ?Sized>(
        args: AccumulatorArgs<'_>,
        make: impl FnOnce(AccumulatorArgs<'_>) -> Result<Box<A>>,
    ) -> Result<WideAccumulator<A>> {
        let narrow = args.return_type().clone();
        let wide = sum_type(&narrow).unwrap_or_else(|| narrow.clone());
        let return_field = field_with_type(&args.return_field, &wide);
        let fields: Vec<FieldRef> =
            args.expr_fields.iter().map(|field| field_with_type(field, &wide)).collect();
        Ok(WideAccumulator {
            inner: make(AccumulatorArgs { return_field, expr_fields: &fields, ..args })?,
            wide,
            narrow,
        })
    }
}

impl AggregateUDFImpl for ExactSum {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        self.0.return_type(arguments)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Self::widened_accumulator(args, |args| self.0.accumulator(args))?))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let wide = sum_type(args.return_field.data_type());
        let return_field = wide.map(|wide| field_with_type(&args.return_field, &wide));
        self.0
            .state_fields(StateFieldsArgs { return_field: return_field.unwrap_or(args.return_field), ..args })
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        self.0.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(Self::widened_accumulator(args, |args| self.0.create_groups_accumulator(args))?))
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Self::widened_accumulator(args, |args| self.0.create_sliding_accumulator(args))?))
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        self.0.reverse_expr()
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.0.order_sensitivity()
    }
}

/// The engine's accumulator in the wider type.
#[derive(Debug)]
struct WideAccumulator<A: ?Sized> {
    wide: DataType,
    narrow: DataType,
    inner: Box<A>,
}

impl<A: ?Sized> WideAccumulator<A> {
    fn widen(&self, values: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        Ok(values.iter().map(|values| cast(values, &self.wide)).collect::<Result<_, _>>()?)
    }

    fn narrow_sums(&self, sums: &ArrayRef) -> Result<ArrayRef> {
        let options = CastOptions { safe: false, ..CastOptions::default() };
        let beyond = |_| ArrowError::ArithmeticOverflow(format!("a sum is beyond {}", self.limit()));
        Ok(cast_with_options(sums, &self.narrow, &options).map_err(beyond)?)
    }

    fn limit(&self) -> &'static str {
        if self.narrow.is_integer() { "64 bits" } else { "38 digits" }
    }
}

impl Accumulator for WideAccumulator<dyn Accumulator> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.update_batch(&self.widen(values)?)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = self.inner.evaluate()?.to_array()?;
        ScalarValue::try_from_array(&self.narrow_sums(&sum)?, 0)
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.inner.state()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.inner.merge_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.retract_batch(&self.widen(values)?)
    }

    fn supports_retract_batch(&self) -> bool {
        self.inner.supports_retract_batch()
    }
}

impl GroupsAccumulator for WideAccumulator<dyn GroupsAccumulator> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.inner.update_batch(&self.widen(values)?, groups, filter, count)
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        let sums = self.inner.evaluate(emit)?;
        self.narrow_sums(&sums)
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        self.inner.state(emit)
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], count: usize) -> Result<()> {
        self.inner.merge_batch(states, groups, count)
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        self.inner.convert_to_state(&self.widen(values)?, filter)
    }

    fn size(&self) -> usize {
        self.inner.size()
    }
}
