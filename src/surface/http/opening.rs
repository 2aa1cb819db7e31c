//! The server before it has data: it listens at once. Until the first set is served, routes over no data answer: who asks and what there is
//! is known, and only what needs tables is refused, with the time to retry.

use std::sync::{Arc, OnceLock};

use super::routes::Routes;

/// The routes of a server that may not be there yet.
#[derive(Debug, Clone)]
pub struct Opening {
    before: Routes,
    routes: Arc<OnceLock<Routes>>,
}

impl Opening {
    /// A server of which these routes answer until its data is there.
    pub fn new(before: impl Into<Routes>) -> Self {
        Self { before: before.into(), routes: Arc::default() }
    }

    /// From now on requests reach these routes. Only the first call counts.
    pub fn open(&self, routes: impl Into<Routes>) {
        let _ = self.routes.set(routes.into());
    }

    /// The routes now.
    pub fn routes(&self) -> Routes {
        let opening = self.clone();
        // A connection may be older than the routes.
        let present = move |request| opening.routes.get().unwrap_or(&opening.before).answer(request);
        self.routes.get().cloned().unwrap_or_else(|| Routes::new(present))
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::extract::Request;

    use super::*;

    #[tokio::test]
    async fn a_connection_that_is_older_than_the_routes_reaches_them() {
        let says = |word: &'static str| Router::new().fallback(move || std::future::ready(word));
        let opening = Opening::new(says("before"));
        let older = opening.routes();
        let asked = async |routes: &Routes| {
            let response = routes.answer(Request::new(Body::empty())).await;
            to_bytes(response.into_body(), 64).await.unwrap()
        };
        assert_eq!(asked(&older).await, "before");
        opening.open(says("all"));
        assert_eq!((asked(&older).await, asked(&opening.routes()).await), ("all".into(), "all".into()));
    }
}
