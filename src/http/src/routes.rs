//! The routes of a server, ready to be served: one function from a request to its reply.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tower::ServiceExt as _;

type AnswerRequest = dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync;

/// The routes of a server.
#[derive(Clone)]
pub struct Routes(Arc<AnswerRequest>);

impl Routes {
    pub(super) fn new(
        answer: impl Fn(Request) -> BoxFuture<'static, Response> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(answer))
    }

    /// Answers a request.
    pub fn answer(&self, request: Request) -> BoxFuture<'static, Response> {
        (self.0)(request)
    }
}

impl From<Router> for Routes {
    fn from(router: Router) -> Self {
        Self::new(move |request| router.clone().oneshot(request).map(|Ok(response)| response).boxed())
    }
}
