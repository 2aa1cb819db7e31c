//! `array_agg(value ORDER BY key, ...)` over whole columns: row numbers are sorted and values gathered once, while the engine's version
//! makes a scalar of each value and key.
//!
//! This version replaces the engine's in plans of one stage. Rows with equal keys stay in the order of arrival.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, ListArray, UInt32Array, new_empty_array};
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::compute::{SortColumn, SortOptions, concat, lexsort_to_indices, take};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{ScalarValue, internal_err, not_impl_err};
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, Volatility,
};
use datafusion::physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};

/// Replaces every ordered `array_agg` with the column version.
pub(crate) fn order_by_columns(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        let Some(aggregate) = node.downcast_ref::<AggregateExec>() else { return Ok(Transformed::no(node)) };
        let is_whole = matches!(aggregate.mode(), AggregateMode::Single | AggregateMode::SinglePartitioned);
        if !is_whole || !aggregate.aggr_expr().iter().any(|function| is_ordered_array(function)) {
            return Ok(Transformed::no(node));
        }
        let functions = aggregate.aggr_expr().iter().map(|function| {
            if is_ordered_array(function) {
                column_version(function, aggregate)
            } else {
                Ok(Arc::clone(function))
            }
        });
        let changed = AggregateExec::try_new(
            *aggregate.mode(),
            aggregate.group_expr().clone(),
            functions.collect::<Result<_>>()?,
            aggregate.filter_expr().to_vec(),
            Arc::clone(aggregate.input()),
            aggregate.input_schema(),
        )?;
        Ok(Transformed::yes(Arc::new(changed.with_limit_options(aggregate.limit_options()))))
    })
    .data()
}

fn is_ordered_array(function: &AggregateFunctionExpr) -> bool {
    let is_plain = !function.is_distinct() && !function.ignore_nulls() && !function.is_reversed();
    function.fun().name() == "array_agg" && is_plain && !function.order_bys().is_empty()
}

fn column_version(
    function: &AggregateFunctionExpr,
    aggregate: &AggregateExec,
) -> Result<Arc<AggregateFunctionExpr>> {
    let options = function.order_bys().iter().map(|key| key.options).collect();
    let signature = Signature::variadic_any(Volatility::Immutable);
    let udf = AggregateUDF::new_from_impl(OrderedArrays { options, signature });
    // The value, then the keys.
    let keys = function.order_bys().iter().map(|key| Arc::clone(&key.expr));
    let arguments = function.expressions().into_iter().take(1).chain(keys).collect();
    let builder = AggregateExprBuilder::new(Arc::new(udf), arguments);
    Ok(Arc::new(builder.schema(aggregate.input_schema()).alias(function.name()).build()?))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct OrderedArrays {
    options: Vec<SortOptions>,
    signature: Signature,
}

impl AggregateUDFImpl for OrderedArrays {
    fn name(&self) -> &'static str {
        "ordered_arrays"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        let Some(value) = arguments.first() else { return internal_err!("ordered_arrays takes a value") };
        Ok(DataType::List(Arc::new(Field::new_list_field(value.clone(), true))))
    }

    fn accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(SingleGroupRows(self.new_state(&arguments)?)))
    }

    fn state_fields(&self, _: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(Vec::new())
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(
        &self,
        arguments: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(self.new_state(&arguments)?))
    }
}

impl OrderedArrays {
    fn new_state(&self, arguments: &AccumulatorArgs<'_>) -> Result<GroupedRows> {
        let DataType::List(item) = arguments.return_field.data_type() else {
            return internal_err!("ordered_arrays gives lists");
        };
        let options = self.options.clone();
        Ok(GroupedRows { options, item: Arc::clone(item), batches: Vec::new(), groups: Vec::new(), count: 0 })
    }
}

/// The state of the accumulator: the rows that it has received, and the group of each row.
#[derive(Debug)]
struct GroupedRows {
    /// The direction of each key.
    options: Vec<SortOptions>,
    /// The field of the items of a list.
    item: FieldRef,
    /// The value column and the key columns, by batch.
    batches: Vec<Vec<ArrayRef>>,
    /// The group of each row.
    groups: Vec<u32>,
    /// Number of groups.
    count: usize,
}

