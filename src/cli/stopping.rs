//! The shutdown of a server: at the first signal it drains, if configured, and then stops; at the second it ends at once. Other modules
//! wait for the stages and act on them.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::http::Readiness;

/// The stages of a shutdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// No signal was received.
    Serving,
    /// `/readyz` reports that the server is not ready; it still serves.
    Draining,
    /// The server accepts no connections, and finishes running requests.
    Stopping,
    /// The server ends without waiting for running requests.
    Aborting,
}

/// Waits for the first signal to stop.
pub(super) async fn stop_requested() {
    signals().recv().await;
}

/// The shutdown stage, shared by all waiters.
#[derive(Clone)]
pub(super) struct Stop(watch::Receiver<Stage>);

impl Stop {
    /// Starts to listen for signals. A server without data skips the draining stage.
    pub(super) fn on_signals(readiness: Readiness, drain: Duration) -> Self {
        let (sender, receiver) = watch::channel(Stage::Serving);
        let mut signals = signals();
        tokio::spawn(async move {
            if signals.recv().await.is_none() {
                return;
            }
            let drain = if readiness.drain() { drain } else { Duration::ZERO };
            sender.send_replace(Stage::Draining);
            if !drain.is_zero() {
                tracing::info!(
                    seconds = drain.as_secs_f64(),
                    "draining: not ready any more, and still serving"
                );
            }
            if timeout(drain, signals.recv()).await.is_err() {
                sender.send_replace(Stage::Stopping);
                signals.recv().await;
            }
            sender.send_replace(Stage::Aborting);
        });
        Self(receiver)
    }

    /// Waits until the shutdown has reached a stage.
    pub(super) async fn wait_for_stage(mut self, stage: Stage) {
        if self.0.wait_for(|now| *now >= stage).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Sends a message for each signal to stop: Ctrl-C or a termination request.
fn signals() -> mpsc::UnboundedReceiver<()> {
    let (sender, receiver) = mpsc::unbounded_channel();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
            let Ok(mut signal) = signal(kind) else { continue };
            let sender = sender.clone();
            tokio::spawn(async move { while signal.recv().await.is_some() && sender.send(()).is_ok() {} });
        }
    }
    #[cfg(not(unix))]
    tokio::spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).is_ok() {} });
    receiver
}
