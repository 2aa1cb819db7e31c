//! Rows of an operation for Rust code that computes with them; the figures are not rounded.

use bytes::Bytes;
use chrono::NaiveDate;
use datafusion::arrow::array::{Array, AsArray, RecordBatch, UInt32Array};
use datafusion::arrow::compute::{cast, take_record_batch};
use datafusion::arrow::datatypes::{DataType, Date32Type, Float64Type};
use datafusion::error::DataFusionError;

use super::json::JsonRows;
use super::result_column::ResultColumn;
use crate::error::EngineError;
use parquote_functions::arrow_types::date;

/// Rows of an operation with the declarations of their columns.
#[derive(Debug, Clone, Default)]
pub struct AnswerRows {
    /// `None` in the default value, which has neither rows nor columns.
    batch: Option<RecordBatch>,
    columns: Vec<ResultColumn>,
}

impl AnswerRows {
    pub(crate) fn new(batch: RecordBatch, columns: Vec<ResultColumn>) -> Self {
        Self { batch: Some(batch), columns }
    }

    /// Wraps rows whose columns have no declaration.
    pub fn from_batch(batch: RecordBatch) -> Self {
        Self::new(batch, Vec::new())
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.batch.as_ref().map_or(0, RecordBatch::num_rows)
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the declarations of the columns, in their order; empty for rows without declarations.
    pub fn columns(&self) -> &[ResultColumn] {
        &self.columns
    }

    /// Returns the values of a number column; all null if the column is missing or has another type.
    pub fn numbers(&self, column: &str) -> Vec<Option<f64>> {
        let values = self.column(column).and_then(|array| cast(array, &DataType::Float64).ok());
        match values.as_ref().and_then(|array| array.as_primitive_opt::<Float64Type>()) {
            Some(numbers) => numbers.iter().collect(),
            None => vec![None; self.len()],
        }
    }

    /// Returns the values of a text column; all null if the column is missing or has another type.
    pub fn texts(&self, column: &str) -> Vec<Option<String>> {
        let values = self.column(column).and_then(|array| cast(array, &DataType::Utf8).ok());
        match values.as_ref().and_then(|array| array.as_string_opt::<i32>()) {
            Some(texts) => texts.iter().map(|text| text.map(str::to_owned)).collect(),
            None => vec![None; self.len()],
        }
    }

    /// Returns the position of each value of a text column in `texts`; all `None` if the column is missing or has another type.
    pub fn positions_in(&self, column: &str, texts: &[String]) -> Vec<Option<usize>> {
        match self.column(column).and_then(|array| array.as_string_view_opt()) {
            Some(values) => values
                .iter()
                .map(|value| texts.iter().position(|text| Some(text.as_str()) == value))
                .collect(),
            None => vec![None; self.len()],
        }
    }

    /// Returns the last non-null value of a text column; `None` without one, or if the column is missing or has another type.
    pub fn last_text(&self, column: &str) -> Option<String> {
        let texts = self.column(column)?.as_string_view_opt()?;
        texts.iter().flatten().last().map(str::to_owned)
    }

    /// Returns the values of a flag column; all null if the column is missing or has another type.
    pub fn flags(&self, column: &str) -> Vec<Option<bool>> {
        match self.column(column).and_then(|array| array.as_boolean_opt()) {
            Some(flags) => flags.iter().collect(),
            None => vec![None; self.len()],
        }
    }

    /// Returns the values of a date column; all null if the column is missing or has another type.
    pub fn dates(&self, column: &str) -> Vec<Option<NaiveDate>> {
        match self.column(column).and_then(|array| array.as_primitive_opt::<Date32Type>()) {
            Some(days) => days.iter().map(|day| day.and_then(date)).collect(),
            None => vec![None; self.len()],
        }
    }

    /// Writes the rows at these positions, in this order, as a JSON array; figures are rounded by their units.
    ///
    /// # Errors
    /// A position beyond the last row.
    pub fn to_json(&self, rows: &[u32]) -> Result<Bytes, EngineError> {
        let mut out = b"[".to_vec();
        if let Some(taken) = self.take_rows(rows)? {
            JsonRows::new(&self.columns).write(&taken, true, &mut out);
        }
        out.push(b']');
        Ok(out.into())
    }

    /// Returns the rows at these positions, in this order; `None` if there is no batch.
    ///
    /// # Errors
    /// A position beyond the last row.
    pub fn take_rows(&self, rows: &[u32]) -> Result<Option<RecordBatch>, EngineError> {
        let indices = UInt32Array::from(rows.to_vec());
        let take = |batch| take_record_batch(batch, &indices).map_err(DataFusionError::from);
        Ok(self.batch.as_ref().map(take).transpose()?)
    }

    /// Returns the same rows with only the columns for which the predicate is true; it gets the position and the name of a column.
    ///
    /// # Errors
    /// The projection fails.
    pub fn with_columns(&self, is_retained: impl Fn(usize, &str) -> bool) -> Result<Self, EngineError> {
        let Some(batch) = &self.batch else { return Ok(self.clone()) };
        let schema = batch.schema();
        let fields = schema.fields().iter().enumerate();
        let retained: Vec<usize> = fields
            .filter(|(position, field)| is_retained(*position, field.name()))
            .map(|(position, _)| position)
            .collect();
        let columns = retained.iter().filter_map(|position| self.columns.get(*position).cloned()).collect();
        Ok(Self { batch: Some(batch.project(&retained).map_err(DataFusionError::from)?), columns })
    }

    /// Returns the unrounded rows; `None` if there is no batch.
    pub const fn batch(&self) -> Option<&RecordBatch> {
        self.batch.as_ref()
    }

    fn column(&self, name: &str) -> Option<&dyn Array> {
        Some(self.batch.as_ref()?.column_by_name(name)?.as_ref())
    }
}
