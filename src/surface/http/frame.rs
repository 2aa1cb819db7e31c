//! What surrounds every request whatever it asks: its id, the limit on its length, panics, the line in the log.
//! It decides nothing about operations.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;

use super::log;
use super::reply::{self, Trail};
use super::router::Door;
use crate::error::{ClientError, ErrorKind};

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The outermost layer.
pub(super) async fn frame(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = door.request_ids.of(request.headers());
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let mut response = if length(&uri) > door.settings.url_bytes {
        let message = format!("the URL is longer than {} bytes", door.settings.url_bytes);
        reply::error(StatusCode::URI_TOO_LONG, &message)
    } else {
        next.run(request).await
    };
    let trail = response.extensions_mut().remove::<Trail>().unwrap_or_default();
    log::request(&id, &method, &uri, response.status(), &trail, started.elapsed());
    let headers = response.headers_mut();
    headers.insert(X_REQUEST_ID, id);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// The compression layer answers with a bare 406 over the body it has; this makes it an error like all others.
pub(super) async fn not_acceptable(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    if response.status() == StatusCode::NOT_ACCEPTABLE {
        let message = "none of the encodings in Accept-Encoding can be served; zstd, gzip and identity can";
        return reply::error(StatusCode::NOT_ACCEPTABLE, message);
    }
    response
}

/// A panic, as an error of ours; what it said goes to the log.
pub(super) fn panicked(payload: Box<dyn Any + Send + 'static>) -> Response {
    let words = match payload.downcast::<String>() {
        Ok(words) => *words,
        Err(payload) => payload.downcast_ref::<&str>().copied().unwrap_or("a panic without words").to_owned(),
    };
    reply::refusal(ClientError::caused(ErrorKind::Internal, "the server failed on this request", words))
}

fn length(uri: &Uri) -> usize {
    uri.path_and_query().map_or(0, |path| path.as_str().len())
}
