//! `parquote check`: a folder of tables held against its contract, and against the rules of `queries/checks`.

use super::output::say;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use super::catalogue;
use crate::config::DataRoot;
use crate::engine::{Limits, Snapshot, Verdict, Wanted};
use crate::operation::{Catalogue, Market, Severity};

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    data: DataRoot,
    /// Hold the tables only against the rules whose names contain this.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Leave the rules out: the contract alone.
    #[arg(long, conflicts_with = "only")]
    contract_only: bool,
}

pub(super) async fn run(queries: Option<&Path>, args: &CheckArgs) -> anyhow::Result<()> {
    let root = &args.data;
    let catalogue = catalogue::read(queries)?;
    let snapshot =
        Snapshot::open(Arc::clone(&catalogue), &root.open()?, Wanted::All, &Limits::default()).await?;
    say!("{} keeps its contract; snapshot {}", root.data, snapshot.id());
    let mut broken = 0;
    for market in Market::ALL {
        let Some(as_of) = snapshot.as_of(market) else {
            say!("\n{market}: no data");
            continue;
        };
        say!("\n{market}: as of {as_of}");
        for (table, rows) in snapshot.tables(market) {
            say!("  {table:<20} {rows:>12} rows");
        }
        for (index, operation) in catalogue.operations().iter().enumerate() {
            let missing = snapshot.missing(index);
            if operation.market == market && !missing.is_empty() {
                say!("  {} cannot answer: it needs {}", operation.name, missing.join(", "));
            }
        }
        if !args.contract_only {
            broken += rules(&catalogue, &snapshot, market, args.only.as_deref()).await?;
        }
    }
    anyhow::ensure!(broken == 0, "{broken} rules with severity error are broken");
    Ok(())
}

/// Holds a market against every rule; returns how many of severity error are broken.
async fn rules(
    catalogue: &Catalogue,
    snapshot: &Snapshot,
    market: Market,
    only: Option<&str>,
) -> anyhow::Result<usize> {
    let (mut kept, mut skipped, mut broken) = (0, 0, 0);
    let checks = catalogue.checks().iter().filter(|check| check.is_in(market));
    for check in checks.filter(|check| only.is_none_or(|part| check.name.contains(part))) {
        let verdict = snapshot.check(market, check).await;
        match verdict.with_context(|| format!("the rule {} cannot be held against {market}", check.file))? {
            Verdict::Kept => kept += 1,
            Verdict::Skipped(missing) => {
                skipped += 1;
                say!("  {}: left out, there is no {}", check.name, missing.join(", "));
            }
            Verdict::Broken { rows, shown } => {
                broken += usize::from(check.severity == Severity::Error);
                let more = if rows == Verdict::MOST_ROWS { " or more" } else { "" };
                say!(
                    "  {} {}: {} - broken by {rows}{more} rows\n{shown}",
                    check.severity,
                    check.name,
                    check.title
                );
            }
        }
    }
    say!("  {kept} rules kept, {skipped} left out");
    Ok(broken)
}
