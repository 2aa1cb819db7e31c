//! A format of records, prices or rows of a staged table, defined by a declaration.

use std::cmp::Reverse;

use crate::declared::column::DeclaredColumn;
use crate::declared::format::{DeclaredFormat, FilledBy};
use crate::declared::target_column::TargetColumn;
use crate::records::plain_record::RecordType;
use crate::records::raw_format::{BOTH, Dating, INDIA, Layout, Nearness, RawFormat, US};
use parquote_catalogue::operation::{DeclarationError, Market};
use parquote_encodings::text::cells::HeaderLine;
use parquote_encodings::text::file_head::FileHead;

/// A declared format with the type of its rows.
pub(super) struct DeclaredRecords {
    format: DeclaredFormat,
    /// `None` for rows of a table, which defines its columns itself.
    record: Option<&'static dyn RecordType>,
    /// In the order of the record's columns.
    columns: Vec<DeclaredColumn>,
    label: String,
}

impl DeclaredRecords {
    /// Builds the format of a declaration; `None` if it fills a table and has no label, as it is then no format of the list.
    ///
    /// # Errors
    /// The record is not among `records`, or a column is unknown or missing.
    pub(super) fn from_format(
        format: DeclaredFormat,
        records: &[&'static dyn RecordType],
    ) -> Result<Option<Self>, DeclarationError> {
        let (record, label, line) = match format.fills.clone() {
            FilledBy::Record { record, label, line } => (record, label, line),
            FilledBy::Table { label: None, .. } => return Ok(None),
            FilledBy::Table { label: Some(label), .. } => {
                return Ok(Some(Self { format, record: None, columns: Vec::new(), label }));
            }
        };
        let Some(found) = records.iter().find(|known| known.word() == record) else {
            let known = records.iter().map(|known| known.word()).collect::<Vec<_>>().join(", ");
            let message = format!("there is no record `{record}`; there are {known}");
            return Err(DeclarationError { file: format.file, line, message });
        };
        let columns: Vec<_> = found.columns().iter().map(|column| TargetColumn::parse(column)).collect();
        format.check(&columns, line)?;
        let columns = format.columns(columns.iter().map(|column| column.name));
        Ok(Some(Self { format, record: Some(*found), columns, label }))
    }

    /// Returns the file of the declaration, below `queries/raw/` and without its extension.
    pub(super) fn name(&self) -> &str {
        let below = self.format.file.strip_prefix("raw/").unwrap_or(&self.format.file);
        below.strip_suffix(".toml").unwrap_or(below)
    }
}

impl DeclaredRecords {
    /// Returns how near a file is to the format and which required columns it lacks, if it has most of them.
    fn lacking(&self, header: &HeaderLine) -> Option<(Nearness, String)> {
        let (has, lacks) = self.format.lacking(header);
        if has < 3 || lacks.len() > 2 {
            return None;
        }
        let names: Vec<String> = lacks.iter().map(|names| names.join(" or ")).collect();
        let label = &self.label;
        Some((
            (Reverse(lacks.len()), has),
            match names.as_slice() {
                [] => format!(
                    "it has the columns of `{label}`, but its name is not that of such a file: name it after its symbol, as \
                     `AAPL.csv`, or add a column SYMBOL"
                ),
                _ => format!(
                    "it has {has} columns of `{label}`, but none called {}",
                    names.join(", and none called ")
                ),
            },
        ))
    }
}

impl RawFormat for DeclaredRecords {
    fn label(&self) -> &str {
        &self.label
    }

    fn markets(&self) -> &'static [Market] {
        match self.format.market {
            None => BOTH,
            Some(Market::India) => INDIA,
            Some(Market::Us) => US,
        }
    }

    fn recognise(&self, head: &FileHead<'_>) -> Option<Layout> {
        self.record?.layout(self.format.open(&self.columns, head)?)
    }

    fn near(&self, header: &HeaderLine) -> Option<(Nearness, String)> {
        // Only price files are fetched from many vendors; files of exchanges have columns of many kinds.
        self.record.filter(|record| record.word() == "prices").and_then(|_| self.lacking(header))
    }

    fn of_table(&self) -> Option<&str> {
        self.record.is_none().then_some(self.format.file.as_str())
    }

    fn dating(&self) -> Dating {
        if self.format.is_dated_by_path() { Dating::Path } else { Dating::Rows }
    }

    fn is_late(&self) -> bool {
        self.format.late
    }

    fn table(&self) -> Option<&'static str> {
        self.record?.table()
    }
}
