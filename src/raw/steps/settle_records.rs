//! Settles the records of every format that are rows of a table by themselves, each once and under the symbols of now.
//!
//! It goes through the list of formats and names none of them. Nothing here is judged against prices.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use crate::operation::Market;
use crate::raw::accounts::ledger::RowLedger;
use crate::raw::files::source::RawSource;
use crate::raw::formats;
use crate::raw::records::keyed_record::Settlement;
use crate::raw::records::record_store::RecordStore;
use crate::raw::records::tables::RecordTables;
use crate::raw::symbols::Symbols;

/// The tables of such records. One is absent, not empty, where no file of its format is, unless it is always there.
pub(crate) fn settle(
    records: &mut RecordStore,
    (market, assumed): (Market, NaiveDate),
    symbols: &Symbols,
    sources: &[RawSource],
    ledger: &mut RowLedger<'_>,
) -> RecordTables {
    let mut tables = RecordTables::default();
    let of_market =
        formats::all().unwrap_or_default().iter().filter(|format| format.markets().contains(&market));
    let mut settled = BTreeSet::new();
    for kind in of_market.filter_map(|format| format.records()) {
        // Several formats may have records of one kind.
        if !settled.insert(kind.table()) {
            continue;
        }
        let has_file = sources.iter().any(|source| source.kind.format.table() == Some(kind.table()));
        let settlement = Settlement { records, symbols, assumed, has_file, tables: &mut tables };
        ledger.book_duplicates(&kind.settle(settlement), sources);
    }
    tables
}
