//! Sends one request and receives its reply: rig's transport over our HTTP client.
//!
//! The key is added here only, and is removed from every response before other code reads it. Failures are recorded here in our own words,
//! independent of rig's error handling.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use rig_core::http_client::{
    Error, HttpClientExt, LazyBody, MultipartForm, Request, Response, StreamingResponse,
};
use serde_json::Value as Json;
use tokio::time::Instant;

use super::client_settings::ClientSettings;
use super::declaration::Protocol;
use super::dialect::{CAPS, RequestForm};
use super::fault::Faults;
use super::key::ProviderKey;
use super::model::{ProviderError, Usage};
use super::scrub;

/// Maximum bytes read of an error body; its message is at the beginning.
const ERROR_BYTES: usize = 16 * 1024;
/// Headers that rig sets and that are passed on. Its other headers, such as its user agent, are dropped.
const PASSED_HEADERS: [HeaderName; 4] = [
    CONTENT_TYPE,
    ACCEPT,
    HeaderName::from_static("anthropic-version"),
    HeaderName::from_static("anthropic-beta"),
];

/// One request and its reply. Rig sends the request; afterwards the caller reads the fault from the exchange.
#[derive(Clone)]
pub(super) struct Exchange {
    http: reqwest::Client,
    settings: ClientSettings,
    protocol: Protocol,
    form: RequestForm,
    faults: Faults,
    fault: Arc<OnceLock<ProviderError>>,
    usage: Arc<OnceLock<Usage>>,
}

/// Tells rig that there is no reply; the caller reads the recorded error instead.
#[derive(Debug, thiserror::Error)]
#[error("the request or its reply failed")]
struct ExchangeFailed;

impl Exchange {
    /// Builds an exchange that has not begun.
    pub(super) fn new(
        http: reqwest::Client,
        settings: ClientSettings,
        protocol: Protocol,
        form: RequestForm,
        faults: Faults,
    ) -> Self {
        Self { http, settings, protocol, form, faults, fault: Arc::default(), usage: Arc::default() }
    }

    /// Returns the tokens billed for the exchange, even if its reply is unusable.
    pub(super) fn usage(&self) -> Usage {
        self.usage.get().copied().unwrap_or_default()
    }

    /// Returns the fault of the exchange; `None` if it succeeded.
    pub(super) fn exchange_fault(&self) -> Option<ProviderError> {
        self.fault.get().cloned()
    }

    /// Sends a request and reads its whole reply, within the limits of time and size.
    async fn run(&self, request: Request<Bytes>) -> Result<(HeaderMap, String), ProviderError> {
        let limit = self.settings.request;
        let exchange = async {
            let map_error = |error: reqwest::Error| self.faults.transport(&error, limit);
            let request = self.outgoing(request)?;
            let response = self.http.execute(request).await.map_err(map_error)?;
            let (status, headers) = (response.status(), response.headers().clone());
            if !status.is_success() {
                let body = self.error_body(response).await;
                return Err(self.faults.status(status, &headers, &body));
            }
            let body = self.body(response).await?;
            Ok((headers, self.check_reply(body)?))
        };
        let result = tokio::time::timeout(limit, exchange).await;
        result.unwrap_or_else(|_| Err(self.faults.timed_out(limit)))
    }

    /// Converts rig's request and adds the key as a header, even for protocols for which rig puts it into the query.
    fn outgoing(&self, request: Request<Bytes>) -> Result<reqwest::Request, ProviderError> {
        let invalid_url = || self.faults.unreadable_reply("the provider's address makes no URL");
        let (parts, body) = request.into_parts();
        let mut url: reqwest::Url = parts.uri.to_string().parse().map_err(|_| invalid_url())?;
        url.set_query(None);
        let mut outgoing = reqwest::Request::new(parts.method, url);
        for name in PASSED_HEADERS {
            if let Some(value) = parts.headers.get(&name) {
                outgoing.headers_mut().insert(name, value.clone());
            }
        }
        let (name, value) = key_header(self.protocol, &self.faults.key).ok_or_else(invalid_url)?;
        outgoing.headers_mut().insert(name, value);
        *outgoing.body_mut() = Some(if self.form.other_cap { with_other_cap(body) } else { body }.into());
        Ok(outgoing)
    }

    /// Reads the whole body of a success, up to the maximum size.
    async fn body(&self, mut response: reqwest::Response) -> Result<String, ProviderError> {
        let most = self.settings.reply_bytes;
        let too_long =
            || self.faults.unreadable_reply(&format!("more than {most} bytes, the most that is read"));
        // No compression is requested, because a compressed reply may be much larger than its length.
        if response.headers().get(CONTENT_ENCODING).is_some_and(|value| value != "identity") {
            return Err(self.faults.unreadable_reply("a compressed reply, which was not requested"));
        }
        if response.content_length().is_some_and(|length| length > most as u64) {
            return Err(too_long());
        }
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk(&mut response).await? {
            if body.len() + chunk.len() > most {
                return Err(too_long());
            }
            body.extend_from_slice(&chunk);
        }
        String::from_utf8(body).map_err(|_| self.faults.unreadable_reply("bytes that are not text"))
    }

