//! One Parquet file of a long table: read by row range, never held completely in memory.
//!
//! The file is open from the creation of the snapshot. A rename over it does not affect the open file; a program that writes into it in
//! place is detected before a row is read.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::error::{DataFusionError, Result};
use datafusion::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowSelection,
};
use datafusion::parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use datafusion::parquet::errors::{ParquetError, Result as ParquetResult};
use datafusion::parquet::file::metadata::{PageIndexPolicy, RowGroupMetaData};
use datafusion::parquet::file::reader::{ChunkReader, Length};

use super::key_index::KeyIndex;
use super::zstd_pages::ReadGroups;
use parquote_functions::arrow_types::cast_to_declared;
use parquote_set::{OpenStoredFile, StoredFile};

/// Rows per batch when a whole file is read.
const BATCH_ROWS: usize = 8192;

/// Adapts an open file to the Parquet reader.
#[derive(Debug, Clone)]
pub(crate) struct Chunks(pub OpenStoredFile);

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.0.bytes()
    }
}

impl ChunkReader for Chunks {
    type T = PositionedReader;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(PositionedReader { file: self.0.clone(), at: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let external_error = |source| ParquetError::External(Box::new(source));
        // A damaged file may declare a wrong length, so reads beyond the end are refused.
        if start.saturating_add(length as u64) > self.0.bytes() {
            return Err(external_error(std::io::Error::from(std::io::ErrorKind::UnexpectedEof)));
        }
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, start).map_err(external_error)?;
        Ok(bytes.into())
    }
}

/// A reader with a separate position in a shared file.
#[derive(Debug)]
pub(crate) struct PositionedReader {
    file: OpenStoredFile,
    at: u64,
}

impl Read for PositionedReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.file.read_at(buffer, self.at)?;
        self.at += length as u64;
        Ok(length)
    }
}

/// A file of a long table.
#[derive(Debug)]
pub(crate) struct LongFile {
    /// Location of the file, for messages.
    location: String,
    /// Hash of the content; `None` for a plain file, which may change.
    hash: Option<Arc<str>>,
    file: Arc<Chunks>,
    metadata: ArrowReaderMetadata,
    /// Position of each declared column in the file; `None` if the file lacks it.
    columns: Vec<Option<usize>>,
    schema: SchemaRef,
    /// The rows of each key.
    pub index: KeyIndex,
    /// The first and the last session, in days since 1970; `None` without a column of sessions, or without rows.
    pub sessions: Option<(i32, i32)>,
}

impl LongFile {
    /// Opens a file with columns of `schema`; its index is empty.
    pub(crate) fn open(file: &StoredFile, schema: SchemaRef) -> Result<Self> {
        let open = Chunks(file.open()?);
        let options = ArrowReaderOptions::new()
            .with_offset_index_policy(PageIndexPolicy::Optional)
            .with_column_index_policy(PageIndexPolicy::Skip);
        let metadata = ArrowReaderMetadata::load(&open, options)?;
        let columns =
            schema.fields().iter().map(|field| metadata.schema().index_of(field.name()).ok()).collect();
        Ok(Self {
            location: file.location(),
            hash: file.hash().map(Into::into),
            file: Arc::new(open),
            metadata,
            columns,
            schema,
            index: KeyIndex::default(),
            sessions: None,
        })
    }

    /// Returns the schema of the file, which may differ from the declared one.
    pub(crate) fn file_schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// Returns the declared type of a column of the table.
    pub(crate) fn declared_type(&self, position: usize) -> Option<&DataType> {
        self.schema.fields().get(position).map(|field| field.data_type())
    }

    /// Returns the location of the file, for messages.
    pub(crate) fn location(&self) -> &str {
        &self.location
    }

    /// Returns the hash of the file's content; `None` for a plain file, which may change.
    pub(crate) fn hash(&self) -> Option<Arc<str>> {
        self.hash.clone()
    }

    /// Returns true if the file has no column of this name.
    pub(crate) fn lacks_column(&self, name: &str) -> bool {
        self.file_schema().index_of(name).is_err()
    }

