//! Converts record batches to the columns that pictures read: dates, numbers, texts and flags.
//!
//! Pictures of answers and of SELECTs at a terminal take their data from here alone. Nothing here depends on a kind of picture.

use chrono::NaiveDate;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt32Array};
use datafusion::arrow::compute::{cast, concat, concat_batches, take};
use datafusion::arrow::datatypes::{DataType, Date32Type, Float64Type};
use datafusion::arrow::error::ArrowError;

use parquote_catalogue::operation::{Market, Unit};
use parquote_picture::data::{ColumnValues, PictureData};
use parquote_picture::number::{MarketCurrency, NumberForm};
use parquote_picture::sheet::{PictureSize, PictureWords};
use parquote_picture::spec::PictureSpec;
use parquote_picture::theme::Theme;
use parquote_picture::{Picture, PictureError};

/// Columns of rows, converted for pictures.
#[derive(Debug)]
pub struct PictureRows(Vec<OwnedColumn>);

/// Settings for drawing rows.
#[derive(Debug, Clone, Copy)]
pub struct PictureSetting<'a> {
    /// The declaration of the picture.
    pub spec: &'a PictureSpec,
    /// Texts around the picture.
    pub words: PictureWords<'a>,
    /// Size of the picture.
    pub size: PictureSize,
    /// Colours.
    pub theme: Theme,
    /// The market, which decides the currency of money figures.
    pub market: Market,
}

#[derive(Debug)]
struct OwnedColumn {
    name: String,
    form: NumberForm,
    cells: OwnedCells,
}

#[derive(Debug)]
enum OwnedCells {
    Dates(Vec<Option<NaiveDate>>),
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
    Bools(Vec<Option<bool>>),
}

/// Columns with their names.
type NamedArrays = Vec<(String, ArrayRef)>;

impl PictureRows {
    /// Converts batches for this declaration. `unit` returns the unit of a column's numbers; no batches give no columns.
    ///
    /// # Errors
    /// Columns that cannot be converted to a type that pictures read.
    pub fn from_batches(
        batches: &[RecordBatch],
        spec: &PictureSpec,
        unit: impl Fn(&str) -> Option<Unit>,
    ) -> Result<Self, ArrowError> {
        let Some(first) = batches.first() else { return Ok(Self(Vec::new())) };
        let rows = concat_batches(&first.schema(), batches)?;
        let names = rows.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        let columns: NamedArrays = names.into_iter().zip(rows.columns().iter().cloned()).collect();
        let columns = match spec.rows_within() {
            Some(within) => append_nested_rows(columns, within)?,
            None => columns,
        };
        let is_read = |(_, column): &(String, ArrayRef)| !column.data_type().is_nested();
        let owned = columns.into_iter().filter(is_read).map(|(name, column)| {
            let cells = convert_cells(&column)?;
            Ok(OwnedColumn { form: number_form(unit(&name)), name, cells })
        });
        Ok(Self(owned.collect::<Result<_, ArrowError>>()?))
    }

    /// Draws the rows as SVG.
    ///
    /// # Errors
    /// A column that the picture needs and the rows lack, or more rows than a picture may have.
    pub fn svg(&self, setting: &PictureSetting<'_>) -> Result<String, PictureError> {
        let texts: Vec<Vec<Option<&str>>> = self.0.iter().map(OwnedColumn::texts).collect();
        let mut data = PictureData::new();
        for (column, texts) in self.0.iter().zip(&texts) {
            data = data.with(&column.name, column.values(texts), column.form);
        }
        let PictureSetting { spec, words, size, theme, market } = *setting;
        let currency = match market {
            Market::India => MarketCurrency::Rupee,
            Market::Us => MarketCurrency::Dollar,
        };
        Picture { spec, data: &data, words, size, theme, currency, links: None }.svg()
    }
}

impl OwnedColumn {
    /// Borrows the texts; empty for a column of another type.
    fn texts(&self) -> Vec<Option<&str>> {
        match &self.cells {
            OwnedCells::Texts(cells) => cells.iter().map(Option::as_deref).collect(),
            _ => Vec::new(),
        }
    }

    fn values<'a>(&'a self, texts: &'a [Option<&'a str>]) -> ColumnValues<'a> {
        match &self.cells {
            OwnedCells::Dates(cells) => ColumnValues::Dates(cells),
            OwnedCells::Numbers(cells) => ColumnValues::Numbers(cells),
            OwnedCells::Texts(_) => ColumnValues::Texts(texts),
            OwnedCells::Bools(cells) => ColumnValues::Bools(cells),
        }
    }
}

