//! Consent: an app sends an owner's browser to this page, the owner sees the requested access, and the app gets a code.
//!
//! Until the app and its redirect URI are verified, nothing is sent to that URI: errors are shown on a page. The form is answered with a
//! page that leads on, not a redirect: browsers apply the page's `form-action` policy to redirects, and it allows this server only.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;

use super::client::AppClient;
use super::{ACCOUNT_SCOPE, OAuth, SCOPE, pkce, redirect_uri};
use crate::page_form::PageForm;
use crate::portal::PortalActor;
use crate::reply::REFRESH;
use crate::{colours, page_reply, query};
use parquote_access::{Actor, AppConsent};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Tier;
use parquote_explorer::portal::{ConsentView, consent_page, onward_page};

/// Longest `state` of an app, in bytes.
const LONGEST_STATE: usize = 1_500;
/// The parameters that are read, each at most once.
const PARAMS: [&str; 8] = [
    "client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method", "state",
    "resource", "scope",
];

/// A request of an app whose identity and redirect URI are verified.
struct AuthorizeRequest {
    client: AppClient,
    redirect_uri: String,
    state: Option<String>,
    challenge: String,
}

/// Refusal of an authorization request.
enum AuthorizeError {
    /// An error that is shown on a page, because the app or the redirect URI is not verified.
    OnPage(ClientError),
    /// An error that is sent to the app.
    ToApp { redirect_uri: String, state: Option<String>, word: &'static str, description: &'static str },
}

/// Renders the consent page.
pub(super) async fn show_consent(oauth: Arc<OAuth>, request: Request) -> Response {
    let Some(actor) = request.extensions().get::<Actor>().cloned() else { return signed_out() };
    let actor = PortalActor::new(actor, request.headers());
    let pairs: Vec<(String, String)> = match query::arguments(request.uri().query().unwrap_or_default()) {
        Ok(pairs) => pairs.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned())).collect(),
        Err(error) => {
            return page_reply::refusal(ClientError::new(ErrorKind::BadRequest, error.to_string()));
        }
    };
    match check_request(&oauth, &pairs).await {
        Ok(requested) => {
            if actor.key.parent.is_some() {
                let message =
                    "this key was issued with another one and lets no app in; sign in with the other one";
                return page_reply::refusal(ClientError::new(ErrorKind::Forbidden, message));
            }
            let to = redirect_uri::host_of(&requested.redirect_uri);
            let view = ConsentView {
                key: &actor.key,
                name: &requested.client.name,
                vouched_by: requested.client.vouched_by.as_deref(),
                to: &to,
                params: &pairs,
            };
            page_reply::page(StatusCode::OK, consent_page(&oauth.portal.reader(&actor), view))
        }
        Err(invalid_request) => error_response(&oauth, invalid_request),
    }
}

/// Handles the owner's decision.
pub(super) async fn decide(oauth: Arc<OAuth>, request: Request) -> Response {
    let Some(actor) = request.extensions().get::<Actor>().cloned() else { return signed_out() };
    let form = PageForm::from_request(&request);
    let requested = match check_request(&oauth, form.pairs()).await {
        Ok(requested) => requested,
        Err(invalid_request) => return error_response(&oauth, invalid_request),
    };
    let AuthorizeRequest { client, redirect_uri, state, challenge } = requested;
    if form.get("decision") != "allow" {
        let (word, description) = ("access_denied", "the owner did not consent");
        return error_response(&oauth, AuthorizeError::ToApp { redirect_uri, state, word, description });
    }
    let Ok(tier) = form.get("tier").parse::<Tier>() else {
        let message = "`tier` is one of free, premium_web, professional_web, api_pro, api_max";
        return page_reply::refusal(ClientError::new(ErrorKind::BadRequest, message));
    };
    let name = match &client.vouched_by {
        Some(host) => format!("{} ({host})", client.name),
        None => client.name,
    };
    // Labels have at most 80 characters.
    let name: String = name.chars().take(80).collect();
    let consent = AppConsent {
        app: client.id,
        name,
        tier,
        redirect_uri: redirect_uri.clone(),
        challenge,
        may_account: form.get("account") == "yes",
    };
    match oauth.portal.blocking(move |administration| administration.consent(&actor, &consent)).await {
        Ok(code) => continue_to_app(&oauth, &redirect_uri, state.as_deref(), &[("code", code.reveal())]),
        Err(refused) => page_reply::refusal(refused),
    }
}

