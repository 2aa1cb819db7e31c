//! Connections: accepted until shutdown, each with limits on slow or silent callers; at shutdown, requests in progress are finished within
//! a grace period. `connection_table` decides which connections make room for others.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONNECTION, HeaderValue};
use axum::http::{Request, Response, Version};
use hyper::body::{Body as _, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use ipnet::IpNet;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::time::{interval, sleep, timeout};

use super::address;
use super::connection_figures::ConnectionFigures;
use super::connection_table::{
    ActiveRequest, CloseMode, ConnectionBounds, ConnectionEntry, ConnectionTable, Rejection,
};
use super::guarded_body::GuardedBody;
use super::io_timeout::IoTimeout;
use super::middleware::Peer;
use super::readiness::DrainFlag;
use super::request_body::{ReadToEndFlag, RequestBody};
use super::routes::Routes;
use parquote_surface::tls::Tls;

/// Grace period for requests in progress after the signal: longer than a request's deadline, shorter than the time that the usual
/// supervisors allow (30 s).
const GRACE_PERIOD: Duration = Duration::from_secs(15);
/// Pause after the system reported that it has no free connections.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// Twice the header size that the middleware accepts, so that the middleware can answer with its own error.
const HEAD_BYTES: usize = 32 * 1024;
/// Flow-control windows of HTTP/2: bytes sent before they are read. Request bodies are short messages.
const STREAM_WINDOW_BYTES: u32 = 64 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 256 * 1024;
/// Most bytes of a reply that are handed over at once, by HTTP version. Over HTTP/2 they are one frame, because the bytes of each stream
/// are buffered until the caller grants a window for them.
const HTTP2_PIECE_BYTES: usize = 16 * 1024;
const HTTP1_PIECE_BYTES: usize = 64 * 1024;
/// Time that an idle connection may take to end, while another has its place already. At shutdown, the server waits no longer for the rest
/// of a request head.
const IDLE_END_TIMEOUT: Duration = Duration::from_millis(500);

/// Settings for accepting connections.
#[derive(Clone)]
pub struct Connections {
    /// Certificate for TLS; `None` if connections are not encrypted by this server.
    pub tls: Option<Tls>,
    /// Maximum of open connections. The next one replaces the oldest idle one; if all are busy, it waits until one ends.
    pub at_once: usize,
    /// Maximum of open connections from one address, or from one /64 of IPv6.
    pub per_address: usize,
    /// Addresses of proxies, which are exempt from the limit per address.
    pub trusted_proxies: Arc<[IpNet]>,
    /// Maximum of concurrent requests on one HTTP/2 connection.
    pub streams: u32,
    /// Time for which a connection may be open without a request in progress.
    pub idle: Duration,
    /// Time that the head of a request may take over HTTP/1, from the end of the previous request.
    pub head: Duration,
    /// Time for which a caller may read no bytes of a reply.
    pub stalled: Duration,
    /// Set while the server drains: the next reply on each connection is its last, and a new connection gets one reply.
    pub draining: DrainFlag,
    /// Counters of these connections.
    pub figures: Arc<ConnectionFigures>,
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            tls: None,
            at_once: 4_096,
            per_address: 1_024,
            trusted_proxies: Arc::default(),
            streams: 32,
            idle: Duration::from_mins(1),
            head: Duration::from_secs(20),
            stalled: Duration::from_secs(20),
            draining: DrainFlag::default(),
            figures: Arc::default(),
        }
    }
}

/// Serves plain connections with the default limits.
///
/// # Errors
/// As [`Connections::serve`].
pub async fn serve(
    listener: TcpListener,
    routes: impl Into<Routes>,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let routes = routes.into();
    Connections::default().serve(listener, move || routes.clone(), shutdown).await
}

impl Connections {
    /// Serves the current routes to each new connection until `shutdown` completes; then waits at most 15 s for requests in progress.
    ///
    /// # Errors
    /// The listener has no local address.
    pub async fn serve(
        self,
        listener: TcpListener,
        routes: impl Fn() -> Routes + Send + 'static,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        listener.local_addr()?;
        let this = Arc::new(self);
        let table = this.table();
        let (open, mut all_closed) = mpsc::channel::<()>(1);
        let mut shutdown = pin!(shutdown);
        loop {
            let (stream, peer, entry) = tokio::select! {
                () = &mut shutdown => break,
                accepted = this.accept_connection(&listener, &table) => accepted,
            };
            let (this, current_routes, open) = (Arc::clone(&this), routes(), open.clone());
            tokio::spawn(async move {
                this.handle(stream, peer, current_routes, &entry).await;
                drop((entry, open));
            });
        }
        tracing::info!("stopping: no new connections; requests under way are finished");
        table.end_after_requests();
        drop((listener, open));
        if timeout(GRACE_PERIOD, all_closed.recv()).await.is_err() {
            tracing::warn!(seconds = GRACE_PERIOD.as_secs(), "requests were still under way and are cut off");
        }
        Ok(())
    }

