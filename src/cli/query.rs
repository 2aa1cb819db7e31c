//! `parquote query`: one operation or one SELECT on the tables, for a person at a terminal.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use bytes::Bytes;
use clap::Args;

use super::drawing::DrawingArgs;
use super::named_operation::{operation, pairs};
use super::output::say;
use super::workers::WorkersArgs;
use super::{catalogue, output, select, sets};
use crate::call::{CallOptions, Caller, HEALTH, STATUS, Service, markets_of_select};
use crate::config::DataRoot;
use crate::digits::counted;
use crate::engine::{
    Engine, FileForm, LoadScope, MarketSnapshot, PictureRows, QueryLimits, Snapshot, caller_select,
    draw_table, named_tables,
};
use crate::operation::{AnswerFormat, Catalogue, Market, Offer, Operation};
use crate::refresh::Snapshots;

/// Arguments of `query`.
#[derive(Debug, Args)]
pub(super) struct QueryArgs {
    #[command(flatten)]
    data: DataRoot,
    /// For a SELECT: the market whose tables names without a schema mean.
    #[arg(long, value_name = "india|us", default_value = "india")]
    market: Market,
    /// An operation such as company/profile, or a SELECT.
    #[arg(value_name = "OPERATION|SELECT")]
    operation_or_select: String,
    /// The operation's arguments, such as symbol=RELIANCE; also format=csv, fields=symbol,close and, for a SELECT too,
    /// snapshot=2026-06-12.
    #[arg(value_name = "NAME=VALUE")]
    arguments: Vec<String>,
    #[command(flatten)]
    drawing: DrawingArgs,
    #[command(flatten)]
    workers: WorkersArgs,
}

impl QueryArgs {
    /// Returns the market of the SELECT: that of the tables that it names.
    fn market(&self, all: &Catalogue) -> anyhow::Result<Market> {
        let named = caller_select::named_tables(&self.operation_or_select, self.market);
        let markets: BTreeSet<Market> = named
            .into_iter()
            .filter(|(market, name)| all.table(*market, name).is_some())
            .map(|(market, _)| market)
            .collect();
        if markets.len() > 1 {
            bail!(
                "the SELECT reads both markets; the operation `query` answers it: `parquote query query sql='...'`"
            );
        }
        Ok(markets.first().copied().unwrap_or(self.market))
    }
}

pub(super) async fn run(queries: Option<&Path>, args: &QueryArgs) -> anyhow::Result<()> {
    let all = catalogue::read(queries)?;
    let is_sql = args.operation_or_select.contains(char::is_whitespace);
    if let Some(fleet) = args.workers.fleet(&all, &args.data.data).await? {
        if !is_sql || args.drawing.out().is_some() || args.drawing.spec()?.is_some() {
            bail!("workers answer a SELECT whose rows are printed; leave --workers out");
        }
        let rows =
            fleet.select(&all, &args.data.open()?, args.market(&all)?, &args.operation_or_select).await?;
        say!("{}", draw_table(&rows)?);
        return Ok(());
    }
    if is_sql {
        return select(&all, args).await;
    }
    let operation = operation(&all, &args.operation_or_select)?;
    if args.drawing.out().is_some() {
        bail!(
            "--out takes the rows of a SELECT; `{}` is an operation, and `format=csv > FILE` writes its answer",
            args.operation_or_select
        );
    }
    let (format, body) = answer(queries, &args.data, &all, operation, &args.arguments).await?;
    if format.is_enveloped() {
        return print(&body);
    }
    output::bytes(&body);
    Ok(())
}

