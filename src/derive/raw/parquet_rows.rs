//! Rows of a Parquet file, as text.
//!
//! The file is held in memory as a whole, its batches one after another. A record's line is the number of its row, from 1.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::Bytes;
use csv::ByteRecord;
use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::cells::{Header, Record};

/// The column names of a file whose bytes these are.
pub(crate) fn header(bytes: Vec<u8>) -> io::Result<Option<Header>> {
    let file = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).map_err(io::Error::other)?;
    let names: ByteRecord = file.schema().fields().iter().map(|field| field.name()).collect();
    Ok(Some(Header::new(&names)))
}

/// Hands each row to `each` as a record until it says stop.
pub(crate) fn records(reader: &mut dyn Read, each: &mut dyn FnMut(&Record) -> bool) -> io::Result<()> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    let file = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).map_err(io::Error::other)?;
    let mut record = Record::new();
    let mut line = 0;
    for batch in file.build().map_err(io::Error::other)? {
        if !rows(&batch.map_err(io::Error::other)?, &mut record, &mut line, each)? {
            break;
        }
    }
    Ok(())
}

/// Hands over the rows of a batch; false when `each` said stop.
fn rows(
    batch: &RecordBatch,
    record: &mut Record,
    line: &mut u64,
    each: &mut dyn FnMut(&Record) -> bool,
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

/// A column as it is, but lists as their JSON texts.
fn as_text(column: &ArrayRef) -> io::Result<ArrayRef> {
    let Some(lists) = column.as_list_opt::<i32>() else { return Ok(Arc::clone(column)) };
    let text = |items: Option<ArrayRef>| -> io::Result<Option<String>> {
        let Some(items) = items else { return Ok(None) };
        let items = cast(&items, &DataType::Utf8).map_err(io::Error::other)?;
        Ok(Some(serde_json::to_string(&items.as_string::<i32>().iter().collect::<Vec<_>>())?))
    };
    Ok(Arc::new(lists.iter().map(text).collect::<io::Result<StringArray>>()?))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Date32Array, Float64Array, ListBuilder, StringBuilder};
    use datafusion::parquet::arrow::ArrowWriter;

    use super::*;

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
        assert_eq!(header(bytes.clone()).unwrap().unwrap().cells(), ["SYMBOL", "DATE", "CLOSE", "RISKS"]);
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
