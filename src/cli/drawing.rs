//! `parquote query SELECT --picture SPEC`: the rows of a SELECT as a picture, in a file.
//!
//! It brings record batches to the columns that pictures are drawn from, and knows no kind of picture.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use chrono::NaiveDate;
use clap::{Args, ValueEnum};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Date32Type, Float64Type};

use crate::operation::{Catalogue, Market, Unit};
use crate::picture::Picture;
use crate::picture::data::{ColumnValues, PictureData};
use crate::picture::number::{MoneyWords, NumberForm};
use crate::picture::png;
use crate::picture::sheet::{PictureSize, PictureWords};
use crate::picture::spec::PictureSpec;
use crate::picture::theme::Theme;

/// How the rows of a SELECT are drawn.
#[derive(Debug, Args)]
pub(super) struct DrawingArgs {
    /// Draw the rows of a SELECT: a kind and which column plays which role, such as
    /// "breadth date=session above=pct_above_sma20 advances=advances declines=declines".
    #[arg(long, value_name = "SPEC", requires = "out")]
    picture: Option<String>,
    /// The file of the picture, .svg or .png.
    #[arg(long, value_name = "FILE", requires = "picture")]
    out: Option<PathBuf>,
    /// The title of the picture.
    #[arg(long, value_name = "TEXT", default_value = "", requires = "picture")]
    title: String,
    /// Its colours.
    #[arg(long, value_enum, default_value_t = FileTheme::Light)]
    theme: FileTheme,
}

/// The colours of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FileTheme {
    Light,
    Dark,
}

/// A file that a picture goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileForm {
    Svg,
    Png,
}

impl DrawingArgs {
    /// Whether a picture is asked for.
    pub(super) const fn is_asked(&self) -> bool {
        self.picture.is_some()
    }

    /// Draws rows, and says where.
    ///
    /// # Errors
    /// A declaration that does not hold, rows that lack a column of it, a file that cannot be written.
    pub(super) fn draw(
        &self,
        catalogue: &Catalogue,
        market: Market,
        rows: &[RecordBatch],
    ) -> anyhow::Result<PathBuf> {
        let (Some(spec), Some(out)) = (&self.picture, &self.out) else {
            bail!("--picture and --out are given together");
        };
        let form = FileForm::of(out)?;
        let spec = PictureSpec::parse(spec)?;
        let Some(first) = rows.first() else { bail!("the SELECT has no rows to draw") };
        let rows = concat_batches(&first.schema(), rows)?;
        let columns = HeldColumns::of(catalogue, &rows)?;
        let mut data = PictureData::new();
        let texts: Vec<Vec<Option<&str>>> = columns.texts();
        for (column, texts) in columns.0.iter().zip(&texts) {
            data = data.with(&column.name, column.values(texts), column.form);
        }
        let footnote = format!("Parquote, market {market}");
        let picture = Picture {
            spec: &spec,
            data: &data,
            words: PictureWords {
                id: "picture",
                lang: "en",
                title: &self.title,
                description: &self.title,
                footnote: &footnote,
            },
            size: PictureSize::Regular,
            theme: match self.theme {
                FileTheme::Light => Theme::Light,
                FileTheme::Dark => Theme::Dark,
            },
            currency: match market {
                Market::India => MoneyWords::Rupee,
                Market::Us => MoneyWords::Dollar,
            },
            links: None,
        };
        let svg = picture.svg()?;
        let bytes = match form {
            FileForm::Svg => svg.into_bytes(),
            FileForm::Png => png::png(&svg)?,
        };
        fs::write(out, bytes).with_context(|| format!("cannot write {}", out.display()))?;
        Ok(out.clone())
    }
}

impl FileForm {
    fn of(path: &Path) -> anyhow::Result<Self> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => bail!("{} is no name of a picture: it ends in .svg or .png", path.display()),
        }
    }
}

/// Columns of rows, held as pictures read them.
struct HeldColumns(Vec<HeldColumn>);

struct HeldColumn {
    name: String,
    form: NumberForm,
    cells: HeldCells,
}

enum HeldCells {
    Dates(Vec<Option<NaiveDate>>),
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
    Bools(Vec<Option<bool>>),
}

impl HeldColumns {
    fn of(catalogue: &Catalogue, rows: &RecordBatch) -> anyhow::Result<Self> {
        let schema = rows.schema();
        let columns = schema.fields().iter().zip(rows.columns()).map(|(field, column)| {
            let unit = catalogue.dictionary().get(field.name()).map(|entry| entry.unit);
            Ok(HeldColumn { name: field.name().clone(), form: form(unit), cells: cells(column)? })
        });
        Ok(Self(columns.collect::<anyhow::Result<_>>()?))
    }

    /// The texts of each column, borrowed; none of a column of another type.
    fn texts(&self) -> Vec<Vec<Option<&str>>> {
        let borrowed = self.0.iter().map(|column| match &column.cells {
            HeldCells::Texts(cells) => cells.iter().map(Option::as_deref).collect(),
            _ => Vec::new(),
        });
        borrowed.collect()
    }
}

impl HeldColumn {
    fn values<'a>(&'a self, texts: &'a [Option<&'a str>]) -> ColumnValues<'a> {
        match &self.cells {
            HeldCells::Dates(cells) => ColumnValues::Dates(cells),
            HeldCells::Numbers(cells) => ColumnValues::Numbers(cells),
            HeldCells::Texts(_) => ColumnValues::Texts(texts),
            HeldCells::Bools(cells) => ColumnValues::Bools(cells),
        }
    }
}

fn cells(column: &ArrayRef) -> anyhow::Result<HeldCells> {
    Ok(match column.data_type() {
        DataType::Date32 => {
            let days = column.as_primitive::<Date32Type>();
            HeldCells::Dates(
                (0..days.len())
                    .map(|row| days.is_valid(row).then(|| days.value_as_date(row)).flatten())
                    .collect(),
            )
        }
        DataType::Boolean => HeldCells::Bools(column.as_boolean().iter().collect()),
        kind if kind.is_numeric() => {
            let numbers = cast(column, &DataType::Float64)?;
            HeldCells::Numbers(numbers.as_primitive::<Float64Type>().iter().collect())
        }
        _ => {
            let texts = cast(column, &DataType::Utf8)?;
            HeldCells::Texts(texts.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect())
        }
    })
}

/// How the numbers of a unit are written.
fn form(unit: Option<Unit>) -> NumberForm {
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
