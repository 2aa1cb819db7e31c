//! `parquote derive`: derives published tables from raw files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{anyhow, bail};
use chrono::NaiveDate;
use clap::Args;

use super::catalogue;
use super::destination::Destination;
use super::output::say;
use super::past_sets::{PastArgs, days_there};
use super::progress::TerminalProgress;
use super::times::date;
use super::workers::WorkersArgs;
use crate::derive::{
    AllowedFaults, DeriveError, DeriveOptions, DerivedMarket, Publishing, RederiveOptions, UnitRunner,
    derive, derive_figures, published_days,
};
use crate::engine::{Engine, QueryLimits};
use crate::operation::{Catalogue, Market};
use crate::raw::UnpackBounds;
use crate::refresh::{Finding, admit};
use crate::set::{Home, Set, mirror};
use crate::workers::Fleet;

/// Arguments of `derive`.
#[derive(Debug, Args)]
pub(super) struct DeriveArgs {
    /// The raw files: everything under DIR/india and DIR/us, or below the URL of an object store, whose files are copied
    /// into the cache first.
    #[arg(long, value_name = "DIR|URL", required_unless_present = "figures_only")]
    raw: Option<String>,
    #[command(flatten)]
    to: Destination,
    /// Only this market. The default is every market that DIR has.
    #[arg(long, value_name = "india|us")]
    market: Option<Market>,
    /// Leave out rows after this date.
    #[arg(long, value_name = "DATE", value_parser = date)]
    as_of: Option<NaiveDate>,
    #[command(flatten)]
    past: PastArgs,
    /// The date of index-member lists whose path has no date.
    #[arg(long, value_name = "DATE", value_parser = date)]
    lists_as_of: Option<NaiveDate>,
    /// Compute the figures again from the bars of the newest set, without raw files, after a formula changed.
    #[arg(long, conflicts_with_all = ["raw", "as_of", "lists_as_of", "allow_unreadable", "allow_fewer"])]
    figures_only: bool,
    /// With --figures-only: compute only these tables and the tables that they read.
    #[arg(long, value_name = "TABLE,...", value_delimiter = ',', requires = "figures_only")]
    only: Vec<String>,
    /// Begin a ledger of the scans, DIR/ledger/MARKET.jsonl. This derivation and all later ones append the stocks that are in the scans on
    /// their last session.
    #[arg(long, conflicts_with_all = ["past", "past_months"])]
    ledger: bool,
    /// A full rebuild: read every raw file and compute every partition, also those that did not change.
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    allow: AllowArgs,
    #[command(flatten)]
    bounds: BoundArgs,
    #[command(flatten)]
    workers: WorkersArgs,
}

/// Limits on unpacking and memory.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct BoundArgs {
    /// Bytes that a raw file or a member of an archive may unpack to for each of its own, beyond the first 64 MiB; one that is
    /// over it is left out and named in the report.
    #[arg(long, value_name = "N", env = "PARQUOTE_UNPACK_RATIO", default_value_t = UnpackBounds::default().ratio, value_parser = clap::value_parser!(u64).range(1..))]
    unpack_ratio: u64,
    /// Gibibytes that a raw file may unpack to, of an archive all members together.
    #[arg(long, value_name = "N", env = "PARQUOTE_UNPACK_GIB", default_value_t = UnpackBounds::default().unpacked >> 30, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    unpack_gib: u64,
    /// Mebibytes that the bars of a market may take in memory while it is derived; the others wait in a file next to the tables. By
    /// default all are in memory, some 80 MiB a million.
    #[arg(long, value_name = "N", env = "PARQUOTE_DERIVE_MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    derive_mib: Option<u64>,
}

/// Faults that are allowed.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct AllowArgs {
    /// Use raw files that are damaged or cut as far as they can be read, and leave out those that cannot be opened; the report
    /// names them.
    #[arg(long)]
    allow_unreadable: bool,
    /// Publish a set also with fewer sessions or symbols than the one before.
    #[arg(long)]
    allow_fewer: bool,
}

impl DeriveArgs {
    fn publishing(&self) -> Publishing {
        Publishing { begin_ledger: self.ledger, ..self.to.publishing() }
    }
}

