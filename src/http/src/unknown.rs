//! Replies to unknown paths and methods, with the nearest known one.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use super::app_state::AppState;
use super::page_paths::is_page;
use super::paths::{DOCS, ROOT};
use super::reply;
use parquote_call::Caller;
use parquote_catalogue::operation::{nearest, truncate_for_message};

/// Answers 404 with the nearest route. Like any other 404 it is charged, unless the path needs no key.
pub(super) async fn route(state: Arc<AppState>, request: Request) -> Response {
    let path = request.uri().path();
    if let Some(caller) =
        request.extensions().get::<Caller>().filter(|_| !state.is_open(path) && !is_page(path))
    {
        state.service.count_unrouted(caller).await;
    }
    if is_page(path) {
        let message =
            format!("there is no page at `{}`; all pages are in the menu", truncate_for_message(path));
        return reply::error(StatusCode::NOT_FOUND, &message);
    }
    let hint = match nearest_path(&state, path) {
        Some(path) => format!("did you mean `{path}`? All routes are at {DOCS}"),
        None => format!("all routes are at {DOCS}"),
    };
    reply::error(
        StatusCode::NOT_FOUND,
        &format!("there is no route `{}`; {hint}", truncate_for_message(path)),
    )
}

/// Answers 405 with the allowed methods.
pub(super) fn method(request: &Request) -> Response {
    let hint = if is_page(request.uri().path()) {
        "this address takes no such request; open the page itself, and send its form from there"
    } else {
        "every route is read with GET or HEAD"
    };
    let message = format!("{} is not allowed here; {hint}", request.method());
    not_allowed(&message, "GET, HEAD")
}

/// Answers 405 to HEAD of an operation that changes something.
pub(super) fn refuse_head_of_change() -> Response {
    not_allowed("HEAD is not allowed here: this operation changes stored data; use GET", "GET")
}

fn not_allowed(message: &str, allowed: &'static str) -> Response {
    let mut response = reply::error(StatusCode::METHOD_NOT_ALLOWED, message);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

/// Returns the nearest known path, with or without the version prefix. The prefix is left out of the comparison, or else everything below
/// it would be similar.
fn nearest_path<'a>(state: &'a AppState, path: &str) -> Option<&'a str> {
    let below = |path: &str| path.strip_prefix(ROOT).unwrap_or(path).trim_matches('/').to_lowercase();
    let lower: Vec<String> = state.paths.iter().map(|path| below(path)).collect();
    let near = nearest(&below(path), lower.iter().map(String::as_str))?;
    state.paths.iter().zip(&lower).find(|(_, lower)| lower.as_str() == near).map(|(path, _)| path.as_str())
}
