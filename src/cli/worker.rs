//! `parquote worker`: computes parts of derivations for other machines.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use tokio::net::TcpListener;

use super::output::say;
use super::workers::WorkerAccess;
use super::{catalogue, stopping};
use crate::workers::{WorkerSettings, serve};

/// Arguments of `worker`.
#[derive(Debug, Args)]
pub(super) struct WorkerArgs {
    /// The address and port on which it waits for work.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7700")]
    listen: SocketAddr,
    /// The folder or object store of the sets, as derivations name it: files pass through a hidden folder there.
    #[arg(long, value_name = "DIR|URL", env = "PARQUOTE_DATA")]
    data: String,
    /// The folder below which it computes and keeps what it read; it is emptied when it stops.
    #[arg(long, value_name = "DIR", env = "PARQUOTE_CACHE", default_value = "state/cache")]
    cache: PathBuf,
    /// Gibibytes of cached raw files.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    cache_gib: u64,
    #[command(flatten)]
    access: WorkerAccess,
}

pub(super) async fn run(queries: Option<&Path>, args: WorkerArgs) -> anyhow::Result<()> {
    let settings = WorkerSettings {
        data: args.data,
        cache: args.cache,
        cache_bytes: args.cache_gib << 30,
        key: args.access.key()?,
        tls: args.access.tls()?,
        clear_text: args.access.clear_text,
    };
    let catalogue = catalogue::read(queries)?;
    let listener = TcpListener::bind(args.listen);
    let listener = listener.await.with_context(|| format!("{} cannot be listened on", args.listen))?;
    let (version, address) = (env!("CARGO_PKG_VERSION"), listener.local_addr()?);
    say!("Parquote {version} computes at {address} beside {}", settings.data);
    say!("  try: parquote derive --raw DIR --data {} --workers {address} --worker-key FILE", settings.data);
    serve(catalogue, listener, settings, stopping::stop_requested()).await?;
    Ok(())
}
