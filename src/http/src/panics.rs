//! Converts a panic of routes to a reply, so that the caller gets an answer and the connection stays open.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use axum::response::Response;
use futures::FutureExt as _;

use super::reply;
use parquote_catalogue::error::{ClientError, ErrorKind};

/// Returns the reply, or a 500 after a panic. An `async fn` would reserve space for its argument twice.
pub(super) fn reply_or_500(reply: impl Future<Output = Response>) -> impl Future<Output = Response> {
    AssertUnwindSafe(reply).catch_unwind().map(|reply| reply.unwrap_or_else(panic_reply))
}

/// Builds the reply with status 500 for a panic; the message of the panic goes to the log.
fn panic_reply(payload: Box<dyn Any + Send + 'static>) -> Response {
    let words = match payload.downcast::<String>() {
        Ok(words) => *words,
        Err(payload) => payload.downcast_ref::<&str>().copied().unwrap_or("a panic without words").to_owned(),
    };
    reply::refusal(ClientError::from_cause(ErrorKind::Internal, "the server failed on this request", words))
}
