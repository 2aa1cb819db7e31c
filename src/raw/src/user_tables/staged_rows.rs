//! Rows of a staged table: the cells of raw files, under the table's names, passed through its SELECT.

use std::borrow::Cow;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Date32Array, Float64Array, RecordBatch, StringViewArray, new_null_array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Date32Type, Field, Float64Type, Int64Type, Schema, SchemaRef};
use datafusion::common::plan_err;
use datafusion::error::{DataFusionError, Result};

use crate::declared::plain_row::{FileFacts, PlainCell, PlainColumn};
use crate::domain::reason::{Reason, Refusal};
use crate::user_tables::cell::UserCell;
use crate::user_tables::row_select::{RowSelect, SelectedRows};
use parquote_catalogue::operation::{CellKind, Column, Market, StagedColumn, StagedTable};
use parquote_encodings::text::cells::CellRecord;
use parquote_encodings::text::symbols::spelled;
use parquote_functions::arrow_types::{arrow_type, column_type, date, days};

/// Columns of every row in addition to its cells: the word and the date in the path.
const OF_PATH: [(&str, DataType); 2] = [("path_word", DataType::Utf8View), ("path_date", DataType::Date32)];

/// The column of the SELECT with the reason for refusing a row.
const REFUSED: &str = "refused";

/// Builds the rows of a staged table.
#[derive(Debug)]
pub(crate) struct StagedRows {
    pub(crate) staging: StagedTable,
    market: Market,
    schema: SchemaRef,
    select: RowSelect,
}

/// The columns of a table, and the positions of those that are filled when all files are read.
#[derive(Clone, Copy)]
pub(crate) struct WantedColumns<'a> {
    pub(crate) columns: &'a [Column],
    pub(crate) later: [Option<usize>; 3],
}

impl StagedRows {
    /// Plans the SELECT of a table.
    ///
    /// # Errors
    /// The SELECT cannot be planned.
    pub(crate) fn new(staging: &StagedTable, market: Market) -> Result<Self> {
        let of_files = staging.columns.iter().map(|column| (column.name.as_str(), arrow_kind(column.kind)));
        let fields = of_files.chain(OF_PATH).map(|(name, ty)| Field::new(name, ty, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let select = RowSelect::plan(&staging.sql, &schema, market)?;
        Ok(Self { staging: staging.clone(), market, schema, select })
    }

    /// Returns the number of trailing cells of a row that are the SELECT's `ORDER BY` values.
    pub(crate) fn ordered(&self) -> usize {
        self.select.ordered()
    }

    /// Returns the names of the columns that formats locate.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        // A column that reads a cell once more has the position of that cell.
        self.staging.columns.iter().map(|column| column.of.as_deref().unwrap_or(&column.name))
    }

    /// Builds rows from records of a file: the table's columns, then other columns of the SELECT, then its `ORDER BY` values.
    ///
    /// # Errors
    /// The SELECT fails on a row, or does not yield the columns of the table.
    pub(crate) fn rows(
        &self,
        wanted: WantedColumns<'_>,
        places: &[PlainColumn],
        facts: &FileFacts,
        records: &[&CellRecord],
    ) -> Result<Vec<std::result::Result<Vec<UserCell>, Refusal>>> {
        let SelectedRows { columns: made, order } =
            self.select.apply(self.staged(places, facts, records)?)?;
        let null = || new_null_array(&DataType::Utf8View, records.len());
        let of_table =
            wanted.columns.iter().enumerate().map(|(at, column)| match made.column_by_name(&column.name) {
                Some(array) if column_type(array.data_type()) == Some(column.ty) => cells(array),
                None if wanted.later.contains(&Some(at)) => cells(&null()),
                _ => plan_err!("the SELECT gives no column `{}` of {}", column.name, column.ty.word()),
            });
        let is_other =
            |name: &str| name != REFUSED && wanted.columns.iter().all(|column| column.name != name);
        let schema = made.schema();
        let others = schema.fields().iter().zip(made.columns()).filter(|(field, _)| is_other(field.name()));
        let others = others.map(|(_, array)| array).chain(&order).map(cells);
        let cells = of_table.chain(others).map(|cells| Ok(cells?.into_iter())).collect::<Result<Vec<_>>>();
        let mut cells = cells?;
        let refused = cast(made.column_by_name(REFUSED).unwrap_or(&null()), &DataType::Utf8View)?;
        let rows = refused.as_string_view().iter().map(|words| {
            let row = cells.iter_mut().map(|cells| cells.next().unwrap_or(UserCell::Null)).collect();
            match words {
                Some(words) => Err((Cow::Owned(words.to_owned()), None)),
                None => wanted.whole(row),
            }
        });
        Ok(rows.collect())
    }

    /// Builds the rows of the table `staged`.
    fn staged(
        &self,
        places: &[PlainColumn],
        facts: &FileFacts,
        records: &[&CellRecord],
    ) -> Result<RecordBatch> {
        let columns = self.staging.columns.iter().zip(places);
        let arrays = columns.map(|(column, place)| self.array(column, place, records));
        let word = facts.word.as_deref();
        let of_path: [ArrayRef; 2] = [
            Arc::new(records.iter().map(|_| word).collect::<StringViewArray>()),
            Arc::new(records.iter().map(|_| facts.date.map(days)).collect::<Date32Array>()),
        ];
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), arrays.chain(of_path).collect())?)
    }

    /// Builds the array of a column.
    fn array(&self, column: &StagedColumn, place: &PlainColumn, records: &[&CellRecord]) -> ArrayRef {
        let cells = records.iter().map(|record| PlainCell::new(record, place));
        match column.kind {
            CellKind::Text if column.name == "symbol" => Arc::new(
                cells.map(|cell| Some(spelled(cell.text()?, self.market))).collect::<StringViewArray>(),
            ),
            CellKind::Text => Arc::new(
                cells
                    .map(|cell| cell.is_there().then(|| cell.text().unwrap_or_default()))
                    .collect::<StringViewArray>(),
            ),
            CellKind::Words => Arc::new(
                cells.map(|cell| cell.text().filter(|text| *text != "-")).collect::<StringViewArray>(),
            ),
            CellKind::Date => Arc::new(cells.map(|cell| cell.date().map(days)).collect::<Date32Array>()),
            CellKind::Number => Arc::new(cells.map(|cell| cell.number()).collect::<Float64Array>()),
            CellKind::Money => Arc::new(cells.map(|cell| cell.money()).collect::<Float64Array>()),
        }
    }
}

