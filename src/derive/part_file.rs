//! Writes a file of several parts: new rows are packed, and a reused part is copied from another file as it is packed there.
//!
//! Rows are packed in stretches of a fixed length from the beginning of each part, so that the same rows give the same bytes however they
//! arrive. Until a stretch is whole its rows stay where they were made. A file of several parts has its rows sorted by symbol; how they
//! were made is not known here.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::concat;
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

use super::number_column::{NumberColumn, NumberLayout, PageSpace};
use super::partition::{PARTS, PlannedPart, StoredPart};

/// Rows that are packed in one go: a multiple of the rows of any page.
const STRETCH: usize = 16 * 1024;
/// Rows of a row group at the most: a multiple of those of a stretch.
const GROUP: usize = 8 * STRETCH;

/// Some rows of a batch.
pub(super) type RowsOf = (Arc<RecordBatch>, Range<usize>);

/// A file that is being written.
pub(super) struct PartFile {
    writer: SerializedFileWriter<File>,
    /// How each column is packed; `None` where the library does it.
    layouts: Vec<Option<NumberLayout>>,
    /// Makes the writers of the library's columns.
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    parts: Vec<PlannedPart>,
    /// The place of the part to which the next row may belong.
    at: usize,
    /// Rows of the part that are not packed yet, and their number.
    waiting: (Vec<RowsOf>, usize),
    space: PageSpace,
    group: Vec<ColumnFile>,
    group_rows: usize,
    part_rows: u64,
    /// The rows of each part that is done.
    rows: Vec<u64>,
    /// The file from which parts were copied last.
    source: Option<(PathBuf, File, ArrowReaderMetadata)>,
}

/// A column of the row group that is being packed.
enum ColumnFile {
    Numbers(Box<NumberColumn>),
    Others(Box<ArrowColumnWriter>),
}

