//! `parquote fetch`: fetches official files into the raw folder, or lists sources and planned requests.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use chrono::{NaiveDate, TimeDelta, Utc};
use clap::Args;

use super::catalogue;
use super::fetch_coverage::FetchCoverage;
use super::fetch_listing::{print_plan, print_report, print_sources};
use super::fetch_progress::{FetchDisplay, ask_for_bytes};
use super::fetching::{accept, ask_for_terms, group};
use super::market_updater::EXIT_CODES;
use super::output::say;
use super::times::date;
use crate::config::FetchOptions;
use crate::fetch::FetchRequest;
use crate::operation::Market;

/// Arguments of `fetch`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct FetchArgs {
    /// Only this market. The default is both.
    #[arg(value_name = "india|us")]
    market: Option<Market>,
    /// Only these sources. The default is those that the list marks as default.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    source: Vec<String>,
    /// The first session. By default, the last week is fetched, and the sessions that are missing before the newest file that you have.
    #[arg(long, value_name = "DATE", value_parser = date)]
    since: Option<NaiveDate>,
    /// The last session. The default is the last one that is published.
    #[arg(long, value_name = "DATE", value_parser = date)]
    until: Option<NaiveDate>,
    /// Companies, as CIKs or symbols, for sources that have a file for each company.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    company: Vec<String>,
    /// The most requests of this run; the next run continues after them.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Agree to the terms of a host and save the consent. The guide `fetch` lists the hosts.
    #[arg(long, value_name = "HOST,...", value_delimiter = ',')]
    accept_terms: Vec<String>,
    /// Withdraw the consent to the terms of a host, and fetch nothing.
    #[arg(long, value_name = "HOST,...", value_delimiter = ',')]
    withdraw_terms: Vec<String>,
    #[command(flatten)]
    look: FetchListOptions,
    #[command(flatten)]
    insistence: FetchForceOptions,
    #[command(flatten)]
    fetching: FetchOptions,
}

/// Options that only list or plan.
#[derive(Debug, Clone, Copy, Args)]
struct FetchListOptions {
    /// List the sources with their newest session, missing days and last outcome; fetch nothing.
    #[arg(long)]
    list: bool,
    /// Print how many requests, bytes and minutes it would take; open no connection.
    #[arg(long)]
    dry_run: bool,
}

/// Options that skip confirmations and waiting times.
#[derive(Debug, Clone, Copy, Args)]
struct FetchForceOptions {
    /// Agree to a plan of more than 200 requests.
    #[arg(long)]
    yes: bool,
    /// Request files again that were fetched or requested a short while ago.
    #[arg(long)]
    again: bool,
}

impl FetchArgs {
    fn request(&self) -> FetchRequest {
        FetchRequest {
            market: self.market,
            sources: self.source.clone(),
            since: self.since,
            until: self.until,
            limit: self.limit,
            companies: self.company.clone(),
            again: self.insistence.again,
            yes: self.insistence.yes,
        }
    }
}

pub(super) async fn run(queries: Option<&Path>, args: &FetchArgs) -> anyhow::Result<ExitCode> {
    if let (Some(since), Some(until)) = (args.since, args.until)
        && since > until
    {
        bail!("--since {since} is after --until {until}; give an earlier --since or a later --until");
    }
    // The day begins first in the east (UTC+14).
    if let Some(since) = args.since.filter(|since| *since > (Utc::now() + TimeDelta::hours(14)).date_naive())
    {
        bail!("--since {since} is in the future: no session from then on has files yet");
    }
    let (fetcher, request) = (args.fetching.fetcher()?, args.request());
    for host in &args.withdraw_terms {
        let group = group(&fetcher, host)?;
        fetcher.withdraw(&group.name)?;
        say!("the terms of {} are agreed to no longer", group.who);
    }
    accept(&fetcher, &args.accept_terms)?;
    let catalogue = catalogue::read(queries)?;
    let raw = &args.fetching.raw;
    let coverage = || FetchCoverage::inspect(&catalogue, fetcher.catalogue(), args.market, raw);
    if args.look.list {
        print_sources(&fetcher.list(&request)?);
        return Ok(ExitCode::SUCCESS);
    }
    if args.look.dry_run {
        print_plan(&fetcher.estimate(&request)?, &coverage()?);
        return Ok(ExitCode::SUCCESS);
    }
    if !args.withdraw_terms.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    ask_for_terms(&fetcher, &request)?;
    ask_for_bytes(&fetcher, &request)?;
    let display = FetchDisplay::default();
    let report = fetcher.run(&request, &display).await?;
    display.end_bar();
    print_report(&report);
    for line in coverage()?.summaries(raw) {
        say!("{line}");
    }
    if report.sources == 0 && !report.unmet_needs.is_empty() {
        bail!("no source could be queried; the lines above say what each of them needs");
    }
    Ok(ExitCode::from(report.exit_code()))
}
