//! The whole derivation of a market: from raw files, or from the published bars.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::NaiveDate;

use super::bars::InputBars;
use super::build::Build;
use super::error::DeriveError;
use super::identities::identities;
use super::ledger::LedgerTables;
use super::publish::{Publishing, publish};
use super::published::{self, PublishedSet};
use super::shrinkage;
use super::sources::{self, BARS, SESSIONS};
use super::table_writer::TableSize;
use super::units::{UnitFileParser, UnitRunner, new_rebuild_id};
use super::user_supplied;
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_raw::report::Report;
use parquote_raw::{
    self, DeclaredFormat, FileParser, Progress, PurposeWords, RawError, RawMarket, RawOptions, RefusedFile,
    Session, UnpackBounds,
};
use parquote_set::{Home, Set};

/// Name of the file in a market's folder with the report on all raw rows, in JSON.
pub const REPORT: &str = "report.json";
/// Name of the file in a market's folder with the refused raw rows.
pub const REFUSED_FILE: &str = "refused.csv.gz";
/// Name of the folder with the parse cache, next to the folders of the markets. It is not part of a published set.
const PARSE_CACHE: &str = ".parse_cache";

/// Options of a derivation from raw files.
#[derive(Debug, Clone, Default)]
pub struct DeriveOptions {
    /// The folder with one folder of raw files for each market.
    pub raw: PathBuf,
    /// The folder with one folder of tables for each market.
    pub data: PathBuf,
    /// Last date whose rows are read; `None` reads all.
    pub as_of: Option<NaiveDate>,
    /// The date of lists of stocks without a date in their path; `None` if it is unknown.
    pub lists_as_of: Option<NaiveDate>,
    /// True for a full rebuild, which reuses neither the parse cache nor partitions with equal keys.
    pub full: bool,
    /// True to cache parsed price and statement files in the data folder for the next derivation.
    pub use_parse_cache: bool,
    /// Conditions that do not abort the derivation.
    pub allow: AllowedFaults,
    /// Size limits for unpacked raw files.
    pub bounds: UnpackBounds,
    /// Maximum bytes of bars in memory besides those that are being processed. Further bars are spooled to a file in the staging folder.
    /// `None` means no limit.
    pub bars_memory_bytes: Option<u64>,
    /// Options of publishing.
    pub publishing: Publishing,
    /// Runner of work units, which needs a multi-threaded runtime; `None` to derive everything in this process.
    pub units: Option<Arc<dyn UnitRunner>>,
    /// Data folder whose newest set supplies the tables declared `keep`, for the derivation of a past set; `None` for the previous set.
    pub kept_tables_source: Option<PathBuf>,
}

/// Conditions that otherwise abort a derivation.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowedFaults {
    /// True to use damaged or truncated raw files as far as they can be read.
    pub unreadable: bool,
    /// True to publish a set with fewer sessions or symbols than the previous one.
    pub fewer: bool,
}

/// Options of deriving figures again from published bars.
#[derive(Debug, Clone, Default)]
pub struct RederiveOptions {
    /// Names of the tables to derive, with their inputs; all other tables stay as they are. Empty for all tables.
    pub only: Vec<String>,
    /// True to compute partitions with equal keys too.
    pub full: bool,
    /// Options of publishing.
    pub publishing: Publishing,
    /// The runner of work units, as in [`DeriveOptions`].
    pub units: Option<Arc<dyn UnitRunner>>,
}

/// Outcome of a market's derivation.
#[derive(Debug)]
pub struct DerivedMarket {
    /// The market that was derived.
    pub market: Market,
    /// Report on every raw row; `None` if no raw file was read.
    pub report: Option<Report>,
    /// The derived tables with their row counts.
    pub tables: Vec<TableSize>,
    /// The newest set of the market.
    pub set: Set,
}

/// Derives the tables of one market from raw files and publishes them as the market's next set.
///
/// # Errors
/// No market can be derived from the raw files, a file cannot be read whole, there are fewer sessions or symbols than before, a
/// table's SQL fails, the ledger is broken, or a folder cannot be written. Then nothing is published.
pub async fn derive(
    catalogue: &Arc<Catalogue>,
    market: Market,
    options: &DeriveOptions,
    progress: &dyn Progress,
) -> Result<DerivedMarket, DeriveError> {
    let home = Home::new(&options.data);
    let _alone = home.lock_for_work(market)?;
    let before = PublishedSet::find(&home, market)?;
    let begins = options.publishing.begin_ledger;
    let mut ledger = LedgerTables::open(&home, catalogue, market, before.as_ref(), begins)?;
    let staging = home.stage(market)?;
    let raw = read_raw_files(catalogue, market, options, staging.path(), progress)?;
    let kept = match &options.kept_tables_source {
        Some(folder) => PublishedSet::find(&Home::new(folder), market)?,
        None => before.clone(),
    };
    let mut build = Build::begin(catalogue, market, staging.path(), raw.sessions.clone())
        .with_previous_set(before.clone(), options.full)
        .with_kept_tables(kept)
        .with_runner(options.units.clone(), options.full);
    build.sources(&raw).await?;
    let as_of = raw.sessions.last().map(|session| session.date);
    ledger.write(&mut build, as_of)?;
    if let Some(before) = before.filter(|_| !options.allow.fewer) {
        let now = PublishedSet::open(staging.path(), market);
        shrinkage::check(catalogue, &before, &now, market, options.as_of, &raw.report.joined)?;
    }
    let (stocks, mut report) = raw.into_bars();
    build.derive_tables(InputBars::Read(stocks), progress).await?;
    ledger.record(&mut build, as_of)?;
    let tables = std::mem::take(&mut build.sizes);
    report.identities =
        identities(catalogue, market, &PublishedSet::open(staging.path(), market).small_files(catalogue))
            .await?;
    write_report(&report, staging.path())?;
    let set = publish(&home, catalogue, market, &staging, as_of, &options.publishing).await?;
    for name in [REPORT, REFUSED_FILE] {
        let path = home.market_path(market).join(name);
        fs::rename(staging.path().join(name), &path).map_err(|source| DeriveError::Write { path, source })?;
    }
    Ok(DerivedMarket { market, report: Some(report), tables, set })
}

