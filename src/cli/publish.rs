//! `parquote publish`: publishes plain files as the next set without a server, or uploads the newest set to an object store.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use super::output::say;
use super::{catalogue, refreshing};
use crate::config::RetentionArgs;
use crate::digits::counted;
use crate::engine::{Engine, QueryLimits};
use crate::operation::Market;
use crate::refresh::{Admission, Finding, PublishOutcome, publish};
use crate::set::{Bucket, Home, Root};

/// Arguments of `publish`.
#[derive(Debug, Args)]
pub(super) struct PublishArgs {
    /// The folder that holds india/ and us/ with plain files.
    #[arg(long, value_name = "DIR", env = "PARQUOTE_DATA")]
    data: PathBuf,
    /// Only this market.
    #[arg(long, value_name = "india|us")]
    market: Option<Market>,
    /// Publish faulty files too, as far as they can be loaded; the set is then marked as forced.
    #[arg(long)]
    force: bool,
    /// With --force and --market: publish set N again, although it was refused, in place of plain files.
    #[arg(long, value_name = "N", requires = "force", requires = "market")]
    set: Option<u64>,
    /// Upload the newest set of the folder to this object store, instead of publishing plain files.
    #[arg(long, value_name = "URL", conflicts_with = "force")]
    to: Option<String>,
    #[command(flatten)]
    keeping: RetentionArgs,
}

pub(super) async fn run(queries: Option<&Path>, args: &PublishArgs) -> anyhow::Result<()> {
    let home = Home::new(&args.data);
    let markets: Vec<Market> =
        Market::ALL.into_iter().filter(|market| args.market.is_none_or(|only| only == *market)).collect();
    if let Some(url) = &args.to {
        return upload(&home, &markets, url, &args.keeping).await;
    }
    if let (Some(number), Some(market)) = (args.set, args.market) {
        let set = home.roll_back(market, number, true)?;
        say!(
            "{market}: published set {number} as set {} ({}), although it was found faulty",
            set.number,
            set.id
        );
        return Ok(());
    }
    let catalogue = catalogue::read(queries)?;
    let limits = QueryLimits::default();
    let engine = Engine::new(catalogue, &limits);
    let vetter = refreshing::vetter(queries, limits.check_bytes as u64)?;
    let mut refused = 0;
    let markets_with_folder: Vec<Market> =
        markets.into_iter().filter(|market| home.market_path(*market).is_dir()).collect();
    anyhow::ensure!(
        !markets_with_folder.is_empty(),
        "{} has no folder of a market, such as india or us",
        home.root().display()
    );
    for market in markets_with_folder {
        let admission = Admission::for_today(&engine, &vetter, market);
        match Box::pin(publish(&admission, &home, market, args.force)).await? {
            PublishOutcome::Unchanged(None) => say!("{market}: there are no plain files"),
            PublishOutcome::Unchanged(Some(set)) => {
                say!("{market}: set {} has all plain files already", set.number);
            }
            PublishOutcome::Published(set, findings) => {
                print(&findings);
                let forced = if set.published.forced { ", although it is faulty" } else { "" };
                say!("{market}: published as set {} ({}){forced}", set.number, set.id);
                home.sweep(market, &args.keeping.keep())?;
            }
            PublishOutcome::Refused(findings) => {
                print(&findings);
                say!("{market}: refused; what was served before stays");
                refused += 1;
            }
        }
    }
    if refused > 0 {
        bail!(
            "{} refused; correct the files, or publish them in spite of it with --force",
            counted(refused, "market was", "markets were")
        );
    }
    Ok(())
}

fn print(findings: &[Finding]) {
    for finding in Finding::describe(findings) {
        say!("  {finding}");
    }
}

async fn upload(home: &Home, markets: &[Market], url: &str, keeping: &RetentionArgs) -> anyhow::Result<()> {
    let bucket = store(url)?;
    let mut any = false;
    for market in markets {
        let Some(set) = home.newest(*market)? else { continue };
        any = true;
        publish_into(&bucket, home, *market, &set, keeping).await?;
    }
    anyhow::ensure!(any, "{} has no sets; publish or derive them first", home.root().display());
    Ok(())
}

/// Opens the object store of a URL for writing.
pub(super) fn store(url: &str) -> anyhow::Result<Bucket> {
    // Nothing is read by blocks here, so no block is cached.
    let scratch = tempfile::tempdir()?;
    match Root::open(url, scratch.path(), 1)? {
        Root::Bucket(bucket) => Ok(bucket),
        Root::Folder(_) => {
            bail!(
                "`{url}` is no object store; give a URL such as s3://bucket/market-data, or a folder as a plain path"
            )
        }
    }
}

/// Publishes a set of a folder to a store and prints the result.
pub(super) async fn publish_into(
    bucket: &Bucket,
    home: &Home,
    market: Market,
    set: &crate::set::Set,
    keeping: &RetentionArgs,
) -> anyhow::Result<()> {
    let uploaded = bucket.upload(home, market, set).await?;
    bucket.sweep(market, &keeping.keep()).await?;
    say!("{market}: {} holds it as set {} ({})", bucket.location(), uploaded.number, uploaded.id);
    Ok(())
}
