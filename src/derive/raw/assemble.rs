//! The steps from a folder to a market, in order.
//!
//! Each step is a module of its own; here is only what passes between them. A symbol's rows are freed as its columns are
//! made, so that the market is never in memory twice.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use chrono::NaiveDate;

use super::adjust::{self, FarMoves, Known};
use super::announced::Announced;
use super::bar::Bar;
use super::filed::Filed;
use super::files::{self, Source, Wanted};
use super::format::Format;
use super::given_file::GivenTables;
use super::in_order::map_in_order;
use super::jump_rule::JumpRule;
use super::ledger::Ledger;
use super::merge::{self, Merged};
use super::prices::{Gathered, Reading};
use super::reason::Reason;
use super::references::{self, References};
use super::sessions::SessionNumbers;
use super::symbol_history::{self, Followed};
use super::{Action, Progress, RawError, RawMarket, RawOptions, RefusedSink, Session, SymbolBars};
use super::{action_list, company_list, exceptions, given, prices, screen, sessions, share_classes};
use crate::derive::report::{DateFrom, Difference, Report, SessionSpan, Tally};
use crate::operation::Market;

/// Differing rows that the report shows.
const EXAMPLES: usize = 50;

/// The folder of what files of statements gave, in that of what is remembered.
const STATEMENTS: &str = "statements";

/// Shares by date.
type Sizes = Vec<(NaiveDate, f64)>;

pub(crate) fn market(
    dir: &Path,
    options: &RawOptions<'_>,
    refused: &mut dyn RefusedSink,
    progress: &dyn Progress,
) -> Result<RawMarket, RawError> {
    let RawOptions { market, as_of, lists_as_of, given, remembered, allow_unreadable, bounds } = *options;
    let wanted = Wanted { market, given: &GivenTables::new(given, market), bounds };
    let found = files::find(dir, wanted, progress)?;
    let report = Report {
        market: market.to_string(),
        unused_files: found.unused,
        empty_files: found.empty,
        unreadable: found.unreadable,
        ..Report::default()
    };
    let mut ledger = Ledger::new(report, refused);
    let sources = found.sources;
    for source in &sources {
        ledger.tally(source).files += 1;
    }
    let given_rows = given::read(&sources, as_of, &mut ledger)?;
    let of_statements = remembered.map(|folder| folder.join(STATEMENTS));
    let reading = references::Reading { market, as_of, remembered: of_statements.as_deref() };
    let mut references = references::read(&sources, reading, &mut ledger, progress)?;
    let reading = Reading { market, as_of, references: &references, remembered };
    let mut prices = prices::read(&sources, reading, &mut ledger, progress)?;
    ledger.settle_faults(allow_unreadable)?;
    let formats: Vec<Format> = sources.iter().map(|source| source.format).collect();
    progress.start("bars", 1);
    let followed = symbol_history::join(&mut prices.symbols, &references.changes, prices.last);
    add_indices(&mut prices.symbols, &mut references);
    let merged = map_in_order(prices.symbols, |symbol| merge::merge(symbol, &formats));
    account(&merged, &sources, &mut ledger)?;
    let (merged, sessions) = keep_sessions(merged, &sources, &mut ledger)?;
    let numbers = SessionNumbers::new(&sessions);
    let Some(last) = sessions.last().map(|session| session.date) else { return Err(no_bars(dir, &ledger)) };
    let assumed = lists_as_of.map_or((last, DateFrom::LastSession), |date| (date, DateFrom::Option));
    let symbols: HashSet<String> = merged.iter().map(|symbol| symbol.symbol.clone()).collect();
    references.follow(&followed.symbols, assumed.0, |symbol| symbols.contains(symbol));
    let said = Announced::new(&mut references, (market, as_of), &sources, &mut ledger)?;
    let given = given::settle(
        given_rows,
        &followed.symbols,
        |symbol| symbols.contains(symbol),
        &sources,
        &mut ledger,
    );
    let written = std::mem::take(&mut references.actions);
    let (actions, events) =
        action_list::in_force(written, said.events, &merged, &sessions, &sources, &mut ledger)?;
    let built = build(merged, &actions, &mut references, &numbers, (market, assumed.0));
    let Built { stocks, indices, moves: FarMoves { jumps, real }, first_sizes } = built;
    let symbols = stocks.iter().map(|stock| stock.symbol.as_str());
    let mut companies = company_list::companies(symbols, market, &references, &prices.isins);
    share_classes::count_once(&mut companies, &stocks, market, &references.ciks);
    let members = company_list::members(&references.lists, assumed, &mut ledger.report);
    let filed = Filed::new(&mut references, &companies, &sources, &mut ledger)?;
    let report = ledger.close()?;
    let Announced { bands, deals, trades, holdings, statements, .. } = said;
    let mut market = RawMarket {
        market,
        sessions,
        stocks,
        indices,
        companies,
        members,
        actions,
        jumps,
        bands,
        deals,
        trades,
        holdings,
        statements,
        events,
        filed,
        given,
        report,
    };
    summarise(&mut market);
    market.report.real_moves = real;
    let said = exceptions::state(&market, &references, &first_sizes);
    market.report.exceptions.extend(said);
    follow_up(&mut market.report, followed);
    progress.advance(1);
    progress.finish();
    Ok(market)
}

