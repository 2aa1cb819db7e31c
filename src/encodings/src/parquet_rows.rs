//! Rows of a Parquet file, as text.
//!
//! The whole file is held in memory, and one decoded batch at a time. A record's line is the number of its row, from 1.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::Bytes;
use chrono::NaiveTime;
use csv::ByteRecord;
use datafusion::arrow::array::timezone::Tz;
use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, FieldRef, Fields, Schema, TimeUnit, TimestampMicrosecondType};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::temporal_conversions::as_datetime_with_timezone;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use datafusion::parquet::file::metadata::RowGroupMetaData;

use crate::last_line::truncated_file;
use crate::text::cells::{CellRecord, HeaderLine};
use crate::unpack_bounds::{self, UnpackBounds, refusal};
use parquote_functions::arrow_types::time_zone_of;

/// Maximum bytes of a file.
pub(crate) const MOST: u64 = 2 << 30;

/// Maximum bytes of a footer, which takes many times as much memory once it is parsed.
const FOOTER_BYTES: usize = 16 << 20;

/// Limit of the decoded size, as a multiple of the file's bytes; 64 MiB are allowed in any case.
const DECODED_BOUNDS: UnpackBounds = UnpackBounds { ratio: 200, unpacked: u64::MAX };

/// Returns the column names of a file.
pub(crate) fn header(bytes: Vec<u8>) -> io::Result<HeaderLine> {
    let file = open(bytes)?;
    let names: ByteRecord = file.schema().fields().iter().map(|field| field.name()).collect();
    Ok(HeaderLine::new(&names))
}

/// Passes each row to `each` as a record until it returns false.
pub(crate) fn records(reader: &mut dyn Read, each: &mut dyn FnMut(&CellRecord) -> bool) -> io::Result<()> {
    let bytes = unpack_bounds::read_whole(reader, MOST)?;
    let length = bytes.len() as u64;
    let file = open(bytes)?;
    let mut record = CellRecord::new();
    let (mut line, mut text_bytes) = (0, 0);
    for batch in file.build().map_err(io::Error::other)? {
        let batch = batch.map_err(io::Error::other)?;
        let mut outcome = Ok(());
        let mut check_and_pass = |record: &CellRecord| {
            let bytes = record.bytes() as u64;
            text_bytes += bytes;
            outcome = unpack_bounds::check_row(bytes).and_then(|()| DECODED_BOUNDS.check(length, text_bytes));
            outcome.is_ok() && each(record)
        };
        let goes_on = push_rows(&batch, &mut record, &mut line, &mut check_and_pass)?;
        outcome?;
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// Opens a file, unless it declares more bytes or rows than its length allows. Texts are read as views of the decoded pages, so that a
/// thousand rows with the same long text do not hold a thousand copies.
fn open(bytes: Vec<u8>) -> io::Result<ParquetRecordBatchReaderBuilder<Bytes>> {
    let length = bytes.len() as u64;
    if !bytes.ends_with(b"PAR1") || length < 12 {
        return Err(truncated_file("the file is cut: it does not end as Parquet files do"));
    }
    let footer = bytes.last_chunk::<8>().and_then(|end| end.first_chunk::<4>());
    if footer.is_some_and(|footer| u32::from_le_bytes(*footer) as usize > FOOTER_BYTES.min(bytes.len())) {
        return Err(refusal(format!("its footer is longer than {FOOTER_BYTES} bytes, or than the file")));
    }
    let bytes = Bytes::from(bytes);
    let options = ArrowReaderOptions::new();
    let metadata = ArrowReaderMetadata::load(&bytes, options.clone()).map_err(io::Error::other)?;
    let groups = metadata.metadata().row_groups();
    let size = |group: &RowGroupMetaData| u64::try_from(group.total_byte_size()).unwrap_or(u64::MAX);
    DECODED_BOUNDS.check(length, groups.iter().map(size).fold(0, u64::saturating_add))?;
    let rows = groups.iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(u64::MAX));
    DECODED_BOUNDS.check(length, rows.fold(0, u64::saturating_add))?;
    let with_views =
        Arc::new(Schema::new(metadata.schema().fields().iter().map(text_as_view).collect::<Fields>()));
    // A file that cannot be read with views is read without them.
    let metadata = ArrowReaderMetadata::load(&bytes, options.with_schema(with_views)).unwrap_or(metadata);
    Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, metadata))
}

/// Changes the type of a text or binary column to its view type; other columns are unchanged.
fn text_as_view(column: &FieldRef) -> FieldRef {
    match column.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => {
            Arc::new(column.as_ref().clone().with_data_type(DataType::Utf8View))
        }
        DataType::Binary | DataType::LargeBinary => {
            Arc::new(column.as_ref().clone().with_data_type(DataType::BinaryView))
        }
        _ => Arc::clone(column),
    }
}

