//! Connections to workers; each request carries the shared key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::error::{DataFusionError, Result};
use datafusion_distributed::grpc::{BoxCloneSyncChannel, create_worker_client};
use datafusion_distributed::{ChannelResolver, GetWorkerInfoRequest, WorkerChannel};
use tonic::body::Body;
use tonic::transport::Endpoint;
use tower::ServiceExt as _;
use url::Url;

use super::key::WorkerKey;
use super::tls::WorkerTls;
use parquote_catalogue::causes::with_causes;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of a version request.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval of keep-alive pings on a silent connection, and timeout of their replies.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Connections by worker URL, opened on first use and reopened after a failure.
#[derive(Clone)]
pub(super) struct Channels {
    key: WorkerKey,
    tls: Option<WorkerTls>,
    by_url: Arc<Mutex<HashMap<Url, BoxCloneSyncChannel>>>,
}

impl std::fmt::Debug for Channels {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("Channels")
    }
}

impl Channels {
    pub(super) fn new(key: WorkerKey, tls: Option<WorkerTls>) -> Self {
        Self { key, tls, by_url: Arc::default() }
    }

    /// Builds the URL of a worker: `https` with TLS, else `http`.
    ///
    /// # Errors
    /// The text is not an address.
    pub(super) fn url(&self, address: &str) -> std::result::Result<Url, url::ParseError> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        Url::parse(&format!("{scheme}://{address}"))
    }

    /// Requests the version of a worker.
    ///
    /// # Errors
    /// The worker cannot be reached, or does not answer in time.
    pub(super) async fn version(&self, url: &Url) -> std::result::Result<String, String> {
        let request = async {
            let mut worker = self.get_worker_client_for_url(url).await?;
            worker.get_worker_info(GetWorkerInfoRequest {}).await
        };
        match tokio::time::timeout(VERSION_TIMEOUT, request).await {
            Ok(Ok(reply)) => Ok(reply.version),
            Ok(Err(error)) => Err(with_causes(&error)),
            Err(_) => Err(format!("it has not answered within {} s", VERSION_TIMEOUT.as_secs())),
        }
    }

    fn channel(&self, url: &Url) -> Result<BoxCloneSyncChannel> {
        let mut channels = self.by_url.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(url) {
            return Ok(channel.clone());
        }
        let failed = |error: tonic::transport::Error| DataFusionError::External(Box::new(error));
        let mut endpoint = Endpoint::from_shared(url.to_string())
            .map_err(failed)?
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE)
            .keep_alive_while_idle(true)
            .tcp_nodelay(true);
        if let Some(tls) = &self.tls {
            endpoint = endpoint.tls_config(tls.client()).map_err(failed)?;
        }
        let key = self.key.clone();
        let with_key = move |mut request: tonic::codegen::http::Request<Body>| {
            key.put_into(&mut request);
            request
        };
        let channel = BoxCloneSyncChannel::new(endpoint.connect_lazy().map_request(with_key));
        channels.insert(url.clone(), channel.clone());
        Ok(channel)
    }
}

#[async_trait]
impl ChannelResolver for Channels {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        self.channel(url).map(create_worker_client)
    }
}
