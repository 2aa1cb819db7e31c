//! Parquet writer for files of several parts: encodes new rows, and copies reused parts from another file without decoding.
//!
//! Rows are encoded in batches of a fixed length from the beginning of each part, so that the bytes do not depend on the batches in which
//! rows arrive. The rows of a file with several parts are sorted by symbol.

use std::fs::File;
use std::path::PathBuf;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::compute::BatchCoalescer;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use datafusion::parquet::arrow::arrow_writer::{
    ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use datafusion::parquet::column::writer::ColumnCloseResult;
use datafusion::parquet::file::metadata::{ColumnChunkMetaData, KeyValue, PageIndexPolicy};
use datafusion::parquet::file::statistics::Statistics;
use datafusion::parquet::file::writer::SerializedFileWriter;

use super::partition::{PARTS, PlannedPart, StoredPart};

/// Number of rows that are encoded at a time, a multiple of the number of rows of any page.
const ENCODED_ROWS: usize = 16 * 1024;
/// Maximum number of rows of a row group, a multiple of [`ENCODED_ROWS`].
const GROUP_ROWS: usize = 8 * ENCODED_ROWS;

/// A file that is being written.
pub(super) struct PartFile {
    writer: SerializedFileWriter<File>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    parts: Vec<PlannedPart>,
    /// Index of the current part. The next row belongs to it or to a later part.
    part_index: usize,
    /// Rows of the current part that are not encoded yet.
    pending: BatchCoalescer,
    group: Vec<ArrowColumnWriter>,
    group_rows: usize,
    part_rows: u64,
    /// Row counts of the finished parts.
    rows: Vec<u64>,
    /// The file from which a part was copied last.
    source: Option<(PathBuf, File, ArrowReaderMetadata)>,
}

impl PartFile {
    /// Begins a file of one or more parts.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn start(
        writer: ArrowWriter<File>,
        schema: SchemaRef,
        parts: Vec<PlannedPart>,
    ) -> Result<Self> {
        let (writer, factory) = writer.into_serialized_writer()?;
        Ok(Self {
            writer,
            factory,
            pending: BatchCoalescer::new(schema.clone(), ENCODED_ROWS),
            schema,
            parts,
            part_index: 0,
            group: Vec::new(),
            group_rows: 0,
            part_rows: 0,
            rows: Vec::new(),
            source: None,
        })
    }

    /// Writes the next rows in file order. Rows of parts that are copied are dropped.
    ///
    /// # Errors
    /// A file cannot be read or written, or rows lack a symbol although there are several parts.
    pub(super) fn write(&mut self, rows: &RecordBatch) -> Result<()> {
        let mut first = 0;
        while first < rows.num_rows() {
            let rest = rows.slice(first, rows.num_rows() - first);
            let part = self.parts.get(self.part_index);
            let of_part = match part.and_then(|part| part.until.as_deref()) {
                None => rest.num_rows(),
                Some(until) => rows_before(&rest, until)?,
            };
            if of_part > 0 && part.is_none_or(|part| part.stored.is_none()) {
                self.add_rows(rest.slice(0, of_part))?;
            }
            if of_part < rest.num_rows() {
                self.end_part()?;
            }
            first += of_part;
        }
        Ok(())
    }

    /// Ends the file and returns its number of rows.
    ///
    /// # Errors
    /// Those of [`PartFile::write`].
    pub(super) fn finish(mut self) -> Result<u64> {
        while self.part_index < self.parts.len() {
            self.end_part()?;
        }
        let keys: Option<Vec<String>> = self.parts.iter().map(|part| part.key.clone()).collect();
        if let Some(keys) = keys.filter(|keys| keys.len() > 1) {
            let lines: Vec<String> =
                keys.iter().zip(&self.rows).map(|(key, rows)| format!("{key} {rows}")).collect();
            self.writer.append_key_value_metadata(KeyValue::new(PARTS.to_owned(), lines.join("\n")));
        }
        self.writer.close()?;
        Ok(self.rows.iter().sum())
    }

    /// Ends the current part: encodes its pending rows, or copies the stored part.
    fn end_part(&mut self) -> Result<()> {
        if let Some(stored) = self.parts.get(self.part_index).and_then(|part| part.stored.clone()) {
            self.copy(&stored)?;
        } else {
            self.pending.finish_buffered_batch()?;
            self.encode_pending()?;
            self.end_group()?;
        }
        self.rows.push(std::mem::take(&mut self.part_rows));
        self.part_index += 1;
        Ok(())
    }

    fn add_rows(&mut self, rows: RecordBatch) -> Result<()> {
        self.pending.push_batch(rows)?;
        self.encode_pending()
    }

    fn encode_pending(&mut self) -> Result<()> {
        while let Some(batch) = self.pending.next_completed_batch() {
            if self.group.is_empty() {
                self.group = self.factory.create_column_writers(self.writer.flushed_row_groups().len())?;
            }
            let mut columns = self.group.iter_mut();
            for (field, values) in self.schema.fields().iter().zip(batch.columns()) {
                for leaf in compute_leaves(field, values)? {
                    let missing = || internal_datafusion_err!("a column has no writer");
                    columns.next().ok_or_else(missing)?.write(&leaf)?;
                }
            }
            self.group_rows += batch.num_rows();
            self.part_rows += batch.num_rows() as u64;
            if self.group_rows >= GROUP_ROWS {
                self.end_group()?;
            }
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<()> {
        self.group_rows = 0;
        let columns = std::mem::take(&mut self.group);
        if columns.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for column in columns {
            column.close()?.append_to_row_group(&mut group)?;
        }
        group.close()?;
        Ok(())
    }

    /// Copies the row groups of a part without decoding them.
    fn copy(&mut self, stored: &StoredPart) -> Result<()> {
        if stored.rows.is_empty() {
            return Ok(());
        }
        if self.source.as_ref().is_none_or(|(path, ..)| *path != stored.file) {
            let file = File::open(&stored.file)?;
            // The whole footer is read, so that the copied part has all metadata.
            let options = ArrowReaderOptions::new()
                .with_page_index_policy(PageIndexPolicy::Optional)
                .with_encoding_stats_as_mask(false);
            let about = ArrowReaderMetadata::load(&file, options)?;
            self.source = Some((stored.file.clone(), file, about));
        }
        let Some((_, file, about)) = &self.source else { return Ok(()) };
        let metadata = about.metadata();
        let mut first = 0;
        for (number, group) in metadata.row_groups().iter().enumerate() {
            let row = first;
            first += group.num_rows() as u64;
            if !stored.rows.contains(&row) {
                continue;
            }
            let column_indexes = metadata.column_index().and_then(|groups| groups.get(number));
            let offset_indexes = metadata.offset_index().and_then(|groups| groups.get(number));
            let mut to = self.writer.next_row_group()?;
            for (at, column) in group.columns().iter().enumerate() {
                let packed = ColumnCloseResult {
                    bytes_written: column.compressed_size() as u64,
                    rows_written: group.num_rows() as u64,
                    metadata: with_all_bounds(column)?,
                    bloom_filter: None,
                    column_index: column_indexes.and_then(|columns| columns.get(at)).cloned(),
                    offset_index: offset_indexes.and_then(|columns| columns.get(at)).cloned(),
                };
                to.append_column(file, packed)?;
            }
            to.close()?;
            self.part_rows += group.num_rows() as u64;
        }
        Ok(())
    }
}

/// Returns the metadata of a column with numeric bounds also in the deprecated fields `min` and `max`. The source file has these fields,
/// but the reader drops them.
fn with_all_bounds(column: &ColumnChunkMetaData) -> Result<ColumnChunkMetaData> {
    let bounds = match column.statistics().cloned() {
        Some(Statistics::Int32(of)) => Statistics::Int32(of.with_backwards_compatible_min_max(true)),
        Some(Statistics::Int64(of)) => Statistics::Int64(of.with_backwards_compatible_min_max(true)),
        Some(Statistics::Double(of)) => Statistics::Double(of.with_backwards_compatible_min_max(true)),
        _ => return Ok(column.clone()),
    };
    Ok(column.clone().into_builder().set_statistics(bounds).build()?)
}

/// Returns the number of rows, which are sorted by symbol, whose symbol is less than `symbol`.
fn rows_before(rows: &RecordBatch, symbol: &str) -> Result<usize> {
    let missing = || internal_datafusion_err!("a table made by symbol has a symbol");
    let symbols = rows.column_by_name("symbol").and_then(|column| column.as_string_view_opt());
    let symbols = symbols.ok_or_else(missing)?;
    let (mut low, mut high) = (0, rows.num_rows());
    while low < high {
        let middle = usize::midpoint(low, high);
        if symbols.value(middle) < symbol {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;

    use datafusion::arrow::array::{Array, Int64Array, StringViewArray};
    use datafusion::arrow::compute::concat_batches;
    use datafusion::arrow::datatypes::Int64Type;
    use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use datafusion::parquet::file::properties::WriterProperties;

    use super::*;

    /// Three rows of each symbol.
    fn rows(symbols: &[&str], value: i64) -> RecordBatch {
        let symbols = symbols.iter().flat_map(|symbol| [*symbol; 3]);
        let symbols: StringViewArray = symbols.map(Some).collect();
        let values = Int64Array::from(vec![value; symbols.len()]);
        RecordBatch::try_from_iter([("symbol", Arc::new(symbols) as _), ("value", Arc::new(values) as _)])
            .unwrap()
    }

    fn written(path: &Path, parts: Vec<PlannedPart>, batches: &[RecordBatch]) -> u64 {
        let schema = rows(&[], 0).schema();
        let properties = WriterProperties::builder().set_created_by("a test".to_owned()).build();
        let writer =
            ArrowWriter::try_new(File::create(path).unwrap(), Arc::clone(&schema), Some(properties)).unwrap();
        let mut file = PartFile::start(writer, schema, parts).unwrap();
        for batch in batches {
            file.write(batch).unwrap();
        }
        file.finish().unwrap()
    }

    fn part(until: Option<&str>, key: &str, stored: Option<StoredPart>) -> PlannedPart {
        PlannedPart { until: until.map(str::to_owned), key: Some(key.to_owned()), stored }
    }

    fn read(path: &Path) -> Vec<(String, i64)> {
        let reader =
            ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap().build().unwrap();
        let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        let rows = concat_batches(&rows(&[], 0).schema(), &batches).unwrap();
        let symbols = rows.column(0).as_string_view().iter().flatten().map(str::to_owned);
        symbols.zip(rows.column(1).as_primitive::<Int64Type>().values().iter().copied()).collect()
    }

    #[test]
    fn parts_are_copied_or_made_and_give_the_bytes_of_a_file_that_is_made_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let all = ["A", "B", "C", "D", "E"];
        let parts = |stored: [Option<StoredPart>; 3]| {
            let [one, two, three] = stored;
            vec![part(Some("C"), "one", one), part(Some("D"), "two", two), part(None, "three", three)]
        };
        assert_eq!(written(&path("old"), parts([None, None, None]), &[rows(&all, 1)]), 15);
        let stored = |rows| Some(StoredPart { file: path("old"), rows });
        // The first and the last part are copied; supplied rows of theirs are dropped.
        let new = parts([stored(0..6), None, stored(9..15)]);
        assert_eq!(written(&path("new"), new, &[rows(&["B", "C"], 2), rows(&["E"], 2)]), 15);
        let values = |name: &str| read(&path(name)).iter().map(|(_, value)| *value).collect::<Vec<_>>();
        assert_eq!(values("new"), [[1; 3], [1; 3], [2; 3], [1; 3], [1; 3]].concat());
        let batches = [rows(&["A"], 1), rows(&["B"], 1), rows(&["C"], 2), rows(&["D", "E"], 1)];
        assert_eq!(written(&path("whole"), parts([None, None, None]), &batches), 15);
        assert_eq!(fs::read(path("new")).unwrap(), fs::read(path("whole")).unwrap());
    }

    #[test]
    fn parts_may_have_no_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let parts =
            || vec![part(Some("C"), "one", None), part(Some("D"), "two", None), part(None, "three", None)];
        assert_eq!(written(&path, parts(), &[]), 0);
        assert_eq!(read(&path), []);
        assert_eq!(written(&path, parts(), &[rows(&["X"], 7)]), 3);
        assert_eq!(read(&path), [("X".to_owned(), 7), ("X".to_owned(), 7), ("X".to_owned(), 7)]);
        let about = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
        let notes = about.metadata().file_metadata().key_value_metadata().unwrap().clone();
        let recorded_parts = notes.into_iter().find(|note| note.key == PARTS).unwrap().value.unwrap();
        assert_eq!(recorded_parts, "one 0\ntwo 0\nthree 3");
    }
}