    /// Reads the body of an error as far as it arrives; a read error is ignored.
    async fn error_body(&self, mut response: reqwest::Response) -> String {
        let mut body = Vec::new();
        let is_encoded = response.headers().contains_key(CONTENT_ENCODING);
        while !is_encoded && body.len() < ERROR_BYTES {
            let Ok(Some(chunk)) = self.chunk(&mut response).await else { break };
            body.extend_from_slice(&chunk);
        }
        body.truncate(ERROR_BYTES);
        String::from_utf8_lossy(&body).into_owned()
    }

    /// Reads the next bytes, within the idle timeout.
    async fn chunk(&self, response: &mut reqwest::Response) -> Result<Option<Bytes>, ProviderError> {
        let idle = self.settings.idle;
        let until = Instant::now() + idle;
        match tokio::time::timeout_at(until, response.chunk()).await {
            Ok(chunk) => chunk.map_err(|error| self.faults.transport(&error, idle)),
            Err(_) => Err(self.faults.timed_out(idle)),
        }
    }

    /// Checks that a reply is a JSON object and does not report an error, and removes the key from it.
    fn check_reply(&self, body: String) -> Result<String, ProviderError> {
        let Ok(mut json) = serde_json::from_str::<Json>(&body) else {
            let page = body.trim_start().starts_with('<');
            let what =
                if page { "a page of HTML, no JSON; look at the provider's address" } else { "no JSON" };
            return Err(self.faults.unreadable_reply(what));
        };
        if !json.is_object() {
            return Err(self.faults.unreadable_reply("JSON, but no object"));
        }
        let _ = self.usage.set(token_counts(&json));
        // The parsed JSON is searched, not the text, because a key may be escaped in the text.
        let is_scrubbed = scrub::remove_key_from_json(&mut json, &self.faults.key);
        match self.faults.envelope(&json) {
            Some(error) => Err(error),
            None => Ok(if is_scrubbed { json.to_string() } else { body }),
        }
    }
}

/// Renames the output limit in a body to its other name.
fn with_other_cap(body: Bytes) -> Bytes {
    let Ok(Json::Object(mut fields)) = serde_json::from_slice(&body) else { return body };
    let [one, other] = CAPS;
    let (name, most) = match (fields.remove(one), fields.remove(other)) {
        (Some(most), _) => (other, most),
        (None, Some(most)) => (one, most),
        (None, None) => return body,
    };
    fields.insert(name.to_owned(), most);
    Json::Object(fields).to_string().into()
}

/// Returns the token counts of a body of any protocol; 0 if it has none.
fn token_counts(body: &Json) -> Usage {
    let first =
        |paths: &[&str]| paths.iter().find_map(|path| body.pointer(path)?.as_u64()).unwrap_or_default();
    Usage {
        input_tokens: first(&[
            "/usage/prompt_tokens",
            "/usage/input_tokens",
            "/usageMetadata/promptTokenCount",
        ]),
        output_tokens: first(&[
            "/usage/completion_tokens",
            "/usage/output_tokens",
            "/usageMetadata/candidatesTokenCount",
        ]) + first(&["/usageMetadata/thoughtsTokenCount"]),
    }
}

/// Returns the header for a protocol's key, marked as sensitive so that HTTP logs hide it.
fn key_header(protocol: Protocol, key: &ProviderKey) -> Option<(HeaderName, HeaderValue)> {
    let (name, text) = match protocol {
        Protocol::Anthropic => (HeaderName::from_static("x-api-key"), key.reveal().to_owned()),
        Protocol::Gemini => (HeaderName::from_static("x-goog-api-key"), key.reveal().to_owned()),
        _ => (AUTHORIZATION, format!("Bearer {}", key.reveal())),
    };
    let text = zeroize::Zeroizing::new(text);
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

impl HttpClientExt for Exchange {
    fn send<T, U>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = Result<Response<LazyBody<U>>, Error>> + Send + 'static
    where
        T: Into<Bytes> + Send,
        U: From<Bytes> + Send + 'static,
    {
        let (this, request) = (self.clone(), request.map(Into::into));
        async move {
            let (headers, body) = this.run(request).await.map_err(|error| {
                // An exchange sends one request, so the first fault is the only one.
                drop(this.fault.set(error));
                Error::instance(ExchangeFailed)
            })?;
            let body: LazyBody<U> = Box::pin(async move { Ok(U::from(Bytes::from(body))) });
            let mut response = Response::new(body);
            *response.headers_mut() = headers;
            Ok(response)
        }
    }

    /// Fails: multipart requests are not used.
    fn send_multipart<U>(
        &self,
        _: Request<MultipartForm>,
    ) -> impl Future<Output = Result<Response<LazyBody<U>>, Error>> + Send + 'static
    where
        U: From<Bytes> + Send + 'static,
    {
        std::future::ready(Err(Error::instance(ExchangeFailed)))
    }

    /// Fails: replies are read whole.
    fn send_streaming<T>(
        &self,
        _: Request<T>,
    ) -> impl Future<Output = Result<StreamingResponse, Error>> + Send
    where
        T: Into<Bytes> + Send,
    {
        std::future::ready(Err(Error::instance(ExchangeFailed)))
    }
}

/// Builds the HTTP client of all exchanges: without redirects and cookies, with our user agent.
pub(super) fn build_http_client(connect: Duration) -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder()
        .user_agent(concat!("parquote/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .build()
}