impl BoundArgs {
    pub(super) const fn bounds(self) -> UnpackBounds {
        UnpackBounds { ratio: self.unpack_ratio, unpacked: self.unpack_gib << 30 }
    }

    /// Returns the maximum bytes of bars in memory; `None` without a limit.
    pub(super) fn bars_memory_bytes(self) -> Option<u64> {
        self.derive_mib.map(|mib| mib << 20)
    }
}

impl AllowArgs {
    pub(super) const fn allowed_faults(self) -> AllowedFaults {
        AllowedFaults { unreadable: self.allow_unreadable, fewer: self.allow_fewer }
    }
}

pub(super) async fn run(queries: Option<&Path>, args: &DeriveArgs) -> anyhow::Result<()> {
    args.to.check()?;
    let catalogue = catalogue::read(queries)?;
    let data = args.to.folder();
    let raw = match &args.raw {
        Some(url) if url.contains("://") => Some(mirror_raw_files(url, &args.to).await?),
        raw => raw.as_ref().map(PathBuf::from),
    };
    let folder = raw.as_ref().unwrap_or(&data);
    let markets: Vec<Market> = match args.market {
        Some(market) => vec![market],
        None => Market::ALL.into_iter().filter(|market| folder.join(market.word()).is_dir()).collect(),
    };
    if markets.is_empty() {
        bail!(DeriveError::NoMarket(folder.clone()));
    }
    let fleet = args.workers.fleet(&catalogue, args.to.root()).await?;
    let mut refused = Vec::new();
    let fleet_for = |market| fleet.as_ref().map(|fleet| Arc::new(fleet.for_market(market)));
    let Some(raw) = raw else {
        for market in markets {
            let (began, fleet) = (Instant::now(), fleet_for(market));
            let options = RederiveOptions {
                only: args.only.clone(),
                full: args.full,
                publishing: args.publishing(),
                units: fleet.clone().map(|fleet| fleet as Arc<dyn UnitRunner>),
            };
            let derived =
                derive_figures(&catalogue, market, &data, &options, &TerminalProgress::new()).await?;
            print(&derived, &data, began);
            tidy(fleet).await;
            match run_admission(&catalogue, &data, &derived, true).await {
                Ok(()) => args.to.upload(&data, &derived).await?,
                Err(error) => refused.push(error),
            }
        }
        return fail_if_refused(&refused);
    };
    let mut options = DeriveOptions {
        raw,
        data,
        as_of: args.as_of,
        lists_as_of: args.lists_as_of,
        full: args.full,
        use_parse_cache: true,
        allow: args.allow.allowed_faults(),
        bounds: args.bounds.bounds(),
        bars_memory_bytes: args.bounds.bars_memory_bytes(),
        publishing: args.publishing(),
        units: None,
        kept_tables_source: None,
    };
    if !args.past.is_empty() {
        return derive_past(&catalogue, &markets, args, options).await;
    }
    for market in markets {
        let fleet = fleet_for(market);
        options.units = fleet.clone().map(|fleet| fleet as Arc<dyn UnitRunner>);
        let derived = derive_market(&catalogue, market, &options).await?;
        tidy(fleet).await;
        match run_admission(&catalogue, &options.data, &derived, !options.allow.fewer).await {
            Ok(()) => args.to.upload(&options.data, &derived).await?,
            Err(error) => refused.push(error),
        }
    }
    fail_if_refused(&refused)
}

