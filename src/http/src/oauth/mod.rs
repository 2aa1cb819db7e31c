//! OAuth 2.1 for chat apps, as the Model Context Protocol's chapter on authorization has it: what this server says of itself, apps
//! that register or name a document, the consent of an owner, tokens, and their end. A token is good for the tools' endpoint alone. All of
//! it is there only under a public address.
//!
//! Reading order: the small formats (`pkce`, `redirect_uri`), who asks (`client`, `client_documents`), what is answered
//! (`metadata`, `register`, `authorize`, `token`).

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

/// The path of the tools' endpoint, which tokens are bound to.
const RESOURCE: &str = "/mcp";
/// Where an owner consents: a page, for who is signed in.
const AUTHORIZE: &str = "/authorize";
/// Where codes are exchanged.
const TOKEN: &str = "/oauth/token";
/// Where apps register.
const REGISTER: &str = "/oauth/register";
/// Where tokens are ended.
const REVOKE: &str = "/oauth/revoke";
/// What every app may ask for: the tools.
const SCOPE: &str = "mcp";
/// What an owner grants by a box that is off: to save and remove the owner's keys of model providers.
const ACCOUNT_SCOPE: &str = "mcp:account";

/// Under which address apps are let in.
#[derive(Clone)]
pub struct AppSettings {
    /// The address under which everyone reaches this server.
    pub public_url: PublicUrl,
    /// Where documents of apps are fetched.
    pub documents: Arc<dyn ClientDocuments>,
}

/// What the answers share.
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

    /// What tokens are bound to.
    fn resource(&self) -> String {
        self.public_url.at(RESOURCE)
    }
}

/// The routes of all this.
pub(super) fn routes(oauth: &Arc<OAuth>) -> Vec<(String, MethodRouter)> {
    let metadata = Metadata::of(&oauth.public_url);
    let mut routes: Vec<(String, MethodRouter)> = metadata
        .documents()
        .into_iter()
        .map(|(path, body)| {
            let answer = move || std::future::ready(metadata::reply(body.clone()));
            (path.to_owned(), get(answer))
        })
        .collect();
    let with = |answer: fn(Arc<OAuth>, Request) -> futures::future::BoxFuture<'static, Response>| {
        let oauth = Arc::clone(oauth);
        move |request: Request| answer(Arc::clone(&oauth), request)
    };
    let consent = get(with(|oauth, request| Box::pin(authorize::show(oauth, request))))
        .post(with(|oauth, request| Box::pin(authorize::decide(oauth, request))));
    routes.push((AUTHORIZE.to_owned(), consent));
    routes.push((TOKEN.to_owned(), post(with(|oauth, request| Box::pin(token::exchange(oauth, request))))));
    routes.push((REVOKE.to_owned(), post(with(|oauth, request| Box::pin(token::end(oauth, request))))));
    routes.push((
        REGISTER.to_owned(),
        post(with(|oauth, request| Box::pin(register::register(oauth, request)))),
    ));
    routes
}

/// Whether a path is one that apps send forms to.
pub(super) fn takes_forms(path: &str) -> bool {
    [TOKEN, REVOKE].contains(&path.trim_end_matches('/'))
}

/// Whether a path is one of apps themselves, who have no key yet.
pub(super) fn is_for_apps(path: &str) -> bool {
    [TOKEN, REVOKE, REGISTER].contains(&path.trim_end_matches('/'))
}

/// Whether a path has to do with letting apps in.
pub(super) fn is_of_oauth(path: &str) -> bool {
    path == AUTHORIZE || is_for_apps(path) || metadata::is_at(path)
}

/// How a caller without a token is told where to get one.
pub(super) fn challenge(public_url: &PublicUrl) -> String {
    let metadata = public_url.at(metadata::RESOURCE_OF_TOOLS);
    format!("Bearer realm=\"parquote\", resource_metadata=\"{metadata}\", scope=\"{SCOPE}\"")
}

/// An error in the words of OAuth.
fn error(status: StatusCode, word: &str, description: &str) -> Response {
    let description = parquote_access::redact(description);
    let body = json!({"error": word, "error_description": description});
    reply::fresh_json(status, body.to_string())
}
