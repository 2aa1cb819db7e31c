//! The server before it has data: it listens at once, and answers 503 with the time to retry until the first set is served. Of the
//! tools for language models it answers what needs no data, such as their list.

use std::fmt;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HeaderValue, RETRY_AFTER};
use axum::response::Response;
use axum::routing::get;

use super::paths::STATUS;
use super::reply;
use super::routes::Routes;
use crate::access::Allowance;
use crate::call::{HEALTH, not_loaded};
use crate::engine::LoadProgress;
use crate::error::{ClientError, ErrorKind};

/// The routes of a server that may not be there yet.
#[derive(Clone)]
pub struct Opening {
    routes: Arc<OnceLock<Routes>>,
    progress: LoadProgress,
    meanwhile: Meanwhile,
}

/// What answers before there is data.
#[derive(Clone)]
pub struct Meanwhile {
    /// The paths at which it does.
    pub paths: &'static [&'static str],
    /// The routes that answer there.
    pub routes: Routes,
    /// A refusal as the callers of these paths read it, in JSON.
    pub refusal: fn(&ClientError) -> Vec<u8>,
}

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening").field("progress", &self.progress).finish_non_exhaustive()
    }
}

impl Opening {
    /// A server whose data is this far. Until it is there, these routes answer at these paths.
    pub fn new(progress: LoadProgress, meanwhile: Meanwhile) -> Self {
        Self { routes: Arc::default(), progress, meanwhile }
    }

    /// From now on requests reach these routes. Only the first call counts.
    pub fn open(&self, routes: impl Into<Routes>) {
        let _ = self.routes.set(routes.into());
    }

    /// The routes now: those of the server, or what says that they are coming.
    pub fn routes(&self) -> Routes {
        self.routes.get().cloned().unwrap_or_else(|| self.before().into())
    }

    fn before(&self) -> Router {
        let opening = self.clone();
        let health = || std::future::ready(nobodys(reply::fresh_json(StatusCode::OK, loading())));
        Router::new().route(STATUS, get(health)).fallback(move |request: Request| {
            let opening = opening.clone();
            async move { opening.answer(request).await }
        })
    }

    async fn answer(self, request: Request) -> Response {
        // The connection may be older than the routes.
        if let Some(routes) = self.routes.get() {
            return routes.answer(request).await;
        }
        let Meanwhile { paths, routes, refusal } = self.meanwhile;
        if !paths.contains(&request.uri().path().trim_end_matches('/')) {
            return not_yet(&self.progress);
        }
        let response = routes.answer(request).await;
        // A key that was issued since the start is not known yet.
        if response.status() != StatusCode::UNAUTHORIZED {
            return response;
        }
        let refused = ClientError::new(ErrorKind::Unavailable, not_loaded(&self.progress));
        not_yet(&self.progress).map(|_| refusal(&refused).into())
    }
}

/// The health of a server whose data is not served yet.
fn loading() -> String {
    HEALTH.replacen(r#""ok""#, r#""loading""#, 1)
}

fn not_yet(progress: &LoadProgress) -> Response {
    /// Loading a large market takes some seconds.
    const SECONDS: HeaderValue = HeaderValue::from_static("2");
    let mut response = reply::error(StatusCode::SERVICE_UNAVAILABLE, &not_loaded(progress));
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

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};

    use super::*;
    use crate::operation::Market;

    #[tokio::test]
    async fn before_there_is_data_a_caller_reads_how_far_it_is_and_tools_answer() {
        const TOOLS: &[&str] = &["/mcp", "/mcp/x"];
        let refuse = || std::future::ready(StatusCode::UNAUTHORIZED);
        let progress = LoadProgress::default();
        let routes = Router::new().route("/mcp", get(|| std::future::ready("tools")));
        let meanwhile = Meanwhile {
            paths: TOOLS,
            routes: routes.route("/mcp/x", get(refuse)).into(),
            refusal: |refused| format!("their words: {}", refused.message).into_bytes(),
        };
        let opening = Opening::new(progress.clone(), meanwhile);
        let asked = async |path: &str| {
            let request = Request::builder().uri(path).body(Body::empty()).unwrap();
            let response = opening.routes().answer(request).await;
            let status = response.status().as_u16();
            let body = to_bytes(response.into_body(), 4096).await.unwrap();
            (status, String::from_utf8(body.to_vec()).unwrap())
        };
        progress.start(Market::India, "tables load", 86);
        let (status, body) = asked("/v1/companies").await;
        assert!(status == 503 && body.contains("india: tables load: 0 of 86"), "{status}: {body}");
        assert_eq!(asked("/mcp").await, (200, "tools".to_owned()));
        let (status, body) = asked("/mcp/x").await;
        assert!(status == 503 && body.starts_with("their words: no data is served yet"), "{status}: {body}");
        let (status, body) = asked(STATUS).await;
        assert!(status == 200 && body.starts_with(r#"{"status":"loading","version":"#), "{status}: {body}");
        opening.open(Router::new().fallback(|| std::future::ready("all")));
        assert_eq!(asked("/v1/companies").await, (200, "all".to_owned()));
    }
}
