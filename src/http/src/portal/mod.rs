//! The portal over HTTP: forms in, administration of keys and sessions, pages out. `Administration` decides permissions, except for sets
//! and sources, for which `sets` decides.

mod sign_in;
mod keys;
mod sessions;
mod usage;
mod sets;
mod sources;

use std::ops::Deref;
use std::sync::Arc;

use arc_swap::ArcSwap;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use chrono::Utc;
use futures::future::BoxFuture;

use super::data_pages::SetsAndSources;
use super::flash_messages::FlashMessages;
use super::page_paths::{LOGIN, LOGOUT, PORTAL};
use super::reply::status;
use super::session_cookie::SessionCookie;
use super::visitor_address::VisitorAddress;
use super::{colours, page_reply};
use parquote_access::{AccessError, Actor, Administration, AdministrationError, Visitor};
use parquote_call::Service;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;
use parquote_explorer::age::DataAge;
use parquote_explorer::menu::menu_entries;
use parquote_explorer::pages::ExplorerPages;
use parquote_explorer::portal::PortalReader;
use parquote_surface::asset::ColourScheme;

/// State shared by the portal's pages.
pub(super) struct Portal {
    administration: Arc<Administration>,
    cookie: SessionCookie,
    /// Service whose data age is in the top bar.
    service: Arc<Service>,
    /// Sets and sources of the server; `None` if they have no pages.
    data: Option<SetsAndSources>,
    /// Pages of the explorer, for the menu.
    pages: Arc<ArcSwap<ExplorerPages>>,
    /// Flash messages, by session.
    flash_messages: FlashMessages<String>,
}

/// A signed-in user, with the colours that their browser asks for.
#[derive(Clone)]
pub(super) struct PortalActor {
    actor: Actor,
    scheme: ColourScheme,
}

impl PortalActor {
    pub(super) fn new(actor: Actor, headers: &HeaderMap) -> Self {
        Self { actor, scheme: colours::requested_scheme(headers) }
    }
}

impl Deref for PortalActor {
    type Target = Actor;

    fn deref(&self) -> &Actor {
        &self.actor
    }
}

/// Handler of a request of a signed-in user.
type SignedInAnswer = fn(Arc<Portal>, PortalActor, Request) -> BoxFuture<'static, Response>;

impl Portal {
    pub(super) fn new(
        administration: Arc<Administration>,
        cookie: SessionCookie,
        service: Arc<Service>,
        data: Option<SetsAndSources>,
        pages: Arc<ArcSwap<ExplorerPages>>,
    ) -> Arc<Self> {
        let flash_messages = FlashMessages::default();
        Arc::new(Self { administration, cookie, service, data, pages, flash_messages })
    }

    /// Returns true if guests may read pages without a key.
    fn has_guests(&self) -> bool {
        self.service.guest().is_some()
    }

    /// Returns the contents of the top bar for a signed-in user.
    pub(super) fn reader(&self, actor: &PortalActor) -> PortalReader {
        let (snapshot, pages, now) = (self.service.shared_snapshot(), self.pages.load(), Utc::now());
        let ages = Market::ALL.into_iter().filter_map(|market| DataAge::for_market(&snapshot, market, now));
        let tier = actor.key.tier;
        PortalReader {
            owner: actor.key.owner.to_string(),
            tier,
            ages: ages.collect(),
            is_operator: actor.key.is_admin && self.data.is_some(),
            menus: Market::ALL.map(|market| menu_entries(&pages, &snapshot, market, tier)),
            scheme: actor.scheme,
        }
    }

    /// Stores a flash message and redirects to the page that shows it.
    fn redirect_with_message(&self, actor: &Actor, path: &str, message: String) -> Response {
        self.flash_messages.store_message(&actor.session.to_string(), path, message);
        page_reply::see_other(path)
    }

    /// Takes the flash message of a page.
    fn take_message(&self, actor: &Actor, path: &str) -> Option<String> {
        self.flash_messages.take_message(&actor.session.to_string(), path)
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
        done.map_err(|error| ClientError::from_cause(ErrorKind::Internal, failed, error))
    }
}

