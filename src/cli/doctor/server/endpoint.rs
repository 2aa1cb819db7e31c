//! Checks of the tools at one path, for any client: the challenge of a 401, a slash at the end, notifications, streams, origins, schemas,
//! and a key in the URL.

use reqwest::Method;
use reqwest::header::WWW_AUTHENTICATE;
use serde_json::json;

use super::Diagnosis;
use super::conversation::{Conversation, KeyPlace};
use super::requests::{ExaminedServer, Trouble};
use super::tool_schemas;

/// Checks one path; without a key, only the challenge and the path with a slash at the end.
pub(super) async fn check(server: &ExaminedServer, path: &str) -> Vec<Diagnosis> {
    let needs_key = match needs_key_at(server, path).await {
        Ok(needs_key) => needs_key,
        Err(trouble) => return vec![trouble.fault(path)],
    };
    let mut checks = vec![check_slash(server, path).await];
    if server.key.is_some() || !needs_key {
        let client = Conversation::new(server, path);
        checks.extend([notification(&client).await, stream(&client).await, origin(&client).await]);
        match client.tools().await {
            Ok(listed) => checks.extend([tool_schemas::check(&listed), key_in_url(&client).await]),
            Err(trouble) => checks.push(Err(trouble)),
        }
    }
    let troubles = checks.into_iter().filter_map(Result::err);
    let mut found: Vec<Diagnosis> = troubles.map(|trouble| trouble.warning(path)).collect();
    if found.is_empty() {
        let keys = if needs_key { "asks for a key" } else { "needs no key" };
        found.push(Diagnosis::ok(path, format!("{keys}, and replies as clients expect")));
    }
    found
}

/// Sends a request without a key; returns true if a key is needed.
async fn needs_key_at(server: &ExaminedServer, path: &str) -> Result<bool, Trouble> {
    let reply = Conversation::initialize_without_key(server, path).await?;
    match server.trouble(path, &reply) {
        Some(_) if reply.status == 401 && reply.header(WWW_AUTHENTICATE.as_str()).is_empty() => {
            let remedy = "let the proxy pass the header WWW-Authenticate, by which apps find the sign-in";
            Err(Trouble::new("a 401 without WWW-Authenticate", remedy))
        }
        Some(_) if reply.status == 401 => Ok(true),
        Some(trouble) => Err(trouble),
        None => Ok(false),
    }
}

/// Checks that the path with a slash at the end is answered in the same way.
async fn check_slash(server: &ExaminedServer, path: &str) -> Result<(), Trouble> {
    let path_with_slash = format!("{path}/");
    let reply = Conversation::initialize_without_key(server, &path_with_slash).await?;
    match server.trouble(&path_with_slash, &reply) {
        Some(trouble) if reply.status != 401 => Err(trouble),
        _ => Ok(()),
    }
}

/// Checks that a notification is accepted without a body; Copilot Studio stops otherwise.
async fn notification(client: &Conversation<'_>) -> Result<(), Trouble> {
    let message = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let reply = client.post(&message, &[]).await?;
    if reply.status == 202 && reply.is_empty() {
        return Ok(());
    }
    let finding =
        format!("a notification is answered with {}, and not with 202 without a body", reply.status);
    Err(Trouble::new(finding, "let the proxy pass replies unchanged"))
}

/// Checks that a GET, with which clients ask for a stream, is refused as a wrong method.
async fn stream(client: &Conversation<'_>) -> Result<(), Trouble> {
    let reply = client.send(Method::GET, &[("accept", "text/event-stream")], String::new()).await?;
    if reply.status == 405 {
        return Ok(());
    }
    let finding = format!("a GET is answered with {}, and not with 405", reply.status);
    Err(Trouble::new(finding, format!("let the proxy pass GET {} to the server", client.path)))
}

/// Checks that a page of the server's own address may send requests, as clients in a browser do.
async fn origin(client: &Conversation<'_>) -> Result<(), Trouble> {
    let address = client.server.address();
    let reply = client.initialize(&[("origin", &address)]).await?;
    if reply.status != 403 {
        return Ok(());
    }
    let finding = format!("requests with the origin {address} are refused (403)");
    Err(Trouble::new(finding, format!("--public-url {address}, or --mcp-origins {address}")))
}

/// Checks that a key in the URL is read for every message: some proxies remove the query of a URL.
async fn key_in_url(client: &Conversation<'_>) -> Result<(), Trouble> {
    let client = Conversation { key_place: KeyPlace::Url, ..*client };
    client.tools().await.map(drop).map_err(|trouble| {
        Trouble::new(
            format!("a key in the URL fails: {}", trouble.finding),
            "let the proxy pass the query of the URL, or send the key in the header Authorization",
        )
    })
}
