//! A record that is made of the cells of one row, with its columns located by a declaration. Another format of the same record needs only
//! another declaration.

use std::marker::PhantomData;

use crate::declared::plain_row::{DeclaredFile, FileFacts, PlainCell, PlainColumn};
use crate::domain::reason::Reason;
use crate::records::raw_format::Layout;
use crate::records::record::{RawRecord, RecordFile};
use parquote_encodings::text::cells::CellRecord;

/// A record of `N` cells.
pub(crate) trait PlainRecord<const N: usize>: RawRecord + Sized {
    /// Its name in declarations.
    const RECORD: &'static str;

    /// Its columns, each with its kind, which ends in `?` if files may lack the column. The first column that a file has also serves to
    /// find repeated header lines: no data row has the column's name there.
    const COLUMNS: [&'static str; N];

    /// The table that exists if a file of the record does.
    const FILLS: Option<&'static str> = None;

    /// Parses a row, whose cells are in the order of the columns.
    fn from_cells(cells: [PlainCell<'_>; N], file: &FileFacts) -> Result<Self, Reason>;
}

/// A target of rows of declared formats: a record, or a price.
pub(crate) trait RecordType: Sync {
    /// Returns its name in declarations.
    fn word(&self) -> &'static str;

    /// Returns its columns, as [`PlainRecord::COLUMNS`].
    fn columns(&self) -> &'static [&'static str];

    /// Returns the layout of a file with these columns.
    fn layout(&self, file: DeclaredFile) -> Option<Layout>;

    /// Returns the table that exists if a file of the record does.
    fn table(&self) -> Option<&'static str> {
        None
    }
}

/// The type of a plain record.
pub(crate) struct PlainType<T, const N: usize>(PhantomData<fn() -> T>);

impl<T, const N: usize> PlainType<T, N> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<T: PlainRecord<N>, const N: usize> RecordType for PlainType<T, N> {
    fn word(&self) -> &'static str {
        T::RECORD
    }

    fn columns(&self) -> &'static [&'static str] {
        const { &T::COLUMNS }
    }

    fn layout(&self, file: DeclaredFile) -> Option<Layout> {
        let columns: [PlainColumn; N] = file.columns.try_into().ok()?;
        Layout::records(Some(PlainFile { columns, facts: file.facts, record: PhantomData::<fn() -> T> }))
    }

    fn table(&self) -> Option<&'static str> {
        T::FILLS
    }
}

/// A file of plain records.
struct PlainFile<T, const N: usize> {
    columns: [PlainColumn; N],
    facts: FileFacts,
    record: PhantomData<fn() -> T>,
}

impl<T: PlainRecord<N>, const N: usize> RecordFile for PlainFile<T, N> {
    fn record(&self, row: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let cells = self.columns.each_ref().map(|column| PlainCell::new(row, column));
        Ok(Box::new(T::from_cells(cells, &self.facts)?))
    }

    fn symbol(&self) -> usize {
        self.columns.iter().find_map(|column| column.place).unwrap_or_default()
    }
}
