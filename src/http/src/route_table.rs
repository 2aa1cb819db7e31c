//! Dispatch inside the middleware: operations by their path, everything else by a router.
//!
//! A GET of an operation is the most frequent request and is dispatched by one lookup: through a router, its future would be boxed and
//! moved by every layer, and its request would carry unused extensions.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use tower::ServiceExt as _;

use super::operation::OperationRoute;

pub(super) type OperationRoutes = HashMap<String, Arc<OperationRoute>>;

/// The dispatch table.
pub(super) struct RouteTable {
    operations: OperationRoutes,
    /// Router of all paths, also of operations with another method or a trailing slash.
    router: Router,
}

impl RouteTable {
    pub(super) fn new(operations: OperationRoutes, router: Router) -> Self {
        Self { operations, router }
    }

    pub(super) async fn answer(&self, request: Request) -> Response {
        let operation = self.operations.get(request.uri().path());
        if let Some(operation) = operation.filter(|_| request.method() == Method::GET) {
            return operation.answer(request).await;
        }
        // Boxed, so that the futures of operations do not reserve space for it.
        let Ok(response) = Box::pin(self.router.clone().oneshot(request)).await;
        response
    }
}
