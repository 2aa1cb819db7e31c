//! Packs a column of numbers into pages, straight from the rows that were made: a cell is copied once before it is compressed.
//!
//! The library copies it four times, and makes a compressor and a decompressor for each column of each row group. What a page holds is
//! what the library would write. This file knows no table and no file.
//!
//! Without it the price figures of a market take a quarter more of the program's own time, and six times the page faults.

use std::ops::Range;

use bytes::Bytes;
use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;
use datafusion::parquet::basic::{Compression, Encoding, PageType};
use datafusion::parquet::column::page::{CompressedPage, Page, PageWriter};
use datafusion::parquet::column::writer::ColumnCloseResult;
use datafusion::parquet::file::metadata::{
    ColumnChunkMetaData, LevelHistogram, OffsetIndexBuilder, PageEncodingStats,
};
use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties};
use datafusion::parquet::file::statistics::{Statistics, ValueStatistics};
use datafusion::parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use datafusion::parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;
use zstd::zstd_safe::compress_bound;

/// How a column of numbers is packed.
#[derive(Debug, Clone)]
pub(super) struct NumberLayout {
    descr: ColumnDescPtr,
    encoding: Encoding,
    compression: Compression,
    page_rows: usize,
}

impl NumberLayout {
    /// The layout that properties ask for; `None` of a column that the library has to pack.
    pub(super) fn of(properties: &WriterProperties, descr: &ColumnDescPtr, ty: &DataType) -> Option<Self> {
        let path = descr.path();
        let encoding = properties.encoding(path).unwrap_or(Encoding::PLAIN);
        let compression = properties.compression(path);
        let is_number = matches!(ty, DataType::Float64 | DataType::Int64) && descr.max_def_level() <= 1;
        let is_packed_here = is_number
            && !properties.dictionary_enabled(path)
            && properties.statistics_enabled(path) == EnabledStatistics::Chunk
            && matches!(encoding, Encoding::PLAIN | Encoding::BYTE_STREAM_SPLIT)
            && matches!(compression, Compression::ZSTD(_) | Compression::UNCOMPRESSED);
        let page_rows = properties.data_page_row_count_limit();
        is_packed_here.then(|| Self { descr: descr.clone(), encoding, compression, page_rows })
    }
}

/// What columns use in turn while a page of theirs is made.
#[derive(Default)]
pub(super) struct PageSpace {
    /// The cells of the page that are there, byte by byte.
    cells: Vec<u8>,
    /// Neighbouring rows that all have a cell or all have none.
    runs: Vec<(bool, usize)>,
    page: Vec<u8>,
    /// By level.
    compressor: Option<(i32, Compressor<'static>)>,
}

/// The least and the greatest cell.
#[derive(Debug, Clone, Copy)]
enum CellBounds {
    Numbers(f64, f64),
    Ints(i64, i64),
}

/// A column of a row group.
pub(super) struct NumberColumn {
    layout: NumberLayout,
    pages: TrackedWrite<Vec<u8>>,
    offsets: OffsetIndexBuilder,
    page_count: i32,
    uncompressed: usize,
    rows: usize,
    nulls: usize,
    bounds: Option<CellBounds>,
}

impl NumberColumn {
    /// Begins a column.
    pub(super) fn start(layout: &NumberLayout) -> Self {
        Self {
            layout: layout.clone(),
            pages: TrackedWrite::new(Vec::new()),
            offsets: OffsetIndexBuilder::new(),
            page_count: 0,
            uncompressed: 0,
            rows: 0,
            nulls: 0,
            bounds: None,
        }
    }

    /// Packs rows of arrays, one behind the other; a page ends with the last of them.
    ///
    /// # Errors
    /// Arrays of another type, pages that cannot be packed.
    pub(super) fn write<'a>(
        &mut self,
        pieces: impl Iterator<Item = (&'a ArrayRef, Range<usize>)>,
        space: &mut PageSpace,
    ) -> Result<()> {
        let mut room = self.layout.page_rows;
        for (array, mut rows) in pieces {
            while !rows.is_empty() {
                let end = rows.end.min(rows.start + room);
                self.take(array, rows.start..end, space)?;
                room -= end - rows.start;
                rows.start = end;
                if room == 0 {
                    self.end_page(space)?;
                    room = self.layout.page_rows;
                }
            }
        }
        self.end_page(space)
    }

