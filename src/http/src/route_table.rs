//! What answers inside the middleware: operations by their path, and all else by a router.
//!
//! A GET of an operation is the call that comes most often. It reaches its route by one lookup: through a router, its future would be
//! boxed and moved by every layer, and its request would carry extensions that nothing reads.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use tower::ServiceExt as _;

use super::operation::OperationRoute;

/// Operations by their path.
pub(super) type OperationRoutes = HashMap<String, Arc<OperationRoute>>;

/// What answers.
pub(super) struct RouteTable {
    operations: OperationRoutes,
    /// All paths, those of operations among them for other methods and for a slash at their end.
    router: Router,
}

impl RouteTable {
    pub(super) fn new(operations: OperationRoutes, router: Router) -> Self {
        Self { operations, router }
    }

    /// Answers a request.
    pub(super) async fn answer(&self, request: Request) -> Response {
        let operation = self.operations.get(request.uri().path());
        if let Some(operation) = operation.filter(|_| request.method() == Method::GET) {
            return operation.answer(request).await;
        }
        // Boxed: the calls of operations would carry the room for it.
        let Ok(response) = Box::pin(self.router.clone().oneshot(request)).await;
        response
    }
}
