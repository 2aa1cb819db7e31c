//! A format of raw files: how its files are recognised, its label, and from when its rows are known.
//!
//! A file is recognised by its header line. Its name serves only for facts that a header lacks: the index of a list, a date, a symbol, bulk
//! or block.

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

/// Distance of a file from a format: the required columns that it lacks, then those that it has.
pub(crate) type Nearness = (Reverse<usize>, usize);

/// A format of raw files.
pub(crate) trait RawFormat: Sync {
    /// Returns the label, for the report and as the kind of file in the source of rows.
    fn label(&self) -> &str;

    /// Returns the markets that have such files.
    fn markets(&self) -> &'static [Market];

    /// Returns the layout of a file with this header and path, if it is of this format.
    fn recognise(&self, head: &FileHead<'_>) -> Option<Layout>;

    /// Returns how near a file of no format comes to this one, and which columns it lacks, in words.
    fn near(&self, _: &HeaderLine) -> Option<(Nearness, String)> {
        None
    }

    /// Returns its declaration's file below `queries/`, if its rows fill a table that defines its columns itself.
    fn of_table(&self) -> Option<&str> {
        None
    }

    /// Returns the number of columns, if files have no header line.
    fn headerless(&self) -> Option<usize> {
        None
    }

    /// Returns what determines from when a row is known.
    fn dating(&self) -> Dating {
        Dating::Rows
    }

    /// Returns true if its files are read after all others.
    fn is_late(&self) -> bool {
        false
    }

    /// Returns the table that exists if a file of the format does.
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
    /// The number of columns of files without a header.
    pub(crate) headerless: Option<usize>,
}

impl Format {
    /// Builds a format whose files have a header.
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

/// A format with its position in the list.
#[derive(Clone, Copy)]
pub(crate) struct ListedFormat {
    /// The position: of two price formats the lower wins.
    pub(crate) place: usize,
    pub(crate) format: &'static dyn RawFormat,
}

/// Origin of the date from which a row is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dating {
    /// The date in the path of its file, else the row.
    Path,
    /// The row.
    Rows,
}

/// Layout of a file by its header.
pub(crate) enum Layout {
    Prices(PriceColumns),
    Records(Box<dyn RecordFile>),
    Statements(Box<dyn StatementFile>),
    UserTable(UserTableFile),
}

impl Layout {
    /// Wraps a file of records, if it is one.
    pub(crate) fn records<F: RecordFile + 'static>(file: Option<F>) -> Option<Self> {
        file.map(|file| Self::Records(Box::new(file)))
    }

    /// Wraps a file of statements, if it is one.
    pub(crate) fn statements<F: StatementFile + 'static>(file: Option<F>) -> Option<Self> {
        file.map(|file| Self::Statements(Box::new(file)))
    }
}