/// Adds the indices to the symbols with bars.
fn add_indices(symbols: &mut Vec<Gathered>, references: &mut References) {
    let indices = std::mem::take(&mut references.indices);
    symbols.extend(indices.into_iter().map(|(symbol, bars)| Gathered { symbol, is_index: true, bars }));
    symbols.sort_by(|a, b| (&a.symbol, a.is_index).cmp(&(&b.symbol, b.is_index)));
}

/// Says which histories are joined, and which changes of symbols are not followed.
fn follow_up(report: &mut Report, followed: Followed) {
    report.joined = followed.joined;
    let pairs: Vec<String> =
        followed.refused.iter().take(8).map(|(old, new)| format!("{old} to {new}")).collect();
    if !pairs.is_empty() {
        report.exceptions.push(format!(
            "{} changes of symbols are not followed, since two companies traded at that time: {}",
            followed.refused.len(),
            pairs.join(", ")
        ));
    }
}

fn no_bars(dir: &Path, ledger: &Ledger<'_>) -> RawError {
    let is_prices = |name: &&String| {
        use Format::{BhavFull, BhavOld, Udiff, UsPrices};
        [BhavFull, BhavOld, Udiff, UsPrices].iter().any(|format| format.words() == name.as_str())
    };
    let formats = &ledger.report.formats;
    let files = formats.iter().filter(|(name, _)| is_prices(name)).map(|(_, tally)| tally.files).sum();
    let refused = formats.values().map(|tally| tally.refused).sum();
    RawError::NoBars { dir: dir.to_owned(), files, refused }
}

/// Books the bars that did not win their day.
fn account(merged: &[Merged], sources: &[Source], ledger: &mut Ledger<'_>) -> Result<(), RawError> {
    let mut doubled = vec![Tally::default(); sources.len()];
    for symbol in merged {
        let losers = &symbol.losers;
        for bar in &losers.other_series {
            take_back(symbol, bar, Reason::SeriesSuperseded, sources, ledger)?;
        }
        let mut count = |files: &[u32], count: fn(&mut Tally)| {
            for file in files {
                doubled.get_mut(*file as usize).into_iter().for_each(count);
            }
        };
        count(&losers.identical, |tally| tally.identical += 1);
        count(&losers.restated, |tally| tally.restated += 1);
        count(&losers.differing, |tally| tally.differing += 1);
        for (kept, other) in &losers.examples {
            if ledger.report.differing.len() < EXAMPLES {
                ledger.report.differing.push(difference(&symbol.symbol, kept, other, sources));
            }
        }
    }
    for (source, doubled) in sources.iter().zip(doubled) {
        let tally = ledger.tally(source);
        tally.kept -= doubled.identical + doubled.restated + doubled.differing;
        tally.identical += doubled.identical;
        tally.restated += doubled.restated;
        tally.differing += doubled.differing;
    }
    Ok(())
}

fn difference(symbol: &str, kept: &Bar, other: &Bar, sources: &[Source]) -> Difference {
    let place = |bar: &Bar| {
        let file = sources.get(bar.file as usize).map_or("?", |source| &source.name);
        format!("{file}:{}", bar.line)
    };
    Difference {
        symbol: symbol.to_owned(),
        date: kept.date,
        kept_at: place(kept),
        kept: kept.figures(),
        other_at: place(other),
        other: other.figures(),
    }
}

fn take_back(
    symbol: &Merged,
    bar: &Bar,
    reason: Reason,
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) -> Result<(), RawError> {
    let Some(source) = sources.get(bar.file as usize) else { return Ok(()) };
    let text = format!("{},{},{},{}", symbol.symbol, bar.series.word(), bar.date, bar.figures());
    ledger.take_back(source, bar.line, reason, &text)
}

