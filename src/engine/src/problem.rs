//! A violation of a table's declaration by its files, in words: the fault, and the line that repairs it.

use std::fmt;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::error::DataFusionError;
use serde::{Deserialize, Serialize};

use parquote_catalogue::operation::{Column, ColumnType, Market, Table};

/// A violation of a table's declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The market of the table.
    pub market: Market,
    /// Name of the table.
    pub table: String,
    /// The file with the fault; `None` for a fault of the whole table.
    pub file: Option<String>,
    /// The column with the fault; `None` if the fault is not in one column.
    pub column: Option<String>,
    /// The fault and the expectation.
    pub message: String,
    /// Number of faulty rows; 0 if the fault is not in rows.
    pub rows: u64,
    /// Keys of the first faulty rows, at most five.
    pub offenders: Vec<String>,
    /// How to repair the fault, in words; `None` if no repair is known.
    pub remedy: Option<String>,
}

impl Problem {
    /// Maximum number of faulty rows whose keys are recorded.
    pub(crate) const MOST_OFFENDERS: usize = 5;

    /// Creates a problem of a whole table.
    pub(crate) fn new(table: &Table, market: Market, message: String) -> Self {
        Self { market, table: table.name.clone(), message, ..Self::default() }
    }

    /// Creates a problem for a file that could not be read completely.
    pub fn unreadable_file(market: Market, table: &str, path: &std::path::Path, message: String) -> Self {
        let file = Some(path.display().to_string());
        Self { market, table: table.to_owned(), file, message, ..Self::default() }
    }

    #[must_use]
    pub(crate) fn with_file(self, file: &str) -> Self {
        Self { file: Some(file.to_owned()), ..self }
    }

    #[must_use]
    pub(crate) fn with_column(self, column: &str) -> Self {
        Self { column: Some(column.to_owned()), ..self }
    }

    #[must_use]
    pub(crate) fn with_remedy(self, remedy: String) -> Self {
        Self { remedy: Some(remedy), ..self }
    }

    #[must_use]
    pub(crate) fn with_rows(self, rows: u64, offenders: Vec<String>) -> Self {
        Self { rows, offenders, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}: {}", self.message)?,
            None => write!(f, "{}.{}: {}", self.market, self.table, self.message)?,
        }
        match self.offenders.as_slice() {
            [] => Ok(()),
            offenders => write!(f, " (first: {})", offenders.join("; ")),
        }
    }
}

/// Returns the engine's message about a file, without the prefixes of the layers that wrap it.
pub(crate) fn engine_message(error: &DataFusionError) -> String {
    const PREFIXES: [&str; 7] = [
        "External error: ",
        "External: ",
        "Arrow error: ",
        "Parquet argument error: ",
        "Parquet error: ",
        "Execution error: ",
        "Invalid argument error: ",
    ];
    let message = error.strip_backtrace();
    let mut rest = message.as_str();
    while let Some(stripped) = PREFIXES.iter().find_map(|prefix| rest.strip_prefix(prefix)) {
        rest = stripped;
    }
    rest.to_owned()
}

/// Returns the problem of undeclared nulls.
pub(crate) fn nulls_in(declared: &Table, market: Market, column: &Column, nulls: u64) -> Problem {
    let name = &column.name;
    let message = format!("the column `{name}` has {nulls} nulls where none are declared");
    let remedy = format!(
        "fill them, or leave these rows out: pandas `df = df.dropna(subset=[\"{name}\"])`, Polars `df = \
         df.drop_nulls([\"{name}\"])`, DuckDB `SELECT * .. WHERE {name} IS NOT NULL`"
    );
    Problem::new(declared, market, message).with_column(name).with_remedy(remedy)
}

/// Returns the problem of a column whose type cannot be read as the declared type.
pub(crate) fn type_mismatch(declared: &Table, market: Market, column: &Column, found: &DataType) -> Problem {
    let message = format!("the column `{}` is {found} where {} is declared", column.name, column.ty.word());
    Problem::new(declared, market, message).with_column(&column.name).with_remedy(cast_code(column))
}

/// Returns the problem of two rows with the same key: this row and the row before it.
pub(crate) fn duplicate_key(declared: &Table, market: Market, rows: &RecordBatch, row: usize) -> Problem {
    let keys = declared.key.join(", ");
    let names = declared.key.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let key = key_of(declared, rows, row);
    let message = format!("two rows have the same {keys}: {key}");
    let remedy = format!(
        "keep one row of each: pandas `df = df.drop_duplicates([{names}])`, Polars `df = df.unique([{names}])`, \
         DuckDB `SELECT DISTINCT ON ({keys}) *`"
    );
    Problem::new(declared, market, message).with_rows(2, vec![key]).with_remedy(remedy)
}

/// Returns the key of a row as readable text.
pub(crate) fn key_of(table: &Table, batch: &RecordBatch, row: usize) -> String {
    let cells = table.key.iter().filter_map(|name| batch.column_by_name(name));
    let cells = cells.map(|cell| array_value_to_string(cell, row).unwrap_or_default());
    cells.collect::<Vec<_>>().join(" ")
}

/// Returns the line that casts a column to its declared type, for each library.
pub(crate) fn cast_code(column: &Column) -> String {
    let name = &column.name;
    let [pandas, polars, duckdb] = match column.ty {
        ColumnType::Int => [".astype(\"Int64\")", ".cast(pl.Int64)", "BIGINT"],
        ColumnType::Number => [".astype(\"float64\")", ".cast(pl.Float64)", "DOUBLE"],
        ColumnType::Bool => [".astype(\"boolean\")", ".cast(pl.Boolean)", "BOOLEAN"],
        ColumnType::Date => [".astype(\"datetime64[s]\").dt.date", ".cast(pl.Date)", "DATE"],
        ColumnType::Texts => [".map(list)", ".cast(pl.List(pl.String))", "VARCHAR[]"],
        ColumnType::Text | ColumnType::Row | ColumnType::Rows => {
            [".astype(\"string\")", ".cast(pl.String)", "VARCHAR"]
        }
    };
    format!(
        "write the column as {}: pandas `df[\"{name}\"] = df[\"{name}\"]{pandas}`, Polars `df = \
         df.with_columns(pl.col(\"{name}\"){polars})`, DuckDB `SELECT * REPLACE (CAST({name} AS {duckdb}) AS {name})`",
        column.ty.word()
    )
}
