//! `parquote serve`: the server, from opening its state file and tables to finishing the last request.

use super::output::say;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::net::{TcpListener, TcpSocket};

use super::before_data::{BeforeData, EarlySync};
use super::handlers::{self, AssembledHandlers};
use super::live_declarations::LiveDeclarations;
use super::protocols::{access, http_settings, mcp_settings};
use super::public_terms::PublicTerms;
use super::refresh_child::RefreshChild;
use super::stopping::{Stage, Stop};
use super::{
    catalogue, data_pages, demo, guests, keys, next_steps, public_terms, refreshing, select, taken_port,
};
use crate::access::{RandomToken, Secret, StateFailures, StateSync, new_sign_in_code, unix_seconds};
use crate::agents::job::Workers;
use crate::call::{QueryThreadSettings, QueryThreads, Service};
use crate::config::{CommonOptions, DataRoot, Serving, StateFile};
use crate::digits::counted;
use crate::engine::{Engine, LoadProgress, Snapshot};
use crate::http::{
    Connections, HttpSettings, Metrics, OpeningRoutes, Readiness, RefreshHandle, SetsAndSources, admin,
};
use crate::mcp::McpSettings;
use crate::operation::{Catalogue, Market, Tier};
use crate::refresh::{RefreshStatus, Refresher, SetAdministration, Snapshots};
use crate::routes;
use crate::state::{GUEST_HINT, KeyRow, Store};
use crate::surface::tls::Tls;

/// The options of a server that its routes are built with.
struct RouteOptions<'a> {
    state: &'a StateFile,
    serving: &'a Serving,
    /// Folder of the declarations; `None` for the built-in ones.
    queries: Option<&'a Path>,
    /// URL of the address that it listens on.
    url: &'a str,
    /// The sets and sources of the portal.
    data: &'a SetsAndSources,
}

