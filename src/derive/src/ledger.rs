//! The ledger of the scans: appends the picks of the set that is being built, and writes the ledger as tables of the set.
//!
//! The tables are written before the derived ones, which read the picks of earlier sessions, and again after the append. A set is published
//! only after its picks are in the ledger.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use chrono::{NaiveDate, Utc};
use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::common::internal_datafusion_err;

use super::build::Build;
use super::error::DeriveError;
use super::published::PublishedSet;
use super::sources;
use parquote_catalogue::operation::{Catalogue, Market, close_of};
use parquote_functions::arrow_types::table_schema;
use parquote_raw::NamedColumns;
use parquote_set::{Home, Ledger, LedgerEntry, ScanPicks};

/// The source of the table with the lines of the ledger.
const ENTRIES: &str = "ledger_entries";
/// The source of the table with the picks.
const PICKS: &str = "ledger_picks";
/// The table with the spells of stocks in scans.
const SCANS: &str = "scan_spells";
/// The table with the last close of each stock.
const CLOSES: &str = "latest_bars";
/// The tables whose formulas decide which stocks are in a scan.
const DECIDING_TABLES: [&str; 3] = [SCANS, CLOSES, "indicators"];

/// The ledger of a market during a derivation. If the market has no ledger, all methods do nothing.
pub(super) struct LedgerTables<'a> {
    catalogue: &'a Catalogue,
    market: Market,
    ledger: Option<Ledger>,
}

/// Reads the ledger of a market and verifies its chain of hashes, and that it has the last line which the newest set knows. Returns `None`
/// if the market has no ledger.
///
/// # Errors
/// The ledger or the set cannot be read, or the ledger is broken.
pub fn verified_ledger(
    catalogue: &Catalogue,
    market: Market,
    data: &Path,
) -> Result<Option<Ledger>, DeriveError> {
    let home = Home::new(data);
    let before = PublishedSet::find(&home, market)?;
    Ok(LedgerTables::open(&home, catalogue, market, before.as_ref(), false)?.ledger)
}

impl<'a> LedgerTables<'a> {
    /// Opens and verifies the ledger of a market. If there is none and `begins` is true, a ledger without lines is created.
    pub(super) fn open(
        home: &Home,
        catalogue: &'a Catalogue,
        market: Market,
        before: Option<&PublishedSet>,
        begins: bool,
    ) -> Result<Self, DeriveError> {
        let known = before.map(|set| last_known_line(catalogue, market, set)).transpose()?.flatten();
        let ledger = match (Ledger::read(home, market)?, known) {
            (None, None) if !begins => None,
            (None, known) if begins => {
                if let Some((line, hash)) = known {
                    tracing::warn!(%market, line, %hash, "another ledger is begun; the newest set knows a line of one that is missing");
                }
                Some(Ledger::begin(home, market))
            }
            (found, known) => {
                let ledger = found.unwrap_or_else(|| Ledger::begin(home, market));
                if let Some((number, hash)) = known {
                    ledger.check_continues(number, &hash)?;
                }
                Some(ledger)
            }
        };
        Ok(Self { catalogue, market, ledger })
    }

    /// Writes the tables of the ledger, with the lines for sessions before a day; `None` for all lines.
    pub(super) fn write(&self, build: &mut Build<'_>, before: Option<NaiveDate>) -> Result<(), DeriveError> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        let tables = [(ENTRIES, self.entry_columns(ledger, before)), (PICKS, pick_columns(ledger, before))];
        for (source, columns) in tables {
            let Some(table) = sources::table(self.catalogue, self.market, source) else { continue };
            let rows = columns.batch(&table_schema(table, self.market));
            build.write_source(table, rows.map_err(DeriveError::row_error(source))?)?;
        }
        Ok(())
    }

