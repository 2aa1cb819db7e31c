//! Read access to the files of a set of tables: a published set, or the set that is being built.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::ops::Range;
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
use super::partition::{KEY, PARTS, PartitionSpan, StoredPart};
use super::row_fingerprint;
use parquote_catalogue::operation::{Catalogue, Market, Table};
use parquote_engine::long_table::LongTable;
use parquote_functions::arrow_types::{date, declared_columns, table_schema};
use parquote_raw::Session;
use parquote_set::{Home, SetFile, StoredFile, TableFiles};

/// The paths of the files of a set, by table and part; the part is `None` for a single-file table.
pub type SetPaths = BTreeMap<(String, Option<String>), PathBuf>;

/// A set of tables of a market, published or being built.
#[derive(Debug, Clone)]
pub(super) struct PublishedSet {
    files: Files,
    market: Market,
}

/// The partitions of a table in a set, by their keys.
#[derive(Debug, Default)]
pub(super) struct StoredTable {
    /// Whole files by their keys, each as (path, number of rows).
    pub files: HashMap<String, (PathBuf, u64)>,
    /// Parts of files by their keys.
    pub parts: HashMap<String, StoredPart>,
}

/// The layout of the files of a set.
#[derive(Debug, Clone)]
enum Files {
    /// Files in a folder, named by table and part.
    Named(PathBuf),
    /// Files that are named by their hash.
    Hashed(Arc<SetPaths>),
}

impl PublishedSet {
    /// Opens the newest set of a market without the changes by plain files. If the market has no set, opens its plain files; `None` if
    /// there are none.
    pub(super) fn find(home: &Home, market: Market) -> Result<Option<Self>, DeriveError> {
        if let Some(set) = home.newest(market)? {
            let path = |(table, file): (&str, &SetFile)| {
                ((table.to_owned(), file.part.clone()), home.file_path(market, table, &file.hash))
            };
            return Ok(Some(Self::of_files(market, set.derived_files().map(path).collect())));
        }
        let folder = home.market_path(market);
        Ok(folder.join("sessions.parquet").exists().then(|| Self::open(&folder, market)))
    }

    /// Opens a set whose files have these paths.
    pub(super) fn of_files(market: Market, files: SetPaths) -> Self {
        Self { files: Files::Hashed(Arc::new(files)), market }
    }

    /// Opens the set in a folder.
    pub(super) fn open(folder: &Path, market: Market) -> Self {
        Self { files: Files::Named(folder.to_owned()), market }
    }

    /// Returns the partitions of a table.
    ///
    /// # Errors
    /// A folder cannot be listed.
    pub(super) fn partitions(&self, table: &Table) -> Result<StoredTable, DeriveError> {
        let mut stored = StoredTable::default();
        let files =
            if table.yearly { self.parts(table)?.into_values().collect() } else { vec![self.file(table)] };
        for file in files {
            let Some(([Some(key), parts], rows)) = read_metadata(&file, [KEY, PARTS]) else { continue };
            for (key, rows) in rows_of_parts(parts.as_deref().unwrap_or_default()) {
                stored.parts.insert(key, StoredPart { file: file.clone(), rows });
            }
            stored.files.insert(key, (file, rows));
        }
        Ok(stored)
    }

    /// Returns the keys of the parts of one year of a long table; `None` if its file has no keys.
    pub(super) fn keys_of(&self, table: &Table, year: i32) -> Option<Vec<String>> {
        let ([Some(key), parts], _) = read_metadata(&self.year_file(table, year), [KEY, PARTS])? else {
            return None;
        };
        let parts = parts.map(|parts| rows_of_parts(&parts).into_iter().map(|(key, _)| key).collect());
        Some(parts.unwrap_or_else(|| vec![key]))
    }

    /// Returns a fingerprint of the rows of a single-file table; `None` if the set lacks it.
    pub(super) fn contents(&self, table: &Table) -> Option<String> {
        row_fingerprint::of_file(&fs::read(self.file(table)).ok()?)
    }