/// Finds the sessions and refuses the bars on other dates.
fn keep_sessions(
    merged: Vec<Merged>,
    sources: &[Source],
    ledger: &mut Ledger<'_>,
) -> Result<(Vec<Merged>, Vec<Session>), RawError> {
    let stocks = merged.iter().filter(|symbol| !symbol.is_index);
    let stocks_by_date = sessions::count(stocks.map(|symbol| symbol.bars.as_slice()));
    let (sessions, unused) = sessions::find(&stocks_by_date);
    let numbers = SessionNumbers::new(&sessions);
    let parted = map_in_order(merged, |mut symbol| {
        let is_on_session = |bar: &Bar| numbers.of(bar.date).is_some();
        let others: Vec<Bar> = symbol.bars.iter().filter(|bar| !is_on_session(bar)).copied().collect();
        if !others.is_empty() {
            symbol.bars.retain(is_on_session);
        }
        (symbol, others)
    });
    let mut merged = Vec::with_capacity(parted.len());
    for (symbol, others) in parted {
        for bar in &others {
            take_back(&symbol, bar, Reason::NotASession, sources, ledger)?;
        }
        merged.extend(Some(symbol).filter(|symbol| !symbol.bars.is_empty()));
    }
    ledger.report.unused_dates = unused;
    Ok((merged, sessions))
}

/// Columns of all symbols.
struct Built {
    stocks: Vec<SymbolBars>,
    indices: Vec<SymbolBars>,
    moves: FarMoves,
    /// By stock: the date of its first number of shares.
    first_sizes: Vec<Option<NaiveDate>>,
}

fn build(
    merged: Vec<Merged>,
    actions: &[Action],
    references: &mut References,
    sessions: &SessionNumbers,
    (market, assumed): (Market, NaiveDate),
) -> Built {
    let mut sizes = std::mem::take(&mut references.sizes);
    let caps = &references.caps;
    let with_sizes: Vec<(Merged, Sizes)> = merged
        .into_iter()
        .map(|symbol| {
            let mut sizes = sizes.remove(&symbol.symbol).unwrap_or_default();
            if let Some(cap) = caps.get(&symbol.symbol) {
                let date = cap.date.unwrap_or(assumed);
                let last = symbol.bars.iter().take_while(|bar| bar.date <= date).last();
                sizes.extend(last.map(|bar| (bar.date, cap.market_cap / bar.close())));
            }
            sizes.sort_by_key(|(date, _)| *date);
            (symbol, sizes)
        })
        .collect();
    let by_symbol = actions_by_symbol(actions);
    let columns = map_in_order(with_sizes, |(symbol, sizes)| {
        let actions = by_symbol.get(symbol.symbol.as_str()).copied().unwrap_or_default();
        let known = Known { actions, sizes: &sizes, sessions, rule: JumpRule::of(market) };
        let (bars, moves) = adjust::columns(symbol.symbol, &symbol.bars, known);
        (symbol.is_index, bars, moves, sizes.first().map(|(date, _)| *date))
    });
    let mut built = Built {
        stocks: Vec::new(),
        indices: Vec::new(),
        moves: FarMoves::default(),
        first_sizes: Vec::new(),
    };
    for (is_index, bars, moves, first_size) in columns {
        built.moves.jumps.extend(moves.jumps);
        built.moves.real.extend(moves.real);
        if is_index {
            built.indices.push(bars);
        } else {
            built.stocks.push(bars);
            built.first_sizes.push(first_size);
        }
    }
    built
}

/// The run of each symbol in actions that are sorted by it.
fn actions_by_symbol(actions: &[Action]) -> HashMap<&str, &[Action]> {
    actions
        .chunk_by(|a, b| a.symbol == b.symbol)
        .filter_map(|run| run.first().map(|first| (first.symbol.as_str(), run)))
        .collect()
}

/// Fills the report's figures of the whole market.
fn summarise(market: &mut RawMarket) {
    let report = &mut market.report;
    report.sessions = SessionSpan {
        count: market.sessions.len() as u64,
        first: market.sessions.first().map(|session| session.date),
        last: market.sessions.last().map(|session| session.date),
    };
    report.symbols = market.stocks.len() as u64;
    report.bars = market.stocks.iter().map(|stock| stock.len() as u64).sum();
    let (benchmarks, indices): (Vec<&SymbolBars>, Vec<&SymbolBars>) =
        market.indices.iter().partition(|index| index.symbol == screen::benchmark(market.market));
    report.benchmarks = benchmarks.iter().map(|index| index.symbol.clone()).collect();
    report.indices = indices.len() as u64;
    let inferred = market.actions.iter().filter(|action| action.origin == super::Origin::Inferred);
    report.inferred = inferred.cloned().collect();
    report.actions_inferred = report.inferred.len() as u64;
    report.actions_given = market.actions.len() as u64 - report.actions_inferred;
    report.jumps.clone_from(&market.jumps);
}
