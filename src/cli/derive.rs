//! `parquote derive`: raw exchange files to published tables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use chrono::NaiveDate;
use clap::Args;

use super::catalogue;
use super::progress::Shown;
use crate::derive::{DeriveError, DeriveOptions, Derived, derive};
use crate::operation::{Catalogue, Market};

/// Arguments of `derive`.
#[derive(Debug, Args)]
pub(super) struct DeriveArgs {
    /// The folder of raw files: all that lies anywhere under DIR/india and DIR/us.
    #[arg(long, value_name = "DIR")]
    raw: PathBuf,
    /// The folder that takes the tables, as DIR/india and DIR/us.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Only this market; left out, every market that DIR has.
    #[arg(long, value_name = "india|us")]
    market: Option<Market>,
    /// Leave out rows after this date.
    #[arg(long, value_name = "DATE")]
    as_of: Option<NaiveDate>,
    /// The date of member lists whose path has none.
    #[arg(long, value_name = "DATE")]
    lists_as_of: Option<NaiveDate>,
}

pub(super) async fn run(queries: Option<&Path>, args: &DeriveArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    let options = DeriveOptions {
        raw: args.raw.clone(),
        data: args.data.clone(),
        as_of: args.as_of,
        lists_as_of: args.lists_as_of,
    };
    let markets: Vec<Market> = match args.market {
        Some(market) => vec![market],
        None => Market::ALL.into_iter().filter(|market| args.raw.join(market.word()).is_dir()).collect(),
    };
    if markets.is_empty() {
        bail!(DeriveError::NoMarket { dir: args.raw.clone() });
    }
    all(&catalogue, &markets, &options).await
}

/// Derives the markets one after the other and prints what became of each.
pub(super) async fn all(
    catalogue: &Arc<Catalogue>,
    markets: &[Market],
    options: &DeriveOptions,
) -> anyhow::Result<()> {
    for market in markets {
        let began = std::time::Instant::now();
        let derived = derive(catalogue, *market, options, &Shown::new()).await?;
        print(&derived, options, began.elapsed().as_secs_f64());
    }
    Ok(())
}

fn print(derived: &Derived, options: &DeriveOptions, seconds: f64) {
    println!("{}", derived.report);
    println!("tables");
    for table in &derived.tables {
        println!("  {:<20} {:>12} rows", table.name, table.rows);
    }
    let folder = options.data.join(derived.market.word());
    println!("published {} in {seconds:.1} s; refused rows are in refused.csv.gz there", folder.display());
}
