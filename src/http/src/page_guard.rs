//! Guard of the pages: it refuses forms sent from other sites, and redirects unauthenticated callers to the sign-in page. A key opens a
//! page only in a header, which no other site can set and no address contains; keys are managed with a session only.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, Method, Uri, header};
use axum::response::Response;
use url::form_urlencoded::byte_serialize;

use super::app_state::AppState;
use super::credentials::BearerMeaning;
use super::page_paths::{LOGIN, is_open_page, return_path};
use super::{credentials, host, page_reply, query};
use parquote_call::{Caller, SignedIn};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Authenticates a request for a page and adds the caller to its extensions; the error is the reply to a rejected request.
pub(super) fn authenticate_page(
    state: &AppState,
    request: &mut Request,
    from: Option<IpAddr>,
) -> Result<Option<Caller>, Box<Response>> {
    if !request.method().is_safe() && !is_from_own_page(request.headers(), request.uri()) {
        let message =
            "this form was not sent from a page of this server; open the page itself and send it from there";
        return Err(Box::new(page_reply::refusal(ClientError::new(ErrorKind::Forbidden, message))));
    }
    let token = state.settings.cookie.read(request.headers());
    if let Some(SignedIn { caller, actor }) = state.service.identify_session(token) {
        request.extensions_mut().insert(caller.clone());
        if let Some(actor) = actor {
            request.extensions_mut().insert(actor);
        }
        return Ok(Some(caller));
    }
    if is_open_page(request.uri().path()) {
        return Ok(None);
    }
    let no_query = Uri::default();
    let keys = credentials::presented_keys(request.headers(), &no_query, BearerMeaning::Key);
    if let Ok(caller) = state.service.identify(keys, from) {
        request.extensions_mut().insert(caller.clone());
        return Ok(Some(caller));
    }
    if let Some(guest) = guest_caller(state, request) {
        request.extensions_mut().insert(guest.clone());
        return Ok(Some(guest));
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let message = "you are not signed in any more; sign in and send the form again";
        return Err(Box::new(page_reply::refusal(ClientError::new(ErrorKind::Unauthorized, message))));
    }
    Err(Box::new(page_reply::see_other(&sign_in_path(request.uri()))))
}

/// Returns a guest caller, who reads the explorer without a key. A request with an invalid key is not a guest.
fn guest_caller(state: &AppState, request: &Request) -> Option<Caller> {
    let has_key =
        credentials::presented_keys(request.headers(), &Uri::default(), BearerMeaning::Key).next().is_some();
    let first = request.uri().path().split('/').nth(1).unwrap_or_default();
    let only_reads =
        matches!(*request.method(), Method::GET | Method::HEAD) && first.parse::<Market>().is_ok();
    state.service.guest().filter(|_| only_reads && !has_key)
}

/// Returns true if a page of this server sent the request, or a user typed its address. Browsers send `Sec-Fetch-Site`, which no page can
/// change; old browsers send at least the `Origin` of a form.
fn is_from_own_page(headers: &HeaderMap, uri: &Uri) -> bool {
    if let Some(site) = headers.get(SEC_FETCH_SITE) {
        return ["same-origin", "none"].iter().any(|allowed| site == allowed);
    }
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let origin = origin.and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    match (origin, host::requested_host(headers, uri)) {
        (Some(origin), Some(host)) => origin.eq_ignore_ascii_case(host),
        _ => false,
    }
}

/// Returns the path of the sign-in page, with the requested address as the one to return to.
fn sign_in_path(uri: &Uri) -> String {
    let address = uri.path_and_query().map_or(uri.path(), |address| address.as_str());
    // A key is not copied into another address.
    let query = uri.query().unwrap_or_default();
    let holds_key = query::keys(query).next().is_some() || query::redact_text(address).contains("pq_[key]");
    match return_path(address).filter(|_| !holds_key) {
        Some(next) => format!("{LOGIN}?next={}", byte_serialize(next.as_bytes()).collect::<String>()),
        None => LOGIN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn own(lines: &[(&str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(HeaderName::try_from(*name).unwrap(), HeaderValue::from_str(value).unwrap());
        }
        is_from_own_page(&headers, &Uri::from_static("/login"))
    }

    #[test]
    fn what_the_browser_says_of_the_site_comes_first() {
        let host = ("host", "api.example:8443");
        for (site, is_let_in) in [
            ("same-origin", true),
            ("none", true),
            ("same-site", false),
            ("cross-site", false),
            ("SAME-ORIGIN", false),
            ("", false),
        ] {
            let origin = ("origin", "https://api.example:8443");
            assert_eq!(own(&[host, origin, ("sec-fetch-site", site)]), is_let_in, "{site}");
        }
    }

    #[test]
    fn an_old_browser_says_its_origin() {
        let host = ("host", "api.example:8443");
        assert!(own(&[host, ("origin", "https://API.example:8443")]));
        for origin in [
            "null",
            "https://api.example",
            "https://api.example:8443.evil",
            "https://evil.example",
            "api.example:8443",
            "",
        ] {
            assert!(!own(&[host, ("origin", origin)]), "{origin}");
        }
        assert!(!own(&[host]) && !own(&[("origin", "https://a.b")]) && !own(&[]));
    }
}