    fn year_file(&self, table: &Table, year: i32) -> PathBuf {
        self.part_file(table, PartitionSpan::Year(year).part())
    }

    fn file(&self, table: &Table) -> PathBuf {
        self.part_file(table, None)
    }

    /// Returns the path of a part, which need not exist.
    fn part_file(&self, table: &Table, part: Option<String>) -> PathBuf {
        match &self.files {
            Files::Named(folder) => folder.join(part_path(&table.name, part.as_deref())),
            Files::Hashed(files) => files.get(&(table.name.clone(), part)).cloned().unwrap_or_default(),
        }
    }

    /// Returns the paths of the files of a long table by part.
    fn parts(&self, table: &Table) -> Result<BTreeMap<String, PathBuf>, DeriveError> {
        match &self.files {
            Files::Named(folder) => parts_in(&folder.join(&table.name)),
            Files::Hashed(files) => {
                let of_table = files.iter().filter(|((name, _), _)| *name == table.name);
                Ok(of_table.filter_map(|((_, part), path)| Some((part.clone()?, path.clone()))).collect())
            }
        }
    }

    /// Returns the row count of a single-file table; `None` if the set lacks it.
    pub(super) fn row_count(&self, table: &Table) -> Option<u64> {
        read_metadata(&self.file(table), []).map(|([], rows)| rows)
    }

    /// Returns true if the set has a table.
    pub(super) fn has_table(&self, table: &Table) -> bool {
        if table.yearly {
            self.parts(table).is_ok_and(|parts| !parts.is_empty())
        } else {
            self.file(table).exists()
        }
    }

    /// Returns the files of all single-file tables.
    pub(super) fn small_files(&self, catalogue: &Catalogue) -> TableFiles {
        let small = catalogue.tables_in(self.market).filter(|table| !table.yearly && self.has_table(table));
        small.map(|table| (table.name.clone(), vec![StoredFile::plain(self.file(table))])).collect()
    }

    /// Reads the rows of a single-file table; `None` if the set lacks it.
    pub(super) fn read_single_file(&self, table: &Table) -> Option<Result<RecordBatch, DeriveError>> {
        let path = self.file(table);
        let rows = || Self::rows_of(&path, table, self.market).map_err(DeriveError::row_error(&table.name));
        path.exists().then(rows)
    }

    /// Reads the rows of a table's file.
    pub(super) fn rows_of(path: &Path, table: &Table, market: Market) -> Result<RecordBatch> {
        let reader = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(path)?)?.build()?;
        let schema = table_schema(table, market);
        let batches = reader.map(|batch| declared_columns(&batch?, &schema)).collect::<Result<Vec<_>>>()?;
        Ok(concat_batches(&schema, &batches)?)
    }

    /// Opens one year of a long table.
    pub(super) fn long_year(&self, table: &Table, year: i32) -> Result<LongTable, DeriveError> {
        Ok(LongTable::open(table, self.market, &[self.year_file(table, year)])?)
    }

    /// Opens a long table.
    pub(super) fn long(&self, table: &Table) -> Result<Arc<LongTable>, DeriveError> {
        let files: Vec<PathBuf> = self.parts(table)?.into_values().collect();
        Ok(Arc::new(LongTable::open(table, self.market, &files)?))
    }

    /// Links a table's files into another folder.
    pub(super) fn link_table(&self, table: &Table, into: &Path) -> Result<(), DeriveError> {
        let mut links = BTreeMap::new();
        if table.yearly {
            for (part, path) in self.parts(table)? {
                links.insert(into.join(part_path(&table.name, Some(&part))), path);
            }
        } else {
            links.insert(into.join(part_path(&table.name, None)), self.file(table));
        }
        for (target, source) in links {
            link_or_copy(&source, &target).map_err(|source| DeriveError::Write { path: target, source })?;
        }
        Ok(())
    }
}

