//! `parquote demo`: the fictional market, through the same derivation as real data.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::output::say;
use super::progress::TerminalProgress;
use super::{catalogue, derive};
use crate::config::{DEFAULT_DATA, DataRoot};
use crate::demo::{DemoError, DemoOptions, MarketSize, WrittenDemo, write};
use crate::derive::{AllowedFaults, DeriveOptions, Publishing};
use crate::engine::{Engine, QueryLimits};
use crate::operation::Market;
use crate::raw::Progress;
use crate::refresh::{Finding, admit};
use crate::set::Home;

/// Arguments of `demo`.
#[derive(Debug, Default, Args)]
pub(super) struct DemoArgs {
    /// The folder for the tables.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_DATA)]
    data: PathBuf,
    /// The size of the market.
    #[arg(long, default_value = "small")]
    size: DemoSize,
    /// Companies of each market, instead of the size's own number.
    #[arg(long, value_name = "N")]
    companies: Option<usize>,
    /// Sessions of each market, instead of the size's own number.
    #[arg(long, value_name = "N")]
    sessions: Option<usize>,
    /// Only this market.
    #[arg(long, value_name = "india|us")]
    market: Option<Market>,
    /// The seed: another one makes another market.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Keep the raw files in this folder.
    #[arg(long, value_name = "DIR")]
    raw: Option<PathBuf>,
    /// Leave out tables that only derivation reads.
    #[arg(long)]
    lean: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum DemoSize {
    /// Some hundred companies, less than two years.
    #[default]
    Small,
    /// As many companies as the real markets, ten years.
    Full,
}

impl DemoArgs {
    fn options(&self) -> DemoOptions {
        let mut options = match self.size {
            DemoSize::Small => DemoOptions::small(),
            DemoSize::Full => DemoOptions::full(),
        };
        options.seed = self.seed.unwrap_or(options.seed);
        let sized = |market, size: Option<MarketSize>| {
            size.filter(|_| self.market.is_none_or(|only| only == market)).map(|size| MarketSize {
                companies: self.companies.unwrap_or(size.companies),
                sessions: self.sessions.unwrap_or(size.sessions),
            })
        };
        options.india = sized(Market::India, options.india);
        options.us = sized(Market::Us, options.us);
        options
    }
}

/// Returns true if a start makes the demo market: the settings name no other data, and its folder does not exist.
pub(super) fn is_missing(root: &DataRoot) -> bool {
    root.data == DEFAULT_DATA && !Path::new(DEFAULT_DATA).exists()
}

/// Makes the demo market if the settings name it and its folder does not exist.
pub(super) async fn make_missing(queries: Option<&Path>, root: &DataRoot) -> anyhow::Result<()> {
    if !is_missing(root) {
        return Ok(());
    }
    say!("there is no data here: the demo market, which is fictional, is made in {DEFAULT_DATA} first");
    let args = DemoArgs { data: DEFAULT_DATA.into(), lean: true, ..DemoArgs::default() };
    run(queries, &args).await
}

pub(super) async fn run(queries: Option<&Path>, args: &DemoArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    let options = args.options();
    let spool = tempfile::tempdir()?;
    let raw = args.raw.clone().unwrap_or_else(|| spool.path().to_owned());
    let written = write_with_progress(&raw, &options)?;
    let markets: Vec<Market> = written.markets.iter().map(|written| written.market).collect();
    let derive_options = DeriveOptions {
        raw,
        data: args.data.clone(),
        publishing: Publishing { lean: args.lean, ..Publishing::default() },
        // The previous set may be of another fictional market, so fewer rows are allowed.
        allow: AllowedFaults { fewer: true, ..AllowedFaults::default() },
        ..DeriveOptions::default()
    };
    let engine = Engine::new(Arc::clone(&catalogue), &QueryLimits::default());
    for market in markets {
        derive::derive_market(&catalogue, market, &derive_options).await?;
        // The set is checked here, so that the first start of a server need not check it.
        for finding in Finding::describe(&admit(&engine, &Home::new(&args.data), market, false).await?) {
            say!("{finding}");
        }
    }
    let data = args.data.display();
    say!("the demo market is in {data}; `parquote serve --data {data}` serves it");
    Ok(())
}

/// Writes the raw files and shows the progress.
fn write_with_progress(raw: &Path, options: &DemoOptions) -> Result<WrittenDemo, DemoError> {
    let progress = TerminalProgress::new();
    let mut step: Option<(String, u64)> = None;
    let written = write(raw, options, &mut |what, done, total| {
        let before = match &step {
            Some((current, before)) if current == what => *before,
            last => {
                if last.is_some() {
                    progress.finish();
                }
                progress.start(what, total);
                0
            }
        };
        progress.advance(done.saturating_sub(before));
        step = Some((what.to_owned(), done));
    })?;
    progress.finish();
    Ok(written)
}
