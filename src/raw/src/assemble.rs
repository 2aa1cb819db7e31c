//! The steps from a folder to a market, in order.
//!
//! Each step is a module of its own; here is only what passes between them. A symbol's rows are freed as its columns are
//! made, so that the market is never in memory twice; where memory is bounded, bars wait in a file between the steps.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use chrono::NaiveDate;

use crate::accounts::ledger::RowLedger;
use crate::accounts::refused::RefusedSink;
use crate::domain::action::{Action, ActionOrigin};
use crate::domain::bad_tick::BadTick;
use crate::domain::bar::{Bar, StockSpan, SymbolBars};
use crate::domain::company::Company;
use crate::domain::reason::Reason;
use crate::domain::session::Session;
use crate::elsewhere::Elsewhere;
use crate::error::RawError;
use crate::files::find::{self, FoundFiles, WantedFiles};
use crate::files::source::RawSource;
use crate::formats;
use crate::formats::events;
use crate::formats::events::Event;
use crate::gathered_bars::GatheredBars;
use crate::in_order::map_in_order;
use crate::instrument_filter::{self, DatedIsin, InstrumentFilter};
use crate::options::RawOptions;
use crate::price_files::{self, PriceReading};
use crate::progress::Progress;
use crate::raw_market::RawMarket;
use crate::records::placed::Placed;
use crate::records::raw_format::Layout;
use crate::records::tables::RecordTables;
use crate::reference_data::ReferenceData;
use crate::reference_files::{self, ReferenceReading};
use crate::report::{DateFrom, Difference, Report, SessionSpan, Tally};
use crate::sec::day_prices::MarketBars;
use crate::sec::settle;
use crate::spool::{Spool, Spooled};
use crate::statements::gathered::GatheredStatements;
use crate::statements::naming::Companies;
use crate::statements::settle::{Settling, Statements};
use crate::steps::adjust::{self, FarMoves, KnownOfSymbol};
use crate::steps::jump_rule::JumpRule;
use crate::steps::merge::{self, FileFormat, Merged};
use crate::steps::missing_sessions::{self, Gaps};
use crate::steps::sessions::{self, SessionNumbers};
use crate::steps::share_counts::ShareCounts;
use crate::steps::symbol_history::{self, Followed};
use crate::steps::{
    action_list, bad_ticks, company_list, exceptions, former_names, share_classes, without_prices,
};
use crate::symbols::Symbols;
use crate::table_files;
use crate::user_tables::file::UserTables;
use parquote_catalogue::operation::Market;

/// Differing rows that the report shows.
const EXAMPLES: usize = 50;

/// The folders of the parse cache.
const CACHED: [&str; 2] = ["statements", "prices"];