impl WantedColumns<'_> {
    /// Returns the row if no required cell is missing, except those filled later.
    fn whole(&self, row: Vec<UserCell>) -> std::result::Result<Vec<UserCell>, Refusal> {
        let mut cells = self.columns.iter().zip(&row).enumerate();
        let lacks = |at, column: &Column| !column.nullable && !self.later.contains(&Some(at));
        match cells.find(|(at, (column, cell))| **cell == UserCell::Null && lacks(*at, column)) {
            None => Ok(row),
            Some((_, (column, _))) => Err((Reason::NoValue.label().into(), Some(column.name.clone()))),
        }
    }
}

const fn arrow_kind(kind: CellKind) -> DataType {
    match kind {
        CellKind::Text | CellKind::Words => DataType::Utf8View,
        CellKind::Date => DataType::Date32,
        CellKind::Number | CellKind::Money => DataType::Float64,
    }
}

/// Converts an array to cells; figures that are not finite become null.
fn cells(array: &ArrayRef) -> Result<Vec<UserCell>> {
    let unknown = || DataFusionError::Plan(format!("no column is of {}", array.data_type()));
    let ty = arrow_type(column_type(array.data_type()).ok_or_else(unknown)?);
    let array = cast(array, &ty)?;
    macro_rules! cells {
        ($values:expr, $cell:expr) => {
            $values.iter().map(|value| value.and_then($cell).unwrap_or(UserCell::Null)).collect()
        };
    }
    let day = |days| date(days).map(UserCell::Date);
    let finite = |value: f64| Some(value).filter(|value| value.is_finite()).map(UserCell::Number);
    Ok(match ty {
        DataType::Utf8View => {
            cells!(array.as_string_view(), |text: &str| Some(UserCell::Text(text.to_owned())))
        }
        DataType::Int64 => cells!(array.as_primitive::<Int64Type>(), |value| Some(UserCell::Int(value))),
        DataType::Float64 => cells!(array.as_primitive::<Float64Type>(), finite),
        DataType::Boolean => cells!(array.as_boolean(), |value| Some(UserCell::Bool(value))),
        DataType::Date32 => cells!(array.as_primitive::<Date32Type>(), day),
        _ => return Err(unknown()),
    })
}
