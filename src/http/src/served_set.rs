//! The served set of a market, for open pages, which check every minute if another set is served. It runs no operation and is free.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use super::app_state::AppState;
use super::page_route::caller_of;
use super::{page_reply, reply};
use parquote_catalogue::operation::Market;
use parquote_explorer::moment::date;

/// Returns the set that the caller sees as JSON: its id as `set`, and its last session as `as_of`.
pub(super) fn served_set(state: &AppState, market: Market, request: &Request) -> Response {
    let caller = match caller_of(request.extensions()) {
        Ok(caller) => caller,
        Err(refused) => return page_reply::refusal(refused),
    };
    let snapshot = state.service.snapshot_for(&caller);
    let set = snapshot.market(market).map(|market| market.name().id.to_string());
    let as_of = snapshot.as_of(market).map(date);
    let body = json!({ "set": set, "as_of": as_of }).to_string();
    reply::fresh_json(StatusCode::OK, body)
}
