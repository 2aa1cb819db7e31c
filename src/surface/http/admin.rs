//! The operators' door, on an address of its own: whether the process lives, whether it can answer, and its figures. It
//! takes no keys, so it belongs where only operators come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::get;

use super::metrics::Metrics;

/// The text form of the figures.
const FIGURES: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Whether requests can be answered: from the first snapshot on, until the server is told to stop.
#[derive(Debug, Clone, Default)]
pub struct Readiness(Arc<AtomicBool>);

impl Readiness {
    /// Says whether requests can be answered from now on.
    pub fn set(&self, ready: bool) {
        self.0.store(ready, Ordering::Release);
    }

    fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The operators' routes.
pub fn admin(readiness: Readiness, metrics: Arc<Metrics>) -> Router {
    let ready = move || {
        let reply = if readiness.get() {
            (StatusCode::OK, "ready\n")
        } else {
            (StatusCode::SERVICE_UNAVAILABLE, "not ready\n")
        };
        std::future::ready(reply)
    };
    let figures = move || std::future::ready(([(header::CONTENT_TYPE, FIGURES)], metrics.text()));
    Router::new()
        .route("/healthz", get(|| std::future::ready("alive\n")))
        .route("/readyz", get(ready))
        .route("/metrics", get(figures))
}
