//! The stocks of a screen as columns, over which filters of [`parquote_language`] are evaluated as expressions.
//!
//! A comparison with null is neither true nor false, and neither is its negation. A row matches only if the whole filter is true. NaN
//! counts as null.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, DictionaryArray, Float64Array, RecordBatch, StringArray, make_comparator,
};
use datafusion::arrow::compute::{SortOptions, cast, prep_null_mask_filter};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int32Type, Schema};
use datafusion::common::DFSchema;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::utils::{conjunction, disjunction};
use datafusion::logical_expr::{Expr, ident, lit};
use datafusion::physical_expr::create_physical_expr;

use parquote_engine::{AnswerRows, EngineError};
use parquote_language::{
    BETWEEN_NAMES, ComparisonOperand, Direction, FieldKind, Fields, Filter, FlagSource, Test, TextValues,
};

/// The stocks of a set.
pub(super) struct ScreenTable {
    rows: AnswerRows,
    /// The columns with every number as `Float64` and every text as `Utf8`, so that expressions need no casts.
    pub(super) columns: RecordBatch,
    /// The text columns that sentences may use, by name, dictionary-encoded.
    pub(super) coded: HashMap<String, DictionaryArray<Int32Type>>,
}

impl ScreenTable {
    /// Builds a table of rows, whose columns `fields` describes.
    pub(super) fn new(rows: AnswerRows, fields: &Fields) -> std::result::Result<Self, EngineError> {
        let none = || Ok(RecordBatch::new_empty(Arc::new(Schema::empty())));
        let columns = rows.batch().map_or_else(none, |rows| comparable_columns(rows, fields))?;
        let coded = encode_text_columns(&columns, fields)?;
        Ok(Self { rows, columns, coded })
    }

    /// Returns the same stocks with another column to sort by. Their answer rows do not have this column.
    pub(super) fn with_column(&self, name: &str, column: ArrayRef) -> std::result::Result<Self, EngineError> {
        let columns = with_column(&self.columns, name, column)?;
        Ok(Self { rows: self.rows.clone(), columns, coded: self.coded.clone() })
    }

    pub(super) const fn rows(&self) -> &AnswerRows {
        &self.rows
    }

    /// Returns the indices of the rows that match a filter, ascending.
    pub(super) fn matching_rows(
        &self,
        filter: &Filter,
        fields: &Fields,
    ) -> std::result::Result<Vec<u32>, EngineError> {
        let medians = filter.medians();
        let filter = filter_expr(filter, fields);
        // A condition after one that few rows meet is evaluated on a copy of these rows, so unused columns are dropped first.
        let named = filter.column_refs();
        let schema = self.columns.schema();
        let is_named = |name: &str| named.iter().any(|column| column.name == name);
        let named_fields = schema.fields().iter().enumerate().filter(|(_, field)| is_named(field.name()));
        let columns = self.columns.project(&named_fields.map(|(position, _)| position).collect::<Vec<_>>());
        let columns = self.with_medians(columns.map_err(DataFusionError::from)?, &medians)?;
        let (properties, planning) = (ExecutionProps::new(), PhysicalPlanningContext::default());
        let schema = DFSchema::try_from(columns.schema())?;
        let expr = create_physical_expr(&filter, &schema, &properties, &planning)?;
        let holds = expr.evaluate(&columns)?.into_array(columns.num_rows())?;
        // An unknown result counts as false.
        let holds = match holds.as_boolean() {
            holds if holds.null_count() > 0 => prep_null_mask_filter(holds),
            holds => holds.clone(),
        };
        Ok(holds.values().set_indices_u32().collect())
    }

    /// Counts the rows with each text of a column that sentences may use. Only rows for which `is_counted` returns true count.
    pub(super) fn count_by_text(
        &self,
        column: &str,
        is_counted: impl Fn(usize) -> bool,
    ) -> Vec<(String, usize)> {
        let Some(coded) = self.coded.get(column) else { return Vec::new() };
        let texts = coded.values().as_string::<i32>();
        let mut counts = vec![0; texts.len()];
        let numbers = coded.keys().iter().enumerate().filter(|(row, _)| is_counted(*row));
        for number in numbers.filter_map(|(_, number)| usize::try_from(number?).ok()) {
            if let Some(count) = counts.get_mut(number) {
                *count += 1;
            }
        }
        texts.iter().flatten().map(str::to_owned).zip(counts).collect()
    }

