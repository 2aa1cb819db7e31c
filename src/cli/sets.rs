//! `parquote sets` lists the available sets; `parquote rollback` publishes one of them again.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::Args;

use super::output::say;
use super::table::draw;
use crate::config::DataRoot;
use crate::engine::{Engine, LoadScope, MarketSnapshot, SetName};
use crate::operation::Market;
use crate::set::{Reference, Root, Set};

/// Arguments of `sets`.
#[derive(Debug, Args)]
pub(super) struct SetsArgs {
    #[command(flatten)]
    data: DataRoot,
    /// Print the manifests as JSON, one a line.
    #[arg(long)]
    json: bool,
}

/// Arguments of `rollback`.
#[derive(Debug, Args)]
pub(super) struct RollbackArgs {
    #[command(flatten)]
    data: DataRoot,
    /// The market.
    #[arg(long, value_name = "india|us")]
    market: Market,
    /// The number of the set to go back to. The default is the one before the newest.
    #[arg(long, value_name = "N")]
    to: Option<u64>,
}

pub(super) async fn list(args: &SetsArgs) -> anyhow::Result<()> {
    let root = args.data.open()?;
    let mut rows = Vec::new();
    for market in Market::ALL {
        for set in kept(&root, market).await?.into_iter().rev() {
            if args.json {
                say!("{}", serde_json::to_string(&set)?);
            }
            rows.push(row(&root, market, &set));
        }
    }
    if rows.is_empty() {
        say!("{} has no sets; `parquote derive`, `parquote publish` or a server makes them", root.shown());
    } else if !args.json {
        let heads = ["market", "set", "id", "as of", "published", "tables", "MB", "from", "admission"];
        say!("{}", draw(heads, &rows).trim_end());
    }
    Ok(())
}

/// Reads the available sets of a market, oldest first.
pub(super) async fn kept(root: &Root, market: Market) -> anyhow::Result<Vec<Set>> {
    let mut sets = Vec::new();
    for number in root.numbers(market).await? {
        sets.push(root.read(market, number).await?);
    }
    Ok(sets)
}

/// Loads the tables of a set.
pub(super) async fn open(
    engine: &Arc<Engine>,
    root: &Root,
    market: Market,
    asked: &str,
    wanted: LoadScope<'_>,
) -> anyhow::Result<MarketSnapshot> {
    let reference =
        Reference::parse(asked).with_context(|| format!("`{asked}` is no set; write {}", Reference::FORM))?;
    let kept = kept(root, market).await?;
    let Some(set) = reference.selector(market).among(kept.iter()) else {
        bail!("{} keeps no set `{asked}` of {market}; `parquote sets` lists them", root.shown());
    };
    let files = root.files(market, set);
    Ok(MarketSnapshot::load(engine, market, SetName::from_set(set), &files, wanted).await?)
}

fn row(root: &Root, market: Market, set: &Set) -> [String; 9] {
    const MB: f64 = 1e6;
    let admission = match root {
        Root::Folder(home) => home.admission(market, set.number).filter(|record| record.id == set.id),
        Root::Bucket(_) => None,
    };
    let admission = match admission {
        _ if set.published.forced => "forced".to_owned(),
        None => "not yet".to_owned(),
        Some(record) if !record.admitted => format!("refused: {} findings", record.findings.len()),
        Some(record) if record.findings.is_empty() => "admitted".to_owned(),
        Some(record) => format!("admitted: {} findings", record.findings.len()),
    };
    [
        market.to_string(),
        set.number.to_string(),
        set.id.clone(),
        set.as_of.map(|day| day.to_string()).unwrap_or_default(),
        set.published.at.format("%Y-%m-%d %H:%M UTC").to_string(),
        set.tables.len().to_string(),
        format!("{:.1}", set.bytes() as f64 / MB),
        set.published.origin.to_string(),
        admission,
    ]
}

pub(super) async fn roll_back(args: &RollbackArgs) -> anyhow::Result<()> {
    let root = args.data.open()?;
    let numbers = root.numbers(args.market).await?;
    let to = match (args.to, numbers.as_slice()) {
        (Some(to), _) => to,
        (None, [.., before, _]) => *before,
        (None, _) => anyhow::bail!("{} has no earlier set of {}", root.shown(), args.market),
    };
    let set = match &root {
        Root::Folder(home) => home.roll_back(args.market, to, false)?,
        Root::Bucket(bucket) => bucket.roll_back(args.market, to).await?,
    };
    let as_of = set.as_of.map(|day| format!(", as of {day}")).unwrap_or_default();
    say!("{}: set {} has the content of set {to} ({}){as_of}", args.market, set.number, set.id);
    Ok(())
}
