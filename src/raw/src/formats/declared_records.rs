//! A format of records, prices or rows of a staged table, defined by a declaration.

use std::cmp::Reverse;

use crate::declared::column::DeclaredColumn;
use crate::declared::format::DeclaredFormat;
use crate::declared::target_column::TargetColumn;
use crate::declared::written_format::FormatTarget;
use crate::formats::records;
use crate::records::price_columns::{PRICE_COLUMNS, PriceColumns};
use crate::records::raw_format::{Layout, RawFormat, Similarity};
use crate::records::record_type::{RecordFile, RecordType};
use parquote_catalogue::operation::{DeclarationError, Market};
use parquote_encodings::text::cells::HeaderLine;
use parquote_encodings::text::file_head::FileHead;

/// A declared format with the target of its rows.
pub(super) struct DeclaredRecords {
    format: DeclaredFormat,
    target: RowTarget,
    /// In the order of the target's columns.
    columns: Vec<DeclaredColumn>,
    label: String,
}

/// Target of the rows of a declared format.
enum RowTarget {
    /// Daily prices of securities, from any exchange or vendor. If two files have the same symbol and day, the format that is listed
    /// earlier wins.
    Prices,
    /// Records, and the table that exists if a file of them does.
    Records(&'static RecordType, Option<&'static str>),
    /// A table, which defines its columns itself.
    Table,
}

/// The name of prices in declarations.
const PRICES: &str = "prices";

impl DeclaredRecords {
    /// Builds the format of a declaration; `None` for a format of a table without a label, which is not in the list.
    ///
    /// # Errors
    /// The record is unknown or has a mistake, or a column is unknown or missing.
    pub(super) fn from_format(format: DeclaredFormat) -> Result<Option<Self>, DeclarationError> {
        let (record, label, line) = match format.fills.clone() {
            FormatTarget::Record { record, label, line } => (record, label, line),
            FormatTarget::Table { label: None, .. } => return Ok(None),
            FormatTarget::Table { label: Some(label), .. } => {
                return Ok(Some(Self { format, target: RowTarget::Table, columns: Vec::new(), label }));
            }
        };
        if record == PRICES {
            let targets = PRICE_COLUMNS.map(TargetColumn::parse);
            format.check(&targets, line)?;
            let columns = format.columns(targets.iter().map(|column| column.name));
            return Ok(Some(Self { format, target: RowTarget::Prices, columns, label }));
        }
        let Some(record_type) = records::record_named(&record) else {
            let known = records::all().iter().map(|known| known.name).collect::<Vec<_>>().join(", ");
            let message = format!("there is no record `{record}`; there are {PRICES}, {known}");
            return Err(DeclarationError { file: format.file, line, message });
        };
        let declared = record_type.declaration()?;
        format.check(&TargetColumn::staged(&declared.staging), line)?;
        let columns = format.columns(declared.staging.source_columns());
        let target = RowTarget::Records(record_type, declared.fills.as_deref());
        Ok(Some(Self { format, target, columns, label }))
    }

    /// Returns the file of the declaration, below `queries/raw/` and without its extension.
    pub(super) fn name(&self) -> &str {
        let below = self.format.file.strip_prefix("raw/").unwrap_or(&self.format.file);
        below.strip_suffix(".toml").unwrap_or(below)
    }
}

impl DeclaredRecords {
    /// Returns the similarity of a header and the required columns that it lacks, in words; `None` if it has under 3 or lacks over 2.
    fn compare_columns(&self, header: &HeaderLine) -> Option<(Similarity, String)> {
        let (has, lacks) = self.format.columns_found_and_missing(header);
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

    fn is_for(&self, market: Market) -> bool {
        self.format.is_for(market)
    }

    fn recognise(&self, head: &FileHead<'_>) -> Option<Layout> {
        let open = || self.format.open(&self.columns, head);
        match self.target {
            RowTarget::Prices => PriceColumns::from_declared(open()?).map(Layout::Prices),
            RowTarget::Records(record, _) => Some(Layout::Records(RecordFile::new(record, open()?))),
            RowTarget::Table => None,
        }
    }

    fn similarity(&self, header: &HeaderLine) -> Option<(Similarity, String)> {
        // Only price files are fetched from many vendors; files of exchanges have columns of many kinds.
        if matches!(self.target, RowTarget::Prices) { self.compare_columns(header) } else { None }
    }

    fn table_declaration(&self) -> Option<&str> {
        matches!(self.target, RowTarget::Table).then_some(self.format.file.as_str())
    }

    fn is_dated_by_path(&self) -> bool {
        self.format.is_dated_by_path()
    }

    fn is_late(&self) -> bool {
        self.format.late
    }

    fn table(&self) -> Option<&str> {
        if let RowTarget::Records(_, fills) = self.target { fills } else { None }
    }
}