    /// Builds the table of connections, which a task sweeps for as long as the table exists.
    fn table(&self) -> Arc<ConnectionTable> {
        let Self { at_once, per_address, idle, stalled, .. } = *self;
        let bounds = ConnectionBounds { at_once, per_address, idle, stalled };
        let table = ConnectionTable::new(bounds, Arc::clone(&self.figures));
        let (swept, mut ticks) = (Arc::downgrade(&table), interval(table.sweep_interval()));
        tokio::spawn(async move {
            loop {
                ticks.tick().await;
                let Some(table) = swept.upgrade() else { return };
                table.close_idle();
            }
        });
        table
    }

    /// Accepts the next connection for which there is room.
    async fn accept_connection(
        &self,
        listener: &TcpListener,
        table: &Arc<ConnectionTable>,
    ) -> (TcpStream, SocketAddr, ConnectionEntry) {
        loop {
            let (stream, peer) = accept(listener, table).await;
            let is_proxy = address::is_trusted(peer.ip(), &self.trusted_proxies);
            let from = (!is_proxy).then(|| peer.ip());
            loop {
                match table.enter(from) {
                    Ok(entry) => return (stream, peer, entry),
                    Err(Rejection::Address) => {
                        tracing::debug!(%peer, "a connection is refused: its address has as many as it may");
                        break;
                    }
                    // A connection that ends sends a notification; one that becomes idle does not.
                    Err(Rejection::TableFull) => drop(timeout(ACCEPT_PAUSE, table.connection_ended()).await),
                }
            }
        }
    }

    async fn handle(&self, stream: TcpStream, peer: SocketAddr, routes: Routes, entry: &ConnectionEntry) {
        // Replies are written in one piece, which Nagle's algorithm would only delay.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was refused");
        }
        let Some(tls) = &self.tls else {
            return self.serve_requests(stream, peer, routes, entry).await;
        };
        let mut ended = entry.end.clone();
        let encrypted = tokio::select! {
            encrypted = timeout(self.head, tls.accept(stream)) => encrypted,
            _ = ended.changed() => return,
        };
        match encrypted {
            Ok(Ok(stream)) => self.serve_requests(stream, peer, routes, entry).await,
            Ok(Err(error)) => tracing::debug!(%error, "a caller did not come to terms on encryption"),
            Err(_) => tracing::debug!("a caller took too long over encryption"),
        }
    }

    async fn serve_requests(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: SocketAddr,
        routes: Routes,
        entry: &ConnectionEntry,
    ) {
        let (activity, draining) = (Arc::clone(&entry.activity), self.draining.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            answer_request(request, peer, routes.clone(), activity.begin_request(), draining.clone())
        });
        let stream = TokioIo::new(IoTimeout::new(stream, self.stalled));
        let builder = self.builder();
        let mut connection = pin!(builder.serve_connection(stream, service));
        let mut end = entry.end.clone();
        let mode = tokio::select! {
            ended = connection.as_mut() => return log_end(ended),
            mode = wait_for_urgent_end(&mut end, CloseMode::KeepOpen) => mode,
        };
        if mode == CloseMode::Now {
            return;
        }
        connection.as_mut().graceful_shutdown();
        let idle_end = async {
            loop {
                sleep(IDLE_END_TIMEOUT).await;
                if mode == CloseMode::Gracefully || entry.activity.is_idle_for(IDLE_END_TIMEOUT) {
                    return;
                }
            }
        };
        tokio::select! {
            ended = connection => log_end(ended),
            () = idle_end => {}
            _ = wait_for_urgent_end(&mut end, mode) => {}
        }
    }

    fn builder(&self) -> Builder<TokioExecutor> {
        let mut builder = Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(self.head).max_buf_size(HEAD_BYTES);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(self.head)
            .keep_alive_timeout(self.stalled)
            .max_concurrent_streams(self.streams)
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_header_list_size(HEAD_BYTES as u32);
        builder
    }
}