/// Reads all that lies anywhere under `dir`, the market's folder.
pub fn read(
    dir: &Path,
    options: &RawOptions<'_>,
    refused: &mut dyn RefusedSink,
    progress: &dyn Progress,
) -> Result<RawMarket, RawError> {
    let RawOptions { market, as_of, lists_as_of, bounds, bars_held, scratch, .. } = *options;
    let spool = &Spool::new(scratch, bars_held);
    formats::all().map_err(RawError::Declaration)?;
    let user_tables = UserTables::new(options.user_tables, options.declared_formats, market);
    let user_tables = &user_tables.map_err(RawError::Declaration)?;
    let found = find::find(dir, WantedFiles::all(market, user_tables, bounds), progress)?;
    let (sources, report) = begun(market, found);
    let mut ledger = RowLedger::new(report, refused);
    ledger.count_files(&sources);
    let supplied = table_files::read(&sources, as_of, &mut ledger)?;
    let [of_statements, of_prices] = CACHED.map(|name| options.parse_cache.map(|folder| folder.join(name)));
    let elsewhere = Elsewhere::up_to(as_of, options.elsewhere, dir);
    let reading = ReferenceReading { market, as_of, cache: of_statements.as_deref(), elsewhere };
    let (mut reference, statements) = reference_files::read(&sources, reading, &mut ledger, progress)?;
    say_misdated(&reference, &mut ledger);
    let (cache, of) = (of_prices.as_deref(), &reference);
    let reading = PriceReading { market, as_of, reference: of, cache, spool, elsewhere };
    let mut prices = price_files::read(&sources, reading, HashMap::new(), &mut ledger, progress)?;
    reference.add_splits(std::mem::take(&mut prices.splits), prices.last);
    ledger.settle_faults(options.allow_unreadable)?;
    progress.start("bars", 1);
    let followed = symbol_history::join(&mut prices.symbols, &reference.changes, prices.last, spool)?;
    add_indices(&mut prices.symbols, &mut reference, spool)?;
    let (merged, mut sessions) = merge_bars(prices.symbols, (&sources, spool), &mut ledger)?;
    let mut symbols: HashSet<String> = merged.iter().map(|symbol| symbol.symbol.clone()).collect();
    let has_prices = sources.iter().any(|source| matches!(source.layout, Layout::Prices(_)));
    if !has_prices {
        let filter = InstrumentFilter { market, reference: &reference, isins: &prices.isins };
        symbols.extend(without_prices::symbols(&filter));
        let days = table_files::days_known(&supplied, user_tables);
        sessions = without_prices::sessions(market, as_of, &reference, &statements, days);
        sessions.retain(|_| !symbols.is_empty());
    }
    let numbers = SessionNumbers::new(&sessions);
    let Some(last) = sessions.last().map(|session| session.date) else {
        return Err(no_bars(dir, &sources, ledger));
    };
    let assumed = lists_as_of.map_or((last, DateFrom::LastSession), |date| (date, DateFrom::Option));
    let has_bars = |symbol: &str| symbols.contains(symbol);
    reference.follow(&followed.symbols, assumed.0, has_bars);
    let statements =
        settle_statements(statements, &reference, (market, as_of), &followed.symbols, &sources, &mut ledger)?;
    let announced = announced(reference.records.take(), &followed.symbols, options, (&sources, &mut ledger));
    let mut tables = RecordTables::default();
    let user_rows = table_files::settle(
        (supplied, user_tables),
        (&followed.symbols, assumed.0),
        has_bars,
        &sources,
        &mut ledger,
    );
    let written = std::mem::take(&mut reference.actions);
    let of = (merged.as_slice(), sessions.as_slice(), options.purposes);
    let (actions, events) = action_list::in_force((written, announced), of, &sources, &mut ledger)?;
    let spin_offs = events::spin_offs(&events);
    tables.insert(events);
    let sizes = std::mem::take(&mut reference.sizes);
    let newest = as_of.is_none().then_some(last);
    let counts = ShareCounts::new(sizes, &reference, statements.as_ref(), &merged, (assumed.0, newest));
    let calendar = (sessions.as_slice(), &numbers);
    let (missing, gaps) = missing_sessions::between(&merged, &actions_by_symbol(&actions), calendar, market)?;
    let Built { stocks, bars, indices, moves: FarMoves { jumps, real }, contradicted, bad_ticks } =
        build(merged, (&actions, &spin_offs), &counts, (&numbers, &gaps, spool, &sources), (market, last))?;
    let filers = symbols.iter().map(String::as_str).filter(|_| !has_prices);
    let mut companies = list_companies(market, (&stocks, filers), &reference, &prices.isins);
    let members = company_list::members(&reference.lists, assumed, &mut ledger.report);
    let names = std::mem::take(&mut reference.former_names);
    let names = former_names::of_companies(names, &followed.symbols, &companies, last);
    if !names.is_empty() {
        tables.insert(names);
    }
    if market == Market::Us {
        let bars = MarketBars { stocks: &stocks, bars: &bars, sessions: &sessions };
        settle::settle(&mut reference, (&companies, bars), &sources, &mut ledger, &mut tables)?;
        company_list::name_companies(&mut companies);
    }
    ledger.say_which_gave_nothing(&sources);
    let mut market = RawMarket {
        market,
        sessions,
        missing,
        stocks,
        bars,
        indices,
        companies,
        members,
        actions,
        jumps,
        statements,
        tables,
        user_rows,
        report: ledger.close()?,
    };
    market.report.real_moves = real;
    market.report.bad_ticks = bad_ticks;
    say(&mut market, &reference, (&contradicted, has_prices), followed);
    progress.advance(1);
    progress.finish();
    Ok(market)
}

