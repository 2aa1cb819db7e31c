//! Files made to exhaust memory or to mislead a reader: pages and footers that declare more than there is, and rows that are
//! small on disk and huge in memory. They are refused in a process of bounded memory; the server's own memory stays unchanged.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquote::operation::Market;
use parquote::refresh::{Task, Vetter};

use super::program::{Program, RefreshFolder};
use crate::demo_market::CATALOGUE;
use crate::plain_folder::plain_market;
use crate::tables::{nulled, read, replaced};

/// Memory limit of the process that reads new files, in MiB.
const ADMISSION_MIB: u64 = 256;
/// Largest growth of the server's memory over all hostile files.
const RISE: u64 = 192 << 20;

const STOCKS: &str = "stocks.parquet";
const PRICES: &str = "daily_prices/2026.parquet";

/// Copies a file into the folder of a server that serves set 1, and triggers a refresh.
fn refused(
    place: &RefreshFolder,
    server: &mut Program,
    what: &str,
    path: &str,
    hostile: impl FnOnce(&Path),
) -> String {
    let file = place.file(path);
    let good = fs::read(&file).unwrap();
    let before = server.get("companies").data();
    hostile(&file);
    let status = server.refresh();
    assert!(server.lives(), "{what}: the server ended: {}", place.log());
    assert_eq!((&status["set"], status["refused"].is_null()), (&1.into(), false), "{what}: {status}");
    assert_eq!(status["refused"][0]["table"], *path.split(['/', '.']).next().unwrap(), "{what}: {status}");
    assert_eq!(server.get("companies").data(), before, "{what}");
    fs::write(&file, good).unwrap();
    let after = server.refresh();
    assert!(after["refused"].is_null() && after["set"] == 1, "{what}: {after}");
    status["refused"][0]["message"].as_str().unwrap().to_owned()
}

#[test]
fn hostile_files_are_refused_in_bounded_memory() {
    let place = RefreshFolder::over(plain_market);
    let mib = ADMISSION_MIB.to_string();
    let mut server = place.serve(3_600_000, &["--admission-mib", &mib]);
    let at_first = server.most_memory();
    for path in [STOCKS, PRICES] {
        let mut drop_in = |what: &str, hostile: fn(&Path)| {
            let message = refused(&place, &mut server, &format!("{what} in {path}"), path, hostile);
            println!("{what} in {path}: {message}");
        };
        drop_in("a page that declares 2 GiB", |file| declare_page(file, i32::MAX));
        drop_in("a page of a negative length", |file| declare_page(file, -1));
        drop_in("a footer of all rows there can be", |file| declare_rows(file, i64::MAX));
        drop_in("a footer of fewer than no rows", |file| declare_rows(file, -1));
        drop_in("a footer of more rows than there are", |file| declare_rows(file, 1_000_000));
        drop_in("a footer longer than the file", |file| {
            let mut bytes = fs::read(file).unwrap();
            let length = bytes.len();
            bytes[length - 8..length - 4].fill(0xff);
            fs::write(file, bytes).unwrap();
        });
        drop_in("nulls that no statistics tell", |file| {
            let rows = replaced(&read(file), "volume", |values| nulled(values, &[2]));
            write_with(file, &[rows], EnabledStatistics::None);
        });
    }
    for (path, bomb) in [(STOCKS, bomb_of_values as fn(&Path)), (PRICES, bomb_of_keys)] {
        let what = format!("a bomb in {path}");
        let message = refused(&place, &mut server, &what, path, |file| {
            bomb(file);
            let bytes = fs::metadata(file).unwrap().len();
            assert!(bytes < 20 << 20, "{what}: {bytes} bytes on the disk");
        });
        println!("{what}: {message}");
        assert!(message.contains(&format!("more than {mib} MiB")), "{what}: {message}");
    }
    // The limit refuses no valid file.
    let rows = replaced(&read(&place.file(STOCKS)), "company_name", |values| {
        Arc::new(StringArray::from(vec!["Sound"; values.len()]))
    });
    crate::tables::write(&place.file(STOCKS), &rows);
    let status = server.refresh();
    assert!(status["refused"].is_null() && status["set"] == 2, "{status}");
    if let Some((first, most)) = at_first.zip(server.most_memory()) {
        println!("memory at most {} MiB before, {} MiB after", first >> 20, most >> 20);
        assert!(most < first + RISE, "{first} bytes before, {most} after");
    }
}

/// A server loads no row of `statement_lines`: its file may be larger in memory than the limit for reading it.
#[test]
fn a_table_that_no_server_holds_is_read_in_less_memory_than_its_rows_take() {
    let place = RefreshFolder::over(plain_market);
    let path = place.file("statement_lines.parquet");
    bomb_of_keys(&path);
    let vetter = Vetter::Child {
        program: env!("CARGO_BIN_EXE_parquote").into(),
        arguments: vec!["vet".to_owned()],
        memory: ADMISSION_MIB << 20,
        timeout: Duration::from_mins(5),
    };
    let task = |held| Task {
        market: Market::India,
        table: "statement_lines".to_owned(),
        held,
        path: path.clone(),
        mended: path.with_extension("mended"),
    };
    let found = vetter.vet(&CATALOGUE, &[true, false].map(task), || {}).unwrap();
    assert!(found[0].problems[0].to_string().contains("--admission-mib"), "{found:?}");
    assert_eq!((found[1].rows, found[1].problems.as_slice()), (200_000, [].as_slice()));
}