pub(super) async fn run(
    common: &CommonOptions,
    root: &DataRoot,
    state: &StateFile,
    serving: &Serving,
) -> anyhow::Result<()> {
    let began = Instant::now();
    let queries = common.queries.as_deref();
    let catalogue = catalogue::load_checked(queries).await?;
    let tls = tls(serving)?;
    let store = Store::open(&state.state)?;
    refuse_without_keys(&store, state, serving)?;
    let state_failures = Arc::<StateFailures>::default();
    let status = RefreshStatus::default();
    let metrics = Arc::new(Metrics::new(Arc::clone(&state_failures), status.clone()));
    let readiness = Readiness::with_state_failures(Arc::clone(&state_failures));
    let raw = Some(serving.fetching.raw.as_path());
    let prepared = handlers::PreparedHandlers::new(Arc::clone(&catalogue), state, &serving.models, raw)?;
    let engine = Engine::new(Arc::clone(&catalogue), &serving.limits());
    let progress = engine.progress().clone();
    let early = EarlySync::default();
    let before_data = BeforeData {
        engine: Arc::clone(&engine),
        handlers: Box::new(prepared.before_data()),
        state: state.clone(),
        serving: serving.clone(),
        state_failures: Arc::clone(&state_failures),
        early: early.clone(),
    };
    let public_terms = PublicTerms::new(&serving.refresh, &catalogue, &serving.fetching.source_catalogue()?)?;
    let settings = refreshing::settings(queries, serving)?;
    demo::make_missing(queries, root).await?;
    let opened = refreshing::open_root(root)?;
    let (refresher, first) = Refresher::start(opened, root.cache.clone(), engine, settings, status.clone())?;
    let refreshing = RefreshHandle {
        status: status.clone(),
        request: refresher.scan_trigger(),
        progress: progress.clone(),
    };
    serve_operators(serving, &readiness, &metrics, refreshing)?;
    let listener = listen_for_callers(serving.listen).await?;
    let url = format!("{}://{}", if tls.is_some() { "https" } else { "http" }, listener.local_addr()?);
    let threads = QueryThreads::start(query_threads(serving)).context("there are no threads for queries")?;
    let drain = Duration::from_millis(serving.drain_ms);
    let (opening, stop) = (before_data.opening_routes(), Stop::on_signals(readiness.clone(), drain));
    // The server listens from here on; until data is loaded, it replies that there is none.
    let routes = {
        let opening = opening.clone();
        move || opening.routes()
    };
    let (draining, figures) = (readiness.draining(), metrics.connections());
    let connections = Connections { draining, figures, ..connections(tls, serving) };
    let served =
        tokio::spawn(connections.serve(listener, routes, stop.clone().wait_for_stage(Stage::Stopping)));
    refreshing::on_hangup(refresher.scan_trigger());
    let _beside = RefreshChild::start(common, root, serving, &progress)?;
    let snapshots = tokio::select! {
        snapshots = refreshing::wait_for_first_snapshot(&refresher, first, &status, root) => Some(snapshots?),
        () = stop.clone().wait_for_stage(Stage::Draining) => None,
        () = log_progress(&progress) => None,
    };
    let at_work = match snapshots {
        Some(snapshots) => {
            // Guests are set up before the workers start, because they can see the workers' results.
            let guests = guests::key(serving, &snapshots.current(), &state.state)?;
            let (service, workers) =
                service(&catalogue, prepared, &snapshots, &threads, &metrics, &public_terms)?;
            let most = serving.sql_processes.unwrap_or_default();
            let service = service.with_select_processes(select::processes(queries, root)?, most);
            public_terms::warn(&public_terms.terms, &snapshots.current(), &serving.refresh);
            print_data(&catalogue, &snapshots.current(), root, &url, began.elapsed());
            if guests.is_some() {
                say!(
                    "  look: {url}/india is open to guests without a key, who change nothing; --guest=false closes it"
                );
            }
            let service =
                guests.into_iter().fold(service, |service, (key, tier)| service.with_guests(key, tier));
            print_tools(serving, &url);
            next_steps::print(&snapshots.current(), &url);
            // This writes the early counts, which the next synchronization then reads.
            early.end();
            let sets =
                SetAdministration::new(Arc::clone(&snapshots), status.clone(), refresher.scan_trigger());
            let data = &data_pages::pages(sets, serving, root);
            let options = RouteOptions { state, serving, queries, url: &url, data };
            let sync = open_routes(&opening, service, store, metrics, state_failures, &options)?;
            readiness.mark_loaded();
            Some((workers, sync))
        }
        None => None,
    };
    tokio::select! {
        served = served => served.context("the server ended early")?.context("the server failed")?,
        () = stop.clone().wait_for_stage(Stage::Aborting) => {
            tracing::warn!("a second signal to stop: requests in progress are cut off");
        }
    }
    if let Some((workers, sync)) = at_work {
        // Running jobs are released, so that the next start can continue them at once.
        tokio::select! {
            () = workers.stop() => {}
            () = stop.wait_for_stage(Stage::Aborting) => {}
        }
        // Dropping it writes the last counts.
        drop(sync);
    }
    early.end();
    Ok(())
}

/// Returns the limits of connections, and raises the system's limit accordingly.
fn connections(tls: Option<Tls>, serving: &Serving) -> Connections {
    #[cfg(unix)]
    let at_once = super::descriptors::raise(serving.connections);
    #[cfg(not(unix))]
    let at_once = serving.connections;
    Connections {
        tls,
        at_once,
        per_address: serving.connections_per_address,
        trusted_proxies: serving.trusted_proxy.clone().into(),
        streams: serving.streams,
        idle: Duration::from_millis(serving.idle_ms),
        stalled: Duration::from_millis(serving.stalled_ms),
        ..Connections::default()
    }
}

/// Creates the service and the workers of runs. Agents also compute, so their tasks start on the query threads.
fn service(
    catalogue: &Arc<Catalogue>,
    prepared: handlers::PreparedHandlers,
    snapshots: &Arc<Snapshots>,
    threads: &Arc<QueryThreads>,
    metrics: &Metrics,
    public_terms: &PublicTerms,
) -> anyhow::Result<(Service, Workers)> {
    let _there = threads.handle().enter();
    let AssembledHandlers { handlers, workers, jobs } =
        prepared.start(Arc::clone(snapshots), Some(threads), &public_terms.public)?;
    metrics.watch_jobs(jobs);
    let service = Service::with_snapshots(Arc::clone(catalogue), Arc::clone(snapshots))
        .with_handlers(handlers)
        .on_threads(Arc::clone(threads));
    Ok((public_terms.add_to(service), workers))
}

