//! Rows of a staged table or of a kind of record: the cells of raw files, under declared names, passed through a SELECT.

use std::borrow::Cow;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch,
    StringViewArray, new_null_array,
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
use parquote_encodings::text::accession;
use parquote_encodings::text::cells::CellRecord;
use parquote_encodings::text::symbols::{market_spelling, normalize_us_symbol};
use parquote_functions::arrow_types::{arrow_type, column_type, date, days};

/// Columns of every row in addition to its cells: the word and the date in the path.
const PATH_COLUMNS: [(&str, DataType); 2] =
    [("path_word", DataType::Utf8View), ("path_date", DataType::Date32)];

/// The column of the SELECT with the reason for refusing a row.
const REFUSED_COLUMN: &str = "refused";

/// Builds the rows of a staged table or of a kind of record.
#[derive(Debug)]
pub(crate) struct StagedRows {
    pub(crate) staging: StagedTable,
    market: Market,
    schema: SchemaRef,
    select: RowSelect,
}

/// The columns of a table, and the positions of those that are filled after all files are read.
#[derive(Clone, Copy)]
pub(crate) struct WantedColumns<'a> {
    pub(crate) columns: &'a [Column],
    pub(crate) later: [Option<usize>; 3],
}

impl StagedRows {
    /// Plans the SELECT.
    ///
    /// # Errors
    /// The SELECT cannot be planned.
    pub(crate) fn new(staging: &StagedTable, market: Market) -> Result<Self> {
        let file_columns =
            staging.columns.iter().map(|column| (column.name.as_str(), arrow_kind(column.kind)));
        let fields = file_columns.chain(PATH_COLUMNS).map(|(name, ty)| Field::new(name, ty, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let select = RowSelect::plan(&staging.sql, &schema, market)?;
        Ok(Self { staging: staging.clone(), market, schema, select })
    }

    /// Returns the number of trailing cells of a row that are the SELECT's `ORDER BY` values.
    pub(crate) fn order_length(&self) -> usize {
        self.select.order_length()
    }

    /// Builds rows from records of a file: the table's columns, then other columns of the SELECT, then its `ORDER BY` values.
    ///
    /// # Errors
    /// The SELECT fails on a row, or does not yield the columns of the table.
    pub(crate) fn rows(
        &self,
        wanted: WantedColumns<'_>,
        plain_columns: &[PlainColumn],
        facts: &FileFacts,
        records: &[&CellRecord],
    ) -> Result<Vec<std::result::Result<Vec<UserCell>, Refusal>>> {
        let SelectedRows { columns: selected, order } =
            self.select.apply(self.build_staged_rows(plain_columns, facts, records)?)?;
        let null = || new_null_array(&DataType::Utf8View, selected.num_rows());
        let table_columns = wanted.columns.iter().enumerate().map(|(at, column)| {
            match selected.column_by_name(&column.name) {
                Some(array) if column_type(array.data_type()) == Some(column.ty) => cells(array),
                None if wanted.later.contains(&Some(at)) => cells(&null()),
                _ => plan_err!("the SELECT gives no column `{}` of {}", column.name, column.ty.word()),
            }
        });
        let is_other =
            |name: &str| name != REFUSED_COLUMN && wanted.columns.iter().all(|column| column.name != name);
        let schema = selected.schema();
        let others =
            schema.fields().iter().zip(selected.columns()).filter(|(field, _)| is_other(field.name()));
        let others = others.map(|(_, array)| array).chain(&order).map(cells);
        let rows = rows_or_refusals(&selected, table_columns.chain(others).collect::<Result<Vec<_>>>()?)?;
        Ok(rows.into_iter().map(|row| row.and_then(|row| wanted.complete_row(row))).collect())
    }

    /// Returns the columns that the SELECT yields, without the reason for refusing a row.
    pub(crate) fn selected_columns(&self) -> Vec<String> {
        self.select.names().filter(|name| *name != REFUSED_COLUMN).map(str::to_owned).collect()
    }

    /// Builds the table `staged`, which the SELECT reads.
    fn build_staged_rows(
        &self,
        plain_columns: &[PlainColumn],
        facts: &FileFacts,
        records: &[&CellRecord],
    ) -> Result<RecordBatch> {
        let columns = self.staging.columns.iter().zip(plain_columns);
        let arrays = columns.map(|(column, plain_column)| self.array(column, plain_column, records));
        let word = facts.word.as_deref();
        let path_columns: [ArrayRef; 2] = [
            Arc::new(records.iter().map(|_| word).collect::<StringViewArray>()),
            Arc::new(records.iter().map(|_| facts.date.map(days)).collect::<Date32Array>()),
        ];
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), arrays.chain(path_columns).collect())?)
    }

    /// Builds the array of a column.
    fn array(&self, column: &StagedColumn, plain_column: &PlainColumn, records: &[&CellRecord]) -> ArrayRef {
        let cells = records.iter().map(|record| PlainCell::new(record, plain_column));
        match column.kind {
            CellKind::Text if column.name == "symbol" => {
                texts(cells.map(|cell| Some(market_spelling(cell.text()?, self.market))))
            }
            CellKind::Text => {
                texts(cells.map(|cell| cell.is_in_file().then(|| cell.text().unwrap_or_default())))
            }
            CellKind::Words => texts(cells.map(|cell| cell.text().filter(|text| *text != "-"))),
            CellKind::Date => Arc::new(cells.map(|cell| cell.date().map(days)).collect::<Date32Array>()),
            CellKind::Number => Arc::new(cells.map(|cell| cell.number()).collect::<Float64Array>()),
            CellKind::Money => Arc::new(cells.map(|cell| cell.money()).collect::<Float64Array>()),
            CellKind::Symbol => {
                let spelled = |symbol: String| match self.market {
                    Market::India => symbol,
                    Market::Us => normalize_us_symbol(&symbol),
                };
                texts(cells.map(|cell| cell.symbol().map(spelled)))
            }
            CellKind::Cik => {
                let cik = |cell: PlainCell<'_>| cell.cik().map(u64::cast_signed);
                Arc::new(cells.map(cik).collect::<Int64Array>())
            }
            CellKind::Accession => texts(cells.map(|cell| cell.text().and_then(accession::in_cell))),
            CellKind::AccessionInPath => texts(cells.map(|cell| cell.text().and_then(accession::in_path))),
            CellKind::Ambiguous => {
                Arc::new(cells.map(|cell| Some(cell.may_be_month_first())).collect::<BooleanArray>())
            }
        }
    }
}

