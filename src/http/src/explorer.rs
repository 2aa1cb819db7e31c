//! The routes of the explorer: the pages of both markets, their files, their forms, and a page for unknown paths. A path is looked up in
//! the current pages, so an added page needs no restart.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};

use super::app_state::AppState;
use super::page_paths::COLOURS;
use super::page_route::{PageRoute, reader_without_items};
use super::reply::HTML;
use super::trailing_slash::with_path;
use super::{
    colour_form, page_change, page_files, page_reply, past_day, reply, served_set, suggest, tour, unknown,
};
use parquote_call::Caller;
use parquote_catalogue::operation::{AnswerFormat, Market};
use parquote_explorer::pages::ExplorerPages;
use parquote_explorer::request::MarketPage;

/// Message about a path that cannot be decoded.
const INVALID_PATH: &str = "the address is not percent-encoded UTF-8: `%` is followed by two hexadecimal digits, and the bytes are text";

/// Adds the explorer's routes.
pub(super) fn routes(router: Router, state: &Arc<AppState>) -> Router {
    let choose = |request: Request| std::future::ready(colour_form::choose(&request));
    let router = router.route(COLOURS, post(choose));
    Market::ALL.into_iter().fold(router, |router, market| {
        let suggest_state = Arc::clone(state);
        let offer = move |request: Request| suggest::suggest(Arc::clone(&suggest_state), market, request);
        let router = router.route(&format!("/{market}/suggest"), get(offer));
        let set_state = Arc::clone(state);
        let served =
            move |request: Request| std::future::ready(served_set::served_set(&set_state, market, &request));
        let router = router.route(&format!("/{market}/set"), get(served));
        let day = move |request: Request| std::future::ready(past_day::choose_day(market, &request));
        let router = router.route(&format!("/{market}/day"), get(day));
        let router = [("hide", tour::HIDDEN_VALUE), ("show", tour::SHOWN_VALUE)].into_iter().fold(
            router,
            |router, (word, value)| {
                let answer = move || std::future::ready(tour::set_cookie(market, value));
                router.route(&format!("/{market}/tour/{word}"), get(answer))
            },
        );
        // The screener takes the sentences of `/ask`.
        let moved = move |request: Request| {
            let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
            std::future::ready(page_reply::see_other(&format!("/{market}/screener{query}")))
        };
        let router = router.route(&format!("/{market}/ask"), get(moved));
        let (first, below) = (Arc::clone(state), Arc::clone(state));
        let first = move |request: Request| answer(Arc::clone(&first), market, String::new(), request);
        let below = move |path: Result<Path<String>, PathRejection>, request: Request| {
            let below = Arc::clone(&below);
            async move {
                match path {
                    Ok(Path(path)) => answer(below, market, path, request).await,
                    Err(_) => reply::error(StatusCode::BAD_REQUEST, INVALID_PATH),
                }
            }
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
        let (page, symbol) = pages.page_at(market, path)?;
        let market_page = MarketPage { market, page: Arc::clone(page), pages: Arc::clone(&pages) };
        Some((PageRoute { state: Arc::clone(&state), market_page }, symbol.map(str::to_owned)))
    };
    if request.method() == Method::POST {
        return match page_at(path) {
            Some((route, _)) if route.market_page.page.actions().next().is_some() => {
                page_change::handle_form(Arc::new(route), request).await
            }
            _ => unknown::method(&request),
        };
    }
    if let Some((route, symbol)) = page_at(path) {
        return Arc::new(route).answer_request(symbol, request).await;
    }
    if let Some((stem, format)) = file_in(&pages, market, path)
        && let Some((route, _)) = page_at(stem)
    {
        return page_files::file(Arc::new(route), format, request).await;
    }
    not_found_page(&state, &pages, market, &request)
}

/// Splits the path of a file such as `leaders.csv` into the path of the page and the format; `None` if the page has no such file.
fn file_in<'a>(pages: &ExplorerPages, market: Market, path: &'a str) -> Option<(&'a str, AnswerFormat)> {
    let (stem, word) = path.rsplit_once('.')?;
    let mut formats = page_files::files(pages.find(stem)?, market);
    formats.find(|format| format.word() == word).map(|format| (stem, format))
}

fn not_found_page(state: &AppState, pages: &ExplorerPages, market: Market, request: &Request) -> Response {
    let path = request.uri().path().trim_start_matches('/').strip_prefix(market.word()).unwrap_or_default();
    let caller = request.extensions().get::<Caller>();
    let (path, reader) = (path.trim_matches('/'), reader_without_items(caller, request.headers()));
    let html =
        parquote_explorer::unknown_page(pages, market, &state.service.shared_snapshot(), path, &reader);
    reply::uncached_reply(StatusCode::NOT_FOUND, HTML, html)
}
