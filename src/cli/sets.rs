//! `parquote sets` lists the available sets; `parquote rollback` publishes one of them again.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::Args;

use super::output::say;
use super::table::draw;
use crate::config::DataRoot;
use crate::engine::{Engine, LoadScope, MarketSnapshot, SetName, Snapshot};
use crate::operation::Market;
use crate::refresh::ListedSet;
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
    let past = root.past();
    for market in Market::ALL {
        for (root, is_past) in [(&root, false), (&past, true)] {
            for set in root.read_all(market).await?.into_iter().rev() {
                if args.json {
                    say!("{}", serde_json::to_string(&set)?);
                }
                rows.push(row(&ListedSet::new(root, set), is_past));
            }
        }
    }
    if rows.is_empty() {
        say!("{} has no sets; `parquote derive`, `parquote publish` or a server makes them", root.location());
    } else if !args.json {
        let heads = ["market", "set", "id", "as of", "published", "tables", "MB", "from", "admission"];
        say!("{}", draw(heads, &rows).trim_end());
    }
    Ok(())
}

/// Loads the tables of a set.
pub(super) async fn open(
    engine: &Arc<Engine>,
    root: &Root,
    market: Market,
    requested: &str,
    wanted: LoadScope<'_>,
) -> anyhow::Result<MarketSnapshot> {
    let reference = Reference::parse(requested)
        .with_context(|| format!("`{requested}` is no set; write {}", Reference::FORM))?;
    let (sets, past) = (root.read_all(market).await?, root.past().read_all(market).await?);
    let Some(set) = reference.selector(market).among(sets.iter(), past.iter()) else {
        bail!("{} has no set `{requested}` of {market}; `parquote sets` lists them", root.location());
    };
    let contains = |sets: &[Set]| sets.iter().any(|known| known.id == set.id);
    let is_past = contains(&past) && !contains(&sets);
    let files = if is_past { root.past().files(market, set) } else { root.files(market, set) };
    Ok(MarketSnapshot::load(engine, market, SetName::from_set(set), &files, wanted).await?)
}

/// Replaces the tables of these markets in a snapshot by those of a set.
///
/// # Errors
/// As [`open`].
pub(super) async fn with_set(
    mut snapshot: Snapshot,
    root: &Root,
    markets: &[Market],
    requested: &str,
) -> anyhow::Result<Snapshot> {
    for market in markets {
        let set = open(snapshot.engine(), root, *market, requested, LoadScope::Served).await?;
        snapshot = snapshot.with_market(Arc::new(set));
    }
    Ok(snapshot)
}

fn row(listed: &ListedSet, is_past: bool) -> [String; 9] {
    const MB: f64 = 1e6;
    let set = &listed.set;
    [
        set.market.to_string(),
        if is_past { "past".to_owned() } else { set.number.to_string() },
        set.id.clone(),
        set.as_of.map(|day| day.to_string()).unwrap_or_default(),
        set.published.at.format("%Y-%m-%d %H:%M UTC").to_string(),
        set.tables.len().to_string(),
        format!("{:.1}", set.bytes() as f64 / MB),
        set.published.origin.to_string(),
        listed.verdict(),
    ]
}

pub(super) async fn roll_back(args: &RollbackArgs) -> anyhow::Result<()> {
    let root = args.data.open()?;
    let numbers = root.numbers(args.market).await?;
    let to = match (args.to, numbers.as_slice()) {
        (Some(to), _) => to,
        (None, [.., before, _]) => *before,
        (None, _) => anyhow::bail!("{} has no earlier set of {}", root.location(), args.market),
    };
    let set = root.roll_back(args.market, to).await?;
    let as_of = set.as_of.map(|day| format!(", as of {day}")).unwrap_or_default();
    say!("{}: set {} has the content of set {to} ({}){as_of}", args.market, set.number, set.id);
    Ok(())
}
