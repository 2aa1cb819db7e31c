//! The operators' routes, on a separate address: liveness, readiness, a refresh, and metrics. They take no keys, so that address must be
//! reachable by operators only.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::from_fn;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use chrono::Utc;
use serde_json::{Map, Value as Json, json};
use tokio::time::timeout;

use super::host;
use super::metrics::Metrics;
use super::readiness::Readiness;
use super::routes::Routes;
use parquote_catalogue::operation::{Market, sessions_behind};
use parquote_engine::LoadProgress;
use parquote_refresh::{MarketStatus, RefreshStatus, ScanTrigger};

/// Content type of the metrics.
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Refusal of a request from a page of another site.
const FOREIGN_PAGE_REFUSAL: &str = "pages of other sites may not ask for a refresh; ask with a tool such as curl, by the address or by a name without a dot\n";

/// Timeout of a requested refresh.
const REFRESH_TIMEOUT: Duration = Duration::from_mins(1);

/// Body of the 504 reply after [`REFRESH_TIMEOUT`].
const TIMEOUT_BODY: &str =
    "the look at the data has not ended within a minute; /readyz tells when it has, as `look_age_s`\n";

/// Status of the markets, and a handle to request a refresh.
#[derive(Clone)]
pub struct RefreshHandle {
    /// Status of the markets.
    pub status: RefreshStatus,
    /// Handle to request a refresh of the data root.
    pub request: ScanTrigger,
    /// Progress of markets that are being loaded or checked.
    pub progress: LoadProgress,
}

/// Builds the operators' routes.
pub fn admin(readiness: Readiness, metrics: Arc<Metrics>, refreshing: RefreshHandle) -> Routes {
    let request = refreshing.request.clone();
    let (shared_readiness, shared_refreshing) = (readiness.clone(), refreshing.clone());
    let ready = move || std::future::ready(server_status(&shared_readiness, &shared_refreshing));
    let figures = move || {
        let metrics = Arc::clone(&metrics);
        async move { ([(header::CONTENT_TYPE, METRICS_TYPE)], metrics.text().await) }
    };
    let refresh = move |headers: HeaderMap| {
        let (request, readiness, refreshing) = (request.clone(), readiness.clone(), refreshing.clone());
        async move {
            if is_from_foreign_page(&headers) {
                return (StatusCode::FORBIDDEN, FOREIGN_PAGE_REFUSAL).into_response();
            }
            if timeout(REFRESH_TIMEOUT, request.refresh()).await.is_err() {
                return (StatusCode::GATEWAY_TIMEOUT, TIMEOUT_BODY).into_response();
            }
            server_status(&readiness, &refreshing).into_response()
        }
    };
    Router::new()
        .route("/healthz", get(|| std::future::ready("alive\n")))
        .route("/readyz", get(ready))
        .route("/refresh", post(refresh))
        .route("/metrics", get(figures))
        .layer(from_fn(host::check_host))
        .into()
}

/// Returns true if a page of another site in a browser sent a request. With DNS rebinding, a page reaches this address under its own host
/// name; names of local networks have no dot, so no site on the internet has one.
fn is_from_foreign_page(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
    let host = text(header::HOST).unwrap_or_default();
    let name =
        host.rsplit_once(':').map_or(host, |(name, port)| if port.ends_with(']') { host } else { name });
    let is_local_name = !name.contains('.') || name.parse::<Ipv4Addr>().is_ok();
    let is_same_origin = text(HeaderName::from_static("sec-fetch-site"))
        .is_none_or(|site| ["same-origin", "none"].contains(&site));
    let origin = text(header::ORIGIN).map(|origin| origin.split_once("://").map_or(origin, |(_, host)| host));
    !is_local_name || !is_same_origin || origin.is_some_and(|origin| origin != host)
}

/// Returns the server's status: readiness, load progress, and for each market the served set, its age, and refused sets.
fn server_status(readiness: &Readiness, refreshing: &RefreshHandle) -> impl IntoResponse + use<> {
    let now = Utc::now();
    let market = |(market, status): (Market, MarketStatus)| {
        let age_s = status.published_at.map(|at| (now - at).num_seconds());
        let mut figures = serde_json::to_value(&status).unwrap_or_default();
        if let Some(fields) = figures.as_object_mut() {
            fields.insert("age_s".to_owned(), age_s.into());
            let behind = status.as_of.map(|last| sessions_behind(market, last, now));
            fields.insert("sessions_behind".to_owned(), behind.into());
        }
        (market.word().to_owned(), figures)
    };
    let markets: Map<String, Json> = refreshing.status.by_market().into_iter().map(market).collect();
    let is_ready = readiness.is_ready();
    let code = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let reason = readiness.state.reason();
    let state = json!({"usable": reason.is_none(), "failures": readiness.state.count(), "reason": reason});
    let draining = readiness.draining().is_draining();
    let progress = refreshing.progress.describe();
    let body = json!({
        "ready": is_ready, "draining": draining, "progress": progress, "state_file": state, "markets": markets
    });
    (code, [(header::CONTENT_TYPE, "application/json")], format!("{body}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_other_sites_are_distinguished_from_tools() {
        let is_foreign = |headers: &[(&'static str, &'static str)]| {
            let pairs = headers
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
            is_from_foreign_page(&pairs.collect())
        };
        for tool in ["127.0.0.1:9090", "[::1]:9090", "localhost:9090", "parquote:9090", "10.0.0.7"] {
            assert!(!is_foreign(&[("host", tool)]), "{tool}");
        }
        assert!(!is_foreign(&[
            ("host", "localhost:1"),
            ("origin", "http://localhost:1"),
            ("sec-fetch-site", "same-origin")
        ]));
        assert!(is_foreign(&[("host", "evil.example")]));
        assert!(is_foreign(&[("host", "evil.example:9090")]));
        assert!(is_foreign(&[("host", "127.0.0.1:9090"), ("origin", "https://evil.example")]));
        assert!(is_foreign(&[("host", "127.0.0.1:9090"), ("origin", "null")]));
        assert!(is_foreign(&[("host", "127.0.0.1:9090"), ("sec-fetch-site", "cross-site")]));
        assert!(is_foreign(&[("host", "127.0.0.1:9090"), ("sec-fetch-site", "same-site")]));
    }
}