    /// Appends the picks of the last session of the set that is being built, and writes the tables again.
    pub(super) fn record(
        &mut self,
        build: &mut Build<'_>,
        session: Option<NaiveDate>,
    ) -> Result<(), DeriveError> {
        let (Some(ledger), Some(session)) = (&mut self.ledger, session) else { return Ok(()) };
        let (catalogue, market, set) = (self.catalogue, self.market, build.built_so_far());
        let table = |name: &str| catalogue.table(market, name);
        let rows = |name: &str| table(name).and_then(|table| set.read_single_file(table)).transpose();
        let (Some(scans), Some(bars)) = (rows(SCANS)?, rows(CLOSES)?) else { return Ok(()) };
        let formulas: Vec<&str> =
            DECIDING_TABLES.into_iter().filter_map(|name| table(name)?.formula.as_deref()).collect();
        let picks = picks(&scans, &bars).ok_or_else(|| internal_datafusion_err!("a column is missing"));
        let picks = picks.map_err(DeriveError::row_error(SCANS))?;
        if ledger.torn_bytes() > 0 {
            let (file, bytes) = (ledger.path().display(), ledger.torn_bytes());
            tracing::warn!(%market, %file, bytes, "the ledger ends with an incomplete line, which the next append cuts");
        }
        if let Some((last, _)) = ledger.lines().last().filter(|(last, _)| session < last.session) {
            tracing::warn!(%market, %session, last = %last.session, "the ledger records no session before its last one");
        }
        ledger.append(session, Utc::now(), &formulas.join(", "), &picks)?;
        self.write(build, session.succ_opt())
    }

    fn entry_columns(&self, ledger: &Ledger, before: Option<NaiveDate>) -> NamedColumns {
        let (market, zone) = (self.market, self.market.time_zone());
        let day_of = move |line: &LedgerEntry| line.at.with_timezone(&zone).date_naive();
        let all = ledger.lines();
        let count = all.partition_point(|(line, _)| before.is_none_or(|day| line.session < day));
        let lines = all.get(..count).unwrap_or(all);
        let after_close = lines.iter().map(|(line, _)| Some(line.at >= close_of(market, day_of(line))));
        NamedColumns::for_rows(lines)
            .int("entry_number", |(line, _)| Some(line.entry as i64))
            .date("session", |(line, _)| Some(line.session))
            .date("recorded_on", |(line, _)| Some(day_of(line)))
            .text("formulas", |(line, _)| Some(&line.formulas))
            .text("entry_hash", |(_, hash)| Some(hash))
            .with("recorded_after_close", Arc::new(after_close.collect::<BooleanArray>()))
            .finish()
    }
}

fn pick_columns(ledger: &Ledger, before: Option<NaiveDate>) -> NamedColumns {
    NamedColumns::for_rows(&ledger.picks(before))
        .text("symbol", |pick| Some(&pick.symbol))
        .text("scan_name", |pick| Some(&pick.scan))
        .date("entered_on", |pick| Some(pick.entered_on))
        .int("entry_number", |pick| Some(pick.entry as i64))
        .number("recorded_close", |pick| Some(pick.close))
        .date("left_on", |pick| pick.left_on)
        .finish()
}

/// Returns the number and hash of the last line in a set's table of lines; `None` if the set has no such line.
fn last_known_line(
    catalogue: &Catalogue,
    market: Market,
    set: &PublishedSet,
) -> Result<Option<(u64, String)>, DeriveError> {
    let table = sources::table(catalogue, market, ENTRIES);
    let Some(rows) = table.and_then(|table| set.read_single_file(table)).transpose()? else {
        return Ok(None);
    };
    let last = || {
        let row = rows.num_rows().checked_sub(1)?;
        let number = rows.column_by_name("entry_number")?.as_primitive_opt::<Int64Type>()?.value(row);
        let hash = rows.column_by_name("entry_hash")?.as_string_view_opt()?.value(row);
        Some((number as u64, hash.to_owned()))
    };
    Ok(last())
}

/// Returns the stocks that are in a scan on the last session, each with its last close; `None` if a column is missing.
fn picks(scans: &RecordBatch, bars: &RecordBatch) -> Option<ScanPicks> {
    let symbols = bars.column_by_name("symbol")?.as_string_view_opt()?;
    let closes = bars.column_by_name("adj_close")?.as_primitive_opt::<Float64Type>()?;
    let closes = symbols.iter().zip(closes).filter_map(|(symbol, close)| Some((symbol?, close?)));
    let closes: HashMap<&str, f64> = closes.filter(|(_, close)| close.is_finite()).collect();
    let symbols = scans.column_by_name("symbol")?.as_string_view_opt()?;
    let names = scans.column_by_name("scan_name")?.as_string_view_opt()?;
    let left = scans.column_by_name("left_on")?;
    let mut picks = ScanPicks::new();
    for row in (0..scans.num_rows()).filter(|row| left.is_null(*row)) {
        let symbol = symbols.value(row);
        if let Some(close) = closes.get(symbol) {
            picks.entry(names.value(row).to_owned()).or_default().insert(symbol.to_owned(), *close);
        }
    }
    Some(picks)
}