    /// Copies the cells of some rows into the page.
    fn take(&mut self, array: &ArrayRef, rows: Range<usize>, space: &mut PageSpace) -> Result<()> {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        let nulls = nulls.map(|nulls| nulls.slice(rows.start, rows.len()));
        let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else {
            return self.take_cells(array, rows, space);
        };
        let mut behind = 0;
        for (start, end) in nulls.valid_slices() {
            push_run(&mut space.runs, false, start - behind);
            self.take_cells(array, rows.start + start..rows.start + end, space)?;
            behind = end;
        }
        push_run(&mut space.runs, false, rows.len() - behind);
        self.nulls += nulls.null_count();
        Ok(())
    }

    fn take_cells(&mut self, array: &ArrayRef, rows: Range<usize>, space: &mut PageSpace) -> Result<()> {
        push_run(&mut space.runs, true, rows.len());
        let bytes = rows.start * 8..rows.end * 8;
        let other = || internal_datafusion_err!("a column of numbers holds {}", array.data_type());
        let buffer = if let Some(array) = array.as_primitive_opt::<Float64Type>() {
            self.bound_numbers(array.values().get(rows).unwrap_or_default());
            array.values().inner()
        } else {
            let array = array.as_primitive_opt::<Int64Type>().ok_or_else(other)?;
            self.bound_ints(array.values().get(rows).unwrap_or_default());
            array.values().inner()
        };
        space.cells.extend_from_slice(buffer.as_slice().get(bytes).unwrap_or_default());
        Ok(())
    }

    fn bound_numbers(&mut self, cells: &[f64]) {
        let (mut least, mut greatest) = match self.bounds {
            Some(CellBounds::Numbers(least, greatest)) => (least, greatest),
            _ => (f64::INFINITY, f64::NEG_INFINITY),
        };
        // A comparison with NaN is false, so that NaN is no bound.
        for cell in cells {
            least = if *cell < least { *cell } else { least };
            greatest = if *cell > greatest { *cell } else { greatest };
        }
        if least <= greatest {
            self.bounds = Some(CellBounds::Numbers(least, greatest));
        }
    }

    fn bound_ints(&mut self, cells: &[i64]) {
        let (Some(least), Some(greatest)) = (cells.iter().min(), cells.iter().max()) else { return };
        self.bounds = Some(match self.bounds {
            Some(CellBounds::Ints(least_before, greatest_before)) => {
                CellBounds::Ints(least_before.min(*least), greatest_before.max(*greatest))
            }
            _ => CellBounds::Ints(*least, *greatest),
        });
    }

