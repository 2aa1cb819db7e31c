//! Routes that accept a trailing slash.

use axum::Router;
use axum::routing::MethodRouter;

/// Adds a route with and without a trailing slash: without a redirect the caller needs no second request, and no key is sent twice.
pub(super) fn with_path(router: Router, path: &str, methods: &MethodRouter) -> Router {
    router.route(path, methods.clone()).route(&format!("{path}/"), methods.clone())
}