/// Parses and checks a request: first the app and its redirect URI, then the rest.
async fn check_request(
    oauth: &OAuth,
    pairs: &[(String, String)],
) -> Result<AuthorizeRequest, AuthorizeError> {
    let on_page = |message: &str| AuthorizeError::OnPage(ClientError::new(ErrorKind::BadRequest, message));
    let get = |name: &str| pairs.iter().find(|(param, _)| param == name).map_or("", |(_, value)| value);
    if PARAMS.iter().any(|name| pairs.iter().filter(|(param, _)| param == name).count() > 1) {
        return Err(on_page("this request has a parameter twice; go back to the app and begin again"));
    }
    let client = oauth.clients.find(get("client_id")).await.map_err(AuthorizeError::OnPage)?;
    let redirect_uri = get("redirect_uri");
    if !client.redirect_uris.iter().any(|registered| redirect_uri::is_same(registered, redirect_uri)) {
        return Err(on_page(
            "redirect_uri is not one that this app named; go back to the app and begin again",
        ));
    }
    let state = Some(get("state")).filter(|state| !state.is_empty()).map(str::to_owned);
    if state.as_ref().is_some_and(|state| state.len() > LONGEST_STATE) {
        return Err(on_page("state is longer than 1500 bytes; the app must send a shorter one"));
    }
    let challenge = get("code_challenge");
    let fault = if get("response_type") != "code" {
        Some(("unsupported_response_type", "response_type is `code`"))
    } else if get("code_challenge_method") != "S256" || !pkce::is_challenge(challenge) {
        Some(("invalid_request", "code_challenge is needed, with code_challenge_method `S256`"))
    } else if !is_resource(oauth, get("resource")) {
        Some(("invalid_target", "resource is the address of the tools on this server"))
    } else if !get("scope").split_whitespace().all(|scope| [SCOPE, ACCOUNT_SCOPE].contains(&scope)) {
        Some(("invalid_scope", "the scopes are `mcp` and `mcp:account`"))
    } else {
        None
    };
    let redirect_uri = redirect_uri.to_owned();
    match fault {
        // An unverified app cannot use an error to have browsers redirected (RFC 9700, 4.11.2).
        Some((word, description)) if client.vouched_by.is_none() => {
            Err(on_page(&format!("{word}: {description}; go back to the app and begin again")))
        }
        Some((word, description)) => Err(AuthorizeError::ToApp { redirect_uri, state, word, description }),
        None => Ok(AuthorizeRequest { client, redirect_uri, state, challenge: challenge.to_owned() }),
    }
}

/// Returns true if a token is requested for the tools. Old apps name no resource.
pub(super) fn is_resource(oauth: &OAuth, requested: &str) -> bool {
    let requested = requested.trim_end_matches('/');
    match requested.strip_prefix(&oauth.resource()) {
        Some(below) => ["", "/discover", "/chat"].contains(&below),
        None => requested.is_empty(),
    }
}

fn error_response(oauth: &OAuth, invalid_request: AuthorizeError) -> Response {
    match invalid_request {
        AuthorizeError::OnPage(refused) => page_reply::refusal(refused),
        AuthorizeError::ToApp { redirect_uri, state, word, description } => {
            let pairs = [("error", word), ("error_description", description)];
            continue_to_app(oauth, &redirect_uri, state.as_deref(), &pairs)
        }
    }
}

/// Renders the page that leads back to the app, with `iss`, so that the app does not take another server's answer for ours.
fn continue_to_app(
    oauth: &OAuth,
    redirect_uri: &str,
    state: Option<&str>,
    pairs: &[(&str, &str)],
) -> Response {
    let mut pairs = pairs.to_vec();
    pairs.extend(state.map(|state| ("state", state)));
    pairs.push(("iss", oauth.public_url.as_str()));
    let Some(url) = redirect_uri::with_query(redirect_uri, &pairs) else {
        return page_reply::refusal(ClientError::new(
            ErrorKind::BadRequest,
            "redirect_uri is not an address",
        ));
    };
    let mut response = page_reply::page(
        StatusCode::OK,
        onward_page(&redirect_uri::host_of(redirect_uri), url.as_str(), colours::current_scheme()),
    );
    if let Ok(refresh) = HeaderValue::try_from(format!("0;url={url}")) {
        response.headers_mut().insert(REFRESH, refresh);
    }
    response
}

fn signed_out() -> Response {
    let message = "sign in on the page of this server first; a key in a header lets no app in";
    page_reply::refusal(ClientError::new(ErrorKind::Forbidden, message))
}
