//! A year's file of which the rows of a few symbols are replaced: stretches without one of them are copied as they are packed.
//!
//! What it costs goes with the row groups that hold such a symbol, not with the market. It knows files that are sorted by
//! symbol, and nothing of what made their rows.

use std::collections::BTreeSet;
use std::fs::File;
use std::ops::Range;
use std::path::Path;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use datafusion::parquet::arrow::arrow_writer::{ArrowRowGroupWriterFactory, compute_leaves};
use datafusion::parquet::column::writer::ColumnCloseResult;
use datafusion::parquet::file::metadata::{PageIndexPolicy, RowGroupMetaData};
use datafusion::parquet::file::writer::SerializedFileWriter;

use super::symbol_rows::{of_symbols, symbols};
use crate::engine::arrow_types::conform;
use crate::engine::row_ranges::rows_in;

/// What replaces rows of a file.
pub(super) struct Patch<'a> {
    /// The symbols whose rows go.
    pub symbols: &'a BTreeSet<String>,
    /// The rows that come, of those symbols alone, sorted like the file.
    pub rows: &'a RecordBatch,
}

/// Writes the rows of `old` with the patch on them; the number of rows is returned.
///
/// # Errors
/// Files that cannot be read or written, rows without a symbol.
pub(super) fn patched(old: &Path, writer: ArrowWriter<File>, patch: &Patch<'_>) -> Result<u64> {
    let file = File::open(old)?;
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
    let about = ArrowReaderMetadata::load(&file, options)?;
    let (mut writer, factory) = writer.into_serialized_writer()?;
    let groups = about.metadata().row_groups();
    let mut rows = 0;
    let mut placed = 0;
    for (number, group) in groups.iter().enumerate() {
        let span = span(group);
        let is_last = number + 1 == groups.len();
        let coming = coming(patch.rows, placed, span.as_ref().filter(|_| !is_last))?;
        placed = coming.end;
        let stays = coming.is_empty()
            && span.is_some_and(|(first, last)| patch.symbols.range(first..=last).next().is_none());
        if stays {
            copy(&file, &about, number, &mut writer)?;
            rows += group.num_rows() as u64;
            continue;
        }
        let kept = kept(&file, &about, number, patch)?;
        let merged = merged(&kept, &patch.rows.slice(coming.start, coming.len()))?;
        rows += merged.num_rows() as u64;
        append(&merged, &mut writer, &factory)?;
    }
    if placed < patch.rows.num_rows() {
        // The file had no row group at all.
        rows += patch.rows.num_rows() as u64;
        append(patch.rows, &mut writer, &factory)?;
    }
    writer.close()?;
    Ok(rows)
}

/// The first and the last symbol of a row group, where its statistics say so.
fn span(group: &RowGroupMetaData) -> Option<(String, String)> {
    let column = group.columns().iter().find(|column| column.column_path().string() == "symbol")?;
    let statistics = column.statistics()?;
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
    Some((text(statistics.min_bytes_opt()?)?, text(statistics.max_bytes_opt()?)?))
}

/// The rows that come which belong in a group, from the first that is not placed: all up to its last symbol, or all.
fn coming(rows: &RecordBatch, placed: usize, span: Option<&(String, String)>) -> Result<Range<usize>> {
    let symbols = symbols(rows)?;
    let end = match span {
        None => rows.num_rows(),
        Some((_, last)) => {
            let within = symbols
                .iter()
                .skip(placed)
                .take_while(|symbol| symbol.is_some_and(|symbol| symbol <= last.as_str()));
            placed + within.count()
        }
    };
    Ok(placed..end)
}

/// Copies a row group without unpacking it.
fn copy(
    file: &File,
    about: &ArrowReaderMetadata,
    number: usize,
    writer: &mut SerializedFileWriter<File>,
) -> Result<()> {
    let metadata = about.metadata();
    let group = metadata.row_group(number);
    let column_indexes = metadata.column_index().and_then(|groups| groups.get(number));
    let offset_indexes = metadata.offset_index().and_then(|groups| groups.get(number));
    let mut to = writer.next_row_group()?;
    for (at, column) in group.columns().iter().enumerate() {
        let packed = ColumnCloseResult {
            bytes_written: column.compressed_size() as u64,
            rows_written: group.num_rows() as u64,
            metadata: column.clone(),
            bloom_filter: None,
            column_index: column_indexes.and_then(|columns| columns.get(at)).cloned(),
            offset_index: offset_indexes.and_then(|columns| columns.get(at)).cloned(),
        };
        to.append_column(file, packed)?;
    }
    to.close()?;
    Ok(())
}

/// The rows of a group but those of the symbols that are replaced.
fn kept(file: &File, about: &ArrowReaderMetadata, number: usize, patch: &Patch<'_>) -> Result<RecordBatch> {
    let schema = patch.rows.schema();
    let rows = about.metadata().row_group(number).num_rows() as usize;
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file.try_clone()?, about.clone())
        .with_row_groups(vec![number])
        .with_batch_size(rows)
        .build()?;
    let batches = reader.map(|batch| conform(&batch?, &schema)).collect::<Result<Vec<_>>>()?;
    let rows = concat_batches(&schema, &batches)?;
    of_symbols(&rows, |symbol| !patch.symbols.contains(symbol))
}

/// The rows that stay and those that come, by symbol; no symbol has rows of both.
fn merged(kept: &RecordBatch, coming: &RecordBatch) -> Result<RecordBatch> {
    let (staying, arriving) = (symbols(kept)?, symbols(coming)?);
    let mut stretches = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < coming.num_rows() {
        let symbol = arriving.value(at);
        let before = staying.iter().skip(from).take_while(|other| other.is_some_and(|other| other < symbol));
        let place = from + before.count();
        let end = at + arriving.iter().skip(at).take_while(|other| *other == Some(symbol)).count();
        stretches.extend([(0, from..place), (1, at..end)]);
        (from, at) = (place, end);
    }
    stretches.push((0, from..kept.num_rows()));
    rows_in(&kept.schema(), &[kept, coming], &stretches)
}

