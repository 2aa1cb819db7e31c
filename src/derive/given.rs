//! Kept tables that a raw file of their name gives: `free_symbols.csv` among the raw files is the table `free_symbols`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringViewArray};
use datafusion::error::{DataFusionError, Result};

use super::table_writer::conform;
use crate::engine::arrow_types::table_schema;
use crate::operation::{Market, Table};

/// The rows that a raw file gives; `None` where there is no such file.
pub(super) fn given(raw: &Path, table: &Table, market: Market) -> Option<Result<RecordBatch>> {
    let path = find(&raw.join(market.word()), &file_name(table))?;
    Some(read(&path, table, market))
}

/// The name of the file that gives a table.
pub(super) fn file_name(table: &Table) -> String {
    format!("{}.csv", table.name)
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    let here = entries.iter().find(|path| path.file_name().is_some_and(|found| found == name));
    here.cloned().or_else(|| entries.iter().filter(|path| path.is_dir()).find_map(|path| find(path, name)))
}

fn read(path: &Path, table: &Table, market: Market) -> Result<RecordBatch> {
    let wrong = |message: String| DataFusionError::Execution(format!("{}: {message}", path.display()));
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).map_err(|e| wrong(e.to_string()))?;
    let header = reader.headers().map_err(|e| wrong(e.to_string()))?.clone();
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); header.len()];
    for row in reader.records() {
        let row = row.map_err(|e| wrong(e.to_string()))?;
        for (column, cell) in columns.iter_mut().zip(row.iter()) {
            column.push(cell.to_uppercase());
        }
    }
    let named = header.iter().zip(columns).map(|(name, cells)| {
        (
            name.trim_start_matches('\u{feff}').to_lowercase(),
            Arc::new(StringViewArray::from_iter_values(cells)) as ArrayRef,
        )
    });
    let batch = RecordBatch::try_from_iter(named).map_err(|e| wrong(e.to_string()))?;
    conform(&batch, &table_schema(table, market)).map_err(|e| wrong(e.strip_backtrace()))
}
