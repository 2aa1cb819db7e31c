//! Connections to a worker: limits their number, and closes each one that does not present the key in time. After that, the transport's
//! keep-alive pings detect a dead connection.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::{Stream, stream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};
use tonic::Request;
use tonic::transport::server::{Connected, TlsConnectInfo};

/// Most connections at a time: more than derivations and other workers open, fewer than the usual limit on open files.
const MOST_CONNECTIONS: usize = 512;
/// Timeout of presenting the key, including the TLS handshake.
const KEY_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// Least interval between warnings about refused connections.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Flag of a connection that has presented the key.
#[derive(Debug, Clone, Default)]
pub(super) struct AuthenticatedFlag(Arc<AtomicBool>);

impl AuthenticatedFlag {
    /// Marks the connection of a request as authenticated.
    pub(super) fn mark(request: &Request<()>) {
        let extensions = request.extensions();
        let encrypted = || extensions.get::<TlsConnectInfo<Self>>().map(TlsConnectInfo::get_ref);
        if let Some(flag) = extensions.get::<Self>().or_else(encrypted) {
            flag.0.store(true, Ordering::Relaxed);
        }
    }
}

/// A connection, with one of [`MOST_CONNECTIONS`] permits.
pub(super) struct WorkerConnection {
    stream: TcpStream,
    authenticated: AuthenticatedFlag,
    /// Deadline for presenting the key; `None` once presented.
    deadline: Option<Pin<Box<Sleep>>>,
    _permit: OwnedSemaphorePermit,
}

/// Accepts connections, up to the limit.
pub(super) fn connections(listener: TcpListener) -> impl Stream<Item = io::Result<WorkerConnection>> {
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    stream::unfold((listener, permits, None::<Instant>), |(listener, permits, mut logged_at)| async move {
        loop {
            let refused = match listener.accept().await {
                Ok((stream, _)) => match Arc::clone(&permits).try_acquire_owned() {
                    Ok(permit) => {
                        return Some((
                            Ok(WorkerConnection::new(stream, permit)),
                            (listener, permits, logged_at),
                        ));
                    }
                    Err(_) => format!("{MOST_CONNECTIONS} are open, which is the most"),
                },
                Err(error) => {
                    sleep(ACCEPT_PAUSE).await;
                    error.to_string()
                }
            };
            if logged_at.is_none_or(|at| at.elapsed() >= LOG_INTERVAL) {
                tracing::warn!(
                    refused,
                    "a connection to this worker is not taken; this is said once a minute"
                );
                logged_at = Some(Instant::now());
            }
        }
    })
}

impl WorkerConnection {
    fn new(stream: TcpStream, permit: OwnedSemaphorePermit) -> Self {
        // If this fails, messages are only slower.
        let _ = stream.set_nodelay(true);
        let deadline = Some(Box::pin(sleep(KEY_TIMEOUT)));
        Self { stream, authenticated: AuthenticatedFlag::default(), deadline, _permit: permit }
    }

    /// Returns an error if the key was not presented in time.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let Some(deadline) = &mut self.deadline else { return Ok(()) };
        if self.authenticated.0.load(Ordering::Relaxed) {
            self.deadline = None;
        } else if deadline.as_mut().poll(context).is_ready() {
            tracing::debug!("a connection to this worker did not show the key in time");
            return Err(io::Error::new(ErrorKind::TimedOut, "the key was not shown in time"));
        }
        Ok(())
    }
}

impl Connected for WorkerConnection {
    type ConnectInfo = AuthenticatedFlag;

    fn connect_info(&self) -> AuthenticatedFlag {
        self.authenticated.clone()
    }
}

impl AsyncRead for WorkerConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for WorkerConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
