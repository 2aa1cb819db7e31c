//! The routes for operators, on an address of their own: whether the process lives, whether it can answer, and its figures. It
//! takes no keys, so it belongs where only operators come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use chrono::Utc;
use serde_json::{Map, Value as Json, json};

use super::metrics::Metrics;
use crate::access::StateFailures;
use crate::operation::{Market, sessions_behind};
use crate::refresh::{MarketStatus, RefreshStatus, Request};

/// The text form of the figures.
const FIGURES: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Whether requests can be answered: from the first snapshot on, until the server is told to stop. Beside it stands whether the
/// state file can be used. A server whose file cannot still answers and counts, so that this alone takes it out of no balancer:
/// a full disk that all of them share would take out all.
#[derive(Debug, Clone, Default)]
pub struct Readiness {
    ready: Arc<AtomicBool>,
    state: Arc<StateFailures>,
}

impl Readiness {
    /// Not ready yet, over the state file whose failures these are.
    pub fn over(state: Arc<StateFailures>) -> Self {
        Self { ready: Arc::default(), state }
    }

    /// Says whether requests can be answered from now on.
    pub fn set(&self, ready: bool) {
        self.ready.store(ready, Ordering::Release);
    }

    fn get(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }
}

/// How the markets stand, and what has the root looked at now.
#[derive(Clone)]
pub struct Refreshing {
    /// How the markets stand.
    pub status: RefreshStatus,
    /// What has the root looked at now.
    pub request: Request,
}

/// The operators' routes.
pub fn admin(readiness: Readiness, metrics: Arc<Metrics>, refreshing: Refreshing) -> Router {
    let Refreshing { status, request } = refreshing;
    let (told, asked, told_after) = (readiness.clone(), status.clone(), status);
    let ready = move || std::future::ready(standing(&told, &asked));
    let figures = move || std::future::ready(([(header::CONTENT_TYPE, FIGURES)], metrics.text()));
    let refresh = move || {
        let (request, readiness, status) = (request.clone(), readiness.clone(), told_after.clone());
        async move {
            request.refresh().await;
            standing(&readiness, &status)
        }
    };
    Router::new()
        .route("/healthz", get(|| std::future::ready("alive\n")))
        .route("/readyz", get(ready))
        .route("/refresh", post(refresh))
        .route("/metrics", get(figures))
}

/// How the server stands: whether it can answer, and of each market which set it serves, how old that is, and what was
/// refused.
fn standing(readiness: &Readiness, status: &RefreshStatus) -> impl IntoResponse + use<> {
    let now = Utc::now();
    let market = |(market, status): (Market, MarketStatus)| {
        let age_s = status.published_at.map(|at| (now - at).num_seconds());
        let mut told = serde_json::to_value(&status).unwrap_or_default();
        if let Some(told) = told.as_object_mut() {
            told.insert("age_s".to_owned(), age_s.into());
            let behind = status.as_of.map(|last| sessions_behind(market, last, now));
            told.insert("sessions_behind".to_owned(), behind.into());
        }
        (market.word().to_owned(), told)
    };
    let markets: Map<String, Json> = status.now().into_iter().map(market).collect();
    let is_ready = readiness.get();
    let code = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let state = json!({"usable": !readiness.state.is_failing(), "failures": readiness.state.count()});
    let body = json!({"ready": is_ready, "state_file": state, "markets": markets});
    (code, [(header::CONTENT_TYPE, "application/json")], format!("{body}\n"))
}
