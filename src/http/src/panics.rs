//! A panic of routes becomes a reply, so that its caller is told and the connection goes on.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use axum::response::Response;
use futures::FutureExt as _;

use super::reply;
use parquote_catalogue::error::{ClientError, ErrorKind};

/// The reply of routes, or of a panic in them. An `async fn` would have room for what it is given twice.
pub(super) fn unpanicked(reply: impl Future<Output = Response>) -> impl Future<Output = Response> {
    AssertUnwindSafe(reply).catch_unwind().map(|reply| reply.unwrap_or_else(panicked))
}

/// A panic, as an error of ours; what it said goes to the log.
fn panicked(payload: Box<dyn Any + Send + 'static>) -> Response {
    let words = match payload.downcast::<String>() {
        Ok(words) => *words,
        Err(payload) => payload.downcast_ref::<&str>().copied().unwrap_or("a panic without words").to_owned(),
    };
    reply::refusal(ClientError::caused(ErrorKind::Internal, "the server failed on this request", words))
}
