//! A record that several files may hold: its key, the symbol that it follows, and what is done with others of the same key.

use std::marker::PhantomData;

use chrono::NaiveDate;

use crate::raw::records::duplicates::{Duplicate, as_often_as_in_one_file, most_often, one_of_each};
use crate::raw::records::placed::Placed;
use crate::raw::records::record_store::RecordStore;
use crate::raw::records::table_row::TableRecord;
use crate::raw::records::tables::RecordTables;
use crate::raw::symbols::Symbols;

/// A row of a table that several files may hold.
pub(crate) trait KeyedRecord: TableRecord + PartialEq {
    /// What is done with rows of one key.
    const DUPLICATES: Duplicates;

    /// Whether the table is there, without rows, where no file of the format is.
    const IS_ALWAYS_THERE: bool = false;

    /// What tells one row from another; rows are sorted by it.
    type Key<'a>: Ord
    where
        Self: 'a;

    fn key(&self) -> Self::Key<'_>;

    /// Puts the row under the symbol that its company has now; `assumed` is the date of lists without one.
    fn follow(&mut self, symbols: &Symbols, assumed: NaiveDate);

    /// Adds to rows what others of their key say.
    fn complete(_: &mut [Placed<Self>]) {}
}

/// What is done with rows of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duplicates {
    /// The row of the newest file stands, there the last.
    NewestStands,
    /// They are there as often as in the file that has them most often.
    AsOftenAsInOneFile,
}

/// What a kind of record needs to be settled.
pub(crate) struct Settlement<'a> {
    /// The records that were read.
    pub(crate) records: &'a mut RecordStore,
    pub(crate) symbols: &'a Symbols,
    /// The date of lists without one.
    pub(crate) assumed: NaiveDate,
    /// Whether a file of the format is there.
    pub(crate) has_file: bool,
    /// Takes the rows.
    pub(crate) tables: &'a mut RecordTables,
}

/// A kind of record, whichever it is.
pub(crate) trait RecordKind: Sync {
    /// The table of its rows.
    fn table(&self) -> &'static str;
    /// Settles all records of the kind; the rows that are left out have to be booked.
    fn settle(&self, settlement: Settlement<'_>) -> Vec<Duplicate>;
}

/// The kind of a record.
pub(crate) struct KindOf<T>(pub(crate) PhantomData<fn() -> T>);

impl<T: KeyedRecord> RecordKind for KindOf<T> {
    fn table(&self) -> &'static str {
        T::TABLE
    }

    fn settle(&self, settlement: Settlement<'_>) -> Vec<Duplicate> {
        let Settlement { records, symbols, assumed, has_file, tables } = settlement;
        let (rows, duplicates) = each_once::<T>(records.take(), symbols, assumed);
        if has_file || T::IS_ALWAYS_THERE {
            tables.insert(rows);
        }
        duplicates
    }
}

/// Records under the symbols of now, each once, by key; and the rows that are left out.
pub(crate) fn each_once<T: KeyedRecord>(
    mut rows: Vec<Placed<T>>,
    symbols: &Symbols,
    assumed: NaiveDate,
) -> (Vec<T>, Vec<Duplicate>) {
    for placed in &mut rows {
        placed.row.follow(symbols, assumed);
    }
    T::complete(&mut rows);
    match T::DUPLICATES {
        Duplicates::NewestStands => one_of_each(rows, |a, b| a.key().cmp(&b.key())),
        Duplicates::AsOftenAsInOneFile => {
            let places = most_often(&rows, T::key);
            as_often_as_in_one_file(rows, &places)
        }
    }
}
