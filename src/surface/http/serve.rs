//! Serving: takes connections until told to stop, then lets the requests under way finish, but not for ever.

use std::future::Future;
use std::io;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// How long requests under way may take after the signal: longer than a deadline of theirs, shorter than the patience
/// of the usual supervisors (30 s).
const GRACE: Duration = Duration::from_secs(15);

/// Serves until `shutdown` completes; then stops accepting and waits for requests under way, at most 15 seconds.
///
/// # Errors
/// What the listener reports.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (stopping, stopped) = oneshot::channel::<()>();
    // Replies are written whole, so that waiting to fill a packet only delays them.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was refused");
        }
    });
    let server = axum::serve(listener, router).with_graceful_shutdown(async move {
        shutdown.await;
        tracing::info!("stopping: no new connections; requests under way are finished");
        let _ = stopping.send(());
    });
    tokio::select! {
        result = server => result,
        () = grace_over(stopped) => {
            tracing::warn!(seconds = GRACE.as_secs(), "requests were still under way and are cut off");
            Ok(())
        }
    }
}

async fn grace_over(stopped: oneshot::Receiver<()>) {
    match stopped.await {
        Ok(()) => tokio::time::sleep(GRACE).await,
        // The server ended by itself; its result is the one to take.
        Err(_) => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;

    use super::*;

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