    /// Ends a page that has rows.
    fn end_page(&mut self, space: &mut PageSpace) -> Result<()> {
        let rows: usize = space.runs.iter().map(|(_, rows)| rows).sum();
        if rows == 0 {
            return Ok(());
        }
        space.page.clear();
        if self.layout.descr.max_def_level() > 0 {
            levels(&space.runs, rows, &mut space.page);
        }
        if self.layout.encoding == Encoding::BYTE_STREAM_SPLIT {
            let (cells, _) = space.cells.as_chunks::<8>();
            for shift in (0..64).step_by(8) {
                space.page.extend(cells.iter().map(|cell| (u64::from_le_bytes(*cell) >> shift) as u8));
            }
        } else {
            space.page.extend_from_slice(&space.cells);
        }
        space.cells.clear();
        space.runs.clear();
        let bytes = space.page.len();
        let packed = match self.layout.compression {
            Compression::ZSTD(level) => {
                compressed(&mut space.compressor, level.compression_level(), &space.page)?
            }
            _ => std::mem::replace(&mut space.page, Vec::with_capacity(bytes)),
        };
        let page = Page::DataPage {
            buf: packed.into(),
            num_values: rows as u32,
            encoding: self.layout.encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let mut writer = SerializedPageWriter::new(&mut self.pages);
        let written = writer.write_page(CompressedPage::new(page, bytes))?;
        self.offsets.append_offset_and_size(written.offset as i64, written.compressed_size as i32);
        self.offsets.append_row_count(rows as i64);
        self.uncompressed += written.uncompressed_size;
        self.page_count += 1;
        self.rows += rows;
        Ok(())
    }

    /// The pages, and what the footer says of them.
    ///
    /// # Errors
    /// Pages that cannot be described.
    pub(super) fn close(self) -> Result<(Bytes, ColumnCloseResult)> {
        let pages = Bytes::from(self.pages.into_inner()?);
        let NumberLayout { descr, encoding, compression, .. } = self.layout;
        let nulls = Some(self.nulls as u64);
        let statistics = match self.bounds {
            // The zeros are told apart by the bounds alone: the least one is the negative, the greatest one the positive.
            Some(CellBounds::Numbers(least, greatest)) => {
                let least = if least == 0.0 { -0.0 } else { least };
                let greatest = if greatest == 0.0 { 0.0 } else { greatest };
                Statistics::from(
                    ValueStatistics::new(Some(least), Some(greatest), None, nulls, false)
                        .with_backwards_compatible_min_max(true),
                )
            }
            Some(CellBounds::Ints(least, greatest)) => Statistics::from(
                ValueStatistics::new(Some(least), Some(greatest), None, nulls, false)
                    .with_backwards_compatible_min_max(true),
            ),
            None => Statistics::new::<f64>(None, None, None, nulls, false),
        };
        let levels = vec![self.nulls as i64, (self.rows - self.nulls) as i64];
        let page_type = PageType::DATA_PAGE;
        let levels = (descr.max_def_level() > 0).then(|| LevelHistogram::from(levels));
        let metadata = ColumnChunkMetaData::builder(descr)
            .set_compression(compression)
            .set_encodings(vec![Encoding::RLE, encoding])
            .set_page_encoding_stats(vec![PageEncodingStats { page_type, encoding, count: self.page_count }])
            .set_total_compressed_size(pages.len() as i64)
            .set_total_uncompressed_size(self.uncompressed as i64)
            .set_num_values(self.rows as i64)
            .set_data_page_offset(0)
            .set_definition_level_histogram(levels)
            .set_statistics(statistics)
            .build()?;
        let about = ColumnCloseResult {
            bytes_written: pages.len() as u64,
            rows_written: self.rows as u64,
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: Some(self.offsets.build()),
        };
        Ok((pages, about))
    }
}

fn push_run(runs: &mut Vec<(bool, usize)>, is_there: bool, rows: usize) {
    match runs.last_mut() {
        _ if rows == 0 => {}
        Some((last, before)) if *last == is_there => *before += rows,
        _ => runs.push((is_there, rows)),
    }
}

/// Writes which rows have a cell: run by run, or a bit a row where that is shorter.
fn levels(runs: &[(bool, usize)], rows: usize, page: &mut Vec<u8>) {
    let begin = page.len();
    page.extend([0; 4]);
    // A run takes three bytes as a rule.
    if runs.len() * 3 <= rows.div_ceil(8) {
        for (is_there, rows) in runs {
            push_varint(rows << 1, page);
            page.push(u8::from(*is_there));
        }
    } else {
        push_varint((rows.div_ceil(8) << 1) | 1, page);
        let mut bits = runs.iter().flat_map(|(is_there, rows)| std::iter::repeat_n(*is_there, *rows));
        for _ in 0..rows.div_ceil(8) {
            let byte = bits.by_ref().take(8).enumerate();
            page.push(byte.fold(0, |byte, (bit, is_there)| byte | (u8::from(is_there) << bit)));
        }
    }
    let length = (page.len() - begin - 4) as u32;
    if let Some(of_length) = page.get_mut(begin..begin + 4) {
        of_length.copy_from_slice(&length.to_le_bytes());
    }
}

fn push_varint(mut number: usize, page: &mut Vec<u8>) {
    while number >= 0x80 {
        page.push(number as u8 | 0x80);
        number >>= 7;
    }
    page.push(number as u8);
}

fn compressed(
    compressor: &mut Option<(i32, Compressor<'static>)>,
    level: i32,
    page: &[u8],
) -> Result<Vec<u8>> {
    let mut packed = Vec::with_capacity(compress_bound(page.len()));
    if compressor.as_ref().is_none_or(|(of_level, _)| *of_level != level) {
        *compressor = Some((level, Compressor::new(level)?));
    }
    if let Some((_, compressor)) = compressor {
        compressor.compress_to_buffer(page, &mut packed)?;
    }
    Ok(packed)
}
