//! The aggregate `newest_lines(line, value, version)`: the newest version's value of every statement line, as a struct of lines.
//!
//! The function passes once over the rows of a company's period and replaces fifty aggregates, one per line. A line without a value is
//! null; unknown lines are ignored; of two rows with one version the greater value is used, in any order of rows.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::mem::size_of;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, StructArray,
};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields, Float64Type, Int64Type};
use datafusion::common::{ScalarValue, exec_datafusion_err};
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, Volatility,
};

use parquote_catalogue::operation::line_item::LineItem;

/// The version of a line without a value.
const NO_VERSION: i64 = i64::MIN;

/// Returns the aggregate function `newest_lines`.
pub fn newest_lines() -> AggregateUDF {
    let arguments = vec![DataType::Utf8View, DataType::Float64, DataType::Int64];
    AggregateUDF::new_from_impl(NewestLines { signature: Signature::exact(arguments, Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct NewestLines {
    signature: Signature,
}

impl AggregateUDFImpl for NewestLines {
    fn name(&self) -> &'static str {
        "newest_lines"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Struct(field_per_line(&DataType::Float64)))
    }

    fn accumulator(&self, _: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(SingleGroup(NewestValues::default())))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let field = |part: &str, ty: DataType| {
            let name = format!("{}[{part}]", args.name);
            Arc::new(Field::new(name, DataType::Struct(field_per_line(&ty)), true))
        };
        Ok(vec![field("values", DataType::Float64), field("versions", DataType::Int64)])
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, _: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(NewestValues::default()))
    }
}

fn field_per_line(ty: &DataType) -> Fields {
    LineItem::all().map(|line| Field::new(line.word(), ty.clone(), true)).collect()
}

/// The newest value of each statement line in each group, with its version. Each group has one cell per line, after those of the group
/// before.
#[derive(Debug)]
struct NewestValues {
    /// The position of each line's cell in its group, by the name of the line.
    lines: HashMap<&'static str, usize>,
    values: Vec<f64>,
    /// `NO_VERSION` for a cell without a value.
    versions: Vec<i64>,
}

impl Default for NewestValues {
    fn default() -> Self {
        let lines = LineItem::all().enumerate().map(|(position, line)| (line.word(), position)).collect();
        Self { lines, values: Vec::new(), versions: Vec::new() }
    }
}

impl NewestValues {
    fn grow_to(&mut self, groups: usize) {
        let cells = groups * self.lines.len();
        if cells > self.values.len() {
            self.values.resize(cells, 0.0);
            self.versions.resize(cells, NO_VERSION);
        }
    }

    fn insert_newest(&mut self, group: usize, line: usize, value: f64, version: i64) {
        let cell = group * self.lines.len() + line;
        if let (Some(old_version), Some(old_value)) = (self.versions.get_mut(cell), self.values.get_mut(cell))
            && (version, value.total_cmp(old_value)) > (*old_version, Ordering::Equal)
        {
            (*old_version, *old_value) = (version, value);
        }
    }

    /// Removes the first groups, or all, and returns their values and versions by line.
    fn take_groups(&mut self, emit_to: EmitTo) -> (ArrayRef, ArrayRef) {
        let lines = self.lines.len();
        let groups = match emit_to {
            EmitTo::All => self.values.len() / lines,
            EmitTo::First(groups) => groups,
        };
        let later = (self.values.split_off(groups * lines), self.versions.split_off(groups * lines));
        let values = std::mem::replace(&mut self.values, later.0);
        let versions = std::mem::replace(&mut self.versions, later.1);
        let version = |line: usize| versions.iter().skip(line).step_by(lines).copied();
        let values_of_line = |line: usize| {
            let values = values.iter().skip(line).step_by(lines).zip(version(line));
            let values = values.map(|(value, version)| (version != NO_VERSION).then_some(*value));
            Arc::new(values.collect::<Float64Array>()) as ArrayRef
        };
        let versions_of_line = |line: usize| {
            let versions = version(line).map(|version| (version != NO_VERSION).then_some(version));
            Arc::new(versions.collect::<Int64Array>()) as ArrayRef
        };
        let rows = |ty: &DataType, columns: Vec<ArrayRef>| -> ArrayRef {
            Arc::new(StructArray::new(field_per_line(ty), columns, None))
        };
        (
            rows(&DataType::Float64, (0..lines).map(values_of_line).collect()),
            rows(&DataType::Int64, (0..lines).map(versions_of_line).collect()),
        )
    }
}

