//! Messages of the Model Context Protocol, as a chat app sends them: one POST for each, without a session.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::requests::{ExaminedServer, ProbeReply, Trouble};

/// The place of the key in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyPlace {
    /// The header `Authorization`.
    Header,
    /// The parameter `apiKey` of the URL.
    Url,
    /// No key is sent.
    Nowhere,
}

/// A client of the tools at one path.
pub(super) struct Conversation<'a> {
    pub(super) server: &'a ExaminedServer,
    pub(super) path: &'a str,
    pub(super) key_place: KeyPlace,
    /// The protocol version of its requests.
    pub(super) version: &'a str,
}

impl<'a> Conversation<'a> {
    /// Creates a client of the present version with the key in a header.
    pub(super) fn new(server: &'a ExaminedServer, path: &'a str) -> Self {
        Self { server, path, key_place: KeyPlace::Header, version: "2025-11-25" }
    }

    /// Sends `initialize` and returns its reply.
    pub(super) async fn initialize(&self, more: &[(&str, &str)]) -> Result<ProbeReply, Trouble> {
        let client = json!({"name": "parquote-doctor", "version": env!("CARGO_PKG_VERSION")});
        let params = json!({"protocolVersion": self.version, "capabilities": {}, "clientInfo": client});
        self.post(&request("initialize", &params), more).await
    }

    /// Sends `initialize` without a key and returns its reply.
    pub(super) async fn initialize_without_key(
        server: &'a ExaminedServer,
        path: &'a str,
    ) -> Result<ProbeReply, Trouble> {
        Self { key_place: KeyPlace::Nowhere, ..Self::new(server, path) }.initialize(&[]).await
    }

    /// Returns the result of `tools/list`.
    pub(super) async fn tools(&self) -> Result<Json, Trouble> {
        self.ask("tools/list", &json!({})).await
    }

    /// Sends a request and returns its result.
    pub(super) async fn ask(&self, method: &str, params: &Json) -> Result<Json, Trouble> {
        self.result(method, &self.post(&request(method, params), &[]).await?)
    }

    /// Returns the result in a reply.
    pub(super) fn result(&self, method: &str, reply: &ProbeReply) -> Result<Json, Trouble> {
        if let Some(trouble) = self.server.trouble(self.path, reply) {
            return Err(trouble);
        }
        if let Some(result) = reply.json().unwrap_or_default().get("result") {
            return Ok(result.clone());
        }
        let message = match reply.message() {
            message if message.is_empty() => "the reply is no message of the protocol".to_owned(),
            message => message,
        };
        Err(Trouble::new(
            format!("{method} fails: {message}"),
            "let the proxy pass bodies of requests and replies unchanged",
        ))
    }

    /// Sends a message.
    pub(super) async fn post(&self, message: &Json, more: &[(&str, &str)]) -> Result<ProbeReply, Trouble> {
        let mut headers =
            vec![("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        if message.get("method").and_then(Json::as_str) != Some("initialize") {
            headers.push(("mcp-protocol-version", self.version));
        }
        headers.extend_from_slice(more);
        self.send(Method::POST, &headers, message.to_string()).await
    }

    /// Sends an HTTP request with the key.
    pub(super) async fn send(
        &self,
        method: Method,
        headers: &[(&str, &str)],
        body: String,
    ) -> Result<ProbeReply, Trouble> {
        let key = self.server.key.as_deref().unwrap_or_default();
        let bearer = format!("Bearer {key}");
        let (mut url, mut headers) = (self.server.url_of(self.path), headers.to_vec());
        match self.key_place {
            KeyPlace::Header if !key.is_empty() => headers.push(("authorization", &bearer)),
            KeyPlace::Url if !key.is_empty() => {
                url.query_pairs_mut().append_pair("apiKey", key);
            }
            _ => {}
        }
        self.server.send(method, url, &headers, body).await
    }
}

fn request(method: &str, params: &Json) -> Json {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}
