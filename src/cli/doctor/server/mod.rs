//! The checks of a server as its clients see it: over HTTP, with a key or without.
//!
//! Reading order: requests and replies (`requests`, `conversation`), then the checks in the order of the report.

mod requests;
mod conversation;

mod reach;
mod rest_question;
mod sign_in;
mod endpoint;
mod tool_schemas;
mod chat_apps;

use std::time::Duration;

use url::Url;

use self::requests::ExaminedServer;
use super::diagnosis::Diagnosis;

/// Paths of the tools: a few for chats, and one for each operation.
const TOOL_PATHS: [&str; 2] = ["/mcp/chat", "/mcp"];
/// Paths that an address may end with.
const KNOWN_PATHS: [&str; 5] = ["", "/v1", "/mcp", "/mcp/chat", "/mcp/discover"];

/// Examines the server at an address, up to the first fault without which nothing else answers.
pub(super) async fn examine(address: &str, key: Option<&str>, timeout: Duration) -> Vec<Diagnosis> {
    let Some(url) = parse_address(address) else {
        return vec![Diagnosis::fault("address", "it is no URL of a server", "https://HOST, without a path")];
    };
    let mut report = Vec::new();
    let path = url.path().trim_end_matches('/');
    if !KNOWN_PATHS.contains(&path) {
        let finding = format!("there are no tools at {path}");
        report.push(Diagnosis::fault("address", finding, format!("in a client: {}", chat_address(&url))));
    }
    let in_url = url.query_pairs().find(|(name, _)| name.eq_ignore_ascii_case("apikey"));
    let key = key.map(str::to_owned).or_else(|| in_url.map(|(_, key)| key.into_owned()));
    let mut server = match ExaminedServer::new(&url, key, timeout) {
        Ok(server) => server,
        Err(error) => return vec![Diagnosis::error("address", &error.to_string())],
    };
    match reach::check(&server).await {
        Ok(found) => report.extend(found),
        Err(fault) => return report.into_iter().chain([fault]).collect(),
    }
    report.push(rest_question::check(&mut server).await);
    let (found, authorization) = sign_in::check(&server).await;
    report.push(found);
    for path in TOOL_PATHS {
        report.extend(endpoint::check(&server, path).await);
    }
    report.extend(chat_apps::check(&server, authorization.as_ref()).await);
    report
}

/// Parses an address. Without a scheme it gets `http` on this machine, and `https` elsewhere.
fn parse_address(address: &str) -> Option<Url> {
    let is_local = ["localhost", "127.", "[::1]"].iter().any(|name| address.starts_with(name));
    let scheme = if is_local { "http" } else { "https" };
    let text = if address.contains("://") { address.to_owned() } else { format!("{scheme}://{address}") };
    let url = Url::parse(&text).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// Returns the address of the tools for chats on the server of a URL.
fn chat_address(url: &Url) -> String {
    format!("{}/mcp/chat", url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_url_or_a_host() {
        let read = |text: &str| parse_address(text).map(|url| chat_address(&url));
        assert_eq!(read("api.example.com").as_deref(), Some("https://api.example.com/mcp/chat"));
        assert_eq!(read("localhost:8080/v1").as_deref(), Some("http://localhost:8080/mcp/chat"));
        assert_eq!(read("http://a.b:80/x?y#z").as_deref(), Some("http://a.b/mcp/chat"));
        for wrong in ["", "ftp://a.b", "https://", "a b"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
