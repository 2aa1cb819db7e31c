//! `parquote mcp`: serves the tools over standard input and output, for a desktop client that starts the program. Only the protocol
//! is written to standard output.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use tokio::sync::{oneshot, watch};

use super::public_terms::PublicTerms;
use super::{catalogue, handlers, refreshing, select};
use crate::access::{AccessControl, StateSync, unix_seconds};
use crate::call::Service;
use crate::config::{DataRoot, StateFile, Stdio};
use crate::engine::{Engine, EngineError, QueryLimits, Snapshot};
use crate::fetch::SourceCatalogue;
use crate::mcp::{McpSettings, StdioCaller, stdio};
use crate::refresh::{RefreshStatus, Refresher, Snapshots};
use crate::state::Store;

/// The toolset that is listed by default. It takes a tenth of the tokens that the tools of all operations take.
const CHAT: &str = "chat";

/// Wrong keys are not limited, because there is no client address.
const WRONG_KEYS: u32 = u32::MAX;

pub(super) async fn run(
    queries: Option<&Path>,
    root: &DataRoot,
    state: &StateFile,
    options: Stdio,
) -> anyhow::Result<()> {
    let catalogue = catalogue::load_checked(queries).await?;
    let limits = QueryLimits::default();
    let engine = Engine::new(Arc::clone(&catalogue), &limits);
    let settings = refreshing::settings_with(queries, &options.refresh, limits.check_bytes as u64)?;
    let (opened, status) = (refreshing::open_root(root)?, RefreshStatus::default());
    let public_terms = PublicTerms::new(&options.refresh, &catalogue, &SourceCatalogue::embedded()?)?;
    let empty =
        public_terms.add_to(Service::new(Arc::clone(&catalogue), Snapshot::from_markets(&engine, [])));
    let (refresher, first) = Refresher::start(opened, root.cache.clone(), engine, settings, status.clone())?;
    // Without a key the state file is neither read nor created.
    let (access, sync) = options.key.as_ref().map(|_| access(state)).transpose()?.unzip();
    let (send, later) = watch::channel(None);
    let mut workers = None;
    let loading = async {
        let snapshots = wait_for_data(&refresher, first, &status, root).await?;
        let service =
            public_terms.add_to(Service::with_snapshots(Arc::clone(&catalogue), Arc::clone(&snapshots)));
        let service = service.with_select_processes(select::processes(queries, root)?, 0);
        let service = match access.clone() {
            Some(access) => {
                let prepared = handlers::PreparedHandlers::new(catalogue, state, &options.models, None)?;
                let assembled = prepared.start(snapshots, None, &public_terms.public)?;
                workers = Some(assembled.workers);
                service.with_access_control(access).with_handlers(assembled.handlers)
            }
            None => service,
        };
        send.send_replace(Some(Arc::new(service)));
        std::future::pending::<anyhow::Result<Infallible>>().await
    };
    let before = access.iter().fold(empty, |service, access| service.with_access_control(Arc::clone(access)));
    let Stdio { key, mut toolsets, tools, exclude_tools, discover, .. } = options.clone();
    if toolsets.is_empty() && tools.is_empty() && !discover {
        CHAT.clone_into(&mut toolsets);
    }
    let mcp_settings = McpSettings::default();
    let local = StdioCaller { key, toolsets, tools, exclude_tools, discover };
    // The client expects a response at once, before data is loaded.
    let served = tokio::select! {
        served = stdio(Arc::new(before), later, &mcp_settings, local) => served,
        failed = loading => match failed? {},
    };
    if let Some(workers) = workers {
        workers.stop().await;
    }
    // Dropping it writes the last counts.
    drop(sync);
    Ok(served?)
}

/// Waits for the first data. Fails if the first scan of the root finds nothing to serve, so that the client need not wait.
async fn wait_for_data(
    refresher: &Refresher,
    mut first: oneshot::Receiver<Arc<Snapshots>>,
    status: &RefreshStatus,
    root: &DataRoot,
) -> anyhow::Result<Arc<Snapshots>> {
    tokio::select! {
        biased;
        snapshots = &mut first => Ok(snapshots?),
        () = refresher.wait_for_first_scan() => match first.try_recv() {
            Ok(snapshots) => Ok(snapshots),
            Err(_) => bail!("{}", refusal_message(status, root)),
        },
    }
}

/// Describes why there is nothing to serve.
fn refusal_message(status: &RefreshStatus, root: &DataRoot) -> String {
    let findings: Vec<String> = status
        .by_market()
        .into_values()
        .flat_map(|status| {
            status.refused.iter().map(ToString::to_string).chain(status.trouble).collect::<Vec<_>>()
        })
        .collect();
    match findings.as_slice() {
        [] => EngineError::Empty(root.data.clone()).to_string(),
        findings => format!("{} holds nothing that can be served:\n{}", root.data, findings.join("\n")),
    }
}

fn access(state: &StateFile) -> anyhow::Result<(Arc<AccessControl>, StateSync)> {
    let store = Store::open(&state.state)?;
    let access = Arc::new(AccessControl::open(&store, WRONG_KEYS, Arc::new(unix_seconds))?);
    let sync = StateSync::start(Arc::clone(&access), store, Arc::default())
        .context("the state cannot be synchronized")?;
    Ok((access, sync))
}