impl PartFile {
    /// Begins a file of these parts, of which there is at least one. Each column has one leaf.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn start(
        writer: ArrowWriter<File>,
        schema: SchemaRef,
        parts: Vec<PlannedPart>,
    ) -> Result<Self> {
        let (writer, _) = writer.into_serialized_writer()?;
        let columns = schema.fields().iter().zip(writer.schema_descr().columns());
        let layouts: Vec<Option<NumberLayout>> = columns
            .map(|(field, descr)| NumberLayout::of(writer.properties(), descr, field.data_type()))
            .collect();
        let others = layouts.iter().enumerate().filter(|(_, layout)| layout.is_none());
        let others = Arc::new(schema.project(&others.map(|(at, _)| at).collect::<Vec<_>>())?);
        // A writer of its own, into nothing: a factory makes the writers of all columns of a file.
        let properties = writer.properties().as_ref().clone();
        let (_, factory) =
            ArrowWriter::try_new(io::sink(), others, Some(properties))?.into_serialized_writer()?;
        Ok(Self {
            writer,
            layouts,
            factory,
            waiting: (Vec::new(), 0),
            space: PageSpace::default(),
            schema,
            parts,
            at: 0,
            group: Vec::new(),
            group_rows: 0,
            part_rows: 0,
            rows: Vec::new(),
            source: None,
        })
    }

    /// Takes the next rows, in the order of the file; those of parts that are copied are left out.
    ///
    /// # Errors
    /// Files that cannot be read or written, rows without a symbol where there are several parts.
    pub(super) fn write(&mut self, (batch, mut rows): RowsOf) -> Result<()> {
        while !rows.is_empty() {
            let part = self.parts.get(self.at);
            let end = match part.and_then(|part| part.until.as_deref()) {
                None => rows.end,
                Some(until) => end_before(&batch, rows.clone(), until)?,
            };
            if part.is_none_or(|part| part.stored.is_none()) {
                self.take(&batch, rows.start..end)?;
            }
            if end < rows.end {
                self.end_part()?;
            }
            rows.start = end;
        }
        Ok(())
    }

    /// Ends the file; how many rows it has.
    ///
    /// # Errors
    /// As [`PartFile::write`].
    pub(super) fn finish(mut self) -> Result<u64> {
        while self.at < self.parts.len() {
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

    /// Ends a part: packs what waits, or copies it.
    fn end_part(&mut self) -> Result<()> {
        if let Some(stored) = self.parts.get(self.at).and_then(|part| part.stored.clone()) {
            self.copy(&stored)?;
        } else {
            self.pack_stretch()?;
            self.end_group()?;
        }
        self.rows.push(std::mem::take(&mut self.part_rows));
        self.at += 1;
        Ok(())
    }

    fn take(&mut self, batch: &Arc<RecordBatch>, mut rows: Range<usize>) -> Result<()> {
        while !rows.is_empty() {
            let (waiting, held) = &mut self.waiting;
            let end = rows.end.min(rows.start + STRETCH - *held);
            waiting.push((Arc::clone(batch), rows.start..end));
            *held += end - rows.start;
            if *held == STRETCH {
                self.pack_stretch()?;
            }
            rows.start = end;
        }
        Ok(())
    }

    /// Packs the rows that wait.
    fn pack_stretch(&mut self) -> Result<()> {
        let (pieces, rows) = std::mem::take(&mut self.waiting);
        if rows == 0 {
            return Ok(());
        }
        if self.group.is_empty() {
            self.group = self.columns()?;
        }
        for (at, (column, field)) in self.group.iter_mut().zip(self.schema.fields()).enumerate() {
            let arrays = pieces.iter().map(|(batch, rows)| (batch.column(at), rows.clone()));
            match column {
                ColumnFile::Numbers(column) => column.write(arrays, &mut self.space)?,
                ColumnFile::Others(column) => {
                    let slices: Vec<ArrayRef> =
                        arrays.map(|(array, rows)| array.slice(rows.start, rows.len())).collect();
                    let slices: Vec<&dyn Array> = slices.iter().map(AsRef::as_ref).collect();
                    for leaf in compute_leaves(field, &concat(&slices)?)? {
                        column.write(&leaf)?;
                    }
                }
            }
        }
        self.group_rows += rows;
        self.part_rows += rows as u64;
        if self.group_rows >= GROUP {
            self.end_group()?;
        }
        Ok(())
    }

    /// The columns of the next row group.
    fn columns(&self) -> Result<Vec<ColumnFile>> {
        let mut others =
            self.factory.create_column_writers(self.writer.flushed_row_groups().len())?.into_iter();
        let missing = || internal_datafusion_err!("a column has no writer");
        let column = |layout: &Option<NumberLayout>| match layout {
            Some(layout) => Ok(ColumnFile::Numbers(Box::new(NumberColumn::start(layout)))),
            None => Ok(ColumnFile::Others(Box::new(others.next().ok_or_else(missing)?))),
        };
        self.layouts.iter().map(column).collect()
    }

    fn end_group(&mut self) -> Result<()> {
        self.group_rows = 0;
        let columns = std::mem::take(&mut self.group);
        if columns.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for column in columns {
            match column {
                ColumnFile::Numbers(column) => {
                    let (pages, about) = column.close()?;
                    group.append_column(&pages, about)?;
                }
                ColumnFile::Others(column) => column.close()?.append_to_row_group(&mut group)?,
            }
        }
        group.close()?;
        Ok(())
    }

    /// Copies the row groups of a part without unpacking them.
    fn copy(&mut self, stored: &StoredPart) -> Result<()> {
        if stored.rows.is_empty() {
            return Ok(());
        }
        if self.source.as_ref().is_none_or(|(path, ..)| *path != stored.file) {
            let file = File::open(&stored.file)?;
            // All that the footer says of a group, so that the copy says it too.
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

/// What a footer says of a column, with the bounds of numbers in the older form too, in which it has them and reading leaves them out.
fn with_all_bounds(column: &ColumnChunkMetaData) -> Result<ColumnChunkMetaData> {
    let bounds = match column.statistics().cloned() {
        Some(Statistics::Int32(of)) => Statistics::Int32(of.with_backwards_compatible_min_max(true)),
        Some(Statistics::Int64(of)) => Statistics::Int64(of.with_backwards_compatible_min_max(true)),
        Some(Statistics::Double(of)) => Statistics::Double(of.with_backwards_compatible_min_max(true)),
        _ => return Ok(column.clone()),
    };
    Ok(column.clone().into_builder().set_statistics(bounds).build()?)
}

/// Where the rows of symbols before this one end, among rows that are sorted by symbol.
fn end_before(batch: &RecordBatch, rows: Range<usize>, symbol: &str) -> Result<usize> {
    let missing = || internal_datafusion_err!("a table made by symbol has a symbol");
    let symbols = batch.column_by_name("symbol").and_then(|column| column.as_string_view_opt());
    let symbols = symbols.ok_or_else(missing)?;
    let (mut low, mut high) = (rows.start, rows.end);
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

    use datafusion::arrow::array::{Float64Array, Int64Array, StringViewArray};
    use datafusion::arrow::compute::concat_batches;
    use datafusion::arrow::datatypes::Int64Type;
    use datafusion::arrow::util::pretty::pretty_format_batches;
    use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use datafusion::parquet::basic::{Compression, Encoding, ZstdLevel};
    use datafusion::parquet::file::metadata::ParquetMetaData;
    use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties};

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
            file.write((Arc::new(batch.clone()), 0..batch.num_rows())).unwrap();
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
        // The first and the last part are copied; rows of theirs that arrive all the same are left out.
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
        let parts_told = notes.into_iter().find(|note| note.key == PARTS).unwrap().value.unwrap();
        assert_eq!(parts_told, "one 0\ntwo 0\nthree 3");
    }

    #[test]
    fn numbers_are_packed_as_the_library_packs_them() {
        /// More than a stretch.
        const ROWS: usize = 20_000;
        let rows = 0..ROWS as i64;
        // Stretches without a cell, with every cell, and with every other one.
        let is_there = |row: i64| row > 500 && (row < 9_000 || row % 2 == 0);
        let symbols: StringViewArray = rows.clone().map(|row| Some(format!("S{:05}", row / 250))).collect();
        let figures: Float64Array =
            rows.clone().map(|row| is_there(row).then(|| (row % 613) as f64 / 7.0)).collect();
        let zeros: Float64Array = rows.clone().map(|row| Some([0.0, f64::NAN][row as usize % 2])).collect();
        let counts: Int64Array =
            rows.clone().map(|row| (row % 3 > 0).then_some(row * 7919 % 613 - 300)).collect();
        let nothing: Float64Array = rows.map(|_| None).collect();
        let batch = RecordBatch::try_from_iter_with_nullable([
            ("symbol", Arc::new(symbols) as ArrayRef, false),
            ("figure", Arc::new(figures), true),
            ("zero", Arc::new(zeros), false),
            ("count", Arc::new(counts), true),
            ("nothing", Arc::new(nothing), true),
        ])
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let zstd = Compression::ZSTD(ZstdLevel::default());
        for (page_rows, encoding, compression) in [
            (1024, Encoding::PLAIN, zstd),
            (STRETCH, Encoding::BYTE_STREAM_SPLIT, zstd),
            (STRETCH, Encoding::BYTE_STREAM_SPLIT, Compression::UNCOMPRESSED),
        ] {
            let mut properties = WriterProperties::builder()
                .set_compression(compression)
                .set_statistics_enabled(EnabledStatistics::Chunk)
                .set_data_page_row_count_limit(page_rows)
                .set_write_batch_size(page_rows);
            for name in ["figure", "zero", "count", "nothing"] {
                properties = properties
                    .set_column_dictionary_enabled(name.into(), false)
                    .set_column_encoding(name.into(), encoding);
            }
            let writer = |name: &str| {
                let file = File::create(path(name)).unwrap();
                ArrowWriter::try_new(file, batch.schema(), Some(properties.clone().build())).unwrap()
            };
            let mut library = writer("library");
            library.write(&batch).unwrap();
            library.close().unwrap();
            let mut own =
                PartFile::start(writer("own"), batch.schema(), vec![PlannedPart::all(None)]).unwrap();
            assert!(own.layouts.iter().filter(|layout| layout.is_some()).count() == 4);
            // However they arrive.
            let shared = Arc::new(batch.clone());
            for rows in [0..100, 100..9_123, 9_123..9_123, 9_123..ROWS] {
                own.write((Arc::clone(&shared), rows)).unwrap();
            }
            assert_eq!(own.finish().unwrap(), ROWS as u64);

            let about = |name: &str| {
                let options = ArrowReaderOptions::new()
                    .with_page_index_policy(PageIndexPolicy::Optional)
                    .with_encoding_stats_as_mask(false);
                ParquetRecordBatchReaderBuilder::try_new_with_options(
                    File::open(path(name)).unwrap(),
                    options,
                )
                .unwrap()
            };
            let read = |name: &str| {
                let batches: Vec<RecordBatch> = about(name).build().unwrap().map(Result::unwrap).collect();
                concat_batches(&batch.schema(), &batches).unwrap()
            };
            // NaN is no number's equal: what is compared are the texts.
            let texts =
                |rows: &RecordBatch| pretty_format_batches(std::slice::from_ref(rows)).unwrap().to_string();
            assert!(texts(&read("own")) == texts(&batch));
            let (own, library) = (about("own"), about("library"));
            let (own, library) = (own.metadata(), library.metadata());
            for (at, name) in batch.schema().fields().iter().map(|field| field.name()).enumerate() {
                let [own_column, library_column] = [own, library].map(|about| about.row_group(0).column(at));
                assert_eq!(own_column.statistics(), library_column.statistics(), "{name}");
                assert_eq!(own_column.num_values(), library_column.num_values(), "{name}");
                assert_eq!(own_column.page_encoding_stats(), library_column.page_encoding_stats(), "{name}");
                assert_eq!(
                    own_column.definition_level_histogram(),
                    library_column.definition_level_histogram(),
                    "{name}"
                );
                let first_rows = |about: &ParquetMetaData| {
                    let pages = about.offset_index().unwrap()[0][at].page_locations();
                    pages.iter().map(|page| page.first_row_index).collect::<Vec<_>>()
                };
                assert_eq!(first_rows(own), first_rows(library), "{name}");
                let more = own_column.compressed_size() * 100 / library_column.compressed_size().max(1);
                assert!(more <= 105, "{name} takes {more} % of what the library writes");
            }
        }
    }
}