/// Passes each row of a batch to `each`, until `each` returns false; then returns false too. `line` is the number of the last row passed
/// on.
fn push_rows(
    batch: &RecordBatch,
    record: &mut CellRecord,
    line: &mut u64,
    each: &mut dyn FnMut(&CellRecord) -> bool,
) -> io::Result<bool> {
    let options = FormatOptions::new().with_null("");
    let arrays = batch.columns().iter().map(as_text).collect::<io::Result<Vec<_>>>()?;
    let columns: Result<Vec<ArrayFormatter<'_>>, _> =
        arrays.iter().map(|column| ArrayFormatter::try_new(column, &options)).collect();
    let columns = columns.map_err(io::Error::other)?;
    for row in 0..batch.num_rows() {
        *line += 1;
        record.start(*line);
        for column in &columns {
            record.push(&column.value(row).try_to_string().map_err(io::Error::other)?);
        }
        if !each(record) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Converts a column of lists to JSON text, and time stamps with a zone to local times of that zone; other columns are unchanged.
fn as_text(column: &ArrayRef) -> io::Result<ArrayRef> {
    if matches!(column.data_type(), DataType::Timestamp(_, Some(_))) {
        return local_times(column).map_err(io::Error::other);
    }
    let Some(lists) = column.as_list_opt::<i32>() else { return Ok(Arc::clone(column)) };
    let text = |items: Option<ArrayRef>| -> io::Result<Option<String>> {
        let Some(items) = items else { return Ok(None) };
        let items = cast(&items, &DataType::Utf8).map_err(io::Error::other)?;
        Ok(Some(serde_json::to_string(&items.as_string::<i32>().iter().collect::<Vec<_>>())?))
    };
    Ok(Arc::new(lists.iter().map(text).collect::<io::Result<StringArray>>()?))
}

/// Formats time stamps in the local time of the column's zone; those at midnight become dates.
fn local_times(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let DataType::Timestamp(_, Some(zone)) = column.data_type() else { return Ok(Arc::clone(column)) };
    let tz: Tz = zone.parse()?;
    let instants = cast(column, &DataType::Timestamp(TimeUnit::Microsecond, Some(Arc::clone(zone))))?;
    let instants = instants.as_primitive::<TimestampMicrosecondType>();
    let tz = time_zone_of(instants, tz);
    let format = |instant: i64| {
        let at = as_datetime_with_timezone::<TimestampMicrosecondType>(instant, tz)?.naive_local();
        Some(if at.time() == NaiveTime::MIN {
            at.date().to_string()
        } else {
            at.format("%FT%T%.f").to_string()
        })
    };
    Ok(Arc::new(instants.iter().map(|instant| instant.and_then(format)).collect::<StringArray>()))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{
        Date32Array, Float64Array, ListBuilder, StringBuilder, TimestampSecondArray,
    };
    use datafusion::parquet::arrow::ArrowWriter;

    use super::*;

    #[test]
    fn an_instant_is_shown_by_the_clock_of_its_zone() {
        // 20,733 days after 1970 is 7 October 2026; midnight in Kolkata is 18:30 of the day before in London.
        let midnight = (20_733 * 24 * 60 - 330) * 60;
        let column: ArrayRef = Arc::new(
            TimestampSecondArray::from(vec![Some(midnight), None, Some(midnight + 3_600)])
                .with_timezone("Asia/Kolkata"),
        );
        let shown = as_text(&column).unwrap();
        let shown: Vec<_> = shown.as_string::<i32>().iter().collect();
        assert_eq!(shown, [Some("2026-10-07"), None, Some("2026-10-07T01:00:00")]);
    }

    #[test]
    fn values_read_as_csv_would_write_them() {
        let mut risks = ListBuilder::new(StringBuilder::new());
        risks.append_value([Some("a, b"), Some("c")]);
        risks.append_null();
        let columns: [(&str, ArrayRef); 4] = [
            ("Symbol", Arc::new(StringArray::from(vec!["AAA", "BBB"]))),
            // 20,454 days after 1970 is 1 January 2026.
            ("Date", Arc::new(Date32Array::from(vec![20_454, 20_455]))),
            ("Close", Arc::new(Float64Array::from(vec![Some(51.85), None]))),
            ("Risks", Arc::new(risks.finish())),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        assert_eq!(header(bytes.clone()).unwrap().cells(), ["SYMBOL", "DATE", "CLOSE", "RISKS"]);
        let mut rows = Vec::new();
        records(&mut bytes.as_slice(), &mut |record| {
            rows.push(record.source_text());
            true
        })
        .unwrap();
        assert_eq!(rows, ["AAA,2026-01-01,51.85,[\"a, b\",\"c\"]", "BBB,2026-01-02,,"]);
        assert!(header(b"PAR1 and nothing else".to_vec()).is_err());
    }
}