    /// Returns the number of nulls in a column; `None` if the file has no null counts for it.
    pub(crate) fn nulls(&self, name: &str) -> Option<u64> {
        // A list column has another path and therefore no count here: its leaf counts nested values, and an empty list as a null.
        let groups = self.metadata.metadata().row_groups().iter();
        let null_count = |group: &RowGroupMetaData| {
            let column = group.columns().iter().find(|column| column.column_path().string() == name)?;
            column.statistics()?.null_count_opt()
        };
        groups.map(null_count).sum()
    }

    pub(crate) fn row_count(&self) -> usize {
        self.metadata.metadata().file_metadata().num_rows() as usize
    }

    /// Reads these rows of these declared columns.
    pub(crate) fn read(self: &Arc<Self>, rows: Range<usize>, projection: &[usize]) -> Result<LongRows> {
        self.read_ranges(&[rows], projection)
    }

    /// Reads ascending ranges of rows of these declared columns, each page once.
    pub(crate) fn read_ranges(
        self: &Arc<Self>,
        ranges: &[Range<usize>],
        projection: &[usize],
    ) -> Result<LongRows> {
        self.check_untouched()?;
        let mut file_columns: Vec<usize> =
            projection.iter().filter_map(|column| self.columns.get(*column).copied().flatten()).collect();
        file_columns.sort_unstable();
        file_columns.dedup();
        let (groups, selection) = self.selection(ranges);
        let rows: usize = ranges.iter().map(Range::len).sum();
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), file_columns.iter().copied());
        let levels = parquet_to_arrow_field_levels(
            self.metadata.parquet_schema(),
            mask,
            Some(self.file_schema().fields()),
        )?;
        let (file, metadata) = (Arc::clone(&self.file), Arc::clone(self.metadata.metadata()));
        let reader = ParquetRecordBatchReader::try_new_with_row_groups(
            &levels,
            &ReadGroups { file, metadata, groups, is_lookup: rows < self.row_count() },
            rows.clamp(1, BATCH_ROWS),
            Some(selection),
        )?;
        // The reader yields columns in the file's order; `positions` has the position of each requested column in it.
        let positions = projection
            .iter()
            .map(|column| {
                let column = self.columns.get(*column).copied().flatten()?;
                file_columns.binary_search(&column).ok()
            })
            .collect();
        let schema = Arc::new(self.schema.project(projection)?);
        Ok(LongRows { reader, positions, schema })
    }

    /// Returns the row groups that contain the rows, and the selection of rows in them.
    fn selection(&self, ranges: &[Range<usize>]) -> (Vec<usize>, RowSelection) {
        let (mut groups, mut selected) = (Vec::new(), Vec::new());
        // The first row of a group in the file, and the number of rows in the selected groups before it.
        let (mut start, mut before) = (0, 0);
        for (index, group) in self.metadata.metadata().row_groups().iter().enumerate() {
            let end = start + group.num_rows() as usize;
            let first = selected.len();
            for rows in ranges.iter().filter(|rows| rows.start < end && start < rows.end) {
                let offset = |row: usize| before + row.clamp(start, end) - start;
                selected.push(offset(rows.start)..offset(rows.end));
            }
            if selected.len() > first {
                groups.push(index);
                before += end - start;
            }
            start = end;
        }
        (groups, RowSelection::from_consecutive_ranges(selected.into_iter(), before))
    }

    /// Checks that the file is unchanged since it was indexed.
    pub(crate) fn check_untouched(&self) -> Result<()> {
        if self.file.0.is_untouched()? {
            return Ok(());
        }
        Err(DataFusionError::External(
            format!("{} was written into while it is served; replace files by a rename", self.location)
                .into(),
        ))
    }
}

/// Batches of a row range, with the declared types and the requested order of columns.
pub(crate) struct LongRows {
    reader: ParquetRecordBatchReader,
    /// The position of each requested column in the batches of the reader; `None` if the file lacks the column.
    positions: Vec<Option<usize>>,
    schema: SchemaRef,
}

impl Iterator for LongRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        Some(batch.map_err(DataFusionError::from).and_then(|batch| self.arrange(&batch)))
    }
}