/// Returns the settings of the query threads. At least as many queries may wait as requests may run at once.
fn query_threads(serving: &Serving) -> QueryThreadSettings {
    let usual = QueryThreadSettings::default();
    let threads = serving.query_threads.unwrap_or(usual.threads);
    QueryThreadSettings {
        threads,
        per_key: serving.queries_per_key.unwrap_or(threads.saturating_sub(1).max(1)),
        waiting_per_key: serving.queries_waiting,
        waiting: serving.under_way.max(serving.queries_waiting),
        ..usual
    }
}

/// Opens the routes. The first key is printed last, when nothing can fail any more, so every printed key is also stored.
fn open_routes(
    opening: &OpeningRoutes,
    service: Service,
    mut store: Store,
    metrics: Arc<Metrics>,
    state_failures: Arc<StateFailures>,
    options: &RouteOptions<'_>,
) -> anyhow::Result<StateSync> {
    let RouteOptions { state, serving, queries, url, data } = *options;
    // Without a terminal, such as in the log of a service manager, a printed key would be stored and readable by others.
    let first = if std::io::stdout().is_terminal() { first_key(&mut store)? } else { None };
    let access = access(&store, serving)?;
    let mut keys = store.keys()?;
    keys.retain(|key| key.hint != GUEST_HINT);
    let sync = StateSync::start(Arc::clone(&access), store, state_failures)
        .context("the state cannot be synchronized")?;
    let live = LiveDeclarations::read(service.catalogue())?;
    let settings = HttpSettings {
        pages: Some(Arc::clone(&live.pages)),
        data: Some(data.clone()),
        ..http_settings(&access, state, serving, metrics)?
    };
    let mcp_settings =
        McpSettings { prompts: Some(Arc::clone(&live.prompts)), ..mcp_settings(serving, Some(url)) };
    if let Some(folder) = queries {
        tokio::spawn(live.watch_folder(folder.to_owned(), Arc::clone(service.catalogue())));
    }
    let service = Arc::new(service.with_access_control(access));
    opening.open(routes(&service, settings, &mcp_settings));
    print_keys(&keys, first.as_ref(), state, url);
    Ok(sync)
}

/// Logs the loading progress until it is cancelled.
async fn log_progress(progress: &LoadProgress) {
    const LOG_INTERVAL: Duration = Duration::from_secs(5);
    loop {
        tokio::time::sleep(LOG_INTERVAL).await;
        if let Some(words) = progress.describe() {
            tracing::info!("{words}");
        }
    }
}

/// Serves the operators' address from the start, before data is loaded.
fn serve_operators(
    serving: &Serving,
    readiness: &Readiness,
    metrics: &Arc<Metrics>,
    refreshing: RefreshHandle,
) -> anyhow::Result<()> {
    if let Some(address) = serving.admin {
        if !address.ip().is_loopback() {
            tracing::warn!(%address, "--admin is open to the network and takes no keys: let only operators reach it");
        }
        let routes = admin(readiness.clone(), Arc::clone(metrics), refreshing);
        let listener = listen(address, "--admin")?;
        let routes = move || routes.clone();
        let few = Connections { at_once: 64, ..Connections::default() };
        tokio::spawn(few.serve(listener, routes, std::future::pending()));
    }
    Ok(())
}

/// Listens on the main address; an error names the program that has taken it.
async fn listen_for_callers(address: SocketAddr) -> anyhow::Result<TcpListener> {
    match listen(address, "--listen") {
        Err(_) if taken_port::is_taken(address) => bail!(taken_port::description(address).await),
        listened => listened,
    }
}

fn listen(address: SocketAddr, flag: &str) -> anyhow::Result<TcpListener> {
    /// Backlog of connections; the system may allow fewer. It accepts thousands of simultaneous connections without a retry.
    const CONNECTION_BACKLOG: u32 = 4096;
    let bound = || {
        let socket = if address.is_ipv6() { TcpSocket::new_v6()? } else { TcpSocket::new_v4()? };
        // As in the standard library: a restarted server can bind its port at once.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(CONNECTION_BACKLOG)
    };
    bound()
        .with_context(|| format!("the server cannot listen on {address}; choose another address with {flag}"))
}

/// Reads the certificate and reloads it when it changes.
fn tls(serving: &Serving) -> anyhow::Result<Option<Tls>> {
    match (&serving.tls_cert, &serving.tls_key) {
        (Some(certificate), Some(key)) => {
            let tls = Tls::read(certificate, key)?;
            tokio::spawn(tls.clone().watch_files(Tls::CHECK_INTERVAL));
            Ok(Some(tls))
        }
        _ => Ok(None),
    }
}

