//! How a server ends: told to stop, it drains first if it is to, then it stops; told twice, it ends at once. What that means for
//! connections is decided elsewhere.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::http::Readiness;

/// How far the end of a server has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Nobody told it to stop.
    Serving,
    /// It is not ready any more, and serves on.
    Draining,
    /// It takes no connections, and answers what is under way.
    Stopping,
    /// Nothing is waited for.
    Now,
}

/// Waits until somebody tells this process to stop.
pub(super) async fn asked() {
    signals().recv().await;
}

/// That a server is to stop; any number of waiters are told.
#[derive(Clone)]
pub(super) struct Stop(watch::Receiver<Stage>);

impl Stop {
    /// Begins to listen for signals. What had no data yet has nobody to drain.
    pub(super) fn on_signals(readiness: Readiness, drain: Duration) -> Self {
        let (tell, told) = watch::channel(Stage::Serving);
        let mut signals = signals();
        tokio::spawn(async move {
            if signals.recv().await.is_none() {
                return;
            }
            let drain = if readiness.drain() { drain } else { Duration::ZERO };
            tell.send_replace(Stage::Draining);
            if !drain.is_zero() {
                tracing::info!(
                    seconds = drain.as_secs_f64(),
                    "draining: not ready any more, and still serving"
                );
            }
            if timeout(drain, signals.recv()).await.is_err() {
                tell.send_replace(Stage::Stopping);
                signals.recv().await;
            }
            tell.send_replace(Stage::Now);
        });
        Self(told)
    }

    /// Waits until the end has come so far.
    pub(super) async fn reached(mut self, stage: Stage) {
        if self.0.wait_for(|now| *now >= stage).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Brings a word each time somebody asks the server to stop: by Ctrl-C, or by a request to terminate.
fn signals() -> mpsc::UnboundedReceiver<()> {
    let (tell, told) = mpsc::unbounded_channel();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
            let Ok(mut signal) = signal(kind) else { continue };
            let tell = tell.clone();
            tokio::spawn(async move { while signal.recv().await.is_some() && tell.send(()).is_ok() {} });
        }
    }
    #[cfg(not(unix))]
    tokio::spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && tell.send(()).is_ok() {} });
    told
}