pub(super) fn routes(portal: &Arc<Portal>) -> Vec<(String, MethodRouter)> {
    let (get_portal, post_portal) = (Arc::clone(portal), Arc::clone(portal));
    let sign_in =
        get(move |request: Request| std::future::ready(sign_in::show_sign_in(&get_portal, &request)))
            .post(move |request: Request| sign_in::enter(Arc::clone(&post_portal), request));
    let path = |below: &str| format!("{PORTAL}{below}");
    vec![
        (LOGIN.to_owned(), sign_in),
        (
            LOGOUT.to_owned(),
            post(signed_in(portal, |portal, actor, _| Box::pin(sign_in::leave(portal, actor)))),
        ),
        (
            PORTAL.to_owned(),
            get(signed_in(portal, |portal, actor, _| {
                Box::pin(keys::show_keys(portal, actor, StatusCode::OK, None))
            })),
        ),
        (path("/keys/issue"), post(signed_in(portal, |p, a, r| Box::pin(keys::issue_key(p, a, r))))),
        (path("/keys/rotate"), post(signed_in(portal, |p, a, r| Box::pin(keys::rotate(p, a, r))))),
        (path("/keys/revoke"), post(signed_in(portal, |p, a, r| Box::pin(keys::revoke(p, a, r))))),
        (path("/usage"), get(signed_in(portal, |p, a, r| Box::pin(usage::show_usage(p, a, r))))),
        (path("/sessions"), get(signed_in(portal, |p, a, _| Box::pin(sessions::show_sessions(p, a))))),
        (path("/sessions/end"), post(signed_in(portal, |p, a, r| Box::pin(sessions::end(p, a, r))))),
        (path("/log"), get(signed_in(portal, |p, a, _| Box::pin(sessions::log(p, a))))),
        (path("/sets"), get(signed_in(portal, |p, a, _| Box::pin(sets::show_sets(p, a, None))))),
        (path("/sets/changes"), get(signed_in(portal, |p, a, r| Box::pin(sets::show_changes(p, a, r))))),
        (path("/sets/rollback"), post(signed_in(portal, |p, a, r| Box::pin(sets::roll_back(p, a, r))))),
        (path("/sources"), get(signed_in(portal, |p, a, _| Box::pin(sources::show_sources(p, a, None))))),
        (path("/sources/agree"), post(signed_in(portal, |p, a, r| Box::pin(sources::agree(p, a, r))))),
    ]
}

/// Builds a handler that gets the signed-in user. The page guard rejects all others.
fn signed_in(
    portal: &Arc<Portal>,
    answer: SignedInAnswer,
) -> impl Fn(Request) -> BoxFuture<'static, Response> + Clone + Send + Sync + 'static {
    let portal = Arc::clone(portal);
    move |request: Request| match request.extensions().get::<Actor>().cloned() {
        Some(actor) => {
            let actor = PortalActor::new(actor, request.headers());
            answer(Arc::clone(&portal), actor, request)
        }
        None => Box::pin(std::future::ready(page_reply::see_other(LOGIN))),
    }
}

/// Returns the address and the browser of a request.
fn visitor(request: &Request) -> Visitor {
    let from = request.extensions().get::<VisitorAddress>().and_then(|visitor| visitor.0);
    let agent = request.headers().get(header::USER_AGENT).map_or(&[][..], HeaderValue::as_bytes);
    Visitor { from, browser: String::from_utf8_lossy(agent).into_owned() }
}

/// Converts an error of the administration to an error for clients.
pub(super) fn client_error(error: AdministrationError) -> ClientError {
    let kind = match &error {
        AdministrationError::Access(AccessError::Failures(retry_after_s)) => {
            return ClientError::new(ErrorKind::TooManyRequests, error.to_string())
                .with_retry_after(*retry_after_s);
        }
        AdministrationError::Access(_)
        | AdministrationError::NoKey
        | AdministrationError::OtherKey
        | AdministrationError::Code => ErrorKind::Unauthorized,
        AdministrationError::Denied(_) => ErrorKind::Forbidden,
        AdministrationError::Gone(_) => ErrorKind::NotFound,
        AdministrationError::Text { .. }
        | AdministrationError::Choice { .. }
        | AdministrationError::Full(_)
        | AdministrationError::Past => ErrorKind::BadRequest,
        AdministrationError::Randomness | AdministrationError::State(_) => {
            let message = "the state file cannot be used now; try again";
            return ClientError::from_cause(ErrorKind::Unavailable, message, error);
        }
    };
    ClientError::new(kind, error.to_string())
}