/// Refuses to start without keys on an address that others can reach: the server could only refuse every request, and the first key
/// would be printed where others may read it.
fn refuse_without_keys(store: &Store, state: &StateFile, serving: &Serving) -> anyhow::Result<()> {
    let open = serving.listen;
    if open.ip().is_loopback() {
        return Ok(());
    }
    if store.keys()?.iter().any(|key| key.works(unix_seconds()) && key.hint != GUEST_HINT) {
        return Ok(());
    }
    let flag = state.flag();
    bail!(
        "other machines can reach {open}, and {} holds no valid key; issue one first: \
         parquote keys{flag} issue --tier api_max --owner NAME",
        state.state
    )
}

/// The first key, and a code that signs a browser in with it.
struct FirstKey {
    secret: Secret,
    code: RandomToken,
}

/// Issues an administrator key of the highest tier at the first start; `None` if there are keys.
fn first_key(store: &mut Store) -> anyhow::Result<Option<FirstKey>> {
    let now = unix_seconds();
    let (secret, mut key) = keys::new_key(Tier::ApiMax, "local", now)?;
    "issued at the first start".clone_into(&mut key.note);
    key.is_admin = true;
    let Some(id) = store.insert_first_key(&key)? else { return Ok(None) };
    Ok(Some(FirstKey { secret, code: new_sign_in_code(store, id, now)? }))
}

/// Prints a summary of the data at the start.
fn print_data(catalogue: &Catalogue, snapshot: &Snapshot, root: &DataRoot, url: &str, took: Duration) {
    let version = env!("CARGO_PKG_VERSION");
    say!("Parquote {version} serves {} at {url}/v1 (up in {} ms)", root.data, took.as_millis());
    for market in Market::ALL {
        let Some(as_of) = snapshot.as_of(market) else { continue };
        let rows: usize = snapshot.tables(market).iter().map(|(_, rows)| rows).sum();
        say!("  {market}: {} tables, {rows} rows, as of {as_of}", snapshot.tables(market).len());
    }
    let is_there = |market: &Market| snapshot.market(*market).is_some_and(|market| !market.is_empty());
    for market in Market::ALL.into_iter().filter(is_there) {
        let operations = catalogue.operations().iter().filter(|operation| operation.market == market);
        let missing = operations.filter(|operation| !snapshot.missing(operation).is_empty()).count();
        if missing > 0 {
            say!(
                "  {market}: {} cannot answer because a table is missing; `parquote check` says more",
                counted(missing, "operation", "operations")
            );
        }
    }
    say!("  web:  {url}/ is the explorer; sign in with a key, or with a link of `parquote keys login ID`");
    say!("  docs: {url}/v1/docs");
}

/// Prints the URL of the tools and the allowed host names.
fn print_tools(serving: &Serving, url: &str) {
    say!("  mcp:  {url}/mcp");
    if serving.listen.ip().is_unspecified() && serving.mcp_hosts.is_empty() {
        say!("        only under this machine's own host names; set others with --mcp-hosts");
    }
}

/// Prints an example call: with the first key, which is shown only once, or with a placeholder.
fn print_keys(keys: &[KeyRow], first: Option<&FirstKey>, state: &StateFile, url: &str) {
    let issue = format!("parquote keys{} issue --tier api_max --owner NAME", state.flag());
    let file = &state.state;
    if first.is_some() {
        say!("  keys: this is the first key; it is shown only once, so save it");
    } else if keys.is_empty() {
        say!("  keys: there is none yet; issue one: {issue}");
    } else {
        let working = keys.iter().filter(|key| key.works(unix_seconds())).count();
        say!("  keys: {working} of {} in {file} are valid; issue another: {issue}", keys.len());
    }
    if let Some(FirstKey { code, .. }) = first {
        say!(
            "  link: {} signs a browser in; it works once, within ten minutes",
            keys::sign_in_link(url, code)
        );
    }
    let key = first.map_or("<API_KEY>", |first| first.secret.reveal());
    say!("  try:  curl -H 'X-Api-Key: {key}' '{url}/v1/market/momentum?limit=5'");
}
