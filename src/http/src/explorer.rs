//! The routes of the explorer: the pages of both markets, their files, their forms, and a page for unknown paths. A path is looked up in
//! the current pages, so an added page needs no restart.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request};
use axum::http::{Method, StatusCode, Uri};
use axum::response::Response;
use axum::routing::get;

use super::app_state::AppState;
use super::page_route::{HTML, PageRoute};
use super::trailing_slash::with_path;
use super::{page_change, page_files, page_reply, reply, suggest, unknown};
use parquote_catalogue::operation::{AnswerFormat, Market};
use parquote_explorer::pages::ExplorerPages;
use parquote_explorer::request::MarketPage;

/// Adds the explorer's routes.
pub(super) fn routes(router: Router, state: &Arc<AppState>) -> Router {
    Market::ALL.into_iter().fold(router, |router, market| {
        let typing = Arc::clone(state);
        let offer = move |request: Request| suggest::suggest(Arc::clone(&typing), market, request);
        let router = router.route(&format!("/{market}/suggest"), get(offer));
        let moved = move |request: Request| std::future::ready(asked_in_words(market, request.uri()));
        let router = router.route(&format!("/{market}/ask"), get(moved));
        let (first, below) = (Arc::clone(state), Arc::clone(state));
        let first = move |request: Request| answer(Arc::clone(&first), market, String::new(), request);
        let below = move |Path(path): Path<String>, request: Request| {
            answer(Arc::clone(&below), market, path, request)
        };
        let router = with_path(router, &format!("/{market}"), &get(first.clone()).post(first));
        router.route(&format!("/{market}/{{*path}}"), get(below.clone()).post(below))
    })
}

/// Answers a request for a path below a market.
async fn answer(state: Arc<AppState>, market: Market, path: String, request: Request) -> Response {
    let pages = state.pages.load_full();
    let path = path.trim_end_matches('/');
    let page_at = |path| {
        let (page, symbol) = pages.at(market, path)?;
        let place = MarketPage { market, page: Arc::clone(page), pages: Arc::clone(&pages) };
        Some((PageRoute { state: Arc::clone(&state), place }, symbol.map(str::to_owned)))
    };
    if request.method() == Method::POST {
        return match page_at(path) {
            Some((route, _)) if route.place.page.actions().next().is_some() => {
                page_change::change(Arc::new(route), request).await
            }
            _ => unknown::method(&request),
        };
    }
    if let Some((route, symbol)) = page_at(path) {
        return Arc::new(route).show(symbol, request).await;
    }
    if let Some((stem, format)) = file_in(&pages, market, path)
        && let Some((route, _)) = page_at(stem)
    {
        return page_files::file(Arc::new(route), format, request).await;
    }
    lost(&state, &pages, market, request.uri())
}

/// Returns the path of the page whose rows a path such as `leaders.csv` names as a file, and the format.
fn file_in<'a>(pages: &ExplorerPages, market: Market, path: &'a str) -> Option<(&'a str, AnswerFormat)> {
    let (stem, word) = path.rsplit_once('.')?;
    let mut formats = page_files::files(pages.find(stem)?, market);
    formats.find(|format| format.word() == word).map(|format| (stem, format))
}

/// Redirects `/ask` to the screener, which takes the same sentences.
fn asked_in_words(market: Market, uri: &Uri) -> Response {
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    page_reply::see_other(&format!("/{market}/screener{query}"))
}

/// Renders the 404 page.
fn lost(state: &AppState, pages: &ExplorerPages, market: Market, uri: &Uri) -> Response {
    let path = uri.path().trim_start_matches('/').strip_prefix(market.word()).unwrap_or_default();
    let html = parquote_explorer::lost(pages, market, &state.service.seen_by_all(), path.trim_matches('/'));
    reply::fresh(StatusCode::NOT_FOUND, HTML, html)
}
