//! `parquote refresh`: fetches new files, derives the tables, and publishes the sessions whose core files are complete.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use super::fetching::{accept, ask_for_terms};
use super::market_updater::{EXIT_CODES, MarketUpdater, UpdateArgs, worst_code};
use super::{catalogue, refresh_child, watching};
use crate::fetch::FetchRequest;
use crate::operation::Market;

/// Arguments of `refresh`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct RefreshArgs {
    /// Only this market. The default is both.
    #[arg(value_name = "india|us")]
    market: Option<Market>,
    /// Keep running, and refresh whenever the tables are due; at the start it does what was missed.
    #[arg(long)]
    watch: bool,
    /// Work in the background of the server that starts this process, and end with it.
    #[arg(long, hide = true)]
    pub(super) child: bool,
    /// Agree to the terms of a host and save the consent.
    #[arg(long, value_name = "HOST,...", env = "PARQUOTE_ACCEPT_TERMS", value_delimiter = ',')]
    accept_terms: Vec<String>,
    /// Write texts after new tables, and derive again; the value has the arguments of `parquote write`, such as "india ai_summaries
    /// --list NIFTY50 --provider anthropic --budget 2". May be repeated.
    #[arg(long, value_name = "ARGUMENTS", env = "PARQUOTE_REFRESH_WRITE")]
    #[arg(hide_env_values = true, value_delimiter = ';')]
    write: Vec<String>,
    #[command(flatten)]
    update: UpdateArgs,
}

pub(super) async fn run(queries: Option<&Path>, args: &RefreshArgs) -> anyhow::Result<ExitCode> {
    if args.child {
        refresh_child::end_with_server();
    }
    let catalogue = catalogue::read(queries)?;
    let updater = MarketUpdater {
        writes: args.update.writes(&catalogue, args.market, &args.write)?,
        catalogue,
        fetcher: args.update.fetching.fetcher()?,
        only: args.market,
        is_quiet: args.child,
        args: &args.update,
    };
    accept(&updater.fetcher, &args.accept_terms)?;
    if args.watch {
        return watching::run(&updater).await;
    }
    ask_for_terms(&updater.fetcher, &FetchRequest { market: args.market, ..FetchRequest::default() })?;
    let mut codes = Vec::new();
    for market in updater.markets() {
        codes.push(Box::pin(updater.refresh(market)).await?);
    }
    if !updater.markets().any(|market| updater.has_raw_files(market)) {
        bail!(
            "there is nothing to derive tables from in {}; agree to the terms of a host with --accept-terms, or put files \
             into its folders india and us",
            updater.fetching().raw.display()
        );
    }
    Ok(ExitCode::from(worst_code(codes)))
}
