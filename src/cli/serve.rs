//! `parquote serve`: the server, from the first look at the state and the tables to the last request.

use super::output::say;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::net::TcpListener;

use super::{catalogue, keys};
use crate::access::{Gate, Keeper, Secret, unix_seconds};
use crate::call::Service;
use crate::config::{DataRoot, Serving, StateFile};
use crate::engine::{Snapshot, Wanted};
use crate::operation::{Catalogue, Market, Tier};
use crate::state::{KeyRow, Store};
use crate::surface::http::{Connections, HttpSettings, Metrics, Readiness, Tls, admin};
use crate::surface::mcp::McpSettings;
use crate::surface::routes;

pub(super) async fn run(
    queries: Option<&Path>,
    root: &DataRoot,
    state: &StateFile,
    serving: &Serving,
) -> anyhow::Result<()> {
    let began = Instant::now();
    let catalogue = catalogue::read(queries)?;
    let tls = tls(serving)?;
    let mut store = Store::open(&state.state)?;
    refuse_without_keys(&store, state, serving)?;
    let state_failures = Arc::default();
    let metrics = Arc::new(Metrics::new(Arc::clone(&state_failures)));
    let readiness = Readiness::default();
    serve_operators(serving, &readiness, &metrics).await?;
    let limits = serving.limits();
    let snapshot = Snapshot::open(Arc::clone(&catalogue), &root.data, Wanted::Served, &limits).await?;
    let listener = listen(serving.listen, "--listen").await?;
    // Only now: nothing can fail any more, so that the key is shown which is stored.
    let first = first_key(&mut store)?;
    let gate = Arc::new(Gate::open(&store, serving.wrong_keys, Arc::new(unix_seconds))?);
    let known = store.keys()?;
    let keeper =
        Keeper::start(Arc::clone(&gate), store, state_failures).context("the state file cannot be kept")?;
    let url = format!("{}://{}", if tls.is_some() { "https" } else { "http" }, listener.local_addr()?);
    print_data(&catalogue, &snapshot, root, &url, began.elapsed());
    print_tools(serving, &url);
    print_keys(&known, first.as_ref(), state, &url);
    let settings = HttpSettings {
        deadline: Duration::from_millis(serving.deadline_ms),
        under_way: serving.under_way,
        metrics,
        ..HttpSettings::default()
    };
    let mcp = McpSettings {
        deadline: settings.deadline,
        hosts: mcp_hosts(serving),
        origins: serving.mcp_origins.clone(),
        ..McpSettings::default()
    };
    let routes = routes(&Arc::new(Service::new(catalogue, snapshot).behind(gate)), settings, &mcp);
    let connections = Connections { tls, at_once: serving.connections, ..Connections::default() };
    readiness.set(true);
    let stopping = async move {
        stop().await;
        readiness.set(false);
    };
    let served = connections.serve(listener, routes, stopping).await.context("the server failed");
    // Its end writes the last counts.
    drop(keeper);
    served
}

/// The host names of the tools' endpoint: those that were said, and the address listened on, which nobody can make a name of
/// their own say.
fn mcp_hosts(serving: &Serving) -> Vec<String> {
    let address = match serving.listen.ip() {
        address if address.is_unspecified() => None,
        IpAddr::V4(address) => Some(address.to_string()),
        IpAddr::V6(address) => Some(format!("[{address}]")),
    };
    serving.mcp_hosts.iter().cloned().chain(address).collect()
}

/// The operators' address answers from the start on, also that nothing else does yet.
async fn serve_operators(
    serving: &Serving,
    readiness: &Readiness,
    metrics: &Arc<Metrics>,
) -> anyhow::Result<()> {
    if let Some(address) = serving.admin {
        let routes = admin(readiness.clone(), Arc::clone(metrics));
        let listener = listen(address, "--admin").await?;
        tokio::spawn(Connections::default().serve(listener, routes, std::future::pending()));
    }
    Ok(())
}

async fn listen(address: SocketAddr, flag: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .with_context(|| format!("{address} cannot be listened on; choose another with {flag}"))
}

fn tls(serving: &Serving) -> anyhow::Result<Option<Tls>> {
    match (&serving.tls_cert, &serving.tls_key) {
        (Some(certificate), Some(key)) => Ok(Some(Tls::read(certificate, key)?)),
        _ => Ok(None),
    }
}

/// On an address that others can reach, a server without keys could only refuse everyone, and the first key would be
/// printed where others may read it.
fn refuse_without_keys(store: &Store, state: &StateFile, serving: &Serving) -> anyhow::Result<()> {
    if serving.listen.ip().is_loopback() || store.keys()?.iter().any(works) {
        return Ok(());
    }
    let flag = state.flag();
    bail!(
        "{} can be reached from elsewhere, and {} holds no key that works; issue one first: \
         parquote keys{flag} issue --tier api_max --owner NAME",
        serving.listen,
        state.state.display()
    )
}

/// The first start on a machine of one's own: a key for everything.
fn first_key(store: &mut Store) -> anyhow::Result<Option<Secret>> {
    let (secret, mut key) = keys::new(Tier::ApiMax, "local", unix_seconds())?;
    "issued at the first start".clone_into(&mut key.note);
    Ok(store.insert_first_key(&key)?.map(|_| secret))
}

fn works(key: &KeyRow) -> bool {
    key.revoked_at.is_none() && key.expires_at.is_none_or(|at| at > unix_seconds())
}

/// What a person sees of the data when the server is up.
fn print_data(catalogue: &Catalogue, snapshot: &Snapshot, root: &DataRoot, url: &str, took: Duration) {
    let version = env!("CARGO_PKG_VERSION");
    say!("Parquote {version} serves {} at {url}/v1 (up in {} ms)", root.data, took.as_millis());
    for market in Market::ALL {
        let Some(as_of) = snapshot.as_of(market) else { continue };
        let rows: usize = snapshot.tables(market).iter().map(|(_, rows)| rows).sum();
        say!("  {market}: {} tables, {rows} rows, as of {as_of}", snapshot.tables(market).len());
    }
    let missing =
        (0..catalogue.operations().len()).filter(|index| !snapshot.missing(*index).is_empty()).count();
    if missing > 0 {
        say!("  {missing} operations lack a table here; `parquote check` names them");
    }
    say!("  docs: {url}/v1/docs");
}

/// Where the tools are, and under which names.
fn print_tools(serving: &Serving, url: &str) {
    say!("  mcp:  {url}/mcp");
    if serving.listen.ip().is_unspecified() && serving.mcp_hosts.is_empty() {
        say!("        under this machine's own names alone; say others with --mcp-hosts");
    }
}

/// How to call: with the first key, which is shown here and never again, or with one that the caller has.
fn print_keys(known: &[KeyRow], first: Option<&Secret>, state: &StateFile, url: &str) {
    let issue = format!("parquote keys{} issue --tier api_max --owner NAME", state.flag());
    let file = state.state.display();
    if first.is_some() {
        say!("  keys: none was there, so one is issued; it is shown only here, so keep it");
    } else {
        let working = known.iter().filter(|key| works(key)).count();
        say!("  keys: {working} of {} in {file} work; another: {issue}", known.len());
    }
    let key = first.map_or("<API_KEY>", Secret::reveal);
    say!("  try:  curl -H 'X-Api-Key: {key}' '{url}/v1/market/momentum?limit=5'");
}

/// Ends on Ctrl-C or a request to terminate.
async fn stop() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}
