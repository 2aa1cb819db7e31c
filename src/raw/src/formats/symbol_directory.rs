//! Nasdaq's symbol directories: names and exchanges of all US listings, with flags for funds and test issues.
//!
//! They have no sectors, and do not change those of other listings. A symbol is a fund if the newest directory with it says so: symbols
//! pass from funds to companies. Preferred shares, `BAC$L` here, are written `BAC^L` as in other listings.

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::records::listed::{ListedCompany, listed_symbol};
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;

/// A directory's entry of a symbol.
pub(super) struct DirectoryEntry {
    listed: ListedCompany,
    kind: IssueKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IssueKind {
    /// A share, or another security by its name.
    Security,
    Fund,
    /// A test issue; its prices are no market's.
    Test,
}

/// Letters of the exchanges, with their names in other listings.
const EXCHANGES: [(&str, &str); 6] =
    [("Q", "NASDAQ"), ("N", "NYSE"), ("A", "AMEX"), ("P", "NYSE Arca"), ("Z", "BATS"), ("V", "IEX")];

impl PlainRecord<6> for DirectoryEntry {
    const RECORD: &'static str = "directory entry";
    const COLUMNS: [&'static str; 6] = [
        "symbol text",
        "name text",
        // Without the column, all are listed at Nasdaq.
        "exchange text?",
        "test_issue text",
        "etf text",
        "next_shares text?",
    ];

    fn from_cells(cells: [PlainCell<'_>; 6], _: &FileFacts) -> Result<Self, Reason> {
        let [symbol, name, exchange, test_issue, etf, next_shares] = cells;
        let exchange = exchange.text().map_or(Some("NASDAQ"), |letter| {
            EXCHANGES.iter().find(|(of, _)| *of == letter).map(|(_, name)| *name)
        });
        let listed = ListedCompany {
            symbol: listed_symbol(symbol)?.replace('$', "^"),
            name: name.text().map(plain_name),
            exchange: exchange.map(str::to_owned),
            ..ListedCompany::default()
        };
        let says = |cell: PlainCell<'_>| cell.bytes() == b"Y";
        let kind = if says(test_issue) {
            IssueKind::Test
        } else if says(etf) || says(next_shares) {
            IssueKind::Fund
        } else {
            IssueKind::Security
        };
        Ok(Self { listed, kind })
    }
}

/// Converts a name to the form of other listings: `Alfa Inc. - Common Stock` is `Alfa Inc. Common Stock`.
fn plain_name(name: &str) -> String {
    name.rsplit_once(" - ").map_or_else(|| name.to_owned(), |(company, class)| format!("{company} {class}"))
}

impl RawRecord for DirectoryEntry {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.listed.symbol)
    }

    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
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
