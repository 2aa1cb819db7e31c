//! `parquote check`: reports what a server would accept or refuse in a folder or an object store, without starting one. It reads
//! every page and checks the contract, the previous set, the rules of `queries/checks`, and the example of every operation.

use std::path::Path;

use clap::Args;
use serde_json::json;

use super::coverage::MarketCoverage;
use super::output::say;
use super::{catalogue, refreshing};
use crate::blocking;
use crate::config::DataRoot;
use crate::digits::counted;
use crate::engine::{Engine, EngineError, LoadScope, QueryLimits, SourceNeeds};
use crate::fetch::SourceCatalogue;
use crate::operation::{Catalogue, Market, Operation};
use crate::refresh::{Admission, Finding, InspectedData, Level, inspect};
use crate::set::{Root, StoredFile};

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The folder or URL to check, instead of --data.
    root: Option<String>,
    #[command(flatten)]
    data: DataRoot,
    /// Check only the rules whose names contain this.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Check only the contract, not the rules.
    #[arg(long, conflicts_with = "only")]
    contract_only: bool,
    /// Read all files of the newest set of each market and hold them against their hashes, and check nothing else.
    #[arg(long, conflicts_with_all = ["only", "contract_only", "json"])]
    hashes: bool,
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(queries: Option<&Path>, args: &CheckArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::load_checked(queries).await?;
    let root =
        DataRoot { data: args.root.clone().unwrap_or_else(|| args.data.data.clone()), ..args.data.clone() };
    let opened = refreshing::open_root(&root)?;
    if args.hashes {
        return check_hashes(&opened).await;
    }
    let limits = QueryLimits::default();
    let engine = Engine::new(std::sync::Arc::clone(&catalogue), &limits);
    let vetter = refreshing::vetter(queries, limits.check_bytes as u64)?;
    let rules = if args.contract_only { None } else { Some(args.only.as_deref().unwrap_or_default()) };
    let mut inspected = Vec::new();
    for market in Market::ALL {
        let admission =
            Admission { scope: LoadScope::All, rules, ..Admission::for_today(&engine, &vetter, market) };
        inspected.extend(Box::pin(inspect(&admission, &opened, market)).await?.map(|found| (market, found)));
    }
    if inspected.is_empty() {
        return Err(EngineError::Empty(root.data).into());
    }
    if args.json {
        print_json(&inspected);
    } else {
        for (market, inspected) in &inspected {
            print(&catalogue, *market, inspected)?;
        }
    }
    let findings = inspected.iter().flat_map(|(_, inspected)| &inspected.findings);
    let errors: Vec<&Finding> = findings.filter(|finding| finding.level == Level::Error).collect();
    anyhow::ensure!(
        errors.is_empty(),
        "{} is refused, {}:\n  {}",
        root.data,
        counted(errors.len(), "error", "errors"),
        Finding::describe(errors).join("\n  ")
    );
    if !args.json {
        say!("\n{} keeps its contract", root.data);
    }
    Ok(())
}

/// Checks all files of the newest sets against their hashes.
async fn check_hashes(root: &Root) -> anyhow::Result<()> {
    let (mut read, mut damaged) = (0, Vec::new());
    for market in Market::ALL {
        let Some(set) = root.newest(market).await? else { continue };
        say!("{market}: set {}, {} files, {} bytes", set.number, set.files().count(), set.bytes());
        let files = root.files(market, &set);
        read += files.values().flatten().count();
        // Reading from a store blocks on the runtime of this thread.
        let found = blocking::wait(|| {
            let damage = |file: &StoredFile| Some(format!("{}: {}", file.location(), file.damage()?));
            files.values().flatten().filter_map(damage).collect::<Vec<_>>()
        });
        damaged.extend(found);
    }
    anyhow::ensure!(
        read > 0,
        "{} has no sets, whose files alone have hashes; `parquote publish` makes them",
        root.location()
    );
    anyhow::ensure!(
        damaged.is_empty(),
        "damaged files, {} of {read}:\n  {}\n  do: {}",
        damaged.len(),
        damaged.join("\n  "),
        StoredFile::REMEDY
    );
    say!("all {read} files have the bytes that their names say");
    Ok(())
}

fn print_json(inspected: &[(Market, InspectedData)]) {
    let markets = inspected.iter().map(|(market, inspected)| {
        let admitted = !Finding::any_error(&inspected.findings);
        let report =
            json!({"of": inspected.description, "admitted": admitted, "findings": inspected.findings});
        (market.word().to_owned(), report)
    });
    say!("{}", serde_json::Value::Object(markets.collect()));
}

fn print(catalogue: &Catalogue, market: Market, inspected: &InspectedData) -> anyhow::Result<()> {
    let as_of = inspected.snapshot.as_ref().and_then(crate::engine::MarketSnapshot::as_of);
    let as_of = as_of.map_or_else(|| "no date".to_owned(), |as_of| format!("as of {as_of}"));
    say!("{market}: {as_of} ({})", inspected.description);
    if let Some(snapshot) = &inspected.snapshot {
        for (table, rows) in snapshot.counts() {
            say!("  {table:<20} {rows:>12} rows");
        }
        for operation in catalogue.operations() {
            let missing = snapshot.missing(operation);
            if operation.market == market && !missing.is_empty() {
                let lacks = snapshot.missing_tables_error(missing.to_vec());
                say!("  {} cannot answer: {lacks}", operation.name);
            }
        }
        let there = snapshot.counts().into_iter().map(|(table, _)| table).collect();
        let answers = |operation: &Operation, _: &SourceNeeds| snapshot.missing(operation).is_empty();
        let coverage = MarketCoverage::for_market(catalogue, &SourceCatalogue::embedded()?, market)?
            .summary(&there, answers);
        say!("  {coverage}");
    }
    // Errors are printed at the end, where they are most visible.
    for finding in
        Finding::describe(inspected.findings.iter().filter(|finding| finding.level == Level::Warning))
    {
        say!("  {finding}");
    }
    let count = |level| inspected.findings.iter().filter(|finding| finding.level == level).count();
    let errors = counted(count(Level::Error), "error", "errors");
    say!("  {errors}, {}", counted(count(Level::Warning), "warning", "warnings"));
    Ok(())
}
