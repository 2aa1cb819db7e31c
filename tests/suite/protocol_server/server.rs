//! The server itself: connections, paths and keys, and broken replies.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, StreamExt as _};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Collected, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value as Json;
use tokio::net::TcpListener;

use super::asked::{Parsed, ParsedRequest, Spoken};
use super::scripted::{Scripted, plain_error};
use super::{chat, gemini, messages};

type Body = BoxBody<Bytes, io::Error>;
type Script = Arc<dyn Fn(&ParsedRequest) -> Scripted + Send + Sync>;

/// A running server; it stops when this value is dropped.
pub(crate) struct ProtocolServer {
    address: SocketAddr,
    kept: Arc<Mutex<Vec<ParsedRequest>>>,
    task: tokio::task::JoinHandle<()>,
}

impl ProtocolServer {
    /// Starts a server on a free local port.
    pub(crate) async fn start(script: impl Fn(&ParsedRequest) -> Scripted + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let kept = Arc::<Mutex<Vec<ParsedRequest>>>::default();
        let (script, keeper): (Script, _) = (Arc::new(script), Arc::clone(&kept));
        let task = tokio::spawn(async move {
            // Connections end with the server: the set aborts its tasks when it is dropped.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (script, keeper) = (Arc::clone(&script), Arc::clone(&keeper));
                let service =
                    service_fn(move |request| answer(request, Arc::clone(&script), Arc::clone(&keeper)));
                connections.spawn(async move {
                    let connection = pin!(
                        hyper::server::conn::http1::Builder::new()
                            .serve_connection(TokioIo::new(stream), service)
                    );
                    // A connection that was cut on purpose ends with an error.
                    drop(connection.await);
                });
            }
        });
        Self { address, kept, task }
    }

    /// Returns the base URL of a provider.
    pub(crate) fn url(&self, spoken: Spoken) -> String {
        format!("http://{}{}", self.address, spoken.base())
    }

    /// Returns all requests so far, in order.
    pub(crate) fn requests(&self) -> Vec<ParsedRequest> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ProtocolServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    request: Request<Incoming>,
    script: Script,
    kept: Arc<Mutex<Vec<ParsedRequest>>>,
) -> Result<Response<Body>, Infallible> {
    let (parts, body) = request.into_parts();
    let uri = parts.uri.to_string();
    let bytes = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
    let spoken = Spoken::ALL.into_iter().find(|spoken| uri.starts_with(spoken.base()));
    let Some(spoken) = spoken else { return Ok(whole(404, "text/plain", b"no such path".to_vec())) };
    let path = uri.trim_start_matches(spoken.base()).to_owned();
    let parsed = parse(spoken, &path, &parts.headers, &bytes);
    let (asked, scripted) = match parsed {
        Ok(asked) => {
            let scripted = script(&asked);
            (asked, scripted)
        }
        Err(wrong) => {
            let scripted = Scripted::error(400, &wrong);
            (ParsedRequest { wrong: Some(wrong), ..nothing(spoken, &bytes) }, scripted)
        }
    };
    let model = asked.model.clone();
    kept.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
    Ok(write(spoken, &model, scripted).await)
}

/// Returns the record of a request that could not be parsed.
fn nothing(spoken: Spoken, bytes: &[u8]) -> ParsedRequest {
    ParsedRequest {
        spoken,
        key: String::new(),
        model: String::new(),
        system: String::new(),
        messages: Vec::new(),
        tools: Vec::new(),
        schema: None,
        json_mode: false,
        max_output_tokens: 0,
        temperature: None,
        body: serde_json::from_slice(bytes).unwrap_or_default(),
        wrong: None,
    }
}

/// Checks path, headers and key, then the body.
fn parse(spoken: Spoken, path: &str, headers: &HeaderMap, bytes: &[u8]) -> Parsed<ParsedRequest> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if header("content-type") != Some("application/json") {
        return Err("the content type is not application/json".to_owned());
    }
    if !header("user-agent").is_some_and(|agent| agent.starts_with("parquote/")) {
        return Err(format!("the user agent {:?}", header("user-agent")));
    }
    for name in ["accept-encoding", "cookie", "referer"] {
        if let Some(value) = header(name) {
            return Err(format!("the header {name}: {value}"));
        }
    }
    let keys = [header("authorization"), header("x-api-key"), header("x-goog-api-key")];
    let key = match (spoken, keys) {
        (Spoken::Anthropic, [None, Some(key), None]) | (Spoken::Gemini, [None, None, Some(key)]) => Some(key),
        (_, [Some(bearer), None, None]) if spoken.is_chat() => bearer.strip_prefix("Bearer "),
        _ => None,
    };
    let key = key.ok_or("no key, or not where it belongs")?.to_owned();
    let body: Json = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    match spoken {
        Spoken::Anthropic if path == "/v1/messages" => {
            if header("anthropic-version") != Some("2023-06-01") {
                return Err("anthropic-version: header is required".to_owned());
            }
            if body.pointer("/thinking/block_binding").is_some() && header("anthropic-beta").is_none() {
                return Err("thinking.block_binding: Extra inputs are not permitted".to_owned());
            }
            messages::parse(key, body)
        }
        Spoken::Gemini => {
            let model =
                path.strip_prefix("/v1beta/models/").and_then(|rest| rest.strip_suffix(":generateContent"));
            gemini::parse(key, model.ok_or_else(|| format!("the path {path}"))?, body)
        }
        _ if spoken.is_chat() && path == "/chat/completions" => chat::parse(spoken, key, body),
        _ => Err(format!("the path {path}")),
    }
}

