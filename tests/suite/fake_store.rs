//! A small S3 in this process: objects in memory, ranges, conditional PUT, paged listing, and faults on demand.
//!
//! It implements the requests that `object_store` sends, and checks that they are signed, but not the signatures.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path as UrlPath, Query, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use chrono::{DateTime, Utc};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::demo_market::RUNTIME;

pub(crate) const BUCKET: &str = "bucket";

/// A store that stops when this value is dropped.
pub(crate) struct FakeStore {
    endpoint: String,
    shelf: SharedShelf,
    serving: JoinHandle<std::io::Result<()>>,
}

type SharedShelf = Arc<Mutex<Shelf>>;

#[derive(Default)]
struct Shelf {
    objects: BTreeMap<String, Object>,
    faults: Vec<Fault>,
    /// The requests: method and key, and true for a range request.
    asked: Vec<(Method, String, bool)>,
}

#[derive(Clone)]
struct Object {
    bytes: Bytes,
    written: DateTime<Utc>,
}

/// A fault for requests of one method whose keys contain a text.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub method: Method,
    pub part: &'static str,
    pub kind: FaultKind,
    /// Number of requests that fail.
    pub times: usize,
}

/// The kind of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The store replies with a server error.
    Failing,
    /// The connection ends in the middle of the reply.
    Cut,
    /// The reply is delayed.
    Slow(Duration),
    /// The store carries out the request and replies with a server error.
    LostReply,
    /// The store replies with success without having carried out the request.
    LostWrite,
    /// The store asks the client to slow down.
    SlowDown,
    /// One bit of the body is flipped.
    Altered,
    /// The body is only half of the object, in a complete reply.
    Short,
    /// The store replies that the object does not exist.
    Forgotten,
}

impl Drop for FakeStore {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl FakeStore {
    /// Starts an empty store.
    pub(crate) fn start() -> Self {
        const MOST_BYTES: usize = 64 << 20;
        let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let shelf = SharedShelf::default();
        let router = Router::new()
            .route(&format!("/{BUCKET}"), get(list).post(delete_many))
            .route(&format!("/{BUCKET}/{{*key}}"), any(object))
            .layer(DefaultBodyLimit::max(MOST_BYTES))
            .with_state(Arc::clone(&shelf));
        let serving = RUNTIME.spawn(async move { axum::serve(listener, router).await });
        Self { endpoint, shelf, serving }
    }

    /// Returns its URL.
    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Uploads the files of a folder below a prefix.
    pub(crate) fn put_folder(&self, folder: &Path, prefix: &str) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let key = format!("{prefix}/{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                self.put_folder(&path, &key);
            } else {
                self.insert(&key, std::fs::read(&path).unwrap());
            }
        }
    }

    /// Stores an object.
    pub(crate) fn insert(&self, key: &str, bytes: Vec<u8>) {
        self.shelf().objects.insert(key.to_owned(), Object { bytes: bytes.into(), written: Utc::now() });
    }

    /// Removes all objects whose keys contain a text.
    pub(crate) fn lose(&self, part: &str) {
        self.shelf().objects.retain(|key, _| !key.contains(part));
    }

    /// Adds a fault for the next requests.
    pub(crate) fn fail(&self, method: Method, part: &'static str, kind: FaultKind, times: usize) {
        self.shelf().faults.push(Fault { method, part, kind, times });
    }

    /// Removes all faults and returns them with the number of failures left of each.
    pub(crate) fn mend(&self) -> Vec<Fault> {
        std::mem::take(&mut self.shelf().faults)
    }

    /// Returns and clears the recorded requests: method and key, and true for a range request.
    pub(crate) fn take_requests(&self) -> Vec<(Method, String, bool)> {
        std::mem::take(&mut self.shelf().asked)
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap()
    }
}

/// Returns the fault for a request and counts it.
fn next_fault(shelf: &SharedShelf, method: &Method, key: &str) -> Option<FaultKind> {
    let mut shelf = shelf.lock().unwrap();
    let fault = |fault: &&mut Fault| fault.times > 0 && fault.method == *method && key.contains(fault.part);
    let fault = shelf.faults.iter_mut().find(fault)?;
    fault.times -= 1;
    Some(fault.kind)
}

async fn object(
    State(shelf): State<SharedShelf>,
    UrlPath(key): UrlPath<String>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if !headers.contains_key(header::AUTHORIZATION) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let range = headers.get(header::RANGE).map(|range| range.to_str().unwrap().to_owned());
    shelf.lock().unwrap().asked.push((method.clone(), key.clone(), range.is_some()));
    let fault = next_fault(&shelf, &method, &key);
    match fault {
        Some(FaultKind::Failing) => return failing(),
        Some(FaultKind::SlowDown) => return StatusCode::TOO_MANY_REQUESTS.into_response(),
        Some(FaultKind::Forgotten) => return StatusCode::NOT_FOUND.into_response(),
        Some(FaultKind::LostWrite) => return [(header::ETAG, tag(&body))].into_response(),
        Some(FaultKind::Slow(late)) => tokio::time::sleep(late).await,
        Some(FaultKind::Cut | FaultKind::LostReply | FaultKind::Altered | FaultKind::Short) | None => {}
    }
    let reply = match method {
        Method::GET | Method::HEAD => fetched(&shelf, &key, range.as_deref()),
        Method::PUT => put_object(&shelf, key, &headers, body),
        Method::DELETE => {
            shelf.lock().unwrap().objects.remove(&key);
            StatusCode::NO_CONTENT.into_response()
        }
        _ => StatusCode::NOT_IMPLEMENTED.into_response(),
    };
    match fault {
        Some(FaultKind::LostReply) => failing(),
        Some(FaultKind::Cut) => cut(reply).await,
        Some(FaultKind::Altered) => {
            with_body(reply, |mut bytes| {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                bytes
            })
            .await
        }
        Some(FaultKind::Short) => with_body(reply, |bytes| bytes[..bytes.len() / 2].to_vec()).await,
        _ => reply,
    }
}

