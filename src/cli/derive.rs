//! `parquote derive`: raw exchange files to published tables.

use super::output::say;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::bail;
use chrono::NaiveDate;
use clap::Args;

use super::catalogue;
use super::progress::Shown;
use crate::derive::{Allowed, DeriveError, DeriveOptions, Derived, FiguresAgain, derive, derive_figures};
use crate::operation::{Catalogue, Market};

/// Arguments of `derive`.
#[derive(Debug, Args)]
pub(super) struct DeriveArgs {
    /// The folder of raw files: all that lies anywhere under DIR/india and DIR/us.
    #[arg(long, value_name = "DIR", required_unless_present = "figures_only")]
    raw: Option<PathBuf>,
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
    /// Derive the figures again from the bars that DIR has, without raw files: after a formula changed.
    #[arg(long, conflicts_with_all = ["raw", "as_of", "lists_as_of", "allow_unreadable", "allow_fewer"])]
    figures_only: bool,
    /// Of the figures, derive only these tables and what they read; the others stay as they are.
    #[arg(long, value_name = "TABLE,...", value_delimiter = ',', requires = "figures_only")]
    only: Vec<String>,
    /// Read also those files, and make also those tables and years of long tables again, that are as they were.
    #[arg(long)]
    anew: bool,
    #[command(flatten)]
    allow: AllowArgs,
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

pub(super) async fn run(queries: Option<&Path>, args: &DeriveArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    let given = args.raw.as_ref().unwrap_or(&args.data);
    let markets: Vec<Market> = match args.market {
        Some(market) => vec![market],
        None => Market::ALL.into_iter().filter(|market| given.join(market.word()).is_dir()).collect(),
    };
    if markets.is_empty() {
        bail!(DeriveError::NoMarket { dir: given.clone() });
    }
    let Some(raw) = args.raw.clone() else {
        let again = FiguresAgain { only: args.only.clone(), anew: args.anew };
        for market in markets {
            let began = Instant::now();
            let derived = derive_figures(&catalogue, market, &args.data, &again, &Shown::new()).await?;
            print(&derived, &args.data, began);
        }
        return Ok(());
    };
    let options = DeriveOptions {
        raw,
        data: args.data.clone(),
        as_of: args.as_of,
        lists_as_of: args.lists_as_of,
        anew: args.anew,
        remember: true,
        allow: Allowed { unreadable: args.allow.allow_unreadable, fewer: args.allow.allow_fewer },
    };
    all(&catalogue, &markets, &options).await
}

/// Derives the markets one after the other and prints what became of each.
pub(super) async fn all(
    catalogue: &Arc<Catalogue>,
    markets: &[Market],
    options: &DeriveOptions,
) -> anyhow::Result<()> {
    for market in markets {
        let began = Instant::now();
        let derived = derive(catalogue, *market, options, &Shown::new()).await?;
        print(&derived, &options.data, began);
    }
    Ok(())
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
    say!("published {} in {seconds:.1} s", folder.display());
    if derived.report.is_some() {
        say!("refused rows are in {}", folder.join("refused.csv.gz").display());
    }
}