impl LongRows {
    /// Returns all remaining rows in one batch; `None` if there is no batch left.
    pub(crate) fn read_remaining(&mut self) -> Result<Option<RecordBatch>> {
        let batches = self.collect::<Result<Vec<_>>>()?;
        match batches.first() {
            None => Ok(None),
            Some(first) => Ok(Some(concat_batches(&first.schema(), &batches)?)),
        }
    }

    fn arrange(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let columns = self
            .positions
            .iter()
            .zip(self.schema.fields())
            .map(|(position, field)| match position {
                None => Ok(datafusion::arrow::array::new_null_array(field.data_type(), rows)),
                Some(position) if batch.column(*position).data_type() == field.data_type() => {
                    Ok(Arc::clone(batch.column(*position)))
                }
                Some(position) => cast_to_declared(batch.column(*position), field.name(), field.data_type()),
            })
            .collect::<Result<Vec<_>>>()?;
        let options = datafusion::arrow::array::RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, StringViewArray};
    use datafusion::arrow::compute::concat_batches;
    use datafusion::parquet::arrow::ArrowWriter;
    use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use datafusion::parquet::basic::{Compression, ZstdLevel};
    use datafusion::parquet::file::properties::{WriterProperties, WriterVersion};

    use super::*;

    const ROWS: usize = 5_000;

    fn rows() -> RecordBatch {
        let symbols: ArrayRef =
            Arc::new(StringViewArray::from_iter_values((0..ROWS).map(|row| format!("S{}", row / 50))));
        let figures: ArrayRef = Arc::new(
            (0..ROWS).map(|row| (row % 7 > 0).then_some(row as f64 / 3.0)).collect::<Float64Array>(),
        );
        let nothing: ArrayRef = Arc::new((0..ROWS).map(|_| None::<i64>).collect::<Int64Array>());
        RecordBatch::try_from_iter([("symbol", symbols), ("figure", figures), ("nothing", nothing)]).unwrap()
    }

    #[test]
    fn pages_of_both_versions_are_read_as_the_library_reads_them() {
        let (rows, folder) = (rows(), tempfile::tempdir().unwrap());
        let zstd = Compression::ZSTD(ZstdLevel::default());
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for compression in [zstd, Compression::UNCOMPRESSED] {
                let path = folder.path().join("rows.parquet");
                let properties = WriterProperties::builder()
                    .set_writer_version(version)
                    .set_compression(compression)
                    .set_max_row_group_row_count(Some(2_000))
                    .set_data_page_row_count_limit(100)
                    .set_write_batch_size(50);
                let file = std::fs::File::create(&path).unwrap();
                let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(properties.build())).unwrap();
                writer.write(&rows).unwrap();
                writer.close().unwrap();
                let library = std::fs::File::open(&path).unwrap();
                let library = ParquetRecordBatchReaderBuilder::try_new(library).unwrap();
                let library = library.with_batch_size(ROWS).build().unwrap().next().unwrap().unwrap();
                let stored = StoredFile::plain(&path);
                let file = Arc::new(LongFile::open(&stored, rows.schema()).unwrap());
                for range in [0..ROWS, 1_990..2_010, 4_321..4_322, 0..1, ROWS - 1..ROWS] {
                    let mut reader = file.read(range.clone(), &[0, 1, 2]).unwrap();
                    let mut start = range.start;
                    for batch in reader.by_ref() {
                        let batch = batch.unwrap();
                        assert_eq!(batch, library.slice(start, batch.num_rows()));
                        start += batch.num_rows();
                    }
                    assert_eq!(start, range.end);
                }
                let ranges = [3..5, 5..90, 1_990..2_010, 4_321..4_322, ROWS - 1..ROWS];
                let batches =
                    file.read_ranges(&ranges, &[0, 1, 2]).unwrap().collect::<Result<Vec<_>>>().unwrap();
                let parts = ranges.map(|range| library.slice(range.start, range.len()));
                let schema = library.schema();
                assert_eq!(
                    concat_batches(&schema, &batches).unwrap(),
                    concat_batches(&schema, &parts).unwrap()
                );
            }
        }
    }
}
