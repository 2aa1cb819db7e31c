//! A raw file, or a member of an archive, of a known format: its name, its age, and how its rows are read.

use std::io;
use std::sync::Arc;

use chrono::NaiveDate;

use crate::domain::provenance::Provenance;
use crate::files::container::{Container, RawFileVersion};
use crate::records::raw_format::{Layout, ListedFormat};
use parquote_encodings::last_line::LastLine;
use parquote_encodings::rows::{self, RowEncoding};
use parquote_encodings::text::cells::{CellRecord, HeaderLine};

/// A raw file, or a member of an archive, of a known format.
pub(crate) struct RawSource {
    pub(crate) container: Arc<Container>,
    /// The position of a member in its archive.
    pub(super) member: Option<usize>,
    pub(super) encoding: RowEncoding,
    /// Relative to the market's folder; a member follows a `!`.
    pub(crate) name: String,
    /// The position by age: a higher one is newer.
    pub(crate) rank: u32,
    /// `None` if the file's name has no date.
    pub(crate) date_in_name: Option<NaiveDate>,
    pub(crate) kind: ListedFormat,
    /// Empty where the file has none.
    pub(crate) header: HeaderLine,
    /// The number of columns in the first line.
    pub(crate) fields: usize,
    /// Cells from the folders, appended to those of each row.
    pub(super) partition: Vec<String>,
    pub(crate) layout: Layout,
    /// Source of the rows that state none.
    pub(crate) provenance: Provenance,
}

impl RawSource {
    pub(crate) fn version(&self) -> Option<RawFileVersion> {
        self.container.version().map(|version| version.with_member(self.member))
    }

    /// Returns the key of its rows in the report: the label of the format, or `table` and the name of the table.
    pub(crate) fn report_key(&self) -> String {
        match &self.layout {
            Layout::UserTable(file) if self.is_user_table() => format!("table {}", file.table.name),
            _ => self.label().to_owned(),
        }
    }

    /// Returns true if the file fills a table, but is of no built-in format.
    pub(super) fn is_user_table(&self) -> bool {
        matches!(self.layout, Layout::UserTable(_)) && self.kind.format.table_declaration().is_none()
    }

    /// Returns the columns of names and of purposes, whose texts may contain commas if a file has no quotes.
    pub(crate) fn free_text_columns(&self) -> Vec<usize> {
        const NAMES: [&str; 9] = [
            "SECURITY", "SECURITY NAME", "SECURITYNAME", "NAME OF COMPANY", "COMPANY NAME", "COMPANY",
            "NCH_NEW_NAME", "SYMB_COMPANY_NAME", "NAME",
        ];
        match (self.encoding, self.header.len()) {
            (RowEncoding::Csv, 0) => vec![0],
            (RowEncoding::Csv, _) => {
                [&NAMES[..], &["PURPOSE"]].into_iter().filter_map(|names| self.header.column(names)).collect()
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn label(&self) -> &'static str {
        self.kind.format.label()
    }

    /// Returns true if its header names columns, so that a file of the format without a row is suspicious.
    pub(crate) fn names_its_columns(&self) -> bool {
        !self.header.is_empty() && !self.is_user_table() && !matches!(self.encoding, RowEncoding::Document(_))
    }

    /// Passes each record after the header to `each` until `each` returns false. On a read error, the records before it remain valid.
    pub(crate) fn records(&self, mut each: impl FnMut(&CellRecord) -> bool) -> io::Result<LastLine> {
        let has_header = !self.header.is_empty();
        let columns_in_file = self.header.len().saturating_sub(self.partition.len());
        let mut whole = CellRecord::new();
        let mut each = |record: &CellRecord| {
            if self.partition.is_empty() {
                return each(record);
            }
            record.write_extended(columns_in_file, &self.partition, &mut whole);
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
