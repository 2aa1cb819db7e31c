//! Rows of an operation for Rust code that computes with them: the figures are not rounded.

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

/// Rows of an operation with what their columns mean.
#[derive(Debug, Clone, Default)]
pub struct AnswerRows {
    batch: Option<RecordBatch>,
    columns: Vec<ResultColumn>,
}

impl AnswerRows {
    pub(crate) fn new(batch: RecordBatch, columns: Vec<ResultColumn>) -> Self {
        Self { batch: Some(batch), columns }
    }

    /// Rows whose columns mean nothing that is declared.
    pub fn of_batch(batch: RecordBatch) -> Self {
        Self::new(batch, Vec::new())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.batch.as_ref().map_or(0, RecordBatch::num_rows)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns, in their order.
    pub fn columns(&self) -> &[ResultColumn] {
        &self.columns
    }

    /// The values of a column of numbers; all null if there is no such column, or it holds something else.
    pub fn numbers(&self, column: &str) -> Vec<Option<f64>> {
        let found = self.column(column).and_then(|array| cast(array, &DataType::Float64).ok());
        match found.as_ref().and_then(|array| array.as_primitive_opt::<Float64Type>()) {
            Some(numbers) => numbers.iter().collect(),
            None => vec![None; self.len()],
        }
    }

    /// The values of a column of texts; all null if there is no such column, or it holds something else.
    pub fn texts(&self, column: &str) -> Vec<Option<String>> {
        let found = self.column(column).and_then(|array| cast(array, &DataType::Utf8).ok());
        match found.as_ref().and_then(|array| array.as_string_opt::<i32>()) {
            Some(texts) => texts.iter().map(|text| text.map(str::to_owned)).collect(),
            None => vec![None; self.len()],
        }
    }

    /// Which of some texts each value of a column is; all `None` if there is no such column, or it holds something else.
    pub fn places(&self, column: &str, texts: &[String]) -> Vec<Option<usize>> {
        match self.column(column).and_then(|array| array.as_string_view_opt()) {
            Some(values) => values
                .iter()
                .map(|value| texts.iter().position(|text| Some(text.as_str()) == value))
                .collect(),
            None => vec![None; self.len()],
        }
    }

    /// The last value of a column of texts; `None` if all are null, there is no such column, or it holds something else.
    pub fn last_text(&self, column: &str) -> Option<String> {
        let texts = self.column(column)?.as_string_view_opt()?;
        texts.iter().flatten().last().map(str::to_owned)
    }

    /// The values of a column of flags; all null if there is no such column, or it holds something else.
    pub fn flags(&self, column: &str) -> Vec<Option<bool>> {
        match self.column(column).and_then(|array| array.as_boolean_opt()) {
            Some(flags) => flags.iter().collect(),
            None => vec![None; self.len()],
        }
    }

    /// The values of a column of dates; all null if there is no such column, or it holds something else.
    pub fn dates(&self, column: &str) -> Vec<Option<NaiveDate>> {
        match self.column(column).and_then(|array| array.as_primitive_opt::<Date32Type>()) {
            Some(days) => days.iter().map(|day| day.and_then(date)).collect(),
            None => vec![None; self.len()],
        }
    }

    /// Some of the rows, in this order, as a JSON array; figures are rounded by their units.
    ///
    /// # Errors
    /// A row that is not there.
    pub fn json_of(&self, rows: &[u32]) -> Result<Bytes, EngineError> {
        let mut out = b"[".to_vec();
        if let Some(taken) = self.taken(rows)? {
            JsonRows::new(&self.columns).write(&taken, true, &mut out);
        }
        out.push(b']');
        Ok(out.into())
    }

    /// Some of the rows, in this order; `None` if there were no columns to select.
    ///
    /// # Errors
    /// A row that is not there.
    pub fn taken(&self, rows: &[u32]) -> Result<Option<RecordBatch>, EngineError> {
        let places = UInt32Array::from(rows.to_vec());
        let take = |batch| take_record_batch(batch, &places).map_err(DataFusionError::from);
        Ok(self.batch.as_ref().map(take).transpose()?)
    }

    /// The same rows with only the columns of which this holds, by place and name.
    ///
    /// # Errors
    /// A column that is not there.
    pub fn with_columns(&self, is_kept: impl Fn(usize, &str) -> bool) -> Result<Self, EngineError> {
        let Some(batch) = &self.batch else { return Ok(self.clone()) };
        let schema = batch.schema();
        let named = schema.fields().iter().enumerate();
        let kept: Vec<usize> =
            named.filter(|(place, field)| is_kept(*place, field.name())).map(|(place, _)| place).collect();
        let columns = kept.iter().filter_map(|place| self.columns.get(*place).cloned()).collect();
        Ok(Self { batch: Some(batch.project(&kept).map_err(DataFusionError::from)?), columns })
    }

    /// The rows as they are; `None` if there were no columns to select.
    pub const fn batch(&self) -> Option<&RecordBatch> {
        self.batch.as_ref()
    }

    fn column(&self, name: &str) -> Option<&dyn Array> {
        Some(self.batch.as_ref()?.column_by_name(name)?.as_ref())
    }
}