impl GroupedRows {
    /// Returns the lists of the first groups, or of all, and removes them.
    fn take_groups(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let group_count = match emit_to {
            EmitTo::All => self.count,
            EmitTo::First(groups) => groups,
        };
        let columns = (0..=self.options.len()).map(|at| {
            let parts: Vec<&dyn Array> =
                self.batches.iter().filter_map(|batch| Some(batch.get(at)?.as_ref())).collect();
            match parts.as_slice() {
                [] => Ok(new_empty_array(self.item.data_type())),
                parts => concat(parts),
            }
        });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let groups = std::mem::take(&mut self.groups);
        let order = self.order(&columns, &groups)?;
        let group_of = |row: &u32| groups.get(*row as usize).map_or(0, |group| *group as usize);
        let end = order.values().partition_point(|row| group_of(row) < group_count);
        let mut lengths = vec![0; group_count];
        for row in order.values().iter().take(end) {
            if let Some(length) = lengths.get_mut(group_of(row)) {
                *length += 1;
            }
        }
        let value = columns.first().map_or_else(|| new_empty_array(self.item.data_type()), Arc::clone);
        let items = take(value.as_ref(), &order.slice(0, end), None)?;
        self.count -= group_count;
        self.batches.clear();
        if end < order.len() {
            // Rows of later groups remain, in the order of arrival.
            let mut later = order.values().get(end..).unwrap_or_default().to_vec();
            later.sort_unstable();
            self.groups = later.iter().map(|row| (group_of(row) - group_count) as u32).collect();
            let later = UInt32Array::from(later);
            let retained = columns.iter().map(|column| take(column.as_ref(), &later, None));
            self.batches.push(retained.collect::<Result<_, _>>()?);
        }
        let nulls: NullBuffer = lengths.iter().map(|length| *length > 0).collect();
        let offsets = OffsetBuffer::from_lengths(lengths);
        Ok(Arc::new(ListArray::try_new(Arc::clone(&self.item), offsets, items, Some(nulls))?))
    }

    /// Returns row numbers sorted by group, keys and row number.
    fn order(&self, columns: &[ArrayRef], groups: &[u32]) -> Result<UInt32Array> {
        let column = |values: ArrayRef, options| SortColumn { values, options };
        let keys = columns.iter().skip(1).zip(&self.options);
        let mut sorted = Vec::with_capacity(columns.len() + 1);
        if self.count > 1 {
            sorted.push(column(Arc::new(UInt32Array::from(groups.to_vec())), None));
        }
        sorted.extend(keys.map(|(key, options)| column(Arc::clone(key), Some(*options))));
        sorted.push(column(Arc::new((0..groups.len() as u32).collect::<UInt32Array>()), None));
        Ok(lexsort_to_indices(&sorted, None)?)
    }
}

impl GroupsAccumulator for GroupedRows {
    fn update_batch(
        &mut self,
        columns: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.count = self.count.max(count);
        let Some(filter) = filter else {
            self.groups.extend(groups.iter().map(|group| *group as u32));
            self.batches.push(columns.to_vec());
            return Ok(());
        };
        let is_selected = |row: &usize| filter.is_valid(*row) && filter.value(*row);
        let rows: Vec<usize> = (0..groups.len()).filter(is_selected).collect();
        self.groups.extend(rows.iter().filter_map(|row| groups.get(*row)).map(|group| *group as u32));
        let rows: UInt32Array = rows.into_iter().map(|row| row as u32).collect::<Vec<_>>().into();
        let retained = columns.iter().map(|column| take(column.as_ref(), &rows, None));
        self.batches.push(retained.collect::<Result<_, _>>()?);
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        self.take_groups(emit_to)
    }

    fn state(&mut self, _: EmitTo) -> Result<Vec<ArrayRef>> {
        not_impl_err!("ordered_arrays has one stage")
    }

    fn merge_batch(&mut self, _: &[ArrayRef], _: &[usize], _: usize) -> Result<()> {
        not_impl_err!("ordered_arrays has one stage")
    }

    fn convert_to_state(&self, _: &[ArrayRef], _: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        not_impl_err!("ordered_arrays has one stage")
    }

    fn size(&self) -> usize {
        // Arrays are slices of tables, whose whole buffers are not counted here.
        let arrays =
            self.batches.iter().flatten().filter_map(|array| array.to_data().get_slice_memory_size().ok());
        self.groups.capacity() * size_of::<u32>() + arrays.sum::<usize>()
    }
}

#[derive(Debug)]
struct SingleGroupRows(GroupedRows);

impl Accumulator for SingleGroupRows {
    fn update_batch(&mut self, columns: &[ArrayRef]) -> Result<()> {
        let rows = columns.first().map_or(0, Array::len);
        self.0.update_batch(columns, &vec![0; rows], None, 1)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.0.count = 1;
        ScalarValue::try_from_array(&self.0.take_groups(EmitTo::All)?, 0)
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        not_impl_err!("ordered_arrays has one stage")
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        not_impl_err!("ordered_arrays has one stage")
    }
}
