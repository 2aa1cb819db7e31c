//! The steps from a folder to a market, in order.
//!
//! This module holds the data that passes between the steps; each step is a module. A symbol's rows are freed as its columns are built, so
//! that the market is never in memory twice; with bounded memory, bars are spooled to a file between the steps.

mod histories;
mod columns;
mod market_report;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use chrono::NaiveDate;

use self::columns::{BuiltColumns, MarketSessions, actions_by_symbol, build};
use self::histories::Histories;
use crate::accounts::refused::RefusedSink;
use crate::accounts::row_accounts::RowAccounts;
use crate::domain::action::Action;
use crate::domain::company::Company;
use crate::domain::member::Member;
use crate::domain::missing_sessions::MissingSessions;
use crate::error::RawError;
use crate::files::find::{self, FoundFiles, WantedFiles};
use crate::files::source::RawSource;
use crate::formats;
use crate::formats::events;
use crate::options::RawOptions;
use crate::price_files::{self, PriceData, PriceReading};
use crate::progress::Progress;
use crate::raw_market::RawMarket;
use crate::readings;
use crate::records::tables::RecordTables;
use crate::reference_data::ReferenceData;
use crate::reference_files::{self, ReferenceReading};
use crate::remote_parse::RemoteParser;
use crate::report::{DateFrom, Report};
use crate::same_columns;
use crate::sec::day_prices::MarketBars;
use crate::sec::settle;
use crate::spool::Spool;
use crate::statements::gathered_statements::GatheredStatements;
use crate::statements::naming::CompanyLookup;
use crate::statements::settle::{SettleContext, Statements};
use crate::steps::adjust::LargeMoves;
use crate::steps::missing_sessions;
use crate::steps::sessions::SessionNumbers;
use crate::steps::share_counts::ShareCounts;
use crate::steps::{action_list, company_list, former_names, share_classes};
use crate::table_files::{self, UserRows};
use crate::user_tables::cell::UserRow;
use crate::user_tables::file::UserTables;
use parquote_catalogue::operation::Market;

/// The folders of the parse cache.
const CACHE_FOLDERS: [&str; 2] = ["statements", "prices"];

/// Reads all files in and below `dir`, the market's folder, into one market.
pub fn read(
    dir: &Path,
    options: &RawOptions<'_>,
    refused: &mut dyn RefusedSink,
    progress: &dyn Progress,
) -> Result<RawMarket, RawError> {
    let market = options.market;
    formats::all().map_err(RawError::Declaration)?;
    let user_tables = UserTables::new(options.user_tables, options.declared_formats, market);
    let user_tables = &user_tables.map_err(RawError::Declaration)?;
    let wanted = WantedFiles::all(market, user_tables, options.bounds);
    let (sources, report) = begin_report(market, find::find(dir, wanted, progress)?);
    let mut assembly = MarketAssembly {
        dir,
        options,
        user_tables,
        sources: &sources,
        spool: Spool::new(options.scratch, options.bars_memory_bytes),
        accounts: RowAccounts::new(report, refused),
    };
    let (mut files, prices) = assembly.files(progress)?;
    progress.start("bars", 1);
    let mut histories = assembly.histories(&mut files, prices)?;
    let mut rows = assembly.settle_rows(&mut files, &histories)?;
    let (built, missing) = assembly.columns(&mut files.reference, &mut histories, &rows)?;
    let (companies, members) = assembly.companies(&mut files.reference, &histories, &built, &mut rows)?;
    let BuiltColumns { stocks, bars, indices, moves: LargeMoves { jumps, real }, contradicted, bad_ticks } =
        built;
    assembly.accounts.report_files_without_rows(&sources);
    let mut market = RawMarket {
        market,
        sessions: histories.sessions,
        missing,
        stocks,
        bars,
        indices,
        companies,
        members,
        actions: rows.actions,
        jumps,
        statements: rows.statements,
        tables: rows.tables,
        user_rows: rows.user_rows,
        report: assembly.accounts.close()?,
    };
    market.report.real_moves = real;
    market.report.bad_ticks = bad_ticks;
    market_report::add_findings(
        &mut market, &files.reference, &contradicted, histories.has_prices, histories.followed,
    );
    progress.advance(1);
    progress.finish();
    Ok(market)
}

