//! Requests of people: a refusal is a page with a sentence for them, never JSON, and the path of a page without its market redirects to the
//! page. Routes of the API answer the same to everyone.

use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::Response;

use super::app_state::AppState;
use super::page_paths::{FIRST_PAGE, is_page};
use super::paths::{DOCS, FILES, ROOT};
use super::traffic::Traffic;
use super::{header_list, page_reply, query};
use parquote_catalogue::operation::{Market, truncate_for_message};

/// Returns true if a person reads the reply: the path is one of a page, or a browser opened a path outside of the API.
pub(super) fn is_read_by_person(request: &Request) -> bool {
    let path = request.uri().path();
    let is_api_path =
        path.starts_with(ROOT) && !path.starts_with(DOCS) && !path.starts_with(FILES) || path == "/mcp";
    is_page(path) || is_safe(request) && !is_api_path && accepts_html(request.headers())
}

/// Answers people at a path that this server does not have, with or without a key; `None` for other requests.
pub(super) fn answer_at_unknown_path(state: &AppState, request: &Request) -> Option<Response> {
    let path = request.uri().path();
    if is_page(path) || !is_read_by_person(request) || state.traffic(path) != Traffic::Unknown {
        return None;
    }
    if state.pages.load().page_at(Market::India, path.trim_matches('/')).is_some() {
        // A key is not copied into another address.
        let query = request.uri().query().filter(|query| query::keys(query).next().is_none());
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        return Some(page_reply::see_other(&format!("{FIRST_PAGE}{path}{query}")));
    }
    let message = format!(
        "there is no page at `{}`; the explorer is at {FIRST_PAGE}, the manual at {DOCS}",
        truncate_for_message(path)
    );
    Some(page_reply::notice(StatusCode::NOT_FOUND, &message))
}

fn is_safe(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

/// Returns true if a caller names HTML among the types that it accepts, as browsers do when a person opens an address.
fn accepts_html(headers: &HeaderMap) -> bool {
    let kind =
        |item: &str| item.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html"));
    header_list::items(headers, header::ACCEPT, b',').any(kind)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn a_browser_reads_pages_and_programs_read_json() {
        const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let reading = |method: &str, path: &str, accept: &str| {
            let request = Request::builder().method(method).uri(path).header(header::ACCEPT, accept);
            is_read_by_person(&request.body(Body::empty()).unwrap())
        };
        for path in ["/nothing", "/screener?sector=x", "/v1/docs/nothing", "/v1/files/0a", "/INDIA/screener"]
        {
            assert!(reading("GET", path, BROWSER) && !reading("GET", path, "*/*"), "{path}");
            assert!(!reading("POST", path, BROWSER), "{path}");
        }
        for path in ["/v1/screener", "/v1", "/mcp"] {
            assert!(!reading("GET", path, BROWSER), "{path}");
        }
        for method in ["GET", "POST", "DELETE"] {
            assert!(reading(method, "/portal/nothing", "*/*"), "{method}");
        }
        assert!(reading("HEAD", "/x", "Text/Plain, text/html;q=0.1") && !reading("GET", "/x", "text/htmlx"));
    }
}
