//! A format of raw files: how a file of it is recognised, what it is called, and from when its rows are known.
//!
//! A file is recognised by its header line. A name is looked at only for what a header cannot say: the index of a list, a date, a
//! symbol, bulk or block.

use std::cmp::Reverse;

use crate::records::price_columns::PriceColumns;
use crate::records::record::RecordFile;
use crate::statements::record::StatementFile;
use crate::user_tables::file::UserTableFile;
use parquote_catalogue::operation::Market;
use parquote_encodings::text::cells::HeaderLine;
use parquote_encodings::text::file_head::FileHead;

/// The markets that have files of a format.
pub(crate) const INDIA: &[Market] = &[Market::India];
pub(crate) const US: &[Market] = &[Market::Us];
pub(crate) const BOTH: &[Market] = &[Market::India, Market::Us];

/// How near a file comes to a format: the needed columns that it lacks, then those that it has.
pub(crate) type Nearness = (Reverse<usize>, usize);

/// A format of raw files.
pub(crate) trait RawFormat: Sync {
    /// The format in words, for the report and as the kind of file that rows are from.
    fn label(&self) -> &str;

    /// The markets that have such files.
    fn markets(&self) -> &'static [Market];

    /// The layout of a file with this header and path, if it is of this format.
    fn recognise(&self, head: &FileHead<'_>) -> Option<Layout>;

    /// How near a file with this header that is none of the format comes to it, and what it lacks, in words.
    fn near(&self, _: &HeaderLine) -> Option<(Nearness, String)> {
        None
    }

    /// Its declaration's file below `queries/`, where its rows fill a table that knows what is read of them.
    fn of_table(&self) -> Option<&str> {
        None
    }

    /// How many columns there are where files do not start with the names of them.
    fn headerless(&self) -> Option<usize> {
        None
    }

    /// What says from when a row is known.
    fn dating(&self) -> Dating {
        Dating::Rows
    }

    /// Whether its files are read when all others have been.
    fn is_late(&self) -> bool {
        false
    }

    /// The table that is there where a file of the format is.
    fn table(&self) -> Option<&'static str> {
        None
    }
}

/// A format in code.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    pub(crate) label: &'static str,
    pub(crate) markets: &'static [Market],
    pub(crate) recognise: fn(&FileHead<'_>) -> Option<Layout>,
    /// The columns of files without a header.
    pub(crate) headerless: Option<usize>,
}

impl Format {
    /// A format whose files have a header.
    pub(crate) const fn new(label: &'static str, markets: &'static [Market]) -> Self {
        Self { label, markets, recognise: |_| None, headerless: None }
    }
}

impl RawFormat for Format {
    fn label(&self) -> &str {
        self.label
    }

    fn markets(&self) -> &'static [Market] {
        self.markets
    }

    fn recognise(&self, head: &FileHead<'_>) -> Option<Layout> {
        (self.recognise)(head)
    }

    fn headerless(&self) -> Option<usize> {
        self.headerless
    }
}

/// A format by its place in the list.
#[derive(Clone, Copy)]
pub(crate) struct ListedFormat {
    /// The place: of two price formats the lower wins.
    pub(crate) place: usize,
    pub(crate) format: &'static dyn RawFormat,
}

/// What says from when a row is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dating {
    /// The date in the path of its file, else the row.
    Path,
    /// The row.
    Rows,
}

/// What the header of a file says of its columns.
pub(crate) enum Layout {
    Prices(PriceColumns),
    Records(Box<dyn RecordFile>),
    Statements(Box<dyn StatementFile>),
    UserTable(UserTableFile),
}

impl Layout {
    /// A file of records, if it is one.
    pub(crate) fn records<F: RecordFile + 'static>(file: Option<F>) -> Option<Self> {
        file.map(|file| Self::Records(Box::new(file)))
    }

    /// A file of statements, if it is one.
    pub(crate) fn statements<F: StatementFile + 'static>(file: Option<F>) -> Option<Self> {
        file.map(|file| Self::Statements(Box::new(file)))
    }
}