/// Writes the script's reply in the protocol, or causes its fault.
async fn write(spoken: Spoken, model: &str, scripted: Scripted) -> Response<Body> {
    let said = scripted.said().map(|said| match spoken {
        Spoken::Anthropic => messages::reply(model, &said),
        Spoken::Gemini => gemini::reply(model, &said),
        _ => chat::reply(spoken, model, &said),
    });
    let said = said.map(|said| said.to_string().into_bytes());
    match (scripted, said) {
        (Scripted::Drip(pause, _), Some(said)) => drip(pause, said),
        (_, Some(said)) => whole(200, "application/json", said),
        (Scripted::BadKey(text), _) if spoken == Spoken::Gemini => {
            json_reply(400, &gemini::error(400, &text, Some("API_KEY_INVALID")))
        }
        (Scripted::BadKey(text), _) => json_reply(401, &error(spoken, 401, &text)),
        (Scripted::Error { status, retry_after, said }, _) => {
            let mut response = json_reply(status, &error(spoken, status, &said));
            if let Some(after) = retry_after {
                response.headers_mut().insert("retry-after", after.parse().unwrap());
            }
            response
        }
        (Scripted::ErrorInSuccess { code, said }, _) => {
            json_reply(200, &serde_json::json!({"error": {"code": code, "message": said}}))
        }
        (Scripted::Body(kind, bytes), _) => whole(200, kind, bytes),
        (Scripted::Redirect(to), _) => {
            let mut response = whole(307, "text/plain", Vec::new());
            response.headers_mut().insert("location", to.parse().unwrap());
            response
        }
        (Scripted::GzipBomb, _) => {
            let mut response = whole(200, "application/json", bomb());
            response.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
            response
        }
        (broken, _) => unfinished(&broken).await,
    }
}

/// Writes replies that never end.
async fn unfinished(scripted: &Scripted) -> Response<Body> {
    let begun = || Bytes::from_static(b"{\"id\": \"1\", \"choices\": [");
    match scripted {
        Scripted::Stall => streamed(stream::once(async move { Ok(begun()) }).chain(stream::pending())),
        Scripted::CutConnection => {
            let cut = async {
                // The earlier bytes must have left the machine's buffers.
                tokio::time::sleep(Duration::from_millis(20)).await;
                Err(io::Error::other("cut on purpose"))
            };
            streamed(stream::once(async move { Ok(begun()) }).chain(stream::once(cut)))
        }
        Scripted::Endless => streamed(stream::repeat_with(|| Ok(Bytes::from(vec![b' '; 64 * 1024])))),
        _ => std::future::pending().await,
    }
}

fn error(spoken: Spoken, status: u16, said: &str) -> Json {
    match spoken {
        Spoken::Anthropic => messages::error(said),
        Spoken::Gemini => gemini::error(status, said, None),
        _ => plain_error(status, said),
    }
}

fn json_reply(status: u16, body: &Json) -> Response<Body> {
    whole(status, "application/json", body.to_string().into_bytes())
}

fn whole(status: u16, kind: &str, body: Vec<u8>) -> Response<Body> {
    let body = Full::new(Bytes::from(body)).map_err(|never: Infallible| match never {}).boxed();
    Response::builder().status(status).header("content-type", kind).body(body).unwrap()
}

fn streamed(body: impl futures::Stream<Item = io::Result<Bytes>> + Send + Sync + 'static) -> Response<Body> {
    let body = BodyExt::boxed(StreamBody::new(body.map(|part| part.map(Frame::data))));
    Response::builder().header("content-type", "application/json").body(body).unwrap()
}

fn drip(pause: Duration, said: Vec<u8>) -> Response<Body> {
    let bytes = stream::iter(said).then(move |byte| async move {
        tokio::time::sleep(pause).await;
        Ok(Bytes::from(vec![byte]))
    });
    streamed(bytes)
}

/// Returns eight megabytes of spaces compressed to about eight kilobytes.
fn bomb() -> Vec<u8> {
    use std::io::Write as _;
    let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let spaces = vec![b' '; 1024 * 1024];
    for _ in 0..8 {
        zip.write_all(&spaces).unwrap();
    }
    zip.finish().unwrap()
}