/// Packs rows as a row group.
fn append(
    rows: &RecordBatch,
    writer: &mut SerializedFileWriter<File>,
    factory: &ArrowRowGroupWriterFactory,
) -> Result<()> {
    if rows.num_rows() == 0 {
        return Ok(());
    }
    let schema: SchemaRef = rows.schema();
    let mut columns = factory.create_column_writers(writer.flushed_row_groups().len())?.into_iter();
    let mut packed = Vec::new();
    for (field, values) in schema.fields().iter().zip(rows.columns()) {
        for leaf in compute_leaves(field, values)? {
            let mut column =
                columns.next().ok_or_else(|| internal_datafusion_err!("a column has no writer"))?;
            column.write(&leaf)?;
            packed.push(column.close()?);
        }
    }
    let mut group = writer.next_row_group()?;
    for column in packed {
        column.append_to_row_group(&mut group)?;
    }
    group.close()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{AsArray, Date32Array, Int64Array, StringViewArray};
    use datafusion::arrow::datatypes::Int64Type;
    use datafusion::parquet::file::properties::WriterProperties;

    use super::*;

    fn rows(of: &[(&str, i32, i64)]) -> RecordBatch {
        let symbols: StringViewArray = of.iter().map(|(symbol, ..)| Some(*symbol)).collect();
        RecordBatch::try_from_iter([
            ("symbol", Arc::new(symbols) as _),
            ("session", Arc::new(of.iter().map(|(_, day, _)| Some(*day)).collect::<Date32Array>()) as _),
            ("value", Arc::new(of.iter().map(|(.., value)| Some(*value)).collect::<Int64Array>()) as _),
        ])
        .unwrap()
    }

    fn writer(path: &Path) -> ArrowWriter<File> {
        let groups_of_three = WriterProperties::builder().set_max_row_group_row_count(Some(3)).build();
        ArrowWriter::try_new(File::create(path).unwrap(), rows(&[]).schema(), Some(groups_of_three)).unwrap()
    }

    /// The rows of each row group of the file that a patch gives.
    fn groups(symbols: &[&str], coming: &[(&str, i32, i64)]) -> Vec<Vec<(String, i32, i64)>> {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old.parquet"), folder.path().join("new.parquet"));
        let mut file = writer(&old);
        let kept = [
            ("B", 1, 1),
            ("B", 2, 2),
            ("D", 1, 3),
            ("D", 2, 4),
            ("E", 1, 5),
            ("F", 1, 6),
            ("G", 1, 7),
            ("G", 2, 8),
        ];
        file.write(&rows(&kept)).unwrap();
        file.close().unwrap();
        let symbols = symbols.iter().map(|symbol| (*symbol).to_owned()).collect();
        let patch = Patch { symbols: &symbols, rows: &rows(coming) };
        let count = patched(&old, writer(&new), &patch).unwrap();
        let reader = |group| {
            let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&new).unwrap()).unwrap();
            builder.with_row_groups(vec![group]).build().unwrap()
        };
        let about = ArrowReaderMetadata::load(&File::open(&new).unwrap(), ArrowReaderOptions::new()).unwrap();
        let groups: Vec<Vec<(String, i32, i64)>> = (0..about.metadata().num_row_groups())
            .map(|group| {
                let batches = reader(group).map(Result::unwrap);
                batches
                    .flat_map(|batch| {
                        let days = batch
                            .column(1)
                            .as_primitive::<datafusion::arrow::datatypes::Date32Type>()
                            .clone();
                        let values = batch.column(2).as_primitive::<Int64Type>().clone();
                        let symbols = symbols_of(&batch);
                        (0..batch.num_rows())
                            .map(move |row| (symbols[row].clone(), days.value(row), values.value(row)))
                    })
                    .collect()
            })
            .collect();
        assert_eq!(count as usize, groups.iter().map(Vec::len).sum::<usize>());
        groups
    }

    fn symbols_of(batch: &RecordBatch) -> Vec<String> {
        batch.column(0).as_string_view().iter().flatten().map(str::to_owned).collect()
    }

    fn text(groups: &[Vec<(String, i32, i64)>]) -> String {
        let group = |rows: &Vec<(String, i32, i64)>| {
            let rows: Vec<String> =
                rows.iter().map(|(symbol, day, value)| format!("{symbol}{day}={value}")).collect();
            rows.join(" ")
        };
        groups.iter().map(group).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn the_rows_of_some_symbols_are_replaced_where_they_stand() {
        let unpatched = "B1=1 B2=2 D1=3 | D2=4 E1=5 F1=6 | G1=7 G2=8";
        assert_eq!(text(&groups(&[], &[])), unpatched);
        // A symbol over the end of a group, with a row more.
        let split = groups(&["D"], &[("D", 1, 30), ("D", 2, 40), ("D", 3, 50)]);
        assert_eq!(text(&split), "B1=1 B2=2 D1=30 D2=40 D3=50 | E1=5 F1=6 | G1=7 G2=8");
        // One that has another name now, and one that comes first of all.
        let renamed = groups(&["A", "F", "Z"], &[("A", 9, 90), ("Z", 1, 6)]);
        assert_eq!(text(&renamed), "A9=90 B1=1 B2=2 D1=3 | D2=4 E1=5 | G1=7 G2=8 Z1=6");
        // All rows of a group.
        assert_eq!(text(&groups(&["G"], &[])), "B1=1 B2=2 D1=3 | D2=4 E1=5 F1=6");
    }
}
