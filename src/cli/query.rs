//! `parquote query`: one operation or one SELECT on the tables, for a person at a terminal.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use clap::Args;

use super::drawing::DrawingArgs;
use super::named_operation::{operation, pairs};
use super::output::say;
use super::workers::WorkersArgs;
use super::{catalogue, output, select};
use crate::call::{CallOptions, Caller, HEALTH, STATUS, Service};
use crate::config::DataRoot;
use crate::engine::{
    Engine, EngineError, FileForm, LoadScope, MarketSnapshot, PictureRows, QueryLimits, Snapshot, drawn,
    named_tables,
};
use crate::operation::{AnswerFormat, Catalogue, Market, Offer, Operation};

/// Arguments of `query`.
#[derive(Debug, Args)]
pub(super) struct QueryArgs {
    #[command(flatten)]
    data: DataRoot,
    /// For a SELECT: the market whose tables names without a schema mean.
    #[arg(long, value_name = "india|us", default_value = "india")]
    market: Market,
    /// An operation such as company/profile, or a SELECT.
    what: String,
    /// The operation's arguments, such as symbol=RELIANCE; also format=csv and fields=symbol,close.
    #[arg(value_name = "NAME=VALUE")]
    arguments: Vec<String>,
    #[command(flatten)]
    drawing: DrawingArgs,
    #[command(flatten)]
    workers: WorkersArgs,
}

pub(super) async fn run(queries: Option<&Path>, args: &QueryArgs) -> anyhow::Result<()> {
    let all = catalogue::read(queries)?;
    let is_sql = args.what.contains(char::is_whitespace);
    if let Some(fleet) = args.workers.fleet(&all, &args.data.data).await? {
        if !is_sql || args.drawing.out().is_some() || args.drawing.spec()?.is_some() {
            bail!("workers answer a SELECT whose rows are printed; leave --workers out");
        }
        let rows = fleet.select(&all, &args.data.open()?, args.market, &args.what).await?;
        say!("{}", drawn(&rows)?);
        return Ok(());
    }
    if is_sql {
        return select(&all, args).await;
    }
    let operation = Arc::clone(operation(&all, &args.what)?);
    // A handler may call other operations.
    let is_wanted = |other: &Operation| operation.run.is_some() || operation.name == other.name;
    let catalogue = Arc::new(all.with_operations(is_wanted));
    let (root, limits) = (args.data.open()?, QueryLimits::default());
    let snapshot = Snapshot::open(Arc::clone(&catalogue), &root, LoadScope::Served, &limits).await?;
    if args.drawing.out().is_some() {
        bail!(
            "--out takes the rows of a SELECT; `{}` is an operation, and `format=csv > FILE` writes its answer",
            args.what
        );
    }
    if operation.name == STATUS {
        return print(HEALTH.as_bytes());
    }
    let pairs = pairs(&args.arguments)?;
    let service = Service::new(catalogue, snapshot);
    let service = service.with_select_processes(select::processes(queries, &args.data)?, 0);
    let metered = service.enter(&operation, &Caller::unmetered()).await?;
    let call = service.admit(&metered, pairs, CallOptions::new(Offer::any(AnswerFormat::Json))).await?;
    let answer = service.run(&call).await?;
    if call.format().is_enveloped() {
        return print(&answer.body);
    }
    output::bytes(&answer.body);
    Ok(())
}

/// Runs a SELECT and prints, draws or writes its rows.
async fn select(all: &Catalogue, args: &QueryArgs) -> anyhow::Result<()> {
    if let Some(argument) = args.arguments.first() {
        bail!("a SELECT takes no `{argument}`; --out rows.csv, rows.parquet or rows.arrow writes its rows");
    }
    let spec = args.drawing.spec()?;
    let named = named_tables(args.market, &args.what)?;
    // No operation is called, so none is planned.
    let engine = Engine::new(Arc::new(all.with_operations(|_| false)), &QueryLimits::default());
    let root = args.data.open()?;
    let market = MarketSnapshot::of_root(&engine, args.market, &root, LoadScope::Named(&named)).await?;
    if market.is_empty() {
        return Err(EngineError::Empty { root: root.shown() }.into());
    }
    if let Some(out) = args.drawing.out().filter(|_| spec.is_none()) {
        let Some(form) = FileForm::from_path(out) else {
            bail!(
                "{} ends in none of .parquet, .csv and .arrow; .svg and .png need --picture",
                out.display()
            );
        };
        let rows = market.write(&args.what, out, form).await?;
        say!("{}: {rows} rows", out.display());
        return Ok(());
    }
    let rows = market.select(&args.what).await?;
    let Some(spec) = spec else {
        say!("{}", drawn(&rows)?);
        return Ok(());
    };
    if rows.is_empty() {
        bail!("the SELECT has no rows to draw");
    }
    let unit = |name: &str| all.dictionary().get(name).map(|entry| entry.unit);
    let rows = PictureRows::from_batches(&rows, &spec, unit)?;
    say!("{}", args.drawing.draw(&spec, args.market, &rows)?.display());
    Ok(())
}

fn print(data: &[u8]) -> anyhow::Result<()> {
    let value: serde_json::Value = serde_json::from_slice(data)?;
    say!("{}", serde_json::to_string_pretty(&value)?);
    Ok(())
}
