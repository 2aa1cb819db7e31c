//! OAuth 2.1 for chat apps, as in the authorization chapter of the Model Context Protocol: metadata, registration of apps or client
//! documents, an owner's consent, tokens, and their revocation. A token is valid for the tools' endpoint only. All of it requires a public
//! address.
//!
//! Reading order: the small formats (`pkce`, `redirect_uri`), the apps (`client`, `client_documents`), the endpoints (`metadata`,
//! `register`, `authorize`, `token`).

mod pkce;
mod redirect_uri;

mod client;
mod client_documents;

mod metadata;
mod register;
mod authorize;
mod token;

use std::sync::Arc;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use serde_json::json;

use self::client::Clients;
pub use self::client_documents::{ClientDocuments, WebDocuments};
use self::metadata::Metadata;
use super::portal::Portal;
use super::reply;
use parquote_surface::public_url::PublicUrl;

/// Path of the tools' endpoint, to which tokens are bound.
const RESOURCE: &str = "/mcp";
/// Path of the consent page, for a signed-in owner.
const AUTHORIZE: &str = "/authorize";
/// Path at which codes are exchanged.
const TOKEN: &str = "/oauth/token";
/// Path at which apps register.
const REGISTER: &str = "/oauth/register";
/// Path at which tokens are revoked.
const REVOKE: &str = "/oauth/revoke";
/// Scope that every app may request: the tools.
const SCOPE: &str = "mcp";
/// Scope to save and remove the owner's keys of model providers. The owner grants it by a checkbox that is off by default.
const ACCOUNT_SCOPE: &str = "mcp:account";

/// Settings of OAuth.
#[derive(Clone)]
pub struct AppSettings {
    /// Public address of this server.
    pub public_url: PublicUrl,
    /// Source of client documents.
    pub documents: Arc<dyn ClientDocuments>,
}

/// State shared by the endpoints.
pub(super) struct OAuth {
    portal: Arc<Portal>,
    public_url: PublicUrl,
    clients: Clients,
}

impl OAuth {
    pub(super) fn new(portal: Arc<Portal>, settings: AppSettings) -> Arc<Self> {
        let clients = Clients::new(Arc::clone(&portal), settings.documents);
        Arc::new(Self { portal, public_url: settings.public_url, clients })
    }

    /// Returns the resource to which tokens are bound.
    fn resource(&self) -> String {
        self.public_url.url_of(RESOURCE)
    }
}

pub(super) fn routes(oauth: &Arc<OAuth>) -> Vec<(String, MethodRouter)> {
    let metadata = Metadata::from_public_url(&oauth.public_url);
    let mut routes: Vec<(String, MethodRouter)> = metadata
        .documents()
        .into_iter()
        .map(|(path, body)| {
            let answer = move || std::future::ready(metadata::metadata_reply(body.clone()));
            (path.to_owned(), get(answer))
        })
        .collect();
    let handler = |answer: fn(Arc<OAuth>, Request) -> futures::future::BoxFuture<'static, Response>| {
        let oauth = Arc::clone(oauth);
        move |request: Request| answer(Arc::clone(&oauth), request)
    };
    let consent = get(handler(|oauth, request| Box::pin(authorize::show_consent(oauth, request))))
        .post(handler(|oauth, request| Box::pin(authorize::decide(oauth, request))));
    routes.push((AUTHORIZE.to_owned(), consent));
    routes
        .push((TOKEN.to_owned(), post(handler(|oauth, request| Box::pin(token::exchange(oauth, request))))));
    routes.push((REVOKE.to_owned(), post(handler(|oauth, request| Box::pin(token::revoke(oauth, request))))));
    routes.push((
        REGISTER.to_owned(),
        post(handler(|oauth, request| Box::pin(register::register(oauth, request)))),
    ));
    routes
}

/// Returns true if apps send forms to a path.
pub(super) fn takes_forms(path: &str) -> bool {
    [TOKEN, REVOKE].contains(&path.trim_end_matches('/'))
}

/// Returns true if a path is for apps themselves, which have no key yet.
pub(super) fn is_for_apps(path: &str) -> bool {
    [TOKEN, REVOKE, REGISTER].contains(&path.trim_end_matches('/'))
}

/// Returns true if a path belongs to OAuth.
pub(super) fn is_oauth_path(path: &str) -> bool {
    path == AUTHORIZE || is_for_apps(path) || metadata::is_at(path)
}

/// Returns the `WWW-Authenticate` challenge that names the metadata to a caller without a token.
pub(super) fn challenge(public_url: &PublicUrl) -> String {
    let metadata = public_url.url_of(metadata::RESOURCE_OF_TOOLS);
    format!("Bearer realm=\"parquote\", resource_metadata=\"{metadata}\", scope=\"{SCOPE}\"")
}

/// Builds an error in the format of OAuth.
fn error(status: StatusCode, word: &str, description: &str) -> Response {
    let description = parquote_access::redact(description);
    let body = json!({"error": word, "error_description": description});
    reply::fresh_json(status, body.to_string())
}