/// The files of a market, and a report that says what is left of the others.
fn begun(market: Market, found: FoundFiles) -> (Vec<RawSource>, Report) {
    let report = Report {
        market: market.to_string(),
        unused_files: found.unused,
        empty_files: found.empty,
        unreadable: found.unreadable,
        gave_nothing: found.gave_nothing,
        ..Report::default()
    };
    (found.sources, report)
}

fn say_misdated(reference: &ReferenceData, ledger: &mut RowLedger<'_>) {
    for (file, (written, named)) in &reference.misdated {
        let said = format!("{file} writes {written}; its name says {named}, which is used");
        ledger.report.exceptions.push(said);
    }
}

/// The bars of each symbol, one a session, and the sessions.
fn merge_bars(
    symbols: Vec<GatheredBars>,
    (sources, spool): (&[RawSource], &Arc<Spool>),
    ledger: &mut RowLedger<'_>,
) -> Result<(Vec<Merged>, Vec<Session>), RawError> {
    let formats: Vec<FileFormat> = sources.iter().map(FileFormat::of).collect();
    let merged = map_in_order(symbols, |symbol| merge::merge(symbol, &formats, spool));
    let merged = merged.into_iter().collect::<Result<Vec<_>, _>>()?;
    account(&merged, sources, ledger)?;
    keep_sessions(merged, (sources, spool), ledger)
}

/// The companies of stocks and, without prices, of those that file.
fn list_companies<'a>(
    market: Market,
    (stocks, filers): (&'a [StockSpan], impl Iterator<Item = &'a str>),
    reference: &ReferenceData,
    isins: &HashMap<String, DatedIsin>,
) -> Vec<Company> {
    let traded = stocks.iter().map(|stock| stock.symbol.as_str());
    let symbols: BTreeSet<&str> = traded.chain(filers).collect();
    let mut companies = company_list::companies(symbols.into_iter(), market, reference, isins);
    share_classes::count_once(&mut companies, stocks, market, &reference.ciks);
    companies
}

/// Puts in the report what is to be known of a market.
fn say(
    market: &mut RawMarket,
    reference: &ReferenceData,
    (contradicted, has_prices): (&[String], bool),
    followed: Followed,
) {
    summarise(market);
    let said = exceptions::state(market, reference, contradicted);
    market.report.exceptions.extend(said);
    market.report.exceptions.extend((!has_prices).then(|| without_prices::SAID.to_owned()));
    follow_up(&mut market.report, followed);
}

/// The statements of the market, under the symbols of now; none where no file has one.
fn settle_statements(
    mut statements: GatheredStatements,
    reference: &ReferenceData,
    (market, as_of): (Market, Option<NaiveDate>),
    symbols: &Symbols,
    sources: &[RawSource],
    ledger: &mut RowLedger<'_>,
) -> Result<Option<Statements>, RawError> {
    statements.follow(symbols);
    if statements.is_empty() {
        return Ok(None);
    }
    let companies = Companies::new(&reference.ciks, reference.names(), &reference.former_names);
    Settling { market, as_of, companies, sources }.settle(statements, ledger).map(Some)
}