impl WantedColumns<'_> {
    /// No column of a table: a row has all columns of the SELECT.
    pub(crate) const NONE: Self = Self { columns: &[], later: [None; 3] };

    /// Refuses a row with a null in a required column, except in those that are filled later.
    fn complete_row(&self, row: Vec<UserCell>) -> std::result::Result<Vec<UserCell>, Refusal> {
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
        CellKind::Text
        | CellKind::Words
        | CellKind::Symbol
        | CellKind::Accession
        | CellKind::AccessionInPath => DataType::Utf8View,
        CellKind::Cik => DataType::Int64,
        CellKind::Ambiguous => DataType::Boolean,
        CellKind::Date => DataType::Date32,
        CellKind::Number | CellKind::Money => DataType::Float64,
    }
}

fn texts<T: AsRef<str>>(texts: impl Iterator<Item = Option<T>>) -> ArrayRef {
    Arc::new(texts.collect::<StringViewArray>())
}

/// Transposes columns to rows; a row with a text in the column `refused` becomes a refusal.
fn rows_or_refusals(
    selected: &RecordBatch,
    columns: Vec<Vec<UserCell>>,
) -> Result<Vec<std::result::Result<Vec<UserCell>, Refusal>>> {
    let null = new_null_array(&DataType::Utf8View, selected.num_rows());
    let refused = cast(selected.column_by_name(REFUSED_COLUMN).unwrap_or(&null), &DataType::Utf8View)?;
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    let rows = refused.as_string_view().iter().map(|words| {
        let row = columns.iter_mut().map(|cells| cells.next().unwrap_or(UserCell::Null)).collect();
        words.map_or(Ok(row), |words| Err((Cow::Owned(words.to_owned()), None)))
    });
    Ok(rows.collect())
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
