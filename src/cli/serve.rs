//! `parquote serve`: the server, from the first look at the tables to the last request.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use tokio::net::TcpListener;

use super::catalogue;
use crate::call::{Caller, Service};
use crate::config::{DataRoot, Serving};
use crate::engine::{Snapshot, Wanted};
use crate::operation::{Catalogue, Market};
use crate::surface::http::{HttpSettings, router, serve};

pub(super) async fn run(queries: Option<&Path>, root: &DataRoot, serving: &Serving) -> anyhow::Result<()> {
    let began = Instant::now();
    let catalogue = catalogue::read(queries)?;
    let snapshot =
        Snapshot::open(Arc::clone(&catalogue), &root.data, Wanted::Served, &serving.limits()).await?;
    let listener = TcpListener::bind(serving.listen)
        .await
        .with_context(|| format!("{} cannot be listened on; choose another with --listen", serving.listen))?;
    let address = listener.local_addr()?;
    print(&catalogue, &snapshot, root, &format!("http://{address}"), began.elapsed().as_millis());
    let service = Arc::new(Service::new(catalogue, snapshot));
    let settings = HttpSettings::default();
    serve(listener, router(service, settings), stop()).await.context("the server failed")
}

/// What a person sees when the server is up.
fn print(catalogue: &Catalogue, snapshot: &Snapshot, root: &DataRoot, url: &str, millis: u128) {
    let version = env!("CARGO_PKG_VERSION");
    println!("Parquote {version} serves {} at {url}/v1 (up in {millis} ms)", root.data);
    for market in Market::ALL {
        let Some(as_of) = snapshot.as_of(market) else { continue };
        let rows: usize = snapshot.tables(market).iter().map(|(_, rows)| rows).sum();
        println!("  {market}: {} tables, {rows} rows, as of {as_of}", snapshot.tables(market).len());
    }
    let missing =
        (0..catalogue.operations().len()).filter(|index| !snapshot.missing(*index).is_empty()).count();
    if missing > 0 {
        println!("  {missing} operations lack a table here; `parquote check` names them");
    }
    println!("  every caller is {} and nothing is counted: there are no keys yet", Caller::unmetered().tier);
    println!("  docs: {url}/v1/docs    try: curl '{url}/v1/market/momentum?limit=5'");
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
    tracing::info!("stopping: requests under way are finished");
}
