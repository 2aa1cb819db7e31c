//! The set of tables that a market has already: what of it is taken over instead of being made again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{Date32Type, Int64Type};
use datafusion::error::{DataFusionError, Result};
use datafusion::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use datafusion::parquet::file::metadata::PageIndexPolicy;

use super::error::DeriveError;
use super::raw::Session;
use super::stamps;
use crate::engine::arrow_types::{conform, date, table_schema};
use crate::engine::long_table::LongTable;
use crate::operation::{Market, Table};

/// A market's published set.
#[derive(Debug, Clone)]
pub(super) struct Published {
    folder: PathBuf,
    market: Market,
}

impl Published {
    /// The set below a data folder; `None` where there is none.
    pub(super) fn find(data: &Path, market: Market) -> Option<Self> {
        let folder = data.join(market.word());
        folder.is_dir().then_some(Self { folder, market })
    }

    /// The set in a market's folder.
    pub(super) fn at(folder: &Path, market: Market) -> Self {
        Self { folder: folder.to_owned(), market }
    }

    /// What the file of a long table's year notes under some keys, and its rows; `None` where there is no such file.
    pub(super) fn year<const N: usize>(
        &self,
        table: &Table,
        year: i32,
        keys: [&str; N],
    ) -> Option<([Option<String>; N], u64)> {
        noted(&self.year_file(table, year), keys)
    }

    /// What the file of a table in one file notes under `key`, and its rows.
    pub(super) fn note(&self, table: &Table, key: &str) -> Option<(String, u64)> {
        let ([note], rows) = noted(&self.file(table), [key])?;
        Some((note?, rows))
    }

    /// A stamp of the rows of a table in one file; `None` where the set lacks it.
    pub(super) fn contents(&self, table: &Table) -> Option<String> {
        stamps::of_file(&fs::read(self.file(table)).ok()?)
    }

    /// Takes the file of a long table's year over into another folder.
    pub(super) fn take_over_year(&self, table: &Table, year: i32, into: &Path) -> Result<(), DeriveError> {
        let target = into.join(&table.name).join(format!("{year}.parquet"));
        link(&self.year_file(table, year), &target)
            .map_err(|source| DeriveError::Write { path: target, source })
    }

    /// The file of a long table's year.
    pub(super) fn year_file(&self, table: &Table, year: i32) -> PathBuf {
        self.folder.join(&table.name).join(format!("{year}.parquet"))
    }

    /// The file of a table in one file.
    pub(super) fn file(&self, table: &Table) -> PathBuf {
        self.folder.join(format!("{}.parquet", table.name))
    }

    /// The number of rows of a table in one file; `None` where the set lacks it.
    pub(super) fn rows(&self, table: &Table) -> Option<u64> {
        noted(&self.file(table), []).map(|([], rows)| rows)
    }

    /// Whether the set has a table.
    pub(super) fn has(&self, table: &Table) -> bool {
        let name = if table.yearly { table.name.clone() } else { format!("{}.parquet", table.name) };
        self.folder.join(name).exists()
    }

    /// The rows of a small table; `None` where the set lacks it.
    pub(super) fn small(&self, table: &Table) -> Option<Result<RecordBatch, DeriveError>> {
        let path = self.file(table);
        path.exists().then(|| self.read(&path, table).map_err(DeriveError::rows(&table.name)))
    }

    fn read(&self, path: &Path, table: &Table) -> Result<RecordBatch> {
        let reader = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(path)?)?.build()?;
        let schema = table_schema(table, self.market);
        let batches = reader.map(|batch| conform(&batch?, &schema)).collect::<Result<Vec<_>>>()?;
        Ok(concat_batches(&schema, &batches)?)
    }

    /// One year of a long table.
    pub(super) fn long_year(&self, table: &Table, year: i32) -> Result<LongTable, DeriveError> {
        Ok(LongTable::open(table, self.market, &[self.year_file(table, year)])?)
    }

    /// The long table of that declaration.
    pub(super) fn long(&self, table: &Table) -> Result<Arc<LongTable>, DeriveError> {
        let folder = self.folder.join(&table.name);
        let failed = |source| DeriveError::Write { path: folder.clone(), source };
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == "parquet") {
                files.push(path);
            }
        }
        files.sort();
        Ok(Arc::new(LongTable::open(table, self.market, &files)?))
    }

    /// Takes a table's files over into another folder.
    pub(super) fn take_over(&self, table: &Table, into: &Path) -> Result<(), DeriveError> {
        let mut taken = BTreeMap::new();
        if table.yearly {
            let folder = self.folder.join(&table.name);
            let failed = |source| DeriveError::Write { path: folder.clone(), source };
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                let is_parquet = path.extension().is_some_and(|extension| extension == "parquet");
                if let (true, Some(name)) = (is_parquet, path.file_name()) {
                    taken.insert(into.join(&table.name).join(name), path);
                }
            }
        } else {
            let name = format!("{}.parquet", table.name);
            taken.insert(into.join(&name), self.folder.join(&name));
        }
        for (target, source) in taken {
            link(&source, &target).map_err(|source| DeriveError::Write { path: target, source })?;
        }
        Ok(())
    }

    /// Takes a file that is no table over, if there is one.
    pub(super) fn take_over_file(&self, name: &str, into: &Path) -> Result<(), DeriveError> {
        let (source, target) = (self.folder.join(name), into.join(name));
        if !source.exists() {
            return Ok(());
        }
        link(&source, &target).map_err(|source| DeriveError::Write { path: target, source })
    }
}

/// What a file notes under some keys, and its rows; `None` where there is no such file.
fn noted<const N: usize>(path: &Path, keys: [&str; N]) -> Option<([Option<String>; N], u64)> {
    let file = fs::File::open(path).ok()?;
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Skip);
    let metadata = ArrowReaderMetadata::load(&file, options).ok()?;
    let about = metadata.metadata().file_metadata();
    let notes = || about.key_value_metadata().into_iter().flatten();
    let note = |key: &str| notes().find(|note| note.key == key)?.value.clone();
    Some((keys.map(note), about.num_rows() as u64))
}

/// The sessions of a batch of the table `sessions`.
pub(super) fn sessions(batch: &RecordBatch) -> Result<Vec<Session>> {
    let missing = || DataFusionError::Execution("the table `sessions` lacks a column".to_owned());
    let days = batch.column_by_name("session").ok_or_else(missing)?.as_primitive::<Date32Type>();
    let stocks = batch.column_by_name("stocks_traded").ok_or_else(missing)?.as_primitive::<Int64Type>();
    let pairs = days.values().iter().zip(stocks.values());
    Ok(pairs
        .filter_map(|(day, stocks)| Some(Session { date: date(*day)?, stocks: *stocks as u32 }))
        .collect())
}

/// Links a file, or copies it where the system cannot. Published files are never written into, so a link is as good.
fn link(source: &Path, target: &Path) -> io::Result<()> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::hard_link(source, target).or_else(|_| fs::copy(source, target).map(drop))
}
