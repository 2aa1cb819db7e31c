//! The whole derivation of a market: from raw files, or from the published bars.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::NaiveDate;

use super::bars::GivenBars;
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
    self, DeclaredFormat, ParseElsewhere, Progress, PurposeWords, RawError, RawMarket, RawOptions,
    RefusedFile, Session, UnpackBounds,
};
use parquote_set::{Home, Set};

/// File beside the sets of a market: the machine-readable report on every raw row.
pub const REPORT: &str = "report.json";
/// File beside the sets of a market: the refused rows.
pub const REFUSED_FILE: &str = "refused.csv.gz";
/// Folder of the parse cache, next to the folders of the markets. It is not part of a published set.
const PARSE_CACHE: &str = ".parse_cache";

/// Options of a derivation from raw files.
#[derive(Debug, Clone, Default)]
pub struct DeriveOptions {
    /// The folder that holds one folder of raw files for each market.
    pub raw: PathBuf,
    /// The folder that holds one folder of tables for each market.
    pub data: PathBuf,
    /// Last date whose rows are read; `None` reads all.
    pub as_of: Option<NaiveDate>,
    /// The date of lists without a date in their path.
    pub lists_as_of: Option<NaiveDate>,
    /// True for a full rebuild: everything is read and computed, including cached raw files and partitions with equal keys.
    pub full: bool,
    /// True to cache parsed price and statement files in the data folder for the next derivation.
    pub remember: bool,
    /// Conditions that are tolerated.
    pub allow: AllowedFaults,
    /// Size limits for unpacked raw files.
    pub bounds: UnpackBounds,
    /// Most bytes of bars in memory, in addition to those being processed; the others are spooled to a file in the staging folder. `None`
    /// means no limit.
    pub bars_held: Option<u64>,
    /// Options of publishing.
    pub publishing: Publishing,
    /// Runner of work units; `None` to run all in this process. It needs a multi-threaded runtime.
    pub units: Option<Arc<dyn UnitRunner>>,
    /// For a past set, the folder of the published sets: the newest of them supplies the tables declared `keep`. If it is `None`, the
    /// previous set supplies them.
    pub kept_from: Option<PathBuf>,
}

/// Conditions that otherwise abort a derivation.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowedFaults {
    /// True to use damaged, truncated or unreadable raw files as far as they can be read.
    pub unreadable: bool,
    /// Fewer sessions or symbols than in the previous set.
    pub fewer: bool,
}

/// Options of deriving figures again from published bars.
#[derive(Debug, Clone, Default)]
pub struct RederiveOptions {
    /// The requested tables: they and their inputs are derived, the others stay as they are. Empty means all.
    pub only: Vec<String>,
    /// True to compute also partitions with equal keys.
    pub full: bool,
    /// Options of publishing.
    pub publishing: Publishing,
    /// The runner of work units, as in [`DeriveOptions`].
    pub units: Option<Arc<dyn UnitRunner>>,
}

/// Outcome of a market's derivation.
#[derive(Debug)]
pub struct DerivedMarket {
    /// The market.
    pub market: Market,
    /// Report on every raw row; `None` if no raw file was read.
    pub report: Option<Report>,
    /// The tables derived, with their row counts.
    pub tables: Vec<TableSize>,
    /// The newest set.
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
    let raw = read(catalogue, market, options, staging.path(), progress)?;
    let kept = match &options.kept_from {
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
    build.derive_tables(GivenBars::Read(stocks), progress).await?;
    ledger.record(&mut build, as_of)?;
    let tables = std::mem::take(&mut build.sizes);
    report.identities =
        identities(catalogue, market, &PublishedSet::open(staging.path(), market).small_files(catalogue))
            .await?;
    write_report(&report, staging.path())?;
    let set = publish(&home, catalogue, market, &staging, as_of, &options.publishing).await?;
    for name in [REPORT, REFUSED_FILE] {
        let path = home.market(market).join(name);
        fs::rename(staging.path().join(name), &path).map_err(|source| DeriveError::Write { path, source })?;
    }
    Ok(DerivedMarket { market, report: Some(report), tables, set })
}

/// Derives the figures of a market again from the published bars, without raw files: for use after a formula changed.
///
/// # Errors
/// There is no published set, a requested table is not a derived one, or as [`derive()`].
pub async fn derive_figures(
    catalogue: &Arc<Catalogue>,
    market: Market,
    data: &Path,
    again: &RederiveOptions,
    progress: &dyn Progress,
) -> Result<DerivedMarket, DeriveError> {
    let missing = || DeriveError::NotPublished { market, data: data.to_owned() };
    let home = Home::new(data);
    if !home.market(market).is_dir() {
        return Err(missing());
    }
    let _alone = home.lock_for_work(market)?;
    let published = PublishedSet::find(&home, market)?.ok_or_else(missing)?;
    let bars = sources::table(catalogue, market, BARS).ok_or_else(missing)?;
    let days = sessions_of(catalogue, &published, market)?.ok_or_else(missing)?;
    let as_of = days.last().map(|session| session.date);
    let begins = again.publishing.begin_ledger;
    let mut ledger = LedgerTables::open(&home, catalogue, market, Some(&published), begins)?;
    let staging = home.stage(market)?;
    let mut build = Build::begin(catalogue, market, staging.path(), days)
        .with_previous_set(Some(published.clone()), again.full)
        .with_runner(again.units.clone(), again.full)
        .only_tables(&again.only);
    build.published_sources(&published)?;
    ledger.write(&mut build, as_of)?;
    let given = if published.has_table(bars) {
        published.link_table(bars, staging.path())?;
        GivenBars::Published(published.long(bars)?)
    } else {
        GivenBars::Read(Vec::new())
    };
    build.derive_tables(given, progress).await?;
    ledger.record(&mut build, as_of)?;
    let tables = std::mem::take(&mut build.sizes);
    let set = publish(&home, catalogue, market, &staging, as_of, &again.publishing).await?;
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

fn read(
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
    if options.full && options.remember && cache.exists() {
        fs::remove_dir_all(&cache).map_err(|source| DeriveError::Write { path: cache.clone(), source })?;
    }
    let elsewhere = options.units.as_ref().map(|runner| UnitFileParser {
        market,
        bounds: options.bounds,
        folder,
        rebuild_id: new_rebuild_id(options.full),
        runner,
    });
    let declared = DeclaredFormat::of_tables(catalogue).map_err(RawError::Declaration)?;
    let purposes = PurposeWords::from_catalogue(catalogue).map_err(RawError::Declaration)?;
    let how = RawOptions {
        as_of: options.as_of,
        lists_as_of: options.lists_as_of,
        user_tables: &user_supplied::tables(catalogue, market),
        declared_formats: &declared,
        purposes: &purposes,
        parse_cache: options.remember.then_some(&*cache),
        elsewhere: elsewhere.as_ref().map(|parser| parser as &dyn ParseElsewhere),
        allow_unreadable: options.allow.unreadable,
        bounds: options.bounds,
        bars_held: options.bars_held,
        scratch: Some(folder),
        ..RawOptions::for_market(market)
    };
    Ok(parquote_raw::read(&options.raw.join(market.word()), &how, &mut refused, progress)?)
}

fn write_report(report: &Report, folder: &Path) -> Result<(), DeriveError> {
    let path = folder.join(REPORT);
    let text = serde_json::to_string_pretty(report).map_err(DeriveError::Report)?;
    fs::write(&path, text).map_err(|source| DeriveError::Write { path, source })
}
