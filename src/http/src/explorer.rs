//! The routes of the explorer: a page for each page of the registry and each market, its files, its forms, and the page for unknown
//! paths. No route of a registered page is written here by hand.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::get;

use super::app_state::AppState;
use super::page_route::{HTML, PageRoute};
use super::trailing_slash::with_path;
use super::{page_change, page_files, page_reply, reply, suggest};
use parquote_catalogue::operation::Market;

use parquote_explorer::registry;
use parquote_explorer::spec::PageSpec;

/// The explorer: every page of both markets, what is offered in its search, and what is told of all other paths there.
pub(super) fn routes(router: Router, state: &Arc<AppState>) -> Router {
    Market::ALL.into_iter().fold(router, |router, market| {
        let own = registry::pages().filter(|page| page.is_in(market));
        let router = own.fold(router, |router, page| page_routes(router, state, market, page));
        let typing = Arc::clone(state);
        let offer = move |request: Request| suggest::suggest(Arc::clone(&typing), market, request);
        let router = router.route(&format!("/{market}/suggest"), get(offer));
        let state = Arc::clone(state);
        let moved = move |request: Request| std::future::ready(asked_in_words(market, request.uri()));
        let router = router.route(&format!("/{market}/ask"), get(moved));
        router.route(
            &format!("/{market}/{{*rest}}"),
            get(move |request: Request| std::future::ready(lost(&state, market, request.uri()))),
        )
    })
}

fn page_routes(router: Router, state: &Arc<AppState>, market: Market, page: &'static PageSpec) -> Router {
    let name = page.name().as_str().into();
    let route = Arc::new(PageRoute { state: Arc::clone(state), market, page, name });
    let path = page.route(market);
    let (shown, changed) = (Arc::clone(&route), Arc::clone(&route));
    let mut methods = if page.has_symbol() {
        get(move |Path(symbol): Path<String>, request: Request| {
            Arc::clone(&shown).show(Some(symbol), request)
        })
    } else {
        get(move |request: Request| Arc::clone(&shown).show(None, request))
    };
    if page.actions().next().is_some() {
        let change = move |request: Request| page_change::change(Arc::clone(&changed), request);
        methods = methods.post(change);
    }
    let router = with_path(router, &path, &methods);
    page_files::files(page, market).iter().fold(router, |router, format| {
        let (route, format) = (Arc::clone(&route), *format);
        let answer = move |request: Request| page_files::file(Arc::clone(&route), format, request);
        router.route(&format!("{path}.{}", format.word()), get(answer))
    })
}

/// The screener has the sentences of the page that was there before it.
fn asked_in_words(market: Market, uri: &Uri) -> Response {
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    page_reply::see_other(&format!("/{market}/screener{query}"))
}

/// 404 in words.
fn lost(state: &AppState, market: Market, uri: &Uri) -> Response {
    let path = uri.path().trim_start_matches('/').strip_prefix(market.word()).unwrap_or_default();
    let html = parquote_explorer::lost(market, &state.service.seen_by_all(), path.trim_matches('/'));
    reply::fresh(StatusCode::NOT_FOUND, HTML, html)
}
