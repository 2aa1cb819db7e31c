//! `parquote mcp`: the tools over standard input and output, for a desktop client that starts the program itself. Nothing but
//! the protocol is ever written to standard output.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;

use super::catalogue;
use crate::access::{Gate, Keeper, unix_seconds};
use crate::call::Service;
use crate::config::{DataRoot, StateFile, Stdio};
use crate::engine::{Limits, Snapshot, Wanted};
use crate::state::Store;
use crate::surface::mcp::{Local, McpSettings, stdio};

/// Wrong keys are not counted by address here: there is none.
const WRONG_KEYS: u32 = u32::MAX;

pub(super) async fn run(
    queries: Option<&Path>,
    root: &DataRoot,
    state: &StateFile,
    options: Stdio,
) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    let limits = Limits::default();
    let snapshot = Snapshot::open(Arc::clone(&catalogue), &root.data, Wanted::Served, &limits).await?;
    let service = Service::new(catalogue, snapshot);
    // Without a key the state file is not looked at: nothing is asked of it, and none is made.
    let (service, keeper) = match &options.key {
        Some(_) => {
            let (gate, keeper) = gate(state)?;
            (service.behind(gate), Some(keeper))
        }
        None => (service, None),
    };
    let Stdio { key, toolsets, tools, exclude_tools, discover } = options;
    let local = Local { key, toolsets, tools, exclude_tools, discover };
    let served = stdio(Arc::new(service), &McpSettings::default(), local).await;
    // Its end writes the last counts.
    drop(keeper);
    Ok(served?)
}

fn gate(state: &StateFile) -> anyhow::Result<(Arc<Gate>, Keeper)> {
    let store = Store::open(&state.state)?;
    let gate = Arc::new(Gate::open(&store, WRONG_KEYS, Arc::new(unix_seconds))?);
    let keeper =
        Keeper::start(Arc::clone(&gate), store, Arc::default()).context("the state file cannot be kept")?;
    Ok((gate, keeper))
}
