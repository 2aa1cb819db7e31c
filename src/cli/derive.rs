//! `parquote derive`: raw exchange files to published tables.

use super::output::say;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::bail;
use chrono::NaiveDate;
use clap::Args;

use super::progress::Shown;
use super::{catalogue, publish};
use crate::config::RetentionArgs;
use crate::derive::raw::UnpackBounds;
use crate::derive::{
    Allowed, DeriveError, DeriveOptions, Derived, FiguresAgain, Publishing, derive, derive_figures,
};
use crate::operation::{Catalogue, Market};
use crate::set::{Home, Set};

/// Arguments of `derive`.
#[derive(Debug, Args)]
pub(super) struct DeriveArgs {
    /// The folder of raw files: all that lies anywhere under DIR/india and DIR/us.
    #[arg(long, value_name = "DIR", required_unless_present = "figures_only")]
    raw: Option<PathBuf>,
    /// The folder that takes the sets, as DIR/india and DIR/us; or an object store, for which they are made in the cache.
    #[arg(long, value_name = "DIR|URL")]
    data: String,
    /// The folder in which sets for an object store are made; what is there need not be made again.
    #[arg(long, value_name = "DIR", env = "PARQUOTE_CACHE", default_value = "state/cache")]
    cache: PathBuf,
    /// Only this market; left out, every market that DIR has.
    #[arg(long, value_name = "india|us")]
    market: Option<Market>,
    /// Leave out rows after this date.
    #[arg(long, value_name = "DATE")]
    as_of: Option<NaiveDate>,
    /// The date of member lists whose path has none.
    #[arg(long, value_name = "DATE")]
    lists_as_of: Option<NaiveDate>,
    /// Derive the figures again from the bars that DIR has, without raw files: after a formula changed.
    #[arg(long, conflicts_with_all = ["raw", "as_of", "lists_as_of", "allow_unreadable", "allow_fewer"])]
    figures_only: bool,
    /// Of the figures, derive only these tables and what they read; the others stay as they are.
    #[arg(long, value_name = "TABLE,...", value_delimiter = ',', requires = "figures_only")]
    only: Vec<String>,
    /// A full rebuild: read also those files, and make also those partitions of tables, that are as they were.
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    keeping: RetentionArgs,
    #[command(flatten)]
    allow: AllowArgs,
    #[command(flatten)]
    bounds: BoundArgs,
}

/// What raw files may cost.
#[derive(Debug, Clone, Copy, Args)]
struct BoundArgs {
    /// Bytes that a raw file or a member of an archive may unpack to for each of its own, beyond the first 64 MiB; one that is
    /// over it is left out and named in the report.
    #[arg(long, value_name = "N", env = "PARQUOTE_UNPACK_RATIO", default_value_t = UnpackBounds::default().ratio, value_parser = clap::value_parser!(u64).range(1..))]
    unpack_ratio: u64,
    /// Gibibytes that a raw file may unpack to, of an archive all members together.
    #[arg(long, value_name = "N", env = "PARQUOTE_UNPACK_GIB", default_value_t = UnpackBounds::default().unpacked >> 30, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    unpack_gib: u64,
}

/// What is let pass.
#[derive(Debug, Clone, Copy, Args)]
struct AllowArgs {
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
        Publishing { keep: self.keeping.keep(), lean: false }
    }

    fn url(&self) -> Option<&str> {
        self.data.contains("://").then_some(self.data.as_str())
    }

    /// The folder in which sets are made: that of the data, or one of the cache where the data lies in a store.
    fn folder(&self) -> PathBuf {
        const NAMED: usize = 16;
        match self.url() {
            None => PathBuf::from(&self.data),
            Some(url) => {
                let hash = blake3::hash(url.as_bytes()).to_hex();
                self.cache.join("derived").join(hash.get(..NAMED).unwrap_or_default())
            }
        }
    }

    /// Publishes what was derived into the object store, where there is one.
    async fn upload(&self, data: &Path, derived: &Derived) -> anyhow::Result<()> {
        let Some(url) = self.url() else { return Ok(()) };
        let (bucket, home) = (publish::store(url)?, Home::new(data));
        publish::publish_into(&bucket, &home, (derived.market, &derived.set), &self.keeping).await
    }
}

pub(super) async fn run(queries: Option<&Path>, args: &DeriveArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    let data = args.folder();
    let given = args.raw.as_ref().unwrap_or(&data);
    let markets: Vec<Market> = match args.market {
        Some(market) => vec![market],
        None => Market::ALL.into_iter().filter(|market| given.join(market.word()).is_dir()).collect(),
    };
    if markets.is_empty() {
        bail!(DeriveError::NoMarket { dir: given.clone() });
    }
    let Some(raw) = args.raw.clone() else {
        let again = FiguresAgain { only: args.only.clone(), full: args.full, publishing: args.publishing() };
        for market in markets {
            let began = Instant::now();
            let derived = derive_figures(&catalogue, market, &data, &again, &Shown::new()).await?;
            print(&derived, &data, began);
            args.upload(&data, &derived).await?;
        }
        return Ok(());
    };
    let options = DeriveOptions {
        raw,
        data,
        as_of: args.as_of,
        lists_as_of: args.lists_as_of,
        full: args.full,
        remember: true,
        allow: Allowed { unreadable: args.allow.allow_unreadable, fewer: args.allow.allow_fewer },
        bounds: UnpackBounds { ratio: args.bounds.unpack_ratio, unpacked: args.bounds.unpack_gib << 30 },
        publishing: args.publishing(),
    };
    for market in markets {
        let derived = one(&catalogue, market, &options).await?;
        args.upload(&options.data, &derived).await?;
    }
    Ok(())
}

/// Derives a market and prints the result.
pub(super) async fn one(
    catalogue: &Arc<Catalogue>,
    market: Market,
    options: &DeriveOptions,
) -> anyhow::Result<Derived> {
    let began = Instant::now();
    let derived = derive(catalogue, market, options, &Shown::new()).await?;
    print(&derived, &options.data, began);
    Ok(derived)
}

fn print(derived: &Derived, data: &Path, began: Instant) {
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
