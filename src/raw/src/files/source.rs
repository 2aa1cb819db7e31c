//! A raw file, or a member of an archive, whose format is known: what it is called, how old it is, and how its rows are read.

use std::io;
use std::sync::Arc;

use chrono::NaiveDate;

use crate::domain::provenance::Provenance;
use crate::files::container::{Container, RawFileVersion};
use crate::records::raw_format::{Layout, ListedFormat};
use parquote_encodings::last_line::LastLine;
use parquote_encodings::rows::{self, RowEncoding};
use parquote_encodings::text::cells::{CellRecord, HeaderLine};

/// A raw file, or a member of an archive, whose format is known.
pub(crate) struct RawSource {
    pub(crate) container: Arc<Container>,
    /// The position of a member in its archive.
    pub(super) member: Option<usize>,
    pub(super) encoding: RowEncoding,
    /// Relative to the market's folder; a member follows a `!`.
    pub(crate) name: String,
    /// The position by age: a higher one is newer.
    pub(crate) rank: u32,
    /// The date in the file's own name.
    pub(crate) dated: Option<NaiveDate>,
    pub(crate) kind: ListedFormat,
    /// Empty where the file has none.
    pub(crate) header: HeaderLine,
    /// The number of columns that the first line names.
    pub(crate) fields: usize,
    /// Cells that folders say, which stand behind those of each row.
    pub(super) partition: Vec<String>,
    pub(crate) layout: Layout,
    /// Where its rows are from, but for those that say it themselves.
    pub(crate) provenance: Provenance,
}

impl RawSource {
    /// What tells the file from what it was before.
    pub(crate) fn version(&self) -> Option<RawFileVersion> {
        self.container.version().map(|version| version.of_member(self.member))
    }

    /// What the report counts its rows under: the format, or the table that it gives.
    pub(crate) fn counted_as(&self) -> String {
        match &self.layout {
            Layout::UserTable(file) if self.is_user_table() => format!("table {}", file.table()),
            _ => self.label().to_owned(),
        }
    }

    /// Whether it gives a table, but has no format of the program.
    pub(super) fn is_user_table(&self) -> bool {
        matches!(self.layout, Layout::UserTable(_)) && self.kind.format.of_table().is_none()
    }

    /// The columns of names and of purposes, which may have commas of their own where a file has no quotes.
    pub(crate) fn worded_columns(&self) -> Vec<usize> {
        const NAMES: [&str; 9] = [
            "SECURITY",
            "SECURITY NAME",
            "SECURITYNAME",
            "NAME OF COMPANY",
            "COMPANY NAME",
            "COMPANY",
            "NCH_NEW_NAME",
            "SYMB_COMPANY_NAME",
            "NAME",
        ];
        match (self.encoding, self.header.len()) {
            (RowEncoding::Csv, 0) => vec![0],
            (RowEncoding::Csv, _) => {
                [&NAMES[..], &["PURPOSE"]].into_iter().filter_map(|names| self.header.column(names)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The format in words.
    pub(crate) fn label(&self) -> &'static str {
        self.kind.format.label()
    }

    /// Whether a file of the format without a row is none that should be there: its header is only the head of rows.
    pub(crate) fn names_its_columns(&self) -> bool {
        !self.header.is_empty() && !self.is_user_table() && !matches!(self.encoding, RowEncoding::Document(_))
    }

    /// Hands each record after the header to `each` until it says stop. An error is one of reading: what came before it holds.
    pub(crate) fn records(&self, mut each: impl FnMut(&CellRecord) -> bool) -> io::Result<LastLine> {
        let has_header = !self.header.is_empty();
        let own = self.header.len().saturating_sub(self.partition.len());
        let mut whole = CellRecord::new();
        let mut each = |record: &CellRecord| {
            if self.partition.is_empty() {
                return each(record);
            }
            record.extended(own, &self.partition, &mut whole);
            each(&whole)
        };
        self.container.read(self.member, |reader| {
            if let Layout::UserTable(file) = &self.layout {
                return file.records(reader, &mut each);
            }
            rows::records(self.encoding, has_header, reader, &mut each)
        })
    }
}