    /// Returns the first `most` of some rows, sorted by a field. Rows without the field come last; rows with equal values are in table
    /// order.
    pub(super) fn first_rows(
        &self,
        rows: &[u32],
        field: &str,
        direction: Direction,
        most: usize,
    ) -> std::result::Result<Vec<u32>, EngineError> {
        let options = SortOptions { descending: direction == Direction::Desc, nulls_first: false };
        let by_field = |column: &ArrayRef| make_comparator(column, column, options);
        let by_field = self.columns.column_by_name(field).map(by_field).transpose();
        let by_field = by_field.map_err(DataFusionError::from)?;
        let order = |one: &u32, other: &u32| {
            let by_field = by_field.as_ref().map(|compare| compare(*one as usize, *other as usize));
            by_field.unwrap_or(Ordering::Equal).then(one.cmp(other))
        };
        let mut first = rows.to_vec();
        if most < first.len() {
            first.select_nth_unstable_by(most, order);
            first.truncate(most);
        }
        first.sort_unstable_by(order);
        Ok(first)
    }
}

/// Converts the columns to the types that filters compare. A list of names gets a separator at both ends.
fn comparable_columns(rows: &RecordBatch, fields: &Fields) -> Result<RecordBatch> {
    let schema = rows.schema();
    let columns = schema.fields().iter().zip(rows.columns()).map(|(field, column)| {
        let column: ArrayRef = match column.data_type() {
            DataType::Boolean => Arc::clone(column),
            number if number.is_numeric() => {
                let numbers = cast(column, &DataType::Float64)?;
                let numbers = numbers.as_primitive::<Float64Type>().iter();
                Arc::new(numbers.map(|number| number.filter(|it| !it.is_nan())).collect::<Float64Array>())
            }
            _ if has_several(field.name(), fields) => {
                let texts = cast(column, &DataType::Utf8)?;
                let texts = texts.as_string::<i32>().iter();
                Arc::new(
                    texts
                        .map(|text| Some(format!("{BETWEEN_NAMES}{}{BETWEEN_NAMES}", text?)))
                        .collect::<StringArray>(),
                )
            }
            _ => cast(column, &DataType::Utf8)?,
        };
        Ok((field.name().clone(), column, true))
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
}

/// Dictionary-encodes the text columns that sentences may use.
fn encode_text_columns(
    columns: &RecordBatch,
    fields: &Fields,
) -> Result<HashMap<String, DictionaryArray<Int32Type>>> {
    let coded = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let is_known =
        |name: &str| matches!(fields.find(name), Some(field) if matches!(field.kind, FieldKind::Text(_)));
    let schema = columns.schema();
    let known = schema.fields().iter().zip(columns.columns()).filter(|(field, _)| is_known(field.name()));
    known
        .map(|(field, column)| {
            Ok((field.name().clone(), cast(column, &coded)?.as_dictionary::<Int32Type>().clone()))
        })
        .collect()
}

/// Returns true if a cell of a field may have several texts.
fn has_several(field: &str, fields: &Fields) -> bool {
    fields.find(field).is_some_and(|field| field.kind == FieldKind::Text(TextValues::Indices))
}

/// Converts a filter to an expression over the columns of a screen.
fn filter_expr(filter: &Filter, fields: &Fields) -> Expr {
    let all =
        |filters: &[Filter]| filters.iter().map(|filter| filter_expr(filter, fields)).collect::<Vec<_>>();
    match filter {
        Filter::All(filters) => conjunction(all(filters)).unwrap_or_else(|| lit(true)),
        Filter::Any(filters) => disjunction(all(filters)).unwrap_or_else(|| lit(false)),
        Filter::Not(filter) => !filter_expr(filter, fields),
        Filter::Number { field, test } => number_expr(ident(field), *test, lit),
        Filter::Against { field, test, than } => {
            let other = match than {
                ComparisonOperand::Field(other) => other.clone(),
                ComparisonOperand::MedianOf(group) => median_of(field, group),
            };
            number_expr(ident(field), *test, |times| lit(times) * ident(&other))
        }
        Filter::Text { field, one_of } if has_several(field, fields) => {
            let is_member = |name: &String| ident(field).like(lit(list_pattern(name)));
            disjunction(one_of.iter().map(is_member)).unwrap_or_else(|| lit(false))
        }
        Filter::Text { field, one_of } => ident(field).in_list(one_of.iter().map(lit).collect(), false),
        Filter::Flag { field, is } => {
            let flag = match fields.find(field).map(|field| &field.kind) {
                Some(FieldKind::Flag(FlagSource::Above(upper, lower))) => ident(upper).gt(ident(lower)),
                _ => ident(field),
            };
            if *is { flag } else { !flag }
        }
    }
}

/// Returns the name of the column with the median of a field in each group.
pub(super) fn median_of(field: &str, group: &str) -> String {
    format!("{field} median of {group}")
}

/// Converts a test of a number to an expression. `bound_expr` converts a bound.
fn number_expr(figure: Expr, test: Test, bound_expr: impl Fn(f64) -> Expr) -> Expr {
    match test {
        Test::AtLeast(bound) => figure.gt_eq(bound_expr(bound)),
        Test::Above(bound) => figure.gt(bound_expr(bound)),
        Test::AtMost(bound) => figure.lt_eq(bound_expr(bound)),
        Test::Below(bound) => figure.lt(bound_expr(bound)),
        Test::Equal(bound) => {
            let near = Test::tolerance(bound);
            figure.between(bound_expr(bound - near), bound_expr(bound + near))
        }
        Test::Between(low, high) => figure.between(bound_expr(low), bound_expr(high)),
    }
}

/// Returns the LIKE pattern of lists that contain a name.
fn list_pattern(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{BETWEEN_NAMES}{name}{BETWEEN_NAMES}%")
}

/// Returns rows with another column at the end.
pub(super) fn with_column(rows: &RecordBatch, name: &str, column: ArrayRef) -> Result<RecordBatch> {
    let field = Arc::new(Field::new(name, column.data_type().clone(), true));
    let fields: Vec<FieldRef> = rows.schema().fields().iter().cloned().chain([field]).collect();
    let columns = rows.columns().iter().cloned().chain([column]).collect();
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

#[cfg(test)]
pub(super) mod tests {
    use datafusion::arrow::array::{BooleanArray, Int64Array};
    use serde_json::{Value as Json, json};

    use super::*;
    use parquote_catalogue::operation::{Catalogue, Market};
    use parquote_language::{SnapshotWords, Vocabulary};

    /// Builds a table of these columns, and the screener's fields for them.
    pub(crate) fn of_columns<const COLUMNS: usize>(
        columns: [(&'static str, ArrayRef); COLUMNS],
    ) -> (ScreenTable, Fields) {
        let names = columns.clone().map(|(name, _)| name);
        let known = SnapshotWords { columns: &names, sectors: &[], industries: &[], indices: &[] };
        let vocabulary = Vocabulary::from_catalogue(&Catalogue::with_overlay(&[]).unwrap()).unwrap();
        let fields = Fields::new(Market::India, Arc::new(vocabulary), known);
        let rows = AnswerRows::from_batch(RecordBatch::try_from_iter(columns).unwrap());
        (ScreenTable::new(rows, &fields).unwrap(), fields)
    }

    /// Three stocks: one with all figures, one with NaN for `pe` and null elsewhere, one with other figures.
    fn table() -> (ScreenTable, Fields) {
        let texts = |texts: [Option<&str>; 3]| -> ArrayRef { Arc::new(StringArray::from(texts.to_vec())) };
        let numbers =
            |numbers: [Option<f64>; 3]| -> ArrayRef { Arc::new(Float64Array::from(numbers.to_vec())) };
        let columns: [(&str, ArrayRef); 10] = [
            ("pe", numbers([Some(10.0), Some(f64::NAN), Some(0.1 + 0.2)])),
            ("roe", Arc::new(Int64Array::from(vec![Some(5), None, Some(20)]))),
            ("de", numbers([None; 3])),
            ("price_cmp", numbers([Some(100.0), None, Some(80.0)])),
            ("sma_200", numbers([Some(90.0), Some(90.0), Some(90.0)])),
            ("sma_50", numbers([None; 3])),
            ("sector", texts([None, Some("Power"), Some("Realty")])),
            ("indices", texts([Some("NIFTY50"), None, Some("NIFTY500, NIFTYBANK")])),
            ("is_tradable", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
            ("rs_rating", Arc::new(Int64Array::from(vec![Some(7), None, Some(7)]))),
        ];
        of_columns(columns)
    }

    fn rows(criteria: &Json) -> Vec<u32> {
        let (table, fields) = table();
        table.matching_rows(&serde_json::from_value(criteria.clone()).unwrap(), &fields).unwrap()
    }

    /// The truth table of SQL-92 on the first stock: a condition that is true (pe), false (roe) or unknown (de, null).
    #[test]
    fn null_follows_the_logic_of_sql() {
        let (yes, no) =
            (json!({"field":"pe","op":"<","value":15}), json!({"field":"roe","op":">","value":15}));
        let unknown = json!({"field":"de","op":"<=","value":1});
        for (criteria, expected) in [
            (yes.clone(), true),
            (no.clone(), false),
            (unknown.clone(), false),
            (json!({"not": yes}), false),
            (json!({"not": no}), true),
            (json!({"not": unknown}), false),
            (json!({"not": {"not": unknown}}), false),
            (json!({"any": [unknown, yes]}), true),
            (json!({"any": [unknown, no]}), false),
            (json!({"not": {"any": [unknown, no]}}), false),
            (json!({"not": {"all": [unknown, no]}}), true),
            (json!({"not": {"all": [unknown, yes]}}), false),
            (json!({"all": []}), true),
            (json!({"field":"sector","in":["Power"]}), false),
            (json!({"not": {"field":"sector","in":["Power"]}}), false),
            (json!({"field":"above_sma_200","is":true}), true),
            (json!({"field":"above_sma_200","is":false}), false),
            (json!({"field":"above_sma_50","is":false}), false),
            (json!({"field":"pe","op":"between","from":10,"to":10}), true),
            (json!({"field":"pe","op":"=","value":10}), true),
        ] {
            assert_eq!(rows(&criteria).contains(&0), expected, "{criteria}");
        }
    }

    #[test]
    fn each_condition_keeps_its_rows() {
        for (criteria, expected) in [
            (json!({"not": {"field":"pe","op":"<","value":5}}), vec![0]),
            (json!({"field":"pe","op":">","value":0}), vec![0, 2]),
            (json!({"field":"pe","op":"=","value":0.3}), vec![2]),
            (json!({"field":"roe","op":">=","value":20}), vec![2]),
            (json!({"field":"sector","in":["Power","Realty"]}), vec![1, 2]),
            (json!({"not": {"field":"sector","in":["Power"]}}), vec![2]),
            (json!({"field":"indices","in":["NIFTY50"]}), vec![0]),
            (json!({"field":"indices","in":["NIFTY","NIFTYBANK"]}), vec![2]),
            (json!({"field":"indices","in":["NIFTY_0", "NIFTY%"]}), vec![]),
            (json!({"field":"is_tradable","is":false}), vec![2]),
            (json!({"field":"above_sma_200","is":false}), vec![2]),
        ] {
            assert_eq!(rows(&criteria), expected, "{criteria}");
        }
    }

    #[test]
    fn rows_without_the_figure_come_last_and_equal_ones_as_they_lie() {
        let (table, _) = table();
        let first = |field, direction, most| table.first_rows(&[0, 1, 2], field, direction, most).unwrap();
        assert_eq!(first("pe", Direction::Asc, 9), [2, 0, 1]);
        assert_eq!(first("roe", Direction::Desc, 2), [2, 0]);
        assert_eq!(first("rs_rating", Direction::Desc, 9), [0, 2, 1]);
    }
}