/// Writes equal values of 2 KiB: 400 MiB in memory.
fn bomb_of_values(file: &Path) {
    let chunk = |number: usize| {
        let rows = number * 10_000..(number + 1) * 10_000;
        let count = rows.len();
        let name = "x".repeat(2048);
        let columns: [(&str, ArrayRef); 6] = [
            ("symbol", Arc::new(rows.map(|row| Some(format!("S{row:07}"))).collect::<StringArray>())),
            ("session", Arc::new(Date32Array::from(vec![20_700; count]))),
            ("price_cmp", Arc::new(Float64Array::from(vec![1.0; count]))),
            ("volume", Arc::new(Int64Array::from(vec![1; count]))),
            ("is_tradable", Arc::new(BooleanArray::from(vec![true; count]))),
            ("company_name", Arc::new(StringArray::from(vec![name.as_str(); count]))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    };
    write_with(file, (0..20).map(chunk).collect::<Vec<_>>().as_slice(), EnabledStatistics::None);
}

/// Writes keys of 2 KiB that differ only at their ends: 400 MiB if they are collected to find duplicates.
fn bomb_of_keys(file: &Path) {
    let first = read(file).slice(0, 1);
    let chunk = |number: usize| {
        let rows = number * 10_000..(number + 1) * 10_000;
        let all = crate::tables::picked(&first, std::iter::repeat_n(0, rows.len()));
        let prefix = "x".repeat(2040);
        replaced(&all, "symbol", |_| {
            Arc::new(rows.map(|row| Some(format!("{prefix}{row:07}"))).collect::<StringArray>())
        })
    };
    write_with(file, (0..20).map(chunk).collect::<Vec<_>>().as_slice(), EnabledStatistics::None);
}

/// Writes rows in the smallest possible pages, without dictionary and page index.
fn write_with(file: &Path, rows: &[RecordBatch], statistics: EnabledStatistics) {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(statistics)
        .set_offset_index_disabled(true)
        .build();
    let mut writer =
        ArrowWriter::try_new(File::create(file).unwrap(), rows[0].schema(), Some(properties)).unwrap();
    for rows in rows {
        writer.write(rows).unwrap();
    }
    writer.close().unwrap();
}

/// Rewrites a file so that the page of its last column declares another size.
fn declare_page(file: &Path, declared: i32) {
    let rows = read(file);
    write_with(file, &[rows], EnabledStatistics::None);
    let (bytes, footer) = (fs::read(file).unwrap(), footer(file));
    let group = footer.row_group(0);
    let last = group.columns().last().unwrap();
    let (start, length) = last.byte_range();
    let (start, end) = (start as usize, (start + length) as usize);
    // A header begins with its kind, the page's length in memory, and that on disk: a byte for the field, then the
    // number in groups of seven bits.
    let at = start + 3;
    assert_eq!((bytes[start], bytes[start + 2]), (0x15, 0x15), "a page begins otherwise");
    let old = bytes[at..].iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
    let new = varint(declared);
    let mut other = bytes[..at].to_vec();
    other.extend_from_slice(&new);
    other.extend_from_slice(&bytes[at + old..end]);
    let grown = other.len() as i64 - end as i64;
    let builder = last.clone().into_builder();
    let column = builder
        .set_total_compressed_size(last.compressed_size() + grown)
        .set_total_uncompressed_size(last.uncompressed_size() + i64::from(declared.max(0)))
        .build()
        .unwrap();
    let mut columns = group.columns()[..group.num_columns() - 1].to_vec();
    columns.push(column);
    let group = group.clone().into_builder().set_column_metadata(columns).build().unwrap();
    finish(file, other, footer.file_metadata().clone(), vec![group]);
}

/// Returns a number in Thrift's compact encoding.
fn varint(number: i32) -> Vec<u8> {
    let mut left = ((number << 1) ^ (number >> 31)).cast_unsigned();
    let mut bytes = Vec::new();
    while left >= 0x80 {
        bytes.push(left as u8 | 0x80);
        left >>= 7;
    }
    bytes.push(left as u8);
    bytes
}

/// Replaces a file's footer by one that declares this number of rows.
fn declare_rows(file: &Path, rows: i64) {
    let (bytes, footer) = (fs::read(file).unwrap(), footer(file));
    let length = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap()) as usize;
    let pages = bytes[..bytes.len() - 8 - length].to_vec();
    let old = footer.file_metadata();
    let metadata = FileMetaData::new(
        old.version(),
        rows,
        old.created_by().map(str::to_owned),
        old.key_value_metadata().cloned(),
        old.schema_descr_ptr(),
        old.column_orders().cloned(),
    );
    let group = |group: &RowGroupMetaData| {
        let columns =
            group.columns().iter().map(|c| c.clone().into_builder().set_num_values(rows).build().unwrap());
        let builder = group.clone().into_builder().set_num_rows(rows);
        builder.set_column_metadata(columns.collect()).build().unwrap()
    };
    finish(file, pages, metadata, footer.row_groups().iter().map(group).collect());
}

fn footer(file: &Path) -> ParquetMetaData {
    ParquetMetaDataReader::new().parse_and_finish(&File::open(file).unwrap()).unwrap()
}

fn finish(file: &Path, mut bytes: Vec<u8>, metadata: FileMetaData, groups: Vec<RowGroupMetaData>) {
    let metadata = ParquetMetaData::new(metadata, groups);
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().unwrap();
    fs::write(file, bytes).unwrap();
}