/// Adds the indices to the symbols with bars.
fn add_indices(
    symbols: &mut Vec<GatheredBars>,
    reference: &mut ReferenceData,
    spool: &Arc<Spool>,
) -> Result<(), RawError> {
    for (symbol, bars) in std::mem::take(&mut reference.indices) {
        symbols.push(GatheredBars { symbol, is_index: true, bars: vec![spool.put(bars)?] });
    }
    symbols.sort_by(|a, b| (&a.symbol, a.is_index).cmp(&(&b.symbol, b.is_index)));
    Ok(())
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

fn no_bars(dir: &Path, sources: &[RawSource], mut ledger: RowLedger<'_>) -> RawError {
    ledger.say_which_gave_nothing(sources);
    let files = sources.iter().filter(|source| matches!(source.layout, Layout::Prices(_))).count() as u64;
    let refused = ledger.report.formats.values().map(|tally| tally.refused).sum();
    RawError::NoBars { dir: dir.to_owned(), files, refused, gave_nothing: ledger.report.gave_nothing }
}

/// The events, each once; what was not understood is in the report.
fn announced(
    rows: Vec<Placed<Event>>,
    symbols: &Symbols,
    options: &RawOptions<'_>,
    (sources, ledger): (&[RawSource], &mut RowLedger<'_>),
) -> Vec<Event> {
    let (announced, doubled, unread) = events::each_once(rows, symbols, options.purposes, sources);
    ledger.book_duplicates(&doubled, sources);
    ledger.report.exceptions.extend(unread);
    announced
}

/// Books the bars that did not win their day.
fn account(merged: &[Merged], sources: &[RawSource], ledger: &mut RowLedger<'_>) -> Result<(), RawError> {
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

fn difference(symbol: &str, kept: &Bar, other: &Bar, sources: &[RawSource]) -> Difference {
    Difference {
        symbol: symbol.to_owned(),
        date: kept.date,
        kept_at: place(kept, sources),
        kept: kept.figures(),
        other_at: place(other, sources),
        other: other.figures(),
    }
}

/// File and line of a bar.
fn place(bar: &Bar, sources: &[RawSource]) -> String {
    let file = sources.get(bar.file as usize).map_or("?", |source| &source.name);
    format!("{file}:{}", bar.line)
}

fn take_back(
    symbol: &Merged,
    bar: &Bar,
    reason: Reason,
    sources: &[RawSource],
    ledger: &mut RowLedger<'_>,
) -> Result<(), RawError> {
    let Some(source) = sources.get(bar.file as usize) else { return Ok(()) };
    let text = format!("{},{},{},{}", symbol.symbol, bar.series.word(), bar.date, bar.figures());
    ledger.take_back(source, bar.line, reason, &text)
}

/// Finds the sessions and refuses the bars on other dates.
fn keep_sessions(
    merged: Vec<Merged>,
    (sources, spool): (&[RawSource], &Arc<Spool>),
    ledger: &mut RowLedger<'_>,
) -> Result<(Vec<Merged>, Vec<Session>), RawError> {
    let stocks = || merged.iter().filter(|symbol| !symbol.is_index);
    let ends = stocks().flat_map(|symbol| symbol.ends.into_iter().flatten()).map(|bar| bar.date);
    let stocks_by_date = sessions::count(ends, stocks().map(|symbol| symbol.bars.get()))?;
    let (sessions, unused) = sessions::find(&stocks_by_date);
    let numbers = SessionNumbers::new(&sessions);
    let parted = map_in_order(merged, |mut symbol| {
        let is_other = |bar: &&Bar| numbers.of(bar.date).is_none();
        let others: Vec<Bar> = symbol.bars.get()?.iter().filter(is_other).copied().collect();
        if !others.is_empty() {
            let mut bars = symbol.bars.take()?;
            bars.retain(|bar| !is_other(&bar));
            symbol.ends = merge::ends(&bars);
            symbol.bars = spool.put(bars)?;
        }
        Ok((symbol, others))
    });
    let mut merged = Vec::with_capacity(parted.len());
    for parted in parted {
        let (symbol, others) = parted?;
        for bar in &others {
            take_back(&symbol, bar, Reason::NotASession, sources, ledger)?;
        }
        merged.extend(Some(symbol).filter(|symbol| symbol.ends.is_some()));
    }
    ledger.report.unused_dates = unused;
    Ok((merged, sessions))
}

/// Columns of all symbols.
#[derive(Default)]
struct Built {
    stocks: Vec<StockSpan>,
    bars: Vec<Spooled<SymbolBars>>,
    indices: Vec<SymbolBars>,
    moves: FarMoves,
    /// Actions of stocks that prices contradict, in words.
    contradicted: Vec<String>,
    bad_ticks: Vec<BadTick>,
}

fn build(
    merged: Vec<Merged>,
    (actions, spin_offs): (&[Action], &HashMap<String, Vec<NaiveDate>>),
    counts: &ShareCounts<'_>,
    (sessions, gaps, spool, sources): (&SessionNumbers, &Gaps, &Arc<Spool>, &[RawSource]),
    (market, last): (Market, NaiveDate),
) -> Result<Built, RawError> {
    let by_symbol = actions_by_symbol(actions);
    let columns = map_in_order(merged, |Merged { symbol, is_index, bars, .. }| {
        let (mut bars, rule) = (bars.take()?, JumpRule::of(market));
        let put_right = |bars| bad_ticks::put_right(&symbol, bars, rule, |bar| place(bar, sources));
        let ticks = if is_index { Vec::new() } else { put_right(&mut bars) };
        let counts = if is_index { Vec::new() } else { counts.of(&symbol, &bars) };
        let actions = by_symbol.get(symbol.as_str()).copied().unwrap_or_default();
        let contradicted =
            actions.iter().filter(|action| exceptions::is_contradicted(action, actions, &bars));
        let contradicted = contradicted.map(|action| format!("{} on {}", action.symbol, action.ex_date));
        let contradicted: Vec<String> = contradicted.filter(|_| !is_index).collect();
        let spin_offs = spin_offs.get(&symbol).map_or(&[][..], Vec::as_slice);
        let known = KnownOfSymbol { actions, spin_offs, counts: &counts, sessions, gaps, last, rule };
        let (columns, moves) = adjust::columns(symbol, &bars, known);
        drop(bars);
        Ok((is_index, StockSpan::of(&columns), spool.put(columns)?, moves, (contradicted, ticks)))
    });
    let mut built = Built::default();
    for columns in columns {
        let (is_index, span, bars, moves, (contradicted, ticks)) = columns?;
        built.moves.jumps.extend(moves.jumps);
        built.moves.real.extend(moves.real);
        built.contradicted.extend(contradicted);
        built.bad_ticks.extend(ticks);
        match span {
            Some(span) if !is_index => {
                built.stocks.push(span);
                built.bars.push(bars);
            }
            _ => built.indices.push(bars.take()?),
        }
    }
    Ok(built)
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
    report.missing_sessions.clone_from(&market.missing);
    report.sessions = SessionSpan {
        count: market.sessions.len() as u64,
        first: market.sessions.first().map(|session| session.date),
        last: market.sessions.last().map(|session| session.date),
    };
    report.symbols = market.stocks.len() as u64;
    report.bars = market.stocks.iter().map(|stock| stock.bars as u64).sum();
    let (benchmarks, indices): (Vec<&SymbolBars>, Vec<&SymbolBars>) =
        market.indices.iter().partition(|index| index.symbol == instrument_filter::benchmark(market.market));
    report.benchmarks = benchmarks.iter().map(|index| index.symbol.clone()).collect();
    report.indices = indices.len() as u64;
    let inferred = market.actions.iter().filter(|action| action.origin == ActionOrigin::Inferred);
    report.inferred = inferred.cloned().collect();
    report.actions_inferred = report.inferred.len() as u64;
    report.actions_given = market.actions.len() as u64 - report.actions_inferred;
    report.jumps.clone_from(&market.jumps);
}