fn put_object(shelf: &SharedShelf, key: String, headers: &HeaderMap, bytes: Bytes) -> Response {
    let mut shelf = shelf.lock().unwrap();
    if headers.contains_key(header::IF_NONE_MATCH) && shelf.objects.contains_key(&key) {
        return StatusCode::PRECONDITION_FAILED.into_response();
    }
    let tag = tag(&bytes);
    shelf.objects.insert(key, Object { bytes, written: Utc::now() });
    [(header::ETAG, tag)].into_response()
}

fn fetched(shelf: &SharedShelf, key: &str, range: Option<&str>) -> Response {
    let Some(Object { bytes, written }) = shelf.lock().unwrap().objects.get(key).cloned() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let about = [
        (header::ETAG, tag(&bytes)),
        (header::LAST_MODIFIED, written.format("%a, %d %b %Y %H:%M:%S GMT").to_string()),
    ];
    let Some(range) = range else { return (about, bytes).into_response() };
    let (from, to) = range.strip_prefix("bytes=").and_then(|range| range.split_once('-')).unwrap();
    let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
    let end = (to + 1).min(bytes.len());
    let part = (header::CONTENT_RANGE, format!("bytes {from}-{}/{}", end - 1, bytes.len()));
    (StatusCode::PARTIAL_CONTENT, about, [part], bytes.slice(from..end)).into_response()
}

fn tag(bytes: &Bytes) -> String {
    format!("\"{}\"", &blake3::hash(bytes).to_hex()[..16])
}

fn failing() -> Response {
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

/// Returns the reply with a changed body.
async fn with_body(reply: Response, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Response {
    let (mut parts, body) = reply.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(change(bytes.to_vec())))
}

/// Returns the reply's head and half of its body.
async fn cut(reply: Response) -> Response {
    let (parts, body) = reply.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let half = [Ok(bytes.slice(..bytes.len() / 2)), Err(std::io::Error::other("cut"))];
    let mut reply = Response::from_parts(parts, Body::from_stream(futures::stream::iter(half)));
    reply.headers_mut().insert(header::CONTENT_LENGTH, bytes.len().into());
    reply
}

/// Answers `ListObjectsV2`, a few keys per page.
async fn list(State(shelf): State<SharedShelf>, Query(query): Query<Vec<(String, String)>>) -> Response {
    const PAGE: usize = 7;
    let asked = |name: &str| query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let prefix = asked("prefix").unwrap_or_default();
    shelf.lock().unwrap().asked.push((Method::GET, format!("list {prefix}"), false));
    match next_fault(&shelf, &Method::GET, &format!("list {prefix}")) {
        Some(FaultKind::Slow(late)) => tokio::time::sleep(late).await,
        Some(_) => return failing(),
        None => {}
    }
    let start: usize = asked("continuation-token").and_then(|token| token.parse().ok()).unwrap_or(0);
    let shelf = shelf.lock().unwrap();
    let all: Vec<_> = shelf.objects.iter().filter(|(key, _)| key.starts_with(prefix)).collect();
    let page = all.iter().skip(start).take(PAGE).map(|(key, object)| {
        let (written, tag, size) = (object.written.to_rfc3339(), tag(&object.bytes), object.bytes.len());
        format!(
            "<Contents><Key>{key}</Key><LastModified>{written}</LastModified><ETag>{tag}</ETag><Size>{size}</Size></Contents>"
        )
    });
    let page: String = page.collect();
    let next = start + PAGE;
    let more = if next < all.len() {
        format!("<IsTruncated>true</IsTruncated><NextContinuationToken>{next}</NextContinuationToken>")
    } else {
        "<IsTruncated>false</IsTruncated>".to_owned()
    };
    let body = format!(
        "<?xml version=\"1.0\"?><ListBucketResult><Name>{BUCKET}</Name>{more}{page}</ListBucketResult>"
    );
    ([(header::CONTENT_TYPE, "application/xml")], body).into_response()
}

/// Answers `DeleteObjects`.
async fn delete_many(State(shelf): State<SharedShelf>, body: String) -> Response {
    let mut shelf = shelf.lock().unwrap();
    let keys = body.split("<Key>").skip(1).filter_map(|rest| rest.split("</Key>").next());
    let mut deleted = String::new();
    for key in keys {
        shelf.objects.remove(key);
        deleted.extend(["<Deleted><Key>", key, "</Key></Deleted>"]);
    }
    format!("<?xml version=\"1.0\"?><DeleteResult>{deleted}</DeleteResult>").into_response()
}
