//! Signing in with a key or a code, and out again.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use super::super::page_form::PageForm;
use super::super::page_paths::{FIRST_PAGE, LOGIN, return_path};
use super::super::{colours, page_reply, query};
use super::{Portal, PortalActor, status, visitor};
use parquote_access::{Actor, RandomToken};
use parquote_catalogue::error::ClientError;
use parquote_explorer::portal::{SignInView, sign_in_page};

/// Challenge for programs without a key; browsers ignore it.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"parquote\"");

/// Renders the sign-in page.
pub(super) fn show_sign_in(portal: &Arc<Portal>, request: &Request) -> Response {
    let pairs = query::arguments(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let next = pairs.iter().find(|(name, _)| name == "next").map(|(_, value)| value.as_ref());
    let actor = request.extensions().get::<Actor>();
    let view = SignInView {
        next: next.and_then(return_path),
        problem: None,
        current_owner: actor.map(|actor| &*actor.key.owner),
        has_guests: portal.has_guests(),
        scheme: colours::requested_scheme(request.headers()),
    };
    page_reply::page(StatusCode::OK, sign_in_page(view))
}

/// Signs in. The browser's previous session ends, so no token outlives the next sign-in.
pub(super) async fn enter(portal: Arc<Portal>, request: Request) -> Response {
    let (form, visitor) = (PageForm::from_request(&request), visitor(&request));
    let (has_guests, scheme) = (portal.has_guests(), colours::requested_scheme(request.headers()));
    let before = request.extensions().get::<Actor>().cloned();
    let next = return_path(form.get("next")).map(str::to_owned);
    let token = portal
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
    match token {
        Ok(token) => signed_in_reply(&portal, &token, next.as_deref()),
        Err(refused) => {
            let next = next.as_deref();
            let view =
                SignInView { next, problem: Some(&refused.message), current_owner: None, has_guests, scheme };
            refused_sign_in(&refused, view)
        }
    }
}

fn signed_in_reply(portal: &Portal, token: &RandomToken, next: Option<&str>) -> Response {
    let mut response = page_reply::see_other(next.unwrap_or(FIRST_PAGE));
    if let Some(line) = portal.cookie.set(token.reveal()) {
        response.headers_mut().insert(header::SET_COOKIE, line);
    }
    response
}

fn refused_sign_in(refused: &ClientError, view: SignInView<'_>) -> Response {
    let mut response = page_reply::page(status(refused), sign_in_page(view));
    let headers = response.headers_mut();
    if let Some(seconds) = refused.after_s() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    headers.insert(header::WWW_AUTHENTICATE, CHALLENGE);
    response
}

/// Signs out: the session ends, and the browser clears its data.
pub(super) async fn leave(portal: Arc<Portal>, actor: PortalActor) -> Response {
    if let Err(refused) = portal.blocking(move |administration| administration.sign_out(&actor)).await {
        return page_reply::refusal(refused);
    }
    session_ended(&portal)
}

/// Redirects to the sign-in page after a session has ended. `Clear-Site-Data` does not include cookies, since that would clear the cookies
/// of all hosts of the domain; the session cookie is removed by name.
pub(super) fn session_ended(portal: &Portal) -> Response {
    const ALL: HeaderValue = HeaderValue::from_static("\"cache\", \"storage\"");
    let mut response = page_reply::see_other(LOGIN);
    let headers = response.headers_mut();
    headers.insert("clear-site-data", ALL);
    if let Some(line) = portal.cookie.removal_header() {
        headers.insert(header::SET_COOKIE, line);
    }
    response
}
