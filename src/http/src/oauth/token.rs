//! Exchange of codes and refresh tokens (OAuth 2.1), and revocation (RFC 7009).

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::json;

use super::{ACCOUNT_SCOPE, OAuth, SCOPE, authorize, error, pkce};
use crate::page_form::PageForm;
use crate::reply;
use crate::visitor_address::VisitorAddress;
use parquote_access::{ACCESS_S, AppTokens, CodeExchange, TokenExchangeError};
use parquote_catalogue::error::ErrorKind;

/// The fields that are read, each at most once: a proxy in front might read another occurrence than this server.
const FIELDS: [&str; 8] = [
    "grant_type", "client_id", "code", "redirect_uri", "code_verifier", "refresh_token", "resource", "token",
];

/// Exchanges a code or a refresh token.
pub(super) async fn exchange(oauth: Arc<OAuth>, request: Request) -> Response {
    let form = PageForm::from_request(&request);
    let from = request.extensions().get::<VisitorAddress>().and_then(|visitor| visitor.0);
    let bad = |word: &str, description: &str| error(StatusCode::BAD_REQUEST, word, description);
    if let Some(refused) = refuse_repeated_field(&form) {
        return refused;
    }
    let grant = form.get("grant_type").to_owned();
    if !["authorization_code", "refresh_token"].contains(&grant.as_str()) {
        return bad("unsupported_grant_type", "grant_type is authorization_code or refresh_token");
    }
    if !authorize::is_resource(&oauth, form.get("resource")) {
        return bad("invalid_target", "resource is the address of the tools on this server");
    }
    if form.get("client_id").is_empty() {
        return bad("invalid_request", "client_id is needed");
    }
    let is_code = grant == "authorization_code";
    // A malformed verifier gives an empty challenge, which fails like every wrong one.
    let challenge = pkce::challenge_of(form.get("code_verifier")).unwrap_or_default();
    let exchanged = oauth.portal.blocking_as(move |administration| {
        if !is_code {
            return administration.exchange_refresh(form.get("refresh_token"), form.get("client_id"), from);
        }
        administration.exchange_code(CodeExchange {
            code: form.get("code"),
            app: form.get("client_id"),
            redirect_uri: form.get("redirect_uri"),
            challenge: &challenge,
            from,
        })
    });
    match exchanged.await {
        Ok(Ok(tokens)) => tokens_reply(&tokens),
        Ok(Err(TokenExchangeError::InvalidGrant)) => {
            bad("invalid_grant", &TokenExchangeError::InvalidGrant.to_string())
        }
        Ok(Err(TokenExchangeError::TooMany(refused))) => {
            let mut response =
                error(StatusCode::TOO_MANY_REQUESTS, "temporarily_unavailable", &refused.to_string());
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
            response
        }
        Ok(Err(TokenExchangeError::Failed(failed))) => {
            let refused = super::super::portal::client_error(failed);
            if refused.kind == ErrorKind::Unavailable {
                return reply::refusal(refused);
            }
            bad("invalid_grant", &refused.message)
        }
        Err(refused) => reply::refusal(refused),
    }
}

/// Returns the refusal of a repeated field.
fn refuse_repeated_field(form: &PageForm) -> Option<Response> {
    let name = form.first_repeated_field(&FIELDS)?;
    Some(error(StatusCode::BAD_REQUEST, "invalid_request", &format!("{name} is given twice; send it once")))
}

fn tokens_reply(AppTokens { access, refresh, may_account }: &AppTokens) -> Response {
    let scope = if *may_account { format!("{SCOPE} {ACCOUNT_SCOPE}") } else { SCOPE.to_owned() };
    let body = json!({
        "access_token": access.reveal(),
        "token_type": "Bearer",
        "expires_in": ACCESS_S,
        "refresh_token": refresh.reveal(),
        "scope": scope,
    });
    let mut response = reply::fresh_json(StatusCode::OK, body.to_string());
    response.headers_mut().insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    response
}

/// Revokes a token. Possession suffices; the reply does not reveal the kind of token.
pub(super) async fn revoke(oauth: Arc<OAuth>, request: Request) -> Response {
    let form = PageForm::from_request(&request);
    if let Some(refused) = refuse_repeated_field(&form) {
        return refused;
    }
    if form.get("token").is_empty() {
        return error(StatusCode::BAD_REQUEST, "invalid_request", "token is needed: the one to be ended");
    }
    let ended = oauth
        .portal
        .blocking(move |administration| administration.end_app(form.get("token"), form.get("client_id")));
    match ended.await {
        Ok(()) => reply::fresh_json(StatusCode::OK, Bytes::from_static(b"{}")),
        Err(refused) => reply::refusal(refused),
    }
}
