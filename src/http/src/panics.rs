//! Turns a panic of routes into a reply, so that the caller gets an answer and the connection goes on.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use axum::response::Response;
use futures::FutureExt as _;

use super::reply;
use parquote_catalogue::error::{ClientError, ErrorKind};

/// Returns the reply, or a 500 after a panic. An `async fn` would reserve space for its argument twice.
pub(super) fn unpanicked(reply: impl Future<Output = Response>) -> impl Future<Output = Response> {
    AssertUnwindSafe(reply).catch_unwind().map(|reply| reply.unwrap_or_else(panicked))
}

/// Builds the 500 of a panic, whose message goes to the log.
fn panicked(payload: Box<dyn Any + Send + 'static>) -> Response {
    let words = match payload.downcast::<String>() {
        Ok(words) => *words,
        Err(payload) => payload.downcast_ref::<&str>().copied().unwrap_or("a panic without words").to_owned(),
    };
    reply::refusal(ClientError::caused(ErrorKind::Internal, "the server failed on this request", words))
}
