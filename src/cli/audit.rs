//! `parquote audit`: derives a market again as of past days and compares the rows known at that time with the tables, or verifies the
//! ledgers of the scans, of saved screens and of committees.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use chrono::NaiveDate;
use clap::Args;

use super::catalogue;
use super::derive::BoundArgs;
use super::output::say;
use super::progress::TerminalProgress;
use super::times::date;
use crate::audit::{AuditOptions, MarketAudit, audit};
use crate::config::StateFile;
use crate::derive::{identities, verified_ledger};
use crate::handlers::{LedgerName, is_recorded};
use crate::operation::{Catalogue, Market};
use crate::set::Home;
use crate::state::{SavedItemKind, StateError, Store};

/// Beginning of the names of the rules that compare a ledger with other tables.
const LEDGER_RULES: &str = "ledger_";

/// Arguments of `audit`.
#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    /// The folder of the raw files that the tables were derived from: DIR/india and DIR/us.
    #[arg(long, value_name = "DIR", required_unless_present = "ledger")]
    raw: Option<PathBuf>,
    /// The folder of the published tables.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Only this market. The default is every market that the folder of raw files has.
    #[arg(long, value_name = "india|us")]
    market: Option<Market>,
    /// As of how many past sessions all is derived again; they are spread over the sessions on file.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=1000))]
    days: u16,
    /// The folder in which a folder for these derivations is made; it is removed at the end. The default is next to --data.
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,
    /// The date of index-member lists whose path has no date, as the tables were derived with it.
    #[arg(long, value_name = "DATE", value_parser = date)]
    lists_as_of: Option<NaiveDate>,
    /// Use raw files that are damaged or cut as far as they can be read.
    #[arg(long)]
    allow_unreadable: bool,
    #[command(flatten)]
    bounds: BoundArgs,
    /// Instead, verify the ledger of the scans line by line, and compare its picks of the last 63 sessions with the tables; and verify the
    /// ledgers of saved screens and committees in --state, if that exists.
    #[arg(long, conflicts_with_all = ["raw", "json"])]
    ledger: bool,
    #[command(flatten)]
    state: StateFile,
    /// Print what was found as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(queries: Option<&Path>, args: &AuditArgs) -> anyhow::Result<ExitCode> {
    let catalogue = catalogue::read(queries)?;
    let Some(raw) = &args.raw else { return run_on_ledgers(&catalogue, args).await };
    let markets: Vec<Market> = match args.market {
        Some(market) => vec![market],
        None => Market::ALL.into_iter().filter(|market| raw.join(market.word()).is_dir()).collect(),
    };
    if markets.is_empty() {
        bail!("{} has neither a folder `india` nor a folder `us`", raw.display());
    }
    let options = AuditOptions {
        raw: raw.clone(),
        data: args.data.clone(),
        days: args.days.into(),
        temp: args.temp.clone(),
        lists_as_of: args.lists_as_of,
        allow_unreadable: args.allow_unreadable,
        bounds: args.bounds.bounds(),
    };
    let mut found = Vec::new();
    for market in markets {
        found.push(audit(&catalogue, market, &options, &TerminalProgress::new()).await?);
    }
    if args.json {
        say!("{}", serde_json::to_string_pretty(&found)?);
    } else {
        for market in &found {
            say!("{market}");
        }
    }
    let unexplained: u64 = found.iter().map(MarketAudit::unexplained_figures).sum();
    Ok(if unexplained == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Verifies the ledgers that there are, and compares their picks with the tables by the rules of the derivation's report.
async fn run_on_ledgers(catalogue: &Catalogue, args: &AuditArgs) -> anyhow::Result<ExitCode> {
    let (home, mut found, mut differences, mut faults) = (Home::new(&args.data), 0, 0, Vec::new());
    let store = match Store::open_existing(&args.state.state) {
        Err(error @ StateError::Absent(_)) => {
            say!("No ledger of a screen or committee is verified: {error}");
            None
        }
        opened => Some(opened?),
    };
    for market in Market::ALL.into_iter().filter(|market| args.market.is_none_or(|only| only == *market)) {
        if let Some(store) = &store {
            found += verify_screens(store, market, &mut faults)?;
        }
        let Some(ledger) = verified_ledger(catalogue, market, &args.data)? else { continue };
        found += 1;
        let (file, lines, head) = (ledger.path().display(), ledger.lines().len(), ledger.head());
        say!("{market}: {file} has {lines} lines, each of which continues the previous one. Head {head}");
        if ledger.torn_bytes() > 0 {
            say!("  {} bytes of an incomplete line follow, which the next append cuts", ledger.torn_bytes());
        }
        let Some(set) = home.newest(market)? else { continue };
        let rules = identities(catalogue, market, &home.files(market, &set)).await?;
        for rule in rules.iter().filter(|rule| rule.name.starts_with(LEDGER_RULES)) {
            differences += rule.rows;
            say!("  {}", rule.to_string().trim_end());
        }
    }
    anyhow::ensure!(faults.is_empty(), "{}", faults.join("\n"));
    anyhow::ensure!(
        found > 0,
        "{} has no ledger; `parquote derive --ledger` begins one",
        args.data.display()
    );
    say!("{differences} unexplained");
    Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Verifies the ledgers of saved screens and committees of a market; returns their number. Damaged ledgers, and those that marked screens
/// lack, are added to `faults`.
fn verify_screens(store: &Store, market: Market, faults: &mut Vec<String>) -> anyhow::Result<usize> {
    let rows = store.saved_items_of_all(SavedItemKind::Ledger, market.word())?;
    for (owner, row) in &rows {
        let name = &row.name;
        let ledger = match (LedgerName { owner, market, name }).ledger(&row.content) {
            Ok(ledger) => ledger,
            Err(error) => {
                faults.push(error.to_string());
                continue;
            }
        };
        let (lines, head) = (ledger.lines().len(), ledger.head());
        say!(
            "{market}: the ledger `{name}` of {owner} has {lines} lines, each of which continues the previous one. Head {head}"
        );
    }
    // The mark is stored after the first line.
    let screens = store.saved_items_of_all(SavedItemKind::Screen, market.word())?;
    for (owner, screen) in screens.iter().filter(|(_, screen)| is_recorded(&screen.content)) {
        let has_lines = rows.iter().any(|(of, row)| {
            of == owner && row.name.eq_ignore_ascii_case(&screen.name) && !row.content.is_empty()
        });
        if !has_lines {
            faults.push(format!(
                "{market}: the screen `{}` of {owner} is recorded, but its ledger is missing",
                screen.name
            ));
        }
    }
    Ok(rows.len())
}