/// Appends the rows nested in the column `within`. Each has its own fields and, for the fields that it lacks, the values of its outer row.
fn append_nested_rows(columns: NamedArrays, within: &str) -> Result<NamedArrays, ArrowError> {
    let column = columns.iter().find(|(name, _)| name == within);
    let Some(lists) = column.and_then(|(_, column)| column.as_list_opt::<i32>()) else { return Ok(columns) };
    let Some(inner) = lists.values().as_struct_opt() else { return Ok(columns) };
    let (mut outer_rows, mut nested_rows) = (Vec::new(), Vec::new());
    for (row, ends) in lists.offsets().windows(2).enumerate() {
        let &[from, to] = ends else { continue };
        for position in (from..to).filter(|_| lists.is_valid(row)) {
            outer_rows.push(row as u32);
            nested_rows.push(position as u32);
        }
    }
    let (outer_rows, nested_rows) = (UInt32Array::from(outer_rows), UInt32Array::from(nested_rows));
    let columns = columns.iter().filter(|(name, _)| name != within).map(|(name, column)| {
        let appended = match inner.column_by_name(name) {
            Some(field) => cast(&take(field, &nested_rows, None)?, column.data_type())?,
            None => take(column, &outer_rows, None)?,
        };
        Ok((name.clone(), concat(&[column.as_ref(), appended.as_ref()])?))
    });
    columns.collect()
}

fn convert_cells(column: &ArrayRef) -> Result<OwnedCells, ArrowError> {
    Ok(match column.data_type() {
        DataType::Date32 => {
            let days = column.as_primitive::<Date32Type>();
            let day = |row| days.is_valid(row).then(|| days.value_as_date(row)).flatten();
            OwnedCells::Dates((0..days.len()).map(day).collect())
        }
        DataType::Boolean => OwnedCells::Bools(column.as_boolean().iter().collect()),
        kind if kind.is_numeric() => {
            let numbers = cast(column, &DataType::Float64)?;
            OwnedCells::Numbers(numbers.as_primitive::<Float64Type>().iter().collect())
        }
        _ => {
            let texts = cast(column, &DataType::Utf8)?;
            OwnedCells::Texts(texts.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect())
        }
    })
}

/// Returns the number form of a unit.
pub const fn number_form(unit: Option<Unit>) -> NumberForm {
    match unit {
        Some(Unit::Pct) => NumberForm::Percent,
        Some(Unit::Price) => NumberForm::Price,
        Some(Unit::Money) => NumberForm::Money,
        Some(Unit::InrCrore) => NumberForm::Crore,
        Some(Unit::UsdBillion) => NumberForm::Billion,
        Some(Unit::UsdMillion) => NumberForm::Million,
        Some(Unit::Count | Unit::Shares) => NumberForm::Count,
        _ => NumberForm::Plain,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Float64Array, ListArray, StringArray, StructArray};
    use datafusion::arrow::buffer::OffsetBuffer;
    use datafusion::arrow::datatypes::{Field, Fields, Schema};

    use super::*;

    /// Two sectors: one with two nested rows, one without.
    fn rows() -> RecordBatch {
        let fields = Fields::from(vec![Field::new("x", DataType::Float64, true)]);
        let inner: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), Some(2.0)]));
        let inner = StructArray::new(fields.clone(), vec![inner], None);
        let item = Arc::new(Field::new("item", DataType::Struct(fields), true));
        let offsets = OffsetBuffer::new(vec![0, 2, 2].into());
        let trail = ListArray::new(item, offsets, Arc::new(inner), Some(vec![true, false].into()));
        let schema = Schema::new(vec![
            Field::new("of", DataType::Utf8, true),
            Field::new("x", DataType::Float64, true),
            Field::new("trail", trail.data_type().clone(), true),
        ]);
        let of: ArrayRef = Arc::new(StringArray::from(vec!["Banks", "Power"]));
        let x: ArrayRef = Arc::new(Float64Array::from(vec![Some(3.0), None]));
        RecordBatch::try_new(Arc::new(schema), vec![of, x, Arc::new(trail)]).unwrap()
    }

    #[test]
    fn rows_within_a_column_follow_with_what_they_lack_from_the_row_around() {
        let convert = |text: &str| {
            let spec = PictureSpec::parse(text).unwrap();
            PictureRows::from_batches(&[rows()], &spec, |_| None).unwrap()
        };
        let with_trail = convert("heat_map of=of size=x change=x rows=trail");
        let cells: Vec<String> = with_trail.0.iter().map(|column| format!("{:?}", column.cells)).collect();
        assert_eq!(
            cells,
            [
                r#"Texts([Some("Banks"), Some("Power"), Some("Banks"), Some("Banks")])"#,
                "Numbers([Some(3.0), None, Some(1.0), Some(2.0)])",
            ]
        );
        assert_eq!(
            format!("{:?}", convert("heat_map of=of size=x change=x").0[1].cells),
            "Numbers([Some(3.0), None])"
        );
    }
}
