//! `parquote check`: a folder of tables held against its contract.

use super::output::say;
use std::path::Path;
use std::sync::Arc;

use super::catalogue;
use crate::config::DataRoot;
use crate::engine::{Limits, Snapshot, Wanted};
use crate::operation::Market;

pub(super) async fn run(queries: Option<&Path>, root: &DataRoot) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    let snapshot =
        Snapshot::open(Arc::clone(&catalogue), &root.data, Wanted::All, &Limits::default()).await?;
    say!("{} keeps its contract; snapshot {}", root.data, snapshot.id());
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
    }
    Ok(())
}
