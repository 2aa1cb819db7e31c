//! A path with a slash at its end leads to the same as without it.

use axum::Router;
use axum::routing::MethodRouter;

/// A trailing slash is accepted, not redirected: it costs the caller no second request, and no key travels twice.
pub(super) fn with_path(router: Router, path: &str, methods: &MethodRouter) -> Router {
    router.route(path, methods.clone()).route(&format!("{path}/"), methods.clone())
}
