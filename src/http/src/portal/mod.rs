//! The portal over HTTP: forms in, administration of keys and sessions, pages out. Permissions are decided in `Administration`.

mod sign_in;
mod keys;
mod sessions;
mod usage;

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use chrono::Utc;
use futures::future::BoxFuture;

use super::flash_messages::FlashMessages;
use super::page_paths::{LOGIN, LOGOUT, PORTAL};
use super::page_reply;
use super::session_cookie::SessionCookie;
use super::visitor_address::VisitorAddress;
use parquote_access::{AccessError, Actor, Administration, AdministrationError, Visitor};
use parquote_call::Service;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;
use parquote_explorer::age::DataAge;
use parquote_explorer::portal::PortalReader;

/// State shared by the portal's pages.
pub(super) struct Portal {
    administration: Arc<Administration>,
    cookie: SessionCookie,
    /// Service whose data age is in the top bar.
    service: Arc<Service>,
    /// Flash messages, by session.
    told: FlashMessages<String>,
}

/// Handler of a request of a signed-in user.
type SignedInAnswer = fn(Arc<Portal>, Actor, Request) -> BoxFuture<'static, Response>;

impl Portal {
    pub(super) fn new(
        administration: Arc<Administration>,
        cookie: SessionCookie,
        service: Arc<Service>,
    ) -> Arc<Self> {
        Arc::new(Self { administration, cookie, service, told: FlashMessages::default() })
    }

    /// Returns true if guests may read pages without a key.
    fn has_guests(&self) -> bool {
        self.service.guest().is_some()
    }

    /// Returns the contents of the top bar for a signed-in user.
    pub(super) fn reader(&self, actor: &Actor) -> PortalReader {
        let (snapshot, now) = (self.service.seen_by_all(), Utc::now());
        let ages = Market::ALL.into_iter().filter_map(|market| DataAge::for_market(&snapshot, market, now));
        PortalReader { owner: actor.key.owner.to_string(), ages: ages.collect() }
    }

    /// Stores a flash message and redirects to the page that shows it.
    fn redirect_with_message(&self, actor: &Actor, path: &str, told: String) -> Response {
        self.told.keep(&actor.session.to_string(), path, told);
        page_reply::see_other(path)
    }

    /// Takes the flash message of a page.
    fn take_message(&self, actor: &Actor, path: &str) -> Option<String> {
        self.told.take(&actor.session.to_string(), path)
    }

    /// Runs blocking work, which may wait for the disk.
    pub(super) async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Administration) -> Result<T, AdministrationError> + Send + 'static,
    ) -> Result<T, ClientError> {
        self.blocking_as(work).await?.map_err(client_error)
    }

    /// Runs blocking work with any result.
    pub(super) async fn blocking_as<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Administration) -> T + Send + 'static,
    ) -> Result<T, ClientError> {
        let portal = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&portal.administration)).await;
        let failed = "the server failed on this request";
        done.map_err(|error| ClientError::caused(ErrorKind::Internal, failed, error))
    }
}

/// Builds the routes of the portal.
pub(super) fn routes(portal: &Arc<Portal>) -> Vec<(String, MethodRouter)> {
    let (shown, entered) = (Arc::clone(portal), Arc::clone(portal));
    let sign_in = get(move |request: Request| std::future::ready(sign_in::show(&shown, &request)))
        .post(move |request: Request| sign_in::enter(Arc::clone(&entered), request));
    let below = |path: &str| format!("{PORTAL}{path}");
    vec![
        (LOGIN.to_owned(), sign_in),
        (
            LOGOUT.to_owned(),
            post(signed_in(portal, |portal, actor, _| Box::pin(sign_in::leave(portal, actor)))),
        ),
        (
            PORTAL.to_owned(),
            get(signed_in(portal, |portal, actor, _| {
                Box::pin(keys::show(portal, actor, StatusCode::OK, None))
            })),
        ),
        (below("/keys/issue"), post(signed_in(portal, |p, a, r| Box::pin(keys::issue(p, a, r))))),
        (below("/keys/rotate"), post(signed_in(portal, |p, a, r| Box::pin(keys::rotate(p, a, r))))),
        (below("/keys/revoke"), post(signed_in(portal, |p, a, r| Box::pin(keys::revoke(p, a, r))))),
        (below("/usage"), get(signed_in(portal, |p, a, r| Box::pin(usage::show(p, a, r))))),
        (below("/sessions"), get(signed_in(portal, |p, a, _| Box::pin(sessions::show(p, a))))),
        (below("/sessions/end"), post(signed_in(portal, |p, a, r| Box::pin(sessions::end(p, a, r))))),
        (below("/log"), get(signed_in(portal, |p, a, _| Box::pin(sessions::log(p, a))))),
    ]
}

/// Builds a handler that gets the signed-in user. The page guard lets no others through.
fn signed_in(
    portal: &Arc<Portal>,
    answer: SignedInAnswer,
) -> impl Fn(Request) -> BoxFuture<'static, Response> + Clone + Send + Sync + 'static {
    let portal = Arc::clone(portal);
    move |request: Request| match request.extensions().get::<Actor>().cloned() {
        Some(actor) => answer(Arc::clone(&portal), actor, request),
        None => Box::pin(std::future::ready(page_reply::see_other(LOGIN))),
    }
}

/// Returns the address and the browser of a request.
fn visitor(request: &Request) -> Visitor {
    let from = request.extensions().get::<VisitorAddress>().and_then(|visitor| visitor.0);
    let browser = request.headers().get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    Visitor { from, browser: browser.unwrap_or_default().to_owned() }
}

/// Converts the error to one for clients.
pub(super) fn client_error(error: AdministrationError) -> ClientError {
    let kind = match &error {
        AdministrationError::Access(AccessError::Failures { retry_after_s }) => {
            return ClientError::new(ErrorKind::TooManyRequests, error.to_string()).after(*retry_after_s);
        }
        AdministrationError::Access(_) | AdministrationError::OtherKey | AdministrationError::Code => {
            ErrorKind::Unauthorized
        }
        AdministrationError::Denied(_) => ErrorKind::Forbidden,
        AdministrationError::Gone(_) => ErrorKind::NotFound,
        AdministrationError::Text { .. }
        | AdministrationError::Choice { .. }
        | AdministrationError::Full(_)
        | AdministrationError::Past => ErrorKind::BadRequest,
        AdministrationError::Randomness | AdministrationError::State(_) => {
            let message = "the state file cannot be used now; try again";
            return ClientError::caused(ErrorKind::Unavailable, message, error);
        }
    };
    ClientError::new(kind, error.to_string())
}

/// Returns the status of a refusal.
fn status(refused: &ClientError) -> StatusCode {
    StatusCode::from_u16(refused.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