/// Answers an operation, in the format that its arguments name.
pub(super) async fn answer(
    queries: Option<&Path>,
    data: &DataRoot,
    all: &Catalogue,
    operation: &Arc<Operation>,
    arguments: &[String],
) -> anyhow::Result<(AnswerFormat, Bytes)> {
    // A handler may call other operations, and a refusal names the search.
    let is_search = |other: &Operation| other.search.is_some() && other.market == operation.market;
    let is_wanted =
        |other: &Operation| operation.run.is_some() || operation.name == other.name || is_search(other);
    let catalogue = Arc::new(all.with_operations(is_wanted));
    let (snapshots, pairs): (Vec<_>, Vec<_>) =
        pairs(arguments)?.into_iter().partition(|(name, _)| *name == "snapshot");
    let argument = |wanted: &str| pairs.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    let market = argument("market").and_then(|word| word.parse().ok()).unwrap_or(operation.market);
    let markets = markets_of_select(argument("sql").unwrap_or_default(), market);
    let (root, limits) = (data.open()?, QueryLimits::default());
    let mut snapshot = Snapshot::open(Arc::clone(&catalogue), &root, LoadScope::Served, &limits).await?;
    for (_, requested) in snapshots {
        snapshot = sets::with_set(snapshot, &root, &markets, requested).await?;
    }
    if operation.name == STATUS {
        return Ok((AnswerFormat::Json, HEALTH.into()));
    }
    // A handler may read the sets of earlier days.
    let snapshots = if operation.run.is_some() {
        Snapshots::over_root(snapshot, &root).await?
    } else {
        Snapshots::from_snapshot(snapshot)
    };
    let service = Service::with_snapshots(catalogue, Arc::new(snapshots));
    let service = service.with_select_processes(select::processes(queries, data)?, 0);
    let metered = service.enter(operation, &Caller::unmetered()).await?;
    let call = service.admit(&metered, pairs, CallOptions::new(Offer::any(AnswerFormat::Json))).await?;
    Ok((call.format(), service.run(&call).await?.body))
}

/// Runs a SELECT and prints, draws or writes its rows.
async fn select(all: &Catalogue, args: &QueryArgs) -> anyhow::Result<()> {
    let snapshot = args.arguments.iter().find_map(|argument| argument.strip_prefix("snapshot="));
    if let Some(argument) = args.arguments.iter().find(|argument| !argument.starts_with("snapshot=")) {
        bail!("a SELECT takes no `{argument}`; --out rows.csv, rows.parquet or rows.arrow writes its rows");
    }
    let spec = args.drawing.spec()?;
    let market = args.market(all)?;
    let tables = named_tables(market, &args.operation_or_select)?;
    // No operation is called, so none is planned.
    let engine = Engine::new(Arc::new(all.with_operations(|_| false)), &QueryLimits::default());
    let root = args.data.open()?;
    let wanted = LoadScope::Named(&tables);
    let loaded = match snapshot {
        Some(requested) => sets::open(&engine, &root, market, requested, wanted).await?,
        None => MarketSnapshot::from_root(&engine, market, &root, wanted).await?,
    };
    if loaded.is_empty() {
        bail!("`{}` holds no tables of {market}; --market names the market of a SELECT", root.location());
    }
    for reason in loaded.without_rows(&tables)? {
        eprintln!("{reason}");
    }
    if let Some(out) = args.drawing.out().filter(|_| spec.is_none()) {
        let Some(form) = FileForm::from_path(out) else {
            bail!(
                "{} ends in none of .parquet, .csv and .arrow; .svg and .png need --picture",
                out.display()
            );
        };
        let rows = loaded.write(&args.operation_or_select, out, form).await?;
        say!("{}: {}", out.display(), counted(rows, "row", "rows"));
        return Ok(());
    }
    let rows = loaded.select(&args.operation_or_select).await?;
    let Some(spec) = spec else {
        say!("{}", draw_table(&rows)?);
        return Ok(());
    };
    if rows.is_empty() {
        bail!("the SELECT has no rows to draw");
    }
    let unit = |name: &str| all.dictionary().get(name).map(|entry| entry.unit);
    let rows = PictureRows::from_batches(&rows, &spec, unit)?;
    say!("{}", args.drawing.draw(&spec, market, &rows)?.display());
    Ok(())
}

pub(super) fn print(data: &[u8]) -> anyhow::Result<()> {
    let value: serde_json::Value = serde_json::from_slice(data)?;
    say!("{}", serde_json::to_string_pretty(&value)?);
    Ok(())
}
