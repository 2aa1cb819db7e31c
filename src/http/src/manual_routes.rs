//! The routes of the manual's pages: for each operation and each guide HTML, and Markdown with `.md` after the address.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::routing::get;

use super::app_state::AppState;
use super::docs;
use super::document::ServedDocument;
use super::reply::HTML;
use super::trailing_slash::with_path;
use parquote_catalogue::operation::{Catalogue, Operation};
use parquote_engine::Snapshot;
use parquote_surface::asset::ColourScheme;
use parquote_surface::guides::Guide;
use parquote_surface::served_symbols::with_served_symbols;
use parquote_surface::{embedded_pages, manual};

const MARKDOWN: &str = "text/markdown; charset=utf-8";

pub(super) fn add_operation_pages(
    router: Router,
    state: &Arc<AppState>,
    operation: &Arc<Operation>,
) -> Router {
    let (path, name) = (docs::page_path(operation), operation.name.clone());
    let operation = Arc::clone(operation);
    let terms = state.service.terms_of_sources(&operation).cloned();
    let render = move |catalogue: &Catalogue, snapshot: &Snapshot, scheme: Option<ColourScheme>| {
        let columns = snapshot.columns(&operation);
        let Some(scheme) = scheme else {
            let answer = embedded_pages::answer(&operation.name);
            return manual::page(&operation, columns, answer, terms.as_ref()).into_bytes();
        };
        let shown = with_served_symbols(&operation, snapshot);
        docs::render_operation(catalogue, &shown, columns, scheme)
    };
    add_manual_page(router, state, &path, &name, render)
}

pub(super) fn add_guide_pages(router: Router, state: &Arc<AppState>, guide: Guide) -> Router {
    let render = move |catalogue: &Catalogue, _: &Snapshot, scheme: Option<ColourScheme>| match scheme {
        Some(scheme) => docs::render_guide(catalogue, guide, scheme),
        None => guide.text.as_bytes().to_vec(),
    };
    add_manual_page(router, state, &docs::guide_path(guide), &format!("guides/{}", guide.name), render)
}

/// Adds a page of the manual: HTML in the colours of the reader, and Markdown, for which there is no scheme.
fn add_manual_page(
    router: Router,
    state: &Arc<AppState>,
    path: &str,
    name: &str,
    render: impl Fn(&Catalogue, &Snapshot, Option<ColourScheme>) -> Vec<u8> + Clone + Send + Sync + 'static,
) -> Router {
    let document = |is_page: bool| {
        let (name, content_type) =
            if is_page { (name.to_owned(), HTML) } else { (format!("{name}.md"), MARKDOWN) };
        let render = render.clone();
        let make = move |catalogue: &Catalogue, snapshot: &Snapshot, scheme: ColourScheme| {
            render(catalogue, snapshot, is_page.then_some(scheme))
        };
        let (document, state) =
            (Arc::new(ServedDocument::new(name, content_type, Box::new(make))), Arc::clone(state));
        get(move |request: Request| std::future::ready(document.reply(&state.service, request.headers())))
    };
    with_path(router, path, &document(true)).route(&format!("{path}.md"), document(false))
}