impl GroupsAccumulator for NewestValues {
    fn update_batch(
        &mut self,
        columns: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        group_count: usize,
    ) -> Result<()> {
        let [lines, values, versions] = columns else {
            return Err(exec_datafusion_err!("newest_lines takes a line, a value and a version"));
        };
        let lines = lines.as_string_view();
        let (values, versions) = (values.as_primitive::<Float64Type>(), versions.as_primitive::<Int64Type>());
        self.grow_to(group_count);
        for (row, group) in groups.iter().enumerate() {
            let is_selected = filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
            if !is_selected || lines.is_null(row) || values.is_null(row) || versions.is_null(row) {
                continue;
            }
            if let Some(line) = self.lines.get(lines.value(row)).copied() {
                self.insert_newest(*group, line, values.value(row), versions.value(row));
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        Ok(self.take_groups(emit_to).0)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let (values, versions) = self.take_groups(emit_to);
        Ok(vec![values, versions])
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], group_count: usize) -> Result<()> {
        let [values, versions] = states else {
            return Err(exec_datafusion_err!("a state of newest_lines is values and versions"));
        };
        self.grow_to(group_count);
        let columns = values.as_struct().columns().iter().zip(versions.as_struct().columns());
        for (line, (values, versions)) in columns.enumerate() {
            let (values, versions) =
                (values.as_primitive::<Float64Type>(), versions.as_primitive::<Int64Type>());
            for (row, group) in groups.iter().enumerate() {
                if values.is_valid(row) && versions.is_valid(row) {
                    self.insert_newest(*group, line, values.value(row), versions.value(row));
                }
            }
        }
        Ok(())
    }

    /// Treats each row as a separate group.
    fn convert_to_state(&self, columns: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let rows = columns.first().map_or(0, Array::len);
        let mut accumulator = Self::default();
        accumulator.update_batch(columns, &(0..rows).collect::<Vec<_>>(), filter, rows)?;
        accumulator.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        self.values.capacity() * size_of::<f64>() + self.versions.capacity() * size_of::<i64>()
    }
}

#[derive(Debug)]
struct SingleGroup(NewestValues);

impl Accumulator for SingleGroup {
    fn update_batch(&mut self, columns: &[ArrayRef]) -> Result<()> {
        let rows = columns.first().map_or(0, Array::len);
        self.0.update_batch(columns, &vec![0; rows], None, 1)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.0.grow_to(1);
        ScalarValue::try_from_array(&self.0.take_groups(EmitTo::All).0, 0)
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.0.grow_to(1);
        let (values, versions) = self.0.take_groups(EmitTo::All);
        [values, versions].iter().map(|column| ScalarValue::try_from_array(column, 0)).collect()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let rows = states.first().map_or(0, Array::len);
        self.0.merge_batch(states, &vec![0; rows], 1)
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::util::pretty::pretty_format_batches;
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;

    async fn lines(sql: &str, partitions: usize) -> Vec<String> {
        let config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(2);
        let context = SessionContext::new_with_config(config);
        context.register_udaf(newest_lines());
        let rows = context.sql(sql).await.unwrap().collect().await.unwrap();
        let text = pretty_format_batches(&rows).unwrap().to_string();
        let lines = text.lines().skip(3).filter(|line| line.starts_with('|'));
        lines.map(|line| line.replace(['|', ' '], "~").trim_matches('~').replace("~~", "~")).collect()
    }

    const ROWS: &str = "(VALUES ('A', 'revenue', 1.0, 1), ('B', 'revenue', 7.0, 1), ('A', 'revenue', 3.0, 3), \
        ('A', 'revenue', 2.0, 2), ('A', 'pat', NULL, 9), ('A', 'pat', 5.0, 1), ('A', 'no such line', 5.0, 1), \
        ('B', 'pat', 8.0, 4), ('B', 'pat', 9.0, 4), ('C', 'equity', 4.0, 1)) AS given(symbol, line, value, version)";

    #[tokio::test]
    async fn the_newest_value_of_each_line_of_each_group_stands() {
        let sql = format!(
            "SELECT symbol, get_field(l, 'revenue'), get_field(l, 'pat'), get_field(l, 'equity') FROM
             (SELECT symbol, newest_lines(line, value, CAST(version AS BIGINT)) AS l FROM {ROWS} GROUP BY symbol)
             ORDER BY symbol"
        );
        for partitions in [1, 4] {
            let actual: Vec<Vec<String>> = lines(&sql, partitions)
                .await
                .iter()
                .map(|line| line.split('~').filter(|cell| !cell.is_empty()).map(str::to_owned).collect())
                .collect();
            assert_eq!(
                actual,
                [vec!["A", "3.0", "5.0"], vec!["B", "7.0", "9.0"], vec!["C", "4.0"]],
                "{partitions} partitions"
            );
        }
    }

    #[tokio::test]
    async fn a_filter_and_no_group_are_kept_to() {
        let sql = format!(
            "SELECT get_field(l, 'revenue') FROM (SELECT newest_lines(line, value, CAST(version AS BIGINT))
             FILTER (WHERE version < 3) AS l FROM {ROWS} WHERE symbol = 'A')"
        );
        assert_eq!(lines(&sql, 1).await, ["2.0"]);
    }
}
