//! The server before it has data: it listens at once. Until the first set is served, routes without data answer: keys and the catalogue are
//! known, and only requests that need tables are refused, with the time to retry.

use std::sync::{Arc, OnceLock};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::OnceCell;

use super::reply;
use super::routes::Routes;
use parquote_catalogue::error::ClientError;

/// Builds the routes that answer before there is data.
type BuildRoutes = dyn Fn() -> BoxFuture<'static, Result<Routes, ClientError>> + Send + Sync;

/// The routes of a server whose data may not be loaded yet.
#[derive(Clone)]
pub struct OpeningRoutes {
    early: Arc<EarlyRoutes>,
    routes: Arc<OnceLock<Routes>>,
}

/// Routes without data, built for the first request that reaches them.
struct EarlyRoutes {
    build: Box<BuildRoutes>,
    built: OnceCell<Routes>,
}

impl OpeningRoutes {
    /// Builds a server that answers with the routes from `early` until its data is loaded; a failed build is retried by the next request.
    pub fn new(
        early: impl Fn() -> BoxFuture<'static, Result<Routes, ClientError>> + Send + Sync + 'static,
    ) -> Self {
        let early = EarlyRoutes { build: Box::new(early), built: OnceCell::new() };
        Self { early: Arc::new(early), routes: Arc::default() }
    }

    /// Sends all requests to these routes from here on. Only the first call counts.
    pub fn open(&self, routes: impl Into<Routes>) {
        let _ = self.routes.set(routes.into());
    }

    /// Returns the current routes.
    pub fn routes(&self) -> Routes {
        let opening = self.clone();
        // A connection that was accepted before `open` keeps this service, so each request looks up the current routes.
        let current = move |request| {
            if let Some(routes) = opening.routes.get() {
                return routes.answer(request);
            }
            let early = Arc::clone(&opening.early);
            let answer = async move {
                match early.built.get_or_try_init(&early.build).await {
                    Ok(routes) => routes.answer(request).await,
                    Err(refused) => reply::refusal(refused),
                }
            };
            answer.boxed()
        };
        self.routes.get().cloned().unwrap_or_else(|| Routes::new(current))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::extract::Request;

    use super::*;
    use parquote_catalogue::error::ErrorKind;

    #[tokio::test]
    async fn a_connection_that_is_older_than_the_routes_reaches_them() {
        let says = |word: &'static str| Router::new().fallback(move || std::future::ready(word));
        let tries = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&tries);
        let opening = OpeningRoutes::new(move || {
            let made = match counted.fetch_add(1, Ordering::Relaxed) {
                0 => Err(ClientError::new(ErrorKind::Unavailable, "not yet")),
                _ => Ok(says("before").into()),
            };
            std::future::ready(made).boxed()
        });
        let older = opening.routes();
        let reply_of = async |routes: &Routes| {
            let response = routes.answer(Request::new(Body::empty())).await;
            let status = response.status().as_u16();
            (status, to_bytes(response.into_body(), 64).await.unwrap())
        };
        assert_eq!(tries.load(Ordering::Relaxed), 0, "nobody has asked");
        assert_eq!(reply_of(&older).await.0, 503);
        assert_eq!(
            (reply_of(&older).await, reply_of(&older).await),
            ((200, "before".into()), (200, "before".into()))
        );
        assert_eq!(tries.load(Ordering::Relaxed), 2);
        opening.open(says("all"));
        assert_eq!(
            (reply_of(&older).await.1, reply_of(&opening.routes()).await.1),
            ("all".into(), "all".into())
        );
    }
}
