//! A format of raw files: how its files are recognised, its label, and from when its rows are known.
//!
//! A file is recognised by its header line. Its name serves only for facts that a header lacks: the index of a list, a date, a symbol, bulk
//! or block.

use std::cmp::Reverse;

use crate::records::price_columns::PriceColumns;
use crate::records::record_type::RecordFile;
use crate::statements::record::StatementFile;
use crate::user_tables::file::UserTableFile;
use parquote_catalogue::operation::Market;
use parquote_encodings::text::cells::HeaderLine;
use parquote_encodings::text::file_head::FileHead;

/// Similarity of a file to a format, comparable: first fewer missing required columns, then more that it has.
pub(crate) type Similarity = (Reverse<usize>, usize);

pub(crate) trait RawFormat: Sync {
    /// Returns the label, for the report and as the kind of file in the source of rows.
    fn label(&self) -> &str;

    /// Returns true if the market has such files.
    fn is_for(&self, market: Market) -> bool;

    /// Returns the layout of a file with this header and path, if it is of this format.
    fn recognise(&self, head: &FileHead<'_>) -> Option<Layout>;

    /// Returns the similarity of a file of no format, and the columns that it lacks, in words; `None` if the format is not compared.
    fn similarity(&self, _: &HeaderLine) -> Option<(Similarity, String)> {
        None
    }

    /// Returns the file of its declaration below `queries/`, if its rows fill a table; `None` for formats of records and formats in code.
    fn table_declaration(&self) -> Option<&str> {
        None
    }

    /// Returns the number of columns, if files have no header line.
    fn headerless(&self) -> Option<usize> {
        None
    }

    /// Returns true if a row is known from the day that the path of its file names, if it names one.
    fn is_dated_by_path(&self) -> bool {
        false
    }

    /// Returns true if its files are read after all others.
    fn is_late(&self) -> bool {
        false
    }

    /// Returns the table that exists if a file of the format does.
    fn table(&self) -> Option<&str> {
        None
    }
}

/// A format in code.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    pub(crate) label: &'static str,
    /// The market that has such files; `None` if both have.
    pub(crate) market: Option<Market>,
    pub(crate) recognise: fn(&FileHead<'_>) -> Option<Layout>,
    /// The number of columns of files without a header.
    pub(crate) headerless: Option<usize>,
}

impl Format {
    /// Builds a format of both markets whose files have a header.
    pub(crate) const fn new(label: &'static str) -> Self {
        Self { label, market: None, recognise: |_| None, headerless: None }
    }
}

impl RawFormat for Format {
    fn label(&self) -> &str {
        self.label
    }

    fn is_for(&self, market: Market) -> bool {
        self.market.is_none_or(|own| own == market)
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
    /// Position in the list: if two price files have the same symbol and day, the lower position wins.
    pub(crate) position: usize,
    pub(crate) format: &'static dyn RawFormat,
}

pub(crate) enum Layout {
    Prices(PriceColumns),
    Records(RecordFile),
    Statements(Box<dyn StatementFile>),
    UserTable(UserTableFile),
}

impl Layout {
    /// Wraps a file of statements, if it is one.
    pub(crate) fn statements<F: StatementFile + 'static>(file: Option<F>) -> Option<Self> {
        file.map(|file| Self::Statements(Box::new(file)))
    }
}