/// Derives, checks and uploads the requested past sets that do not exist yet, oldest first. A refused set does not prevent the others.
async fn derive_past(
    catalogue: &Arc<Catalogue>,
    markets: &[Market],
    args: &DeriveArgs,
    options: DeriveOptions,
) -> anyhow::Result<()> {
    let to = args.to.past();
    let (root, mut missing) = (to.sets()?, Vec::new());
    // The days of all markets are checked before anything is derived.
    for market in markets {
        let sessions = published_days(catalogue, *market, &options.data)?;
        let existing = if args.full { BTreeSet::new() } else { days_there(&root, *market).await? };
        let days = args.past.missing_days(*market, &sessions, &existing)?;
        missing.extend(days.into_iter().map(|day| (*market, day)));
    }
    let (data, kept_tables_source) = (to.folder(), Some(options.data));
    let mut options = DeriveOptions { data, kept_tables_source, publishing: to.publishing(), ..options };
    // A past set may be older than the one that was derived before it.
    options.allow.fewer = true;
    let (data, mut refused) = (options.data.display().to_string(), Vec::new());
    for (market, day) in missing {
        options.as_of = Some(day);
        let derived = derive_market(catalogue, market, &options).await?;
        if passes_admission(catalogue, &options.data, &derived, false).await? {
            to.upload(&options.data, &derived).await?;
        } else {
            let number = derived.set.number;
            refused.push(anyhow!(
                "{market}: servers leave out the past set of {day} for the errors above. Mend the raw files and derive the day again, or serve \
                 it in spite of them with `parquote publish --data {data} --market {market} --force --set {number}`"
            ));
        }
    }
    fail_if_refused(&refused)
}

/// Runs admission on a derived set, against the previous set if `is_next`, and prints the findings.
///
/// # Errors
/// A set that servers refuse, with the remaining options.
pub(super) async fn run_admission(
    catalogue: &Arc<Catalogue>,
    data: &Path,
    derived: &DerivedMarket,
    is_next: bool,
) -> anyhow::Result<()> {
    let (market, number) = (derived.market, derived.set.number);
    anyhow::ensure!(
        passes_admission(catalogue, data, derived, is_next).await?,
        "{market}: set {number} is published, and servers refuse it for the errors above: they go on with the set before. Mend the raw files \
         and derive again, or serve it in spite of them with `parquote publish --data {} --market {market} --force --set {number}`",
        data.display()
    );
    Ok(())
}

/// Runs admission as [`run_admission`] does; returns false if servers refuse the set.
async fn passes_admission(
    catalogue: &Arc<Catalogue>,
    data: &Path,
    derived: &DerivedMarket,
    is_next: bool,
) -> anyhow::Result<bool> {
    let engine = Engine::new(Arc::clone(catalogue), &QueryLimits::default());
    let found = Box::pin(admit(&engine, &Home::new(data), derived.market, is_next)).await?;
    for finding in &found {
        say!("  {finding}");
    }
    Ok(!Finding::any_error(&found))
}

/// Fails with all errors of refused sets.
fn fail_if_refused(refused: &[anyhow::Error]) -> anyhow::Result<()> {
    let words: Vec<String> = refused.iter().map(ToString::to_string).collect();
    if words.is_empty() { Ok(()) } else { bail!("{}", words.join("\n")) }
}

/// Mirrors the raw files of an object store into a folder of the cache, and returns the folder.
async fn mirror_raw_files(url: &str, to: &Destination) -> anyhow::Result<PathBuf> {
    let folder = to.cache_folder("raw", url);
    let done = mirror(url, &folder).await?;
    let megabytes = done.bytes as f64 / 1e6;
    say!("brought {} files ({megabytes:.1} MB) of {url}; {} were there", done.fetched, done.unchanged);
    Ok(folder)
}

/// Deletes the files exchanged with workers.
async fn tidy(fleet: Option<Arc<Fleet>>) {
    if let Some(fleet) = fleet {
        fleet.remove_transfer_files().await;
    }
}

/// Derives a market and prints the result.
pub(super) async fn derive_market(
    catalogue: &Arc<Catalogue>,
    market: Market,
    options: &DeriveOptions,
) -> anyhow::Result<DerivedMarket> {
    let began = Instant::now();
    let derived = derive(catalogue, market, options, &TerminalProgress::new()).await?;
    print(&derived, &options.data, began);
    Ok(derived)
}

fn print(derived: &DerivedMarket, data: &Path, began: Instant) {
    if let Some(report) = &derived.report {
        say!("{report}");
    }
    say!("tables");
    for table in &derived.tables {
        say!("  {:<20} {:>12} rows", table.name, table.rows);
    }
    let (folder, seconds) = (data.join(derived.market.word()), began.elapsed().as_secs_f64());
    let Set { number, id, .. } = &derived.set;
    say!("published {} as set {number} ({id}) in {seconds:.1} s", folder.display());
    if derived.report.is_some() {
        say!("refused rows are in {}", folder.join("refused.csv.gz").display());
    }
}
