//! A worker's server: checks the key, reports its version, and runs the plans that it receives.

use std::sync::Arc;
use std::time::Duration;

use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion_distributed::{DistributedExt as _, Worker, WorkerQueryContext};
use object_store::local::LocalFileSystem;
use tokio::net::TcpListener;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;

use super::calling::{MOST_HEADER_BYTES, with_functions};
use super::channels::Channels;
use super::connections::{AuthenticatedFlag, connections};
use super::error::WorkersError;
use super::executor::UnitExecutor;
use super::read_only::ReadOnlyStore;
use super::tls::is_this_machine;
use super::units_plan::UnitsCodec;
use super::version;
use crate::worker_settings::WorkerSettings;
use parquote_catalogue::causes::with_causes;
use parquote_catalogue::operation::Catalogue;
use parquote_set::{Root, Staging, TransferStore};

/// Interval of keep-alive pings on a silent connection, and timeout of their replies.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Serves until `stop` is ready.
///
/// # Errors
/// A certificate is invalid, a folder cannot be written, or the listener fails.
pub async fn serve(
    catalogue: Arc<Catalogue>,
    listener: TcpListener,
    settings: WorkerSettings,
    stop: impl Future<Output = ()> + Send,
) -> Result<(), WorkersError> {
    let failed = |error: &(dyn std::error::Error + 'static)| WorkersError::Serve(with_causes(error));
    let address = listener.local_addr().map_err(|error| failed(&error))?;
    if settings.tls.is_none() && !settings.clear_text && !is_this_machine(&address.ip().to_string()) {
        return Err(WorkersError::ClearText(address.to_string()));
    }
    let transfer = TransferStore::open(&settings.data)?;
    let runtime = Arc::new(RuntimeEnv::default());
    // A plan may name any file as its output.
    if let Ok(url) = url::Url::parse("file://") {
        runtime.register_object_store(&url, Arc::new(ReadOnlyStore(Arc::new(LocalFileSystem::new()))));
    }
    // Input files of distributed SELECTs.
    if let Some((url, store)) = Root::open(&settings.data, &settings.cache, 1)?.store() {
        runtime.register_object_store(&url, Arc::new(ReadOnlyStore(store)));
    }
    let version = version::rules_version(&catalogue);
    // Creating the folder removes those of killed workers; it is removed when the server ends.
    let staging = Staging::create(&settings.cache)?;
    // Units compute on separate threads, so that health checks are answered meanwhile.
    let units = tokio::runtime::Builder::new_multi_thread().thread_name("unit").enable_all().build();
    let units = units.map_err(|error| failed(&error))?;
    let executor =
        UnitExecutor::new(catalogue, transfer, staging.path(), settings.cache_bytes, units.handle().clone())?;
    let executor = Arc::new(executor);
    let channels = Channels::new(settings.key.clone(), settings.tls.clone());
    let session = move |context: WorkerQueryContext| {
        let (executor, channels) = (Arc::clone(&executor), channels.clone());
        async move {
            let mut builder = with_functions(context.builder, &context.headers)?;
            builder.config().get_or_insert_default().set_extension(executor);
            Ok(builder
                .with_distributed_channel_resolver(channels)
                .with_distributed_user_codec(UnitsCodec)
                .build())
        }
    };
    let worker = Worker::from_session_builder(session).with_version(version).with_runtime_env(runtime);
    let key = settings.key.clone();
    let service = InterceptedService::new(worker.into_worker_server(), move |request| {
        key.check(request).inspect(AuthenticatedFlag::mark)
    });
    let mut server = Server::builder()
        .http2_keepalive_interval(Some(KEEP_ALIVE))
        .http2_keepalive_timeout(Some(KEEP_ALIVE))
        .http2_max_header_list_size(MOST_HEADER_BYTES);
    if let Some(tls) = &settings.tls {
        server = server.tls_config(tls.server()).map_err(|error| failed(&error))?;
    }
    let incoming = Box::pin(connections(listener));
    let result = server.add_service(service).serve_with_incoming_shutdown(incoming, stop).await;
    units.shutdown_background();
    drop(staging);
    result.map_err(|error| failed(&error))
}
