//! The server before it has data: it listens at once, and answers 503 with the time to retry until the first set is served.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HeaderValue, RETRY_AFTER};
use axum::response::Response;
use axum::routing::get;
use tower::ServiceExt as _;

use super::paths::STATUS;
use super::reply;
use crate::access::Allowance;
use crate::call::HEALTH;

/// The routes of a server that may not be there yet.
#[derive(Debug, Clone, Default)]
pub struct Opening(Arc<OnceLock<Router>>);

impl Opening {
    /// From now on requests reach these routes. Only the first call counts.
    pub fn open(&self, routes: Router) {
        let _ = self.0.set(routes);
    }

    /// The routes now: those of the server, or what says that they are coming.
    pub fn routes(&self) -> Router {
        self.0.get().cloned().unwrap_or_else(|| self.before())
    }

    fn before(&self) -> Router {
        let opening = self.clone();
        let health = || std::future::ready(nobodys(reply::fresh_json(StatusCode::OK, HEALTH.into())));
        Router::new().route(STATUS, get(health)).fallback(move |request: Request| {
            let routes = opening.0.get().cloned();
            async move {
                match routes {
                    // The connection is older than the routes.
                    Some(routes) => {
                        let Ok(response) = routes.oneshot(request).await;
                        response
                    }
                    None => not_yet(),
                }
            }
        })
    }
}

fn not_yet() -> Response {
    /// Loading a large market takes some seconds.
    const SECONDS: HeaderValue = HeaderValue::from_static("2");
    let message = "no data is served yet: tables are being loaded, or none were admitted; try again shortly";
    let mut response = reply::error(StatusCode::SERVICE_UNAVAILABLE, message);
    response.headers_mut().insert(RETRY_AFTER, SECONDS);
    // The next connection reaches the routes themselves.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    nobodys(response)
}

/// Every reply says an allowance; who asks is not known yet.
fn nobodys(mut response: Response) -> Response {
    reply::allowance(response.headers_mut(), Allowance::NONE);
    response
}
