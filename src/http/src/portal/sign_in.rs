//! Signing in with a key or a code, and out again.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use super::super::page_form::PageForm;
use super::super::page_paths::{FIRST_PAGE, LOGIN, way_back};
use super::super::{page_reply, query};
use super::{Portal, status, visitor};
use parquote_access::{Actor, RandomToken};
use parquote_catalogue::error::ClientError;
use parquote_explorer::portal::{SignInView, sign_in_page};

/// Challenge for programs without a key; browsers ignore it.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"parquote\"");

/// Renders the sign-in page.
pub(super) fn show(portal: &Arc<Portal>, request: &Request) -> Response {
    let pairs = query::arguments(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let next = pairs.iter().find(|(name, _)| name == "next").map(|(_, value)| value.as_ref());
    let actor = request.extensions().get::<Actor>();
    let view = SignInView {
        next: next.and_then(way_back),
        problem: None,
        signed_in: actor.map(|actor| &*actor.key.owner),
        has_guests: portal.has_guests(),
    };
    page_reply::page(StatusCode::OK, sign_in_page(view))
}

/// Signs in. The browser's previous session ends, so no token outlives the next sign-in.
pub(super) async fn enter(portal: Arc<Portal>, request: Request) -> Response {
    let (form, visitor) = (PageForm::from_request(&request), visitor(&request));
    let before = request.extensions().get::<Actor>().cloned();
    let next = way_back(form.get("next")).map(str::to_owned);
    let begun = portal
        .blocking(move |administration| {
            let token = match form.get("code") {
                "" => administration.sign_in(form.get("key"), &visitor)?,
                code => administration.sign_in_with_code(code, &visitor)?,
            };
            if let Some(before) = before {
                administration.sign_out(&before)?;
            }
            Ok(token)
        })
        .await;
    match begun {
        Ok(token) => entered(&portal, &token, next.as_deref()),
        Err(refused) => refused_entry(&refused, next.as_deref(), portal.has_guests()),
    }
}

fn entered(portal: &Portal, token: &RandomToken, next: Option<&str>) -> Response {
    let mut response = page_reply::see_other(next.unwrap_or(FIRST_PAGE));
    if let Some(line) = portal.cookie.set(token.reveal()) {
        response.headers_mut().insert(header::SET_COOKIE, line);
    }
    response
}

fn refused_entry(refused: &ClientError, next: Option<&str>, has_guests: bool) -> Response {
    let view = SignInView { next, problem: Some(&refused.message), signed_in: None, has_guests };
    let mut response = page_reply::page(status(refused), sign_in_page(view));
    let headers = response.headers_mut();
    if let Some(seconds) = refused.after_s() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    headers.insert(header::WWW_AUTHENTICATE, CHALLENGE);
    response
}

/// Signs out: the session ends, and the browser clears its data.
pub(super) async fn leave(portal: Arc<Portal>, actor: Actor) -> Response {
    if let Err(refused) = portal.blocking(move |administration| administration.sign_out(&actor)).await {
        return page_reply::refusal(refused);
    }
    gone(&portal)
}

/// Redirects to the sign-in page after a session has ended. `Clear-Site-Data` does not include cookies, since that would clear those of all
/// hosts of the domain; the session cookie is removed by name.
pub(super) fn gone(portal: &Portal) -> Response {
    const ALL: HeaderValue = HeaderValue::from_static("\"cache\", \"storage\"");
    let mut response = page_reply::see_other(LOGIN);
    let headers = response.headers_mut();
    headers.insert("clear-site-data", ALL);
    if let Some(line) = portal.cookie.taken_back() {
        headers.insert(header::SET_COOKIE, line);
    }
    response
}