/// Answers a request, which is in progress until its reply is handed over.
async fn answer_request(
    request: Request<Incoming>,
    peer: SocketAddr,
    routes: Routes,
    active: ActiveRequest,
    draining: DrainFlag,
) -> Result<Response<GuardedBody<ActiveRequest>>, Infallible> {
    let is_http2 = request.version() == Version::HTTP_2;
    let piece = if is_http2 { HTTP2_PIECE_BYTES } else { HTTP1_PIECE_BYTES };
    let unread = (!is_http2 && !request.body().is_end_stream()).then(ReadToEndFlag::default);
    let mut request = request.map(|body| match &unread {
        Some(end) => Body::new(RequestBody::new(body, end)),
        None => Body::new(body),
    });
    request.extensions_mut().insert(Peer(peer.ip()));
    let mut response = routes.answer(request).await;
    if draining.is_draining() && is_http2 {
        // GOAWAY, after the replies in progress.
        active.close_after_reply();
    } else if draining.is_draining() || unread.is_some_and(|end| !end.was_read_to_end()) {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| GuardedBody::new(body, piece, active.begin_reply())))
}

/// Waits until a connection is requested to end more urgently than by `mode`.
async fn wait_for_urgent_end(end: &mut watch::Receiver<CloseMode>, mode: CloseMode) -> CloseMode {
    let more_urgent = end.wait_for(|end| *end > mode).await.map(|end| *end);
    match more_urgent {
        Ok(more_urgent) => more_urgent,
        Err(_) => std::future::pending().await,
    }
}

fn log_end(ended: Result<(), Box<dyn std::error::Error + Send + Sync>>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Accepts the next connection. Errors that concern one caller are skipped; if the system lacks resources, an idle connection is closed.
async fn accept(listener: &TcpListener, table: &ConnectionTable) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if concerns_one_caller(&error) => {}
            Err(error) => {
                if table.make_room() {
                    tracing::error!(%error, "no connection can be taken now; this is said once a minute");
                }
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn concerns_one_caller(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::{get, post};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::sync::oneshot;

    use super::*;

    /// Sends a piece and then nothing. Returns what the server sends until it ends the connection.
    async fn after(piece: &[u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let short = Duration::from_millis(50);
        let connections =
            Connections { head: short, idle: 3 * short, stalled: short, ..Connections::default() };
        let paths = Router::new()
            .route("/", get(|| async { "done" }).post(|_: bytes::Bytes| async { "read" }))
            .route("/refused", post(|| async { "refused" }));
        let routes = Routes::from(paths);
        tokio::spawn(connections.serve(listener, move || routes.clone(), std::future::pending()));
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(piece).await.unwrap();
        let mut text = String::new();
        let read = timeout(Duration::from_secs(20), stream.read_to_string(&mut text)).await;
        let _ = read.expect("the server ends the connection");
        text
    }

    #[tokio::test]
    async fn a_silent_or_slow_caller_is_cut_off() {
        for piece in ["", "P", "PRI * HTTP/2.0\r\n", "GET / HTTP/1.1\r\nhost: a\r\nx"] {
            let text = after(piece.as_bytes()).await;
            assert!(!text.contains("done"), "{piece:?}: {text}");
        }
        assert!(after(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.ends_with("done"));
    }

    /// Without the header, the caller would send the next request on a closed connection.
    #[tokio::test]
    async fn a_reply_before_the_body_says_that_the_connection_ends() {
        let head = |path: &str| format!("POST {path} HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\n");
        let unread = after(head("/refused").as_bytes()).await;
        assert!(unread.contains("connection: close") && unread.ends_with("refused"), "{unread}");
        let read = after(format!("{}body", head("/")).as_bytes()).await;
        assert!(!read.contains("connection: close") && read.ends_with("read"), "{read}");
    }

    #[tokio::test]
    async fn a_request_under_way_is_finished() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (entered, inside) = oneshot::channel::<()>();
        let (go, gone) = oneshot::channel::<()>();
        let signals = std::sync::Arc::new(std::sync::Mutex::new(Some((entered, gone))));
        let router = Router::new().route(
            "/",
            get(move || {
                let signals = signals.lock().unwrap().take();
                async move {
                    let (entered, gone) = signals.unwrap();
                    entered.send(()).unwrap();
                    gone.await.unwrap();
                    "done"
                }
            }),
        );
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(serve(listener, router, async move { stopped.await.unwrap() }));
        let request = tokio::spawn(async move { reqwest::get(format!("http://{address}/")).await });
        inside.await.unwrap();
        stop.send(()).unwrap();
        go.send(()).unwrap();
        assert_eq!(request.await.unwrap().unwrap().text().await.unwrap(), "done");
        server.await.unwrap().unwrap();
    }
}
