//! Rows by key and digest, to compare two versions of a table row by row.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::error::Result;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::EngineError;
use crate::market_snapshot::MarketSnapshot;
use crate::storage::served_table::{ServedTable, TableRows};

/// Key of each row, as text, and a digest of all its cells.
pub type RowDigests = Vec<(String, u64)>;

impl MarketSnapshot {
    /// Returns true if both snapshots have the table from the same files.
    pub fn has_same_table(&self, other: &Self, name: &str) -> bool {
        match (self.data.tables.table(name), other.data.tables.table(name)) {
            (Some(one), Some(other)) => std::ptr::eq(one, other),
            _ => false,
        }
    }

    /// Returns the digests of a table's rows; `None` if there is no such table.
    ///
    /// # Errors
    /// Rows that cannot be read.
    pub fn digests(&self, name: &str) -> std::result::Result<Option<RowDigests>, EngineError> {
        self.data.tables.table(name).map(|table| Ok(digests(table)?)).transpose()
    }
}

fn digests(table: &ServedTable) -> Result<RowDigests> {
    let mut row_digests = RowDigests::new();
    match &table.rows {
        TableRows::Memory(batch, _) => append_digests(table, batch, &mut row_digests)?,
        TableRows::Files(files) => {
            let all: Vec<usize> = (0..table.schema.fields().len()).collect();
            for file in files {
                for batch in file.read(0..file.row_count(), &all)? {
                    append_digests(table, &batch?, &mut row_digests)?;
                }
            }
        }
    }
    Ok(row_digests)
}

fn append_digests(table: &ServedTable, batch: &RecordBatch, row_digests: &mut RowDigests) -> Result<()> {
    let fields = table.schema.fields().iter().map(|field| SortField::new(field.data_type().clone()));
    let rows = RowConverter::new(fields.collect())?.convert_columns(batch.columns())?;
    // A table without order has no key: its rows are identified by all their cells.
    let key: Vec<usize> = if table.has_unique_rows && !table.sort_columns.is_empty() {
        table.sort_columns.clone()
    } else {
        (0..batch.num_columns()).collect()
    };
    for (row, cells) in rows.iter().enumerate() {
        let key = key.iter().map(|position| array_value_to_string(batch.column(*position), row));
        let key = key.collect::<std::result::Result<Vec<String>, _>>()?.join(" ");
        row_digests.push((key, xxh3_64(cells.as_ref())));
    }
    Ok(())
}
