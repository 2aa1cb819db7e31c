//! Suggestions while a user types into the search. They run no operation and are free, within the limit of free requests.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;

use super::app_state::AppState;
use super::page_route::caller_of;
use super::{page_reply, query, reply};
use parquote_catalogue::operation::Market;
use parquote_explorer::reader_items::SavedNames;
use parquote_explorer::suggestions::{SearchContext, suggestions};

/// Most characters of the text that are used.
const LONGEST: usize = 100;

/// Returns the suggestions as JSON: `label`, `detail` and `href` each.
pub(super) async fn suggest(state: Arc<AppState>, market: Market, request: Request) -> Response {
    let caller = match caller_of(request.extensions()) {
        Ok(caller) => caller,
        Err(refused) => return page_reply::refusal(refused),
    };
    let pairs = query::arguments(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let get = |name: &str| pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_ref());
    let text: String = get("q").unwrap_or_default().chars().take(LONGEST).collect();
    let kept = state.service.kept_by(&caller, market).await;
    let own = kept.map(|(lists, screens)| SavedNames { lists, screens });
    let (pages, symbol) = (state.pages.load(), get("at").filter(|symbol| !symbol.is_empty()));
    let place = SearchContext { market, pages: &pages, symbol, own: own.as_ref() };
    let found = suggestions(&state.service.seen_by(&caller), place, &text);
    let body = serde_json::to_vec(&found).unwrap_or_default();
    reply::fresh(StatusCode::OK, "application/json", axum::body::Bytes::from(body))
}
