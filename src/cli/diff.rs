//! `parquote diff`: compares two sets by table, or the rows of one operation's answer from each of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde_json::Value as Json;

use super::named_operation::{operation, pairs};
use super::output::say;
use super::{catalogue, sets};
use crate::call::{CallOptions, Caller, Service};
use crate::config::DataRoot;
use crate::digits::counted;
use crate::engine::{Engine, LoadScope, MarketSnapshot, QueryLimits, Snapshot};
use crate::operation::{AnswerFormat, Catalogue, Market, Offer};
use crate::refresh::SetDifference;

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    #[command(flatten)]
    data: DataRoot,
    /// The market.
    #[arg(long, value_name = "india|us", default_value = "india")]
    market: Market,
    /// The set before: a number, an id, or a date.
    before: String,
    /// The set after.
    after: String,
    /// An operation whose answers are compared, such as market/momentum.
    operation: Option<String>,
    /// The operation's arguments, such as limit=20.
    #[arg(value_name = "NAME=VALUE")]
    arguments: Vec<String>,
}

pub(super) async fn run(queries: Option<&Path>, args: &DiffArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    let root = args.data.open()?;
    let engine = Engine::new(Arc::clone(&catalogue), &QueryLimits::default());
    let wanted = if args.operation.is_none() { LoadScope::All } else { LoadScope::Served };
    let before = Arc::new(sets::open(&engine, &root, args.market, &args.before, wanted).await?);
    let after = Arc::new(sets::open(&engine, &root, args.market, &args.after, wanted).await?);
    let Some(operation) = &args.operation else {
        print_tables(&SetDifference::between(&before, &after)?);
        return Ok(());
    };
    let answers = [
        answer(&catalogue, &engine, before, operation, &args.arguments).await?,
        answer(&catalogue, &engine, after, operation, &args.arguments).await?,
    ];
    print_rows(&answers);
    Ok(())
}

fn print_tables(difference: &SetDifference) {
    for table in &difference.tables {
        say!("{}", table.words());
        for row in &table.examples {
            say!("    {row}");
        }
    }
    let differing = counted(difference.tables.len(), "table differs", "tables differ");
    say!("{differing}, {} the same", counted(difference.same, "is", "are"));
}

async fn answer(
    catalogue: &Arc<Catalogue>,
    engine: &Arc<Engine>,
    market: Arc<MarketSnapshot>,
    name: &str,
    arguments: &[String],
) -> anyhow::Result<Vec<Json>> {
    let operation = operation(catalogue, name)?;
    let pairs = pairs(arguments)?;
    let service = Service::new(Arc::clone(catalogue), Snapshot::from_markets(engine, [market]));
    let metered = service.enter(operation, &Caller::unmetered()).await?;
    let call = service.admit(&metered, pairs, CallOptions::new(Offer::any(AnswerFormat::Ndjson))).await?;
    let answer = service.run(&call).await?;
    let lines = answer.body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| Ok(serde_json::from_slice(line)?)).collect()
}

/// Maps the symbol of each row, or else its first field, to the row and its position from 1.
fn by_name(rows: &[Json]) -> BTreeMap<String, (usize, &Json)> {
    let name = |row: &Json| {
        let fields = row.as_object()?;
        let name = fields.get("symbol").or_else(|| fields.values().next())?;
        Some(name.as_str().map_or_else(|| name.to_string(), str::to_owned))
    };
    let rows = rows.iter().enumerate();
    rows.filter_map(|(rank, row)| Some((name(row)?, (rank + 1, row)))).collect()
}

fn print_rows([before, after]: &[Vec<Json>; 2]) {
    let (rows_before, rows_after) = (by_name(before), by_name(after));
    let (mut moved, mut changed, mut same) = (0, 0, 0);
    for (name, (rank, row)) in &rows_after {
        match rows_before.get(name) {
            None => say!("entered  {name} at {rank}"),
            Some((from, old)) => {
                let fields = differing_fields(old, row);
                moved += usize::from(from != rank);
                changed += usize::from(!fields.is_empty());
                same += usize::from(from == rank && fields.is_empty());
                if from != rank {
                    say!("moved    {name} from {from} to {rank}");
                }
                if !fields.is_empty() {
                    say!("changed  {name}: {}", fields.join(", "));
                }
            }
        }
    }
    let left: Vec<&String> = rows_before.keys().filter(|name| !rows_after.contains_key(*name)).collect();
    for name in &left {
        say!("left     {name}");
    }
    let entered = rows_after.keys().filter(|name| !rows_before.contains_key(*name)).count();
    say!("{entered} entered, {} left, {moved} moved, {changed} changed, {same} the same", left.len());
}

/// Describes the fields that differ between two rows, with both values.
fn differing_fields(old: &Json, new: &Json) -> Vec<String> {
    const MOST_SHOWN: usize = 6;
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else { return Vec::new() };
    let fields = new.iter().filter(|(name, value)| old.get(*name) != Some(*value));
    let changes =
        fields.map(|(name, value)| format!("{name} {} -> {value}", old.get(name).unwrap_or(&Json::Null)));
    changes.take(MOST_SHOWN).collect()
}
