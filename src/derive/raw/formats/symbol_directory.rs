//! Nasdaq's symbol directories: names and exchanges of all US listings, and which of them are funds or test issues.
//!
//! They say no sector, and leave what other listings say of it. A symbol is a fund where the newest directory that has it says so:
//! symbols pass from funds to companies. Preferred shares, `BAC$L` here, are written `BAC^L` as in other listings.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::listed::{ListColumns, ListedCompany};
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{Format, Layout, US};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};

/// What a directory says of a symbol.
struct DirectoryEntry {
    listed: ListedCompany,
    kind: IssueKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IssueKind {
    /// A share, or what its name says.
    Security,
    Fund,
    /// For trying systems; its prices are no market's.
    Test,
}

pub(crate) struct SymbolDirectory {
    columns: ListColumns,
    test_issue: usize,
    etf: usize,
    next_shares: Option<usize>,
}

/// Letters of the exchanges, and their names as other listings have them.
const EXCHANGES: [(&str, &str); 6] =
    [("Q", "NASDAQ"), ("N", "NYSE"), ("A", "AMEX"), ("P", "NYSE Arca"), ("Z", "BATS"), ("V", "IEX")];

impl SymbolDirectory {
    pub(crate) fn of(header: &HeaderLine) -> Option<Self> {
        let mut columns = ListColumns::new(header.column(&["SYMBOL", "ACT SYMBOL"])?);
        columns.name = Some(header.column(&["SECURITY NAME"])?);
        columns.exchange = header.column(&["LISTING EXCHANGE", "EXCHANGE"]);
        Some(Self {
            columns,
            test_issue: header.column(&["TEST ISSUE"])?,
            etf: header.column(&["ETF"])?,
            next_shares: header.column(&["NEXTSHARES"]),
        })
    }

    fn kind(&self, record: &CellRecord) -> IssueKind {
        let says = |column: usize| record.cell(column) == b"Y";
        if says(self.test_issue) {
            IssueKind::Test
        } else if says(self.etf) || self.next_shares.is_some_and(says) {
            IssueKind::Fund
        } else {
            IssueKind::Security
        }
    }
}

impl RecordFile for SymbolDirectory {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let mut listed = self.columns.listed(record)?;
        listed.symbol = listed.symbol.replace('$', "^");
        listed.name = listed.name.map(|name| plain_name(&name));
        listed.exchange = match listed.exchange.as_deref() {
            None => Some("NASDAQ".to_owned()),
            Some(letter) => {
                EXCHANGES.iter().find(|(of, _)| *of == letter).map(|(_, name)| (*name).to_owned())
            }
        };
        Ok(Box::new(DirectoryEntry { listed, kind: self.kind(record) }))
    }

    fn symbol(&self) -> usize {
        self.columns.symbol
    }
}

/// A name as other listings have it: `Alfa Inc. - Common Stock` is `Alfa Inc. Common Stock`.
fn plain_name(name: &str) -> String {
    name.rsplit_once(" - ").map_or_else(|| name.to_owned(), |(company, class)| format!("{company} {class}"))
}

impl RawRecord for DirectoryEntry {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.listed.symbol)
    }

    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        let Self { listed, kind } = *self;
        into.funds.remove(&listed.symbol);
        into.test_issues.remove(&listed.symbol);
        match kind {
            IssueKind::Security => into.add_listed(listed, at.path),
            IssueKind::Fund => {
                into.funds.insert(listed.symbol);
            }
            IssueKind::Test => {
                into.test_issues.insert(listed.symbol);
            }
        }
    }
}

/// Nasdaq's symbol directories.
pub(super) static SYMBOL_DIRECTORIES: Format = Format {
    recognise: |head| Layout::records(SymbolDirectory::of(head.header)),
    ..Format::new("symbol directories", US)
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_other_listings() {
        assert_eq!(plain_name("Alfa Inc. - Common Stock"), "Alfa Inc. Common Stock");
        assert_eq!(plain_name("Beta - Gama plc - Class A"), "Beta - Gama plc Class A");
        assert_eq!(plain_name("Beta-Gama plc Common Stock"), "Beta-Gama plc Common Stock");
    }
}
