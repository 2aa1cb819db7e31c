//! `parquote mcp`: the tools over standard input and output, for a desktop client that starts the program itself. Nothing but
//! the protocol is ever written to standard output.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};

use super::handlers::{self, Assembled};
use super::passing_on::PassingOn;
use super::{catalogue, refreshing};
use crate::access::{AccessControl, StateSync, unix_seconds};
use crate::call::Service;
use crate::config::{DataRoot, StateFile, Stdio};
use crate::engine::{Engine, EngineError, QueryLimits};
use crate::fetch::SourceCatalogue;
use crate::operation::Catalogue;
use crate::refresh::{RefreshStatus, Refresher, Snapshots};
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
    let limits = QueryLimits::default();
    let engine = Engine::new(Arc::clone(&catalogue), &limits);
    let settings = refreshing::settings_with(queries, &options.refresh, limits.aside_bytes as u64)?;
    let (opened, status) = (refreshing::opened(root)?, RefreshStatus::default());
    let (refresher, mut first) =
        Refresher::start(opened, root.cache.clone(), engine, settings, status.clone())?;
    // A client that started this program waits for an answer, not for data to arrive.
    tokio::select! {
        biased;
        snapshots = &mut first => serve(catalogue, snapshots?, (state, options)).await,
        () = refresher.first_scan_done() => match first.try_recv() {
            Ok(snapshots) => serve(catalogue, snapshots, (state, options)).await,
            Err(_) => bail!("{}", refused(&status, root)),
        },
    }
}

/// Why there is nothing to serve.
fn refused(status: &RefreshStatus, root: &DataRoot) -> String {
    let findings: Vec<String> = status
        .now()
        .into_values()
        .flat_map(|status| {
            status.refused.iter().map(ToString::to_string).chain(status.trouble).collect::<Vec<_>>()
        })
        .collect();
    match findings.as_slice() {
        [] => EngineError::Empty { root: root.data.clone() }.to_string(),
        findings => format!("{} holds nothing that can be served:\n{}", root.data, findings.join("\n")),
    }
}

async fn serve(
    catalogue: Arc<Catalogue>,
    snapshots: Arc<Snapshots>,
    (state, options): (&StateFile, Stdio),
) -> anyhow::Result<()> {
    let passing_on = PassingOn::new(&options.refresh, &catalogue, &SourceCatalogue::embedded()?)?;
    let service = passing_on.over(Service::over(Arc::clone(&catalogue), Arc::clone(&snapshots)));
    // Without a key the state file is not looked at: nothing is asked of it, and none is made.
    let (service, kept) = match &options.key {
        Some(_) => {
            let (access, sync) = access(state)?;
            let prepared = handlers::PreparedHandlers::new(catalogue, state, &options.models)?;
            let Assembled { handlers, workers, .. } = prepared.start(snapshots, None, &passing_on.public)?;
            (service.behind(access).with_handlers(handlers), Some((sync, workers)))
        }
        None => (service, None),
    };
    let Stdio { key, toolsets, tools, exclude_tools, discover, models: _, refresh: _ } = options;
    let local = Local { key, toolsets, tools, exclude_tools, discover };
    let served = stdio(Arc::new(service), &McpSettings::default(), local).await;
    if let Some((sync, workers)) = kept {
        workers.stop().await;
        // Its end writes the last counts.
        drop(sync);
    }
    Ok(served?)
}

fn access(state: &StateFile) -> anyhow::Result<(Arc<AccessControl>, StateSync)> {
    let store = Store::open(&state.state)?;
    let access = Arc::new(AccessControl::open(&store, WRONG_KEYS, Arc::new(unix_seconds))?);
    let sync = StateSync::start(Arc::clone(&access), store, Arc::default())
        .context("the state file cannot be kept")?;
    Ok((access, sync))
}
