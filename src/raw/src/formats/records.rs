//! The kinds of records that declared formats fill, and how each is stored.

use std::sync::LazyLock;

use serde::de::IgnoredAny;

use crate::ciks::Filer;
use crate::domain::former_name::FormerName;
use crate::formats::events::Event;
use crate::formats::filings::Filing;
use crate::formats::followed_reports::FollowedReports;
use crate::formats::fund_holdings::FundHolding;
use crate::formats::index_bar::IndexBar;
use crate::formats::insider_forms::{self, InsiderForm};
use crate::formats::insider_tables::{FormOwner, FormSubmission, FormTransaction};
use crate::formats::investors::Investor;
use crate::formats::listed::{
    ClassifiedShare, DirectoryEntry, IssueSize, ListedCusip, ListedFund, ListedMember, UserSector,
};
use crate::formats::positions::{Cover, CoverPage, PositionRow, ReportTotal};
use crate::records::listed::ListedCompany;
use crate::records::positioned_row::{PositionedRow, RecordPosition};
use crate::records::record_type::RecordType;
use crate::reference_data::{ReferenceData, WrittenAction};
use crate::symbols::SymbolChange;

/// All kinds of records.
static RECORDS: LazyLock<Vec<RecordType>> = LazyLock::new(|| {
    vec![
        RecordType::new("listed company", |company: ListedCompany, at, into| {
            into.add_listed(company.with_market_sector(at.market), at.path);
        }),
        RecordType::new("index member", ListedMember::store),
        RecordType::new("own sector", |UserSector(company), at, into| {
            into.sectors.add_user_row(company.with_market_sector(at.market));
        }),
        RecordType::new("classified share", ClassifiedShare::store),
        RecordType::new("directory entry", DirectoryEntry::store),
        RecordType::new("fund", |fund: ListedFund, _, into| {
            into.funds.insert(fund.symbol);
        }),
        RecordType::new("former name", |name: FormerName, _, into| into.former_names.push(name)),
        RecordType::new("symbol change", |change: SymbolChange, _, into| into.changes.push(change)),
        RecordType::new("issue size", IssueSize::store),
        RecordType::new("index prices", IndexBar::store),
        RecordType::new("corporate action", |action: WrittenAction, at, into| {
            let row = WrittenAction { source: at.provenance.clone(), ..action };
            into.actions.push(PositionedRow { row, file: at.file, line: at.line });
        }),
        RecordType::new("corporate event", |event: Event, at, into| {
            into.records.add(Event { source: at.provenance.clone(), ..event }, at);
        }),
        RecordType::new("filing", Filing::store),
        RecordType::new("insider form", |form: InsiderForm, at, into| {
            into.records.add(form.with_source(at.provenance), at);
        }),
        RecordType::new("insider transaction", |FormTransaction(form), at, into| {
            into.records.add(FormTransaction(form.with_source(at.provenance)), at);
        }),
        RecordType::new("insider owner", store::<FormOwner>),
        RecordType::new("insider submission", |mut submission: FormSubmission, at, into| {
            submission.symbol = submission.symbol.as_deref().and_then(insider_forms::parse_symbol);
            into.records.add(submission, at);
        }),
        RecordType::new("position", PositionRow::store),
        RecordType::new("position cover", store::<Cover>),
        RecordType::new("position cover page", store::<CoverPage>),
        RecordType::new("position total", store::<ReportTotal>),
        RecordType::new("position line", FollowedReports::store_line),
        RecordType::new("investor", store::<Investor>),
        RecordType::new("fund holding", store::<FundHolding>),
        RecordType::new("cusip", |listed: ListedCusip, _, into| {
            into.cusips.insert(listed.cusip, listed.symbol);
        }),
        RecordType::new("filer", |filer: Filer, at, into| into.ciks.add(filer, at.file)),
        // The SELECT of this record refuses every row.
        RecordType::new("results extract", |_: IgnoredAny, _, _| {}),
    ]
});

fn store<T: Send + Sync + 'static>(record: T, at: &RecordPosition<'_>, into: &mut ReferenceData) {
    into.records.add(record, at);
}

pub(super) fn all() -> &'static [RecordType] {
    &RECORDS
}

/// Returns the kind of records with this name.
pub(super) fn record_named(name: &str) -> Option<&'static RecordType> {
    all().iter().find(|record| record.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared::plain_row::{DeclaredFile, FileFacts, PlainColumn};
    use crate::domain::provenance::Provenance;
    use crate::records::record_type::RecordFile;
    use parquote_catalogue::operation::Market;
    use parquote_encodings::text::cells::CellRecord;

    /// Stores a row with these cells, in the order of the record's declaration.
    fn stored(name: &str, cells: &[&str]) -> ReferenceData {
        let (record, market) = (record_named(name).unwrap(), Market::Us);
        let staging = &record.declaration().unwrap().staging;
        let declared =
            staging.columns.iter().filter(|column| column.source_column.is_none()).map(|column| &column.name);
        let declared: Vec<&String> = declared.collect();
        let position = |name: &str| declared.iter().position(|known| *known == name);
        let columns = staging.source_columns().map(|name| PlainColumn::at(position(name))).collect();
        let facts = FileFacts { market, word: None, date: None };
        let file = DeclaredFile { fields: cells.len(), columns, facts, restates: false };
        let mut row = CellRecord::new();
        for cell in cells {
            row.push(cell);
        }
        let (store, _) = RecordFile::new(record, file).records(&[&row]).unwrap().remove(0).unwrap();
        let (mut reference, provenance) = (ReferenceData::default(), Provenance::default());
        let at = RecordPosition { file: 0, line: 1, path: "x.csv", market, provenance: &provenance };
        store(&at, &mut reference);
        reference
    }

    #[test]
    fn directories_write_names_and_symbols_as_other_listings() {
        for (symbol, written) in [("BAC$L", "BAC^L"), ("brk-b", "BRK.B")] {
            for (name, plain) in [
                ("Alfa Inc. - Common Stock", "Alfa Inc. Common Stock"),
                ("Beta - Gama plc - Class A", "Beta - Gama plc Class A"),
                ("Beta-Gama plc Common Stock", "Beta-Gama plc Common Stock"),
            ] {
                let reference = stored("directory entry", &[symbol, name, "", "N", "N", "N"]);
                let listed = &reference.listings[written];
                assert_eq!(
                    (listed.name.as_deref(), listed.exchange.as_deref()),
                    (Some(plain), Some("NASDAQ"))
                );
            }
        }
    }

    #[test]
    fn indices_are_named_in_capitals_without_blanks() {
        for (name, plain) in [("Nifty 50", "NIFTY50"), ("Nifty Fin Services 25/50", "NIFTYFINSERVICES2550")] {
            let reference = stored("index prices", &[name, "2", "3", "1", "2.5", "2026-06-08", "Y"]);
            assert_eq!(reference.indices.keys().collect::<Vec<_>>(), [plain]);
        }
    }
}
