//! Code shared by all serving commands: the settings of a refresh, and the wait for the first data.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::sync::oneshot;

use super::output::say;
use crate::config::{DataRoot, Refresh, Serving};
use crate::engine::EngineError;
use crate::refresh::{RefreshSettings, RefreshStatus, Refresher, ScanTrigger, Snapshots, Vetter};
use crate::set::Root;

/// Returns the settings of a refresher that reads files in a child process.
pub(super) fn settings(queries: Option<&Path>, serving: &Serving) -> anyhow::Result<RefreshSettings> {
    settings_with(queries, &serving.refresh, serving.limits().check_bytes as u64)
}

/// Returns the settings as [`settings`] does, with a limit of `memory` bytes for reading a file.
pub(super) fn settings_with(
    queries: Option<&Path>,
    refresh: &Refresh,
    memory: u64,
) -> anyhow::Result<RefreshSettings> {
    Ok(RefreshSettings {
        quiet: Duration::from_millis(refresh.quiet_ms),
        poll: Duration::from_millis(refresh.poll_ms.max(1)),
        keep: refresh.keeping.keep(),
        vetter: vetter(queries, memory)?,
        open_earlier_sets: refresh.earlier_sets,
        plans_ahead: refresh.plan_ahead,
    })
}

/// Returns a vetter that reads files in a child process with this memory limit.
pub(super) fn vetter(queries: Option<&Path>, memory: u64) -> anyhow::Result<Vetter> {
    const TIMEOUT: Duration = Duration::from_mins(5);
    let program = std::env::current_exe().context("this program cannot be found")?;
    let queries = queries.map(|queries| vec!["--queries".to_owned(), queries.display().to_string()]);
    let arguments = queries.into_iter().flatten().chain(["vet".to_owned()]).collect();
    Ok(Vetter::Child { program, arguments, memory, timeout: TIMEOUT })
}

/// Opens the root. A folder that does not exist is an error; an empty folder is not.
pub(super) fn open_root(root: &DataRoot) -> anyhow::Result<Root> {
    let opened = root.open()?;
    if let Root::Folder(home) = &opened
        && !home.root().is_dir()
    {
        bail!(EngineError::Empty(root.data.clone()));
    }
    Ok(opened)
}

/// Waits for the first snapshot; prints the reasons if there is nothing to serve yet.
pub(super) async fn wait_for_first_snapshot(
    refresher: &Refresher,
    mut first: oneshot::Receiver<Arc<Snapshots>>,
    status: &RefreshStatus,
    root: &DataRoot,
) -> anyhow::Result<Arc<Snapshots>> {
    tokio::select! {
        biased;
        snapshots = &mut first => return snapshots.context("the refresher ended early"),
        () = refresher.wait_for_first_scan() => {}
    }
    if let Ok(snapshots) = first.try_recv() {
        return Ok(snapshots);
    }
    say!(
        "Parquote waits for data that it can serve in {}; it is taken in when it has been left alone",
        root.data
    );
    for finding in status.by_market().values().flat_map(|status| &status.refused) {
        say!("  {finding}");
    }
    for trouble in status.by_market().values().filter_map(|status| status.trouble.as_ref()) {
        say!("  {trouble}");
    }
    first.await.context("the refresher ended early")
}

/// Scans the root at each SIGHUP.
pub(super) fn on_hangup(request: ScanTrigger) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut signal) = signal(SignalKind::hangup()) else { return };
        tokio::spawn(async move {
            while signal.recv().await.is_some() {
                tracing::info!("a hang-up: the root is looked at now");
                request.refresh().await;
            }
        });
    }
    #[cfg(not(unix))]
    drop(request);
}