/// State shared by all steps.
struct MarketAssembly<'a> {
    dir: &'a Path,
    options: &'a RawOptions<'a>,
    user_tables: &'a UserTables,
    sources: &'a [RawSource],
    /// Spool of bars that exceed the memory bound.
    spool: Arc<Spool>,
    /// Accounts of all rows.
    accounts: RowAccounts<'a>,
}

/// The rows of all files except price files.
struct FileRows {
    supplied: UserRows,
    reference: ReferenceData,
    statements: GatheredStatements,
}

/// Rows on companies, under their current symbols.
struct CompanyRows {
    statements: Option<Statements>,
    actions: Vec<Action>,
    /// The days of spin-offs, by symbol.
    spin_offs: HashMap<String, Vec<NaiveDate>>,
    tables: RecordTables,
    user_rows: BTreeMap<String, Vec<UserRow>>,
    /// The day from which undated lists hold.
    assumed: (NaiveDate, DateFrom),
}

impl MarketAssembly<'_> {
    /// Reads every file.
    ///
    /// # Errors
    /// A file cannot be read whole, and the options do not allow that.
    fn files(&mut self, progress: &dyn Progress) -> Result<(FileRows, PriceData), RawError> {
        let RawOptions { market, as_of, parse_cache, remote_parser, .. } = *self.options;
        self.accounts.count_files(self.sources);
        let supplied = table_files::read(self.sources, as_of, &mut self.accounts)?;
        let [statement_cache, price_cache] =
            CACHE_FOLDERS.map(|name| parse_cache.map(|folder| folder.join(name)));
        let remote = RemoteParser::new(as_of, remote_parser, self.dir);
        let reading = ReferenceReading { market, as_of, cache: statement_cache.as_deref(), remote };
        let (mut reference, statements) =
            reference_files::read(self.sources, reading, &mut self.accounts, progress)?;
        market_report::report_misdated(&reference, &mut self.accounts);
        let (cache, spool) = (price_cache.as_deref(), &self.spool);
        let reading = PriceReading { market, as_of, reference: &reference, cache, spool, remote };
        let mut prices =
            price_files::read(self.sources, reading, HashMap::new(), &mut self.accounts, progress)?;
        reference.add_splits(std::mem::take(&mut prices.splits), prices.last);
        self.accounts.settle_faults(self.options.allow_unreadable)?;
        Ok((FileRows { supplied, reference, statements }, prices))
    }

    /// Moves all rows to current symbols and removes duplicates.
    ///
    /// # Errors
    /// Refused rows cannot be written.
    fn settle_rows(&mut self, files: &mut FileRows, histories: &Histories) -> Result<CompanyRows, RawError> {
        let RawOptions { market, as_of, lists_as_of, .. } = *self.options;
        let FileRows { supplied, reference, statements } = files;
        let (sources, symbols) = (self.sources, &histories.followed.symbols);
        let last = histories.last;
        let assumed = lists_as_of.map_or((last, DateFrom::LastSession), |date| (date, DateFrom::Option));
        let has_bars = |symbol: &str| histories.symbols.contains(symbol);
        reference.renew_symbols(symbols, assumed.0, has_bars);
        let mut statements = std::mem::take(statements);
        statements.renew_symbols(symbols);
        let statements = if statements.is_empty() {
            None
        } else {
            let companies = CompanyLookup::new(&reference.ciks, reference.names(), &reference.former_names);
            let context = SettleContext { market, as_of, companies, sources };
            Some(context.settle(statements, &mut self.accounts)?)
        };
        let (announced, duplicates, unread) =
            events::drop_repetitions(reference.records.take_rows(), symbols, self.options.purposes, sources);
        self.accounts.book_duplicates(&duplicates, sources);
        self.accounts.report.exceptions.extend(unread);
        let mut user_rows = table_files::settle(
            std::mem::take(supplied),
            self.user_tables,
            symbols,
            assumed.0,
            has_bars,
            sources,
            &mut self.accounts,
        );
        let mut notes = readings::complete(&mut user_rows, self.user_tables, market, has_bars);
        notes.extend(same_columns::add(&mut user_rows, self.user_tables));
        self.accounts.report.exceptions.extend(notes);
        let written = std::mem::take(&mut reference.actions);
        let (actions, events) = action_list::actions_in_force(
            written, announced, &histories.merged, &histories.sessions, self.options.purposes, sources,
            &mut self.accounts,
        )?;
        let spin_offs = events::spin_offs(&events);
        let mut tables = RecordTables::default();
        tables.insert(events);
        Ok(CompanyRows { statements, actions, spin_offs, tables, user_rows, assumed })
    }

    /// Builds the columns of each symbol, whose bars are freed, and finds the missing sessions.
    ///
    /// # Errors
    /// The spool cannot be read or written.
    fn columns(
        &self,
        reference: &mut ReferenceData,
        histories: &mut Histories,
        rows: &CompanyRows,
    ) -> Result<(BuiltColumns, Vec<MissingSessions>), RawError> {
        let (market, last) = (self.options.market, histories.last);
        let sizes = std::mem::take(&mut reference.sizes);
        let merged = std::mem::take(&mut histories.merged);
        let newest = self.options.as_of.is_none().then_some(last);
        let (statements, assumed) = (rows.statements.as_ref(), rows.assumed.0);
        let counts = ShareCounts::new(sizes, reference, statements, &merged, assumed, newest);
        let numbers = SessionNumbers::new(&histories.sessions);
        let actions = actions_by_symbol(&rows.actions);
        let (missing, gaps) =
            missing_sessions::find_missing(&merged, &actions, &histories.sessions, &numbers, market)?;
        let calendar = MarketSessions { numbers: &numbers, gaps: &gaps, last };
        let built = build(merged, rows, &counts, calendar, &self.spool, self.sources, market)?;
        Ok((built, missing))
    }

    /// Lists the companies and the members of indices, and settles their filings.
    ///
    /// # Errors
    /// Refused rows cannot be written.
    fn companies(
        &mut self,
        reference: &mut ReferenceData,
        histories: &Histories,
        built: &BuiltColumns,
        rows: &mut CompanyRows,
    ) -> Result<(Vec<Company>, Vec<Member>), RawError> {
        let (market, stocks) = (self.options.market, built.stocks.as_slice());
        let filers = histories.symbols.iter().map(String::as_str).filter(|_| !histories.has_prices);
        let traded = stocks.iter().map(|stock| stock.symbol.as_str());
        let listed: BTreeSet<&str> = traded.chain(filers).collect();
        let mut companies = company_list::companies(listed.into_iter(), market, reference, &histories.isins);
        share_classes::count_once(&mut companies, stocks, market, &reference.ciks);
        let names = std::mem::take(&mut reference.former_names);
        let symbols = &histories.followed.symbols;
        let names = former_names::former_names(names, symbols, &companies, histories.last);
        if !names.is_empty() {
            rows.tables.insert(names);
        }
        if market == Market::Us {
            let bars = MarketBars { stocks, bars: &built.bars, sessions: &histories.sessions };
            let (accounts, tables) = (&mut self.accounts, &mut rows.tables);
            settle::settle(reference, &companies, bars, self.sources, accounts, tables)?;
            company_list::name_companies(&mut companies);
        }
        let members = company_list::members(&reference.lists, rows.assumed, &mut self.accounts.report);
        Ok((companies, members))
    }
}

/// Returns the files of a market, and a report that names the other files.
fn begin_report(market: Market, found: FoundFiles) -> (Vec<RawSource>, Report) {
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
