//! Suggestions while a user types into the search. They run no operation and are free, within the limit of free requests.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;

use super::app_state::AppState;
use super::page_route::caller_of;
use super::{page_reply, query, reply};
use parquote_catalogue::operation::Market;
use parquote_explorer::suggestions::{SearchContext, Suggestion, company_suggestions, suggestions};

/// Most characters of the text that are used.
const LONGEST_TEXT: usize = 100;

/// Returns the suggestions as JSON: `label`, `detail` and `href` each. With `only=companies` they are companies of the market.
pub(super) async fn suggest(state: Arc<AppState>, market: Market, request: Request) -> Response {
    let caller = match caller_of(request.extensions()) {
        Ok(caller) => caller,
        Err(refused) => return page_reply::refusal(refused),
    };
    let pairs = query::arguments(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let get = |name: &str| pairs.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_ref());
    let text: String = get("q").unwrap_or_default().chars().take(LONGEST_TEXT).collect();
    if get("only") == Some("companies") {
        return reply_with(&company_suggestions(&state.service.snapshot_for(&caller), market, &text));
    }
    let items = state.service.saved_items_of(&caller, market).await;
    let (pages, symbol) = (state.pages.load(), get("at").filter(|symbol| !symbol.is_empty()));
    let context = SearchContext { market, pages: &pages, symbol, saved: items.as_ref(), tier: caller.tier() };
    reply_with(&suggestions(&state.service.snapshot_for(&caller), context, &text))
}

fn reply_with(found: &[Suggestion]) -> Response {
    let body = serde_json::to_vec(found).unwrap_or_default();
    reply::fresh_json(StatusCode::OK, body)
}
