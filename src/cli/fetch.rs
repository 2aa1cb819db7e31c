//! `parquote fetch`: official files into the folder of raw files, or what there is and what would be asked for.

use std::process::ExitCode;

use anyhow::bail;
use chrono::{NaiveDate, TimeDelta, Utc};
use clap::Args;

use super::fetch_listing::{print_plan, print_report, print_sources};
use super::fetch_progress::FetchShown;
use super::fetching::{accept, ask_for_terms, group};
use super::market_updater::EXIT_CODES;
use super::output::say;
use super::times;
use crate::config::Fetching;
use crate::fetch::Wanted;
use crate::operation::Market;

/// Arguments of `fetch`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct FetchArgs {
    /// Only this market; left out, both.
    #[arg(value_name = "india|us")]
    market: Option<Market>,
    /// Only these sources; left out, those that are fetched by default.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    source: Vec<String>,
    /// The first session; left out, the last week and gaps behind the newest file that is there.
    #[arg(long, value_name = "DATE", value_parser = times::day)]
    since: Option<NaiveDate>,
    /// The last session; left out, the last one that is out.
    #[arg(long, value_name = "DATE", value_parser = times::day)]
    until: Option<NaiveDate>,
    /// Companies and symbols, for sources that are asked for each of them: CIKs or symbols.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    company: Vec<String>,
    /// The most requests of this run; the next run goes on behind them.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Agree to the terms of a host, which is remembered; its name is in the list of sources.
    #[arg(long, value_name = "HOST,...", value_delimiter = ',')]
    accept_terms: Vec<String>,
    /// Agree no longer to the terms of a host, and ask for nothing.
    #[arg(long, value_name = "HOST,...", value_delimiter = ',')]
    withdraw_terms: Vec<String>,
    #[command(flatten)]
    look: FetchLook,
    #[command(flatten)]
    insistence: Insistence,
    #[command(flatten)]
    fetching: Fetching,
}

/// What is only looked at.
#[derive(Debug, Clone, Copy, Args)]
struct FetchLook {
    /// Print the sources: newest session, missing days, last outcome.
    #[arg(long)]
    list: bool,
    /// Say how many requests, bytes and minutes it would take, and open no connection.
    #[arg(long)]
    dry_run: bool,
}

/// How much is asked for without asking back.
#[derive(Debug, Clone, Copy, Args)]
struct Insistence {
    /// Agree to a plan of more than 200 requests.
    #[arg(long)]
    yes: bool,
    /// Ask also for what was settled, or was asked for a short while ago.
    #[arg(long)]
    again: bool,
}

impl FetchArgs {
    fn wanted(&self) -> Wanted {
        Wanted {
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

pub(super) async fn run(args: &FetchArgs) -> anyhow::Result<ExitCode> {
    if let (Some(since), Some(until)) = (args.since, args.until)
        && since > until
    {
        bail!("--since {since} is after --until {until}");
    }
    // The day begins in the east.
    if let Some(since) = args.since.filter(|since| *since > (Utc::now() + TimeDelta::hours(14)).date_naive())
    {
        bail!("--since {since} lies in the future: no session from then on has files yet");
    }
    let (fetcher, wanted) = (args.fetching.fetcher()?, args.wanted());
    for host in &args.withdraw_terms {
        let group = group(&fetcher, host)?;
        fetcher.withdraw(&group.name)?;
        say!("the terms of {} are agreed to no longer", group.who);
    }
    accept(&fetcher, &args.accept_terms)?;
    if args.look.list {
        print_sources(&fetcher.list(&wanted)?);
        return Ok(ExitCode::SUCCESS);
    }
    if args.look.dry_run {
        print_plan(&fetcher.estimate(&wanted)?);
        return Ok(ExitCode::SUCCESS);
    }
    if !args.withdraw_terms.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    ask_for_terms(&fetcher, &wanted)?;
    let shown = FetchShown::default();
    let report = fetcher.run(&wanted, &shown).await?;
    shown.end_bar();
    print_report(&report);
    if report.sources == 0 && !report.lacking.is_empty() {
        bail!("no source could be asked; the lines above say what each of them needs");
    }
    Ok(ExitCode::from(report.exit_code()))
}