/// Derives the figures of a market again from the published bars, without raw files, such as after a formula changed.
///
/// # Errors
/// There is no published set, a requested table is not a derived one, or as [`derive()`].
pub async fn derive_figures(
    catalogue: &Arc<Catalogue>,
    market: Market,
    data: &Path,
    rederivation: &RederiveOptions,
    progress: &dyn Progress,
) -> Result<DerivedMarket, DeriveError> {
    let missing = || DeriveError::NotPublished { market, data: data.to_owned() };
    let home = Home::new(data);
    if !home.market_path(market).is_dir() {
        return Err(missing());
    }
    let _alone = home.lock_for_work(market)?;
    let published = PublishedSet::find(&home, market)?.ok_or_else(missing)?;
    let bars = sources::table(catalogue, market, BARS).ok_or_else(missing)?;
    let days = sessions_of(catalogue, &published, market)?.ok_or_else(missing)?;
    let as_of = days.last().map(|session| session.date);
    let begins = rederivation.publishing.begin_ledger;
    let mut ledger = LedgerTables::open(&home, catalogue, market, Some(&published), begins)?;
    let staging = home.stage(market)?;
    let mut build = Build::begin(catalogue, market, staging.path(), days)
        .with_previous_set(Some(published.clone()), rederivation.full)
        .with_runner(rederivation.units.clone(), rederivation.full)
        .only_tables(&rederivation.only);
    build.published_sources(&published)?;
    ledger.write(&mut build, as_of)?;
    let bars_input = if published.has_table(bars) {
        published.link_table(bars, staging.path())?;
        InputBars::Published(published.long(bars)?)
    } else {
        InputBars::Read(Vec::new())
    };
    build.derive_tables(bars_input, progress).await?;
    ledger.record(&mut build, as_of)?;
    let tables = std::mem::take(&mut build.sizes);
    let set = publish(&home, catalogue, market, &staging, as_of, &rederivation.publishing).await?;
    Ok(DerivedMarket { market, report: None, tables, set })
}

/// Returns the dates of the sessions of the newest set of a market, oldest first.
///
/// # Errors
/// There is no published set, or its sessions cannot be read.
pub fn published_days(
    catalogue: &Catalogue,
    market: Market,
    data: &Path,
) -> Result<Vec<NaiveDate>, DeriveError> {
    let missing = || DeriveError::NotPublished { market, data: data.to_owned() };
    let published = PublishedSet::find(&Home::new(data), market)?.ok_or_else(missing)?;
    let sessions = sessions_of(catalogue, &published, market)?.ok_or_else(missing)?;
    Ok(sessions.iter().map(|session| session.date).collect())
}

/// Reads the sessions of a set; `None` if it has none.
fn sessions_of(
    catalogue: &Catalogue,
    published: &PublishedSet,
    market: Market,
) -> Result<Option<Vec<Session>>, DeriveError> {
    let Some(table) = sources::table(catalogue, market, SESSIONS) else { return Ok(None) };
    let Some(rows) = published.read_single_file(table) else { return Ok(None) };
    published::parse_sessions(&rows?).map(Some).map_err(DeriveError::row_error(&table.name))
}

fn read_raw_files(
    catalogue: &Catalogue,
    market: Market,
    options: &DeriveOptions,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<RawMarket, DeriveError> {
    let path = folder.join(REFUSED_FILE);
    let failed = |source| DeriveError::Write { path: path.clone(), source };
    let mut refused = RefusedFile::create(&path).map_err(failed)?;
    let cache = options.data.join(PARSE_CACHE).join(market.word());
    if options.full && options.use_parse_cache && cache.exists() {
        fs::remove_dir_all(&cache).map_err(|source| DeriveError::Write { path: cache.clone(), source })?;
    }
    let remote_parser = options.units.as_ref().map(|runner| UnitFileParser {
        market,
        bounds: options.bounds,
        folder,
        rebuild_id: new_rebuild_id(options.full),
        runner,
    });
    let declared = DeclaredFormat::table_formats(catalogue).map_err(RawError::Declaration)?;
    let purposes = PurposeWords::from_catalogue(catalogue).map_err(RawError::Declaration)?;
    let raw_options = RawOptions {
        as_of: options.as_of,
        lists_as_of: options.lists_as_of,
        user_tables: &user_supplied::tables(catalogue, market),
        declared_formats: &declared,
        purposes: &purposes,
        parse_cache: options.use_parse_cache.then_some(&*cache),
        remote_parser: remote_parser.as_ref().map(|parser| parser as &dyn FileParser),
        allow_unreadable: options.allow.unreadable,
        bounds: options.bounds,
        bars_memory_bytes: options.bars_memory_bytes,
        scratch: Some(folder),
        ..RawOptions::for_market(market)
    };
    Ok(parquote_raw::read(&options.raw.join(market.word()), &raw_options, &mut refused, progress)?)
}

fn write_report(report: &Report, folder: &Path) -> Result<(), DeriveError> {
    let path = folder.join(REPORT);
    let text = serde_json::to_string_pretty(report).map_err(DeriveError::Report)?;
    fs::write(&path, text).map_err(|source| DeriveError::Write { path, source })
}
