//! The histories of a market: one bar a session for each company, under its current symbol, and the sessions.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::{FileRows, MarketAssembly};
use crate::accounts::row_accounts::RowAccounts;
use crate::domain::bar::Bar;
use crate::domain::reason::Reason;
use crate::domain::session::Session;
use crate::error::RawError;
use crate::files::source::RawSource;
use crate::gathered_bars::GatheredBars;
use crate::in_order::map_in_order;
use crate::instrument_filter::{DatedIsin, InstrumentFilter};
use crate::price_files::PriceData;
use crate::records::raw_format::Layout;
use crate::report::{Difference, Tally};
use crate::spool::Spool;
use crate::steps::merge::{self, FileFormat, MergedSymbol};
use crate::steps::sessions::{self, SessionNumbers};
use crate::steps::symbol_history::{self, FollowedSymbols};
use crate::steps::without_prices;
use crate::table_files;

/// Maximum number of differing rows in the report.
const MOST_EXAMPLES: usize = 50;

pub(super) struct Histories {
    /// The bars of each symbol.
    pub(super) merged: Vec<MergedSymbol>,
    pub(super) sessions: Vec<Session>,
    pub(super) last: NaiveDate,
    /// The symbols of companies with bars or, without prices, of companies that file.
    pub(super) symbols: HashSet<String>,
    /// Symbol changes that were followed, and those that were not.
    pub(super) followed: FollowedSymbols,
    /// The ISINs that price files name, by symbol.
    pub(super) isins: HashMap<String, DatedIsin>,
    pub(super) has_prices: bool,
}

impl MarketAssembly<'_> {
    /// Joins the histories of companies that changed their symbol, reduces them to one bar a session, and finds the sessions.
    ///
    /// # Errors
    /// No file has a bar, or the spool cannot be written.
    pub(super) fn histories(
        &mut self,
        files: &mut FileRows,
        mut prices: PriceData,
    ) -> Result<Histories, RawError> {
        let FileRows { supplied, reference, statements } = files;
        let followed =
            symbol_history::join(&mut prices.symbols, &reference.changes, prices.last, &self.spool)?;
        let spool = &self.spool;
        for (symbol, bars) in std::mem::take(&mut reference.indices) {
            prices.symbols.push(GatheredBars { symbol, is_index: true, bars: vec![spool.store(bars)?] });
        }
        prices.symbols.sort_by(|a, b| (&a.symbol, a.is_index).cmp(&(&b.symbol, b.is_index)));
        let formats: Vec<FileFormat> = self.sources.iter().map(FileFormat::from_source).collect();
        let merged = map_in_order(prices.symbols, |symbol| merge::merge(symbol, &formats, spool));
        let merged = merged.into_iter().collect::<Result<Vec<_>, _>>()?;
        book_losers(&merged, self.sources, &mut self.accounts)?;
        let (merged, mut sessions) = find_sessions(merged, self.sources, spool, &mut self.accounts)?;
        let mut symbols: HashSet<String> = merged.iter().map(|symbol| symbol.symbol.clone()).collect();
        let has_prices = self.price_files() > 0;
        if !has_prices {
            let (market, as_of) = (self.options.market, self.options.as_of);
            let filter = InstrumentFilter { market, reference, isins: &prices.isins };
            symbols.extend(without_prices::symbols(&filter));
            let days = table_files::days_known(supplied, self.user_tables);
            sessions = without_prices::sessions(market, as_of, reference, statements, days);
            sessions.retain(|_| !symbols.is_empty());
        }
        let Some(last) = sessions.last().map(|session| session.date) else { return Err(self.no_bars()) };
        Ok(Histories { merged, sessions, last, symbols, followed, isins: prices.isins, has_prices })
    }

    fn price_files(&self) -> u64 {
        self.sources.iter().filter(|source| matches!(source.layout, Layout::Prices(_))).count() as u64
    }

    fn no_bars(&mut self) -> RawError {
        self.accounts.report_files_without_rows(self.sources);
        let refused = self.accounts.report.formats.values().map(|tally| tally.refused).sum();
        let gave_nothing = std::mem::take(&mut self.accounts.report.gave_nothing);
        RawError::NoBars { dir: self.dir.to_owned(), files: self.price_files(), refused, gave_nothing }
    }
}

