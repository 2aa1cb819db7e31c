//! A panic of routes becomes a reply, so that its caller is told and the connection goes on.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use futures::FutureExt as _;
use tower::ServiceExt as _;

use super::reply;
use crate::error::{ClientError, ErrorKind};

/// The reply of routes, or of a panic in them.
pub(super) async fn unpanicked(routes: Router, request: Request) -> Response {
    match AssertUnwindSafe(routes.oneshot(request)).catch_unwind().await {
        Ok(Ok(response)) => response,
        Err(payload) => panicked(payload),
    }
}

/// A panic, as an error of ours; what it said goes to the log.
fn panicked(payload: Box<dyn Any + Send + 'static>) -> Response {
    let words = match payload.downcast::<String>() {
        Ok(words) => *words,
        Err(payload) => payload.downcast_ref::<&str>().copied().unwrap_or("a panic without words").to_owned(),
    };
    reply::refusal(ClientError::caused(ErrorKind::Internal, "the server failed on this request", words))
}
