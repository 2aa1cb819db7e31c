//! Registration of apps (RFC 7591): the signed metadata is the client id. Nothing is stored.

use std::sync::Arc;
use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value as Json, json};
use tokio::time::timeout;

use super::{ACCOUNT_SCOPE, OAuth, SCOPE, error};
use crate::reply;
use parquote_catalogue::error::ErrorKind;

/// Longest request, in bytes.
const LONGEST_REQUEST: usize = 16 * 1024;
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) async fn register(oauth: Arc<OAuth>, request: Request) -> Response {
    let refused = |message: &str| error(StatusCode::BAD_REQUEST, "invalid_client_metadata", message);
    let Ok(Ok(body)) = timeout(BODY_TIMEOUT, to_bytes(request.into_body(), LONGEST_REQUEST)).await else {
        return refused("the request is longer than 16 KiB, or did not come");
    };
    // Only an object is accepted: serde would read an array as the fields in their order.
    let object = serde_json::from_slice::<Map<String, Json>>(&body).ok();
    let Some(requested) = object.and_then(|fields| serde_json::from_value(Json::Object(fields)).ok()) else {
        return refused("the request is not a JSON object of client metadata");
    };
    match oauth.clients.register(requested).await {
        Ok(client) => {
            let body = json!({
                "client_id": client.id,
                "client_name": client.name,
                "redirect_uris": client.redirect_uris,
                "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
                "scope": format!("{SCOPE} {ACCOUNT_SCOPE}"),
            });
            reply::fresh_json(StatusCode::CREATED, body.to_string())
        }
        Err(refused) if refused.kind == ErrorKind::BadRequest => {
            let is_about_uris = refused.message.starts_with("redirect_uris");
            let word = if is_about_uris { "invalid_redirect_uri" } else { "invalid_client_metadata" };
            error(StatusCode::BAD_REQUEST, word, &refused.message)
        }
        Err(refused) => reply::refusal(refused),
    }
}
