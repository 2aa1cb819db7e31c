//! Pages of a Parquet file, decompressed with one decompressor per thread.
//!
//! The library creates a compressor and a decompressor for each column of each file that is read, which takes longer than to decompress the
//! few pages of a point lookup. So the pages of zstd are declared as uncompressed to the library, which reads them unchanged; they are
//! decompressed here.

use std::cell::RefCell;
use std::sync::Arc;
use std::vec::IntoIter;

use bytes::Bytes;
use datafusion::parquet::arrow::arrow_reader::RowGroups;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use datafusion::parquet::errors::{ParquetError, Result};
use datafusion::parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use datafusion::parquet::file::reader::ChunkReader;
use datafusion::parquet::file::serialized_reader::SerializedPageReader;
use zstd::bulk::Decompressor;

/// Row groups of a file.
pub(crate) struct ReadGroups<R> {
    pub file: Arc<R>,
    pub metadata: Arc<ParquetMetaData>,
    /// Positions of the groups to read.
    pub groups: Vec<usize>,
    /// True if only some of their rows are read: a point lookup. Full reads are left to the library, which also compares the length of each
    /// page with its declared length.
    pub is_lookup: bool,
}

impl<R: ChunkReader + 'static> RowGroups for ReadGroups<R> {
    fn num_rows(&self) -> usize {
        self.row_groups().map(|group| group.num_rows() as usize).sum()
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let (file, metadata) = (Arc::clone(&self.file), Arc::clone(&self.metadata));
        let (groups, is_lookup) = (self.groups.clone().into_iter(), self.is_lookup);
        Ok(Box::new(ColumnChunks { file, metadata, column, groups, is_lookup }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.groups.iter().map(|group| self.metadata.row_group(*group)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// A column in all groups.
struct ColumnChunks<R> {
    file: Arc<R>,
    metadata: Arc<ParquetMetaData>,
    column: usize,
    groups: IntoIter<usize>,
    is_lookup: bool,
}

impl<R: ChunkReader + 'static> ColumnChunks<R> {
    fn pages(&self, group: usize) -> Result<Box<dyn PageReader>> {
        let index = self.metadata.offset_index().and_then(|groups| groups.get(group)?.get(self.column));
        let locations = index.map(|index| index.page_locations.clone());
        let group = self.metadata.row_group(group);
        let (column, rows) = (group.column(self.column), group.num_rows() as usize);
        let open = |column| SerializedPageReader::new(Arc::clone(&self.file), column, rows, locations);
        if !self.is_lookup || !matches!(column.compression(), Compression::ZSTD(_)) {
            return Ok(Box::new(open(column)?));
        }
        let uncompressed =
            column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        let longest = usize::try_from(column.uncompressed_size())?;
        Ok(Box::new(ZstdPages { pages: open(&uncompressed)?, longest }))
    }
}

impl<R: ChunkReader + 'static> Iterator for ColumnChunks<R> {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let group = self.groups.next()?;
        Some(self.pages(group))
    }
}

impl<R: ChunkReader + 'static> PageIterator for ColumnChunks<R> {}

/// Pages of a column in one group.
struct ZstdPages<R: ChunkReader> {
    pages: SerializedPageReader<R>,
    /// Total length of the pages. It limits each page, because a damaged page may declare a wrong length.
    longest: usize,
}

impl<R: ChunkReader> PageReader for ZstdPages<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.pages.get_next_page()? else { return Ok(None) };
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => {
                *buf = decompress_page(buf, 0, self.longest)?;
            }
            Page::DataPageV2 { is_compressed: false, .. } => {}
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let levels = def_levels_byte_len.saturating_add(*rep_levels_byte_len);
                *buf = decompress_page(buf, levels as usize, self.longest)?;
            }
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl<R: ChunkReader> Iterator for ZstdPages<R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// Decompresses a page whose first `plain` bytes are uncompressed. A page without values may have no other bytes.
fn decompress_page(page: &Bytes, plain: usize, longest: usize) -> Result<Bytes> {
    thread_local! {
        static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    let too_short = || ParquetError::General("a page is shorter than its levels".to_owned());
    let (plain, compressed) = page.split_at_checked(plain).ok_or_else(too_short)?;
    if compressed.is_empty() {
        return Ok(page.clone());
    }
    let values = DECOMPRESSOR.with_borrow_mut(|cached| {
        let decompressor = match cached {
            Some(decompressor) => decompressor,
            None => cached.insert(Decompressor::new()?),
        };
        decompressor.decompress(compressed, longest)
    })?;
    Ok(if plain.is_empty() { values.into() } else { [plain, &values].concat().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_page_is_longer_than_it_may_be() {
        let page = Bytes::from(zstd::bulk::compress(&[7; 1_000], 1).unwrap());
        assert_eq!(decompress_page(&page, 0, 1_000).unwrap(), vec![7; 1_000]);
        assert!(decompress_page(&page, 0, 999).is_err());
        assert!(decompress_page(&page, page.len() + 1, 1_000).is_err());
    }
}