/// Links a file into another folder as the file of a table.
///
/// # Errors
/// The file can be neither linked nor copied.
pub(super) fn link_file(
    file: &Path,
    table: &str,
    span: PartitionSpan,
    into: &Path,
) -> Result<(), DeriveError> {
    let path = file_path(into, table, span);
    link_or_copy(file, &path).map_err(|source| DeriveError::Write { path, source })
}

/// Returns the path of a table's file in the folder of a set being built.
pub(super) fn file_path(folder: &Path, table: &str, span: PartitionSpan) -> PathBuf {
    folder.join(part_path(table, span.part().as_deref()))
}

/// Parses the metadata entry [`PARTS`]. Returns the key of each part with its range of rows.
pub(super) fn rows_of_parts(note: &str) -> Vec<(String, Range<u64>)> {
    let part =
        |line: &str| line.split_once(' ').and_then(|(key, rows)| Some((key.to_owned(), rows.parse().ok()?)));
    let parts: Vec<(String, u64)> = note.lines().filter_map(part).collect();
    let mut first = 0;
    let range = |(key, rows): (String, u64)| {
        first += rows;
        (key, first - rows..first)
    };
    parts.into_iter().map(range).collect()
}

/// Returns the path of a part relative to the market's folder.
fn part_path(table: &str, part: Option<&str>) -> String {
    part.map_or_else(|| format!("{table}.parquet"), |part| format!("{table}/{part}.parquet"))
}

/// Lists the Parquet files in a folder by their names without extension.
fn parts_in(folder: &Path) -> Result<BTreeMap<String, PathBuf>, DeriveError> {
    let failed = |source| DeriveError::Write { path: folder.to_owned(), source };
    let mut parts = BTreeMap::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(parts),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let is_parquet = path.extension().is_some_and(|extension| extension == "parquet");
        if let (true, Some(stem)) = (is_parquet, path.file_stem().and_then(|stem| stem.to_str())) {
            parts.insert(stem.to_owned(), path.clone());
        }
    }
    Ok(parts)
}

/// Reads metadata entries and the row count of a file; `None` if there is no such Parquet file.
pub(super) fn read_metadata<const N: usize>(
    path: &Path,
    keys: [&str; N],
) -> Option<([Option<String>; N], u64)> {
    let file = fs::File::open(path).ok()?;
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Skip);
    let metadata = ArrowReaderMetadata::load(&file, options).ok()?;
    let about = metadata.metadata().file_metadata();
    let notes = || about.key_value_metadata().into_iter().flatten();
    let note = |key: &str| notes().find(|note| note.key == key)?.value.clone();
    Some((keys.map(note), about.num_rows() as u64))
}

/// Returns the values of the column `session`, in days since 1970; none for a batch without this column.
pub fn session_days(rows: &[RecordBatch]) -> Vec<i32> {
    let days = |batch: &RecordBatch| {
        let column =
            batch.column_by_name("session").and_then(|column| column.as_primitive_opt::<Date32Type>());
        column.map(|column| column.values().to_vec()).unwrap_or_default()
    };
    rows.iter().flat_map(days).collect()
}

/// Parses a batch of the table `sessions`.
pub(super) fn parse_sessions(batch: &RecordBatch) -> Result<Vec<Session>> {
    let missing = || DataFusionError::Execution("the table `sessions` lacks a column".to_owned());
    let days = batch.column_by_name("session").ok_or_else(missing)?.as_primitive::<Date32Type>();
    let stocks = batch.column_by_name("stocks_traded").ok_or_else(missing)?.as_primitive::<Int64Type>();
    let pairs = days.values().iter().zip(stocks.values());
    Ok(pairs
        .filter_map(|(day, stocks)| Some(Session { date: date(*day)?, stocks: *stocks as u32 }))
        .collect())
}

/// Hard-links a file, or copies it where the system cannot link. Published files are never modified, so a link is safe.
fn link_or_copy(source: &Path, target: &Path) -> io::Result<()> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::hard_link(source, target).or_else(|_| fs::copy(source, target).map(drop))
}