/// Adds the bars that lost to another bar of their day to the accounts.
fn book_losers(
    merged: &[MergedSymbol],
    sources: &[RawSource],
    accounts: &mut RowAccounts<'_>,
) -> Result<(), RawError> {
    let mut tallies = vec![Tally::default(); sources.len()];
    for symbol in merged {
        let losers = &symbol.losers;
        for bar in &losers.other_series {
            refuse_used(symbol, bar, Reason::SeriesSuperseded, sources, accounts)?;
        }
        let mut count = |files: &[u32], count: fn(&mut Tally)| {
            for file in files {
                tallies.get_mut(*file as usize).into_iter().for_each(count);
            }
        };
        count(&losers.identical, |tally| tally.identical += 1);
        count(&losers.restated, |tally| tally.restated += 1);
        count(&losers.differing, |tally| tally.differing += 1);
        for (used, other) in &losers.examples {
            if accounts.report.differing.len() < MOST_EXAMPLES {
                accounts.report.differing.push(difference(&symbol.symbol, used, other, sources));
            }
        }
    }
    for (source, tally) in sources.iter().zip(tallies) {
        accounts.book_repetitions(source, &tally);
    }
    Ok(())
}

fn difference(symbol: &str, used: &Bar, other: &Bar, sources: &[RawSource]) -> Difference {
    Difference {
        symbol: symbol.to_owned(),
        date: used.date,
        kept_at: file_and_line(used, sources),
        kept: used.prices_and_volume(),
        other_at: file_and_line(other, sources),
        other: other.prices_and_volume(),
    }
}

pub(super) fn file_and_line(bar: &Bar, sources: &[RawSource]) -> String {
    let file = sources.get(bar.file as usize).map_or("?", |source| &source.name);
    format!("{file}:{}", bar.line)
}

fn refuse_used(
    symbol: &MergedSymbol,
    bar: &Bar,
    reason: Reason,
    sources: &[RawSource],
    accounts: &mut RowAccounts<'_>,
) -> Result<(), RawError> {
    let Some(source) = sources.get(bar.file as usize) else { return Ok(()) };
    let text = format!("{},{},{},{}", symbol.symbol, bar.series.word(), bar.date, bar.prices_and_volume());
    accounts.refuse_used(source, bar.line, reason, &text)
}

/// Finds the sessions and refuses the bars on other dates.
fn find_sessions(
    merged: Vec<MergedSymbol>,
    sources: &[RawSource],
    spool: &Arc<Spool>,
    accounts: &mut RowAccounts<'_>,
) -> Result<(Vec<MergedSymbol>, Vec<Session>), RawError> {
    let stocks = || merged.iter().filter(|symbol| !symbol.is_index);
    let ends = stocks().flat_map(|symbol| symbol.ends.into_iter().flatten()).map(|bar| bar.date);
    let stocks_by_date = sessions::count(ends, stocks().map(|symbol| symbol.bars.get()))?;
    let (sessions, unused) = sessions::find(&stocks_by_date);
    let numbers = SessionNumbers::new(&sessions);
    let checked = map_in_order(merged, |mut symbol| {
        let is_other = |bar: &&Bar| numbers.number_on(bar.date).is_none();
        let others: Vec<Bar> = symbol.bars.get()?.iter().filter(is_other).copied().collect();
        if !others.is_empty() {
            let mut bars = symbol.bars.into_value()?;
            bars.retain(|bar| !is_other(&bar));
            symbol.ends = merge::ends(&bars);
            symbol.bars = spool.store(bars)?;
        }
        Ok((symbol, others))
    });
    let mut merged = Vec::with_capacity(checked.len());
    for symbol in checked {
        let (symbol, others) = symbol?;
        for bar in &others {
            refuse_used(&symbol, bar, Reason::NotASession, sources, accounts)?;
        }
        merged.extend(Some(symbol).filter(|symbol| symbol.ends.is_some()));
    }
    accounts.report.unused_dates = unused;
    Ok((merged, sessions))
}
