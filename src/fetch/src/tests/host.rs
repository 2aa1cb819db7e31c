//! A host on the loopback that follows a script, byte by byte, and logs its requests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use url::Url;

use crate::FetchClock;

#[derive(Debug, Clone)]
pub(super) struct ReceivedRequest {
    pub(super) at: DateTime<Utc>,
    pub(super) method: String,
    /// With the query.
    pub(super) path: String,
    /// Names in lower case.
    pub(super) headers: BTreeMap<String, String>,
    /// Number of earlier requests for this path.
    pub(super) before: usize,
}

impl ReceivedRequest {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// A scripted reaction of the host.
#[derive(Debug, Clone)]
pub(super) enum HostReaction {
    /// Status, headers, body. The length is that of the body unless a header states another.
    Reply(u16, Vec<(String, String)>, Vec<u8>),
    /// The same, but the connection is closed after some bytes of the body.
    Cut(u16, Vec<(String, String)>, Vec<u8>, usize),
    /// A good reply whose body is sent byte by byte.
    Drip(Vec<u8>, Duration),
    /// A body that never ends.
    Endless,
    /// These bytes, which are no valid reply.
    Raw(Vec<u8>),
    /// The first bytes, then the second ones repeatedly.
    Again(Vec<u8>, Vec<u8>, Duration),
    /// No reply.
    Silence,
}

pub(super) fn reply(status: u16, body: impl Into<Vec<u8>>) -> HostReaction {
    HostReaction::Reply(status, Vec::new(), body.into())
}

pub(super) fn reply_with(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> HostReaction {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    HostReaction::Reply(status, headers.collect(), body.into())
}

/// Serves a file as a correct host does: HEAD, ranges with a validator, and conditional requests.
pub(super) fn file(seen: &ReceivedRequest, body: &[u8], etag: &str) -> HostReaction {
    let headers = vec![("ETag".to_owned(), etag.to_owned())];
    if seen.header("if-none-match") == Some(etag) {
        return HostReaction::Reply(304, headers, Vec::new());
    }
    let from =
        seen.header("range").and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
    match from {
        Some(from) if seen.header("if-range") == Some(etag) => rest(body, from, headers),
        _ => HostReaction::Reply(200, headers, body.to_vec()),
    }
}

fn rest(body: &[u8], from: usize, mut headers: Vec<(String, String)>) -> HostReaction {
    let total = body.len();
    if from >= total {
        headers.push(("Content-Range".to_owned(), format!("bytes */{total}")));
        return HostReaction::Reply(416, headers, Vec::new());
    }
    headers.push(("Content-Range".to_owned(), format!("bytes {from}-{}/{total}", total - 1)));
    HostReaction::Reply(206, headers, body[from..].to_vec())
}

type Script = Arc<dyn Fn(&ReceivedRequest) -> HostReaction + Send + Sync>;

pub(super) struct Host {
    pub(super) url: Url,
    log: Arc<Mutex<Vec<ReceivedRequest>>>,
    task: JoinHandle<()>,
}

impl Drop for Host {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Host {
    /// Starts a host that follows the script; it uses the time of the clock.
    pub(super) async fn start(
        clock: Arc<dyn FetchClock>,
        script: impl Fn(&ReceivedRequest) -> HostReaction + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let log: Arc<Mutex<Vec<ReceivedRequest>>> = Arc::default();
        let (requests, script): (_, Script) = (Arc::clone(&log), Arc::new(script));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (requests, script, clock) =
                    (Arc::clone(&requests), Arc::clone(&script), Arc::clone(&clock));
                tokio::spawn(async move { drop(serve(stream, &requests, &script, clock.as_ref()).await) });
            }
        });
        Self { url, log, task }
    }

    /// Returns all requests so far.
    pub(super) fn log(&self) -> Vec<ReceivedRequest> {
        self.log.lock().unwrap().clone()
    }

    /// Returns the requested paths, each with its method if that is not GET.
    pub(super) fn requested_paths(&self) -> Vec<String> {
        let words = |seen: &ReceivedRequest| match seen.method.as_str() {
            "GET" => seen.path.clone(),
            method => format!("{method} {}", seen.path),
        };
        self.log().iter().map(words).collect()
    }
}

async fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<ReceivedRequest>>,
    script: &Script,
    clock: &dyn FetchClock,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).await? == 0 {
            return Ok(());
        }
        head.push(byte[0]);
    }
    let seen = {
        let mut log = log.lock().unwrap();
        let seen = parse(&String::from_utf8_lossy(&head), clock.now(), &log);
        log.push(seen.clone());
        seen
    };
    let is_head = seen.method == "HEAD";
    match script(&seen) {
        HostReaction::Reply(status, headers, body) => {
            stream.write_all(&head_of(status, &headers, body.len())).await?;
            if !is_head {
                stream.write_all(&body).await?;
            }
        }
        HostReaction::Cut(status, headers, body, at) => {
            stream.write_all(&head_of(status, &headers, body.len())).await?;
            stream.write_all(&body[..at]).await?;
        }
        HostReaction::Drip(body, every) => {
            stream.write_all(&head_of(200, &[], body.len())).await?;
            for byte in body {
                stream.write_all(&[byte]).await?;
                tokio::time::sleep(every).await;
            }
        }
        HostReaction::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").await?;
            loop {
                stream.write_all(&[b'x'; 8_192]).await?;
            }
        }
        HostReaction::Raw(bytes) => stream.write_all(&bytes).await?,
        HostReaction::Again(bytes, again, every) => {
            stream.write_all(&bytes).await?;
            loop {
                stream.write_all(&again).await?;
                tokio::time::sleep(every).await;
            }
        }
        HostReaction::Silence => tokio::time::sleep(Duration::from_secs(30)).await,
    }
    stream.shutdown().await
}

fn head_of(status: u16, headers: &[(String, String)], length: usize) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} Status\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length")) && status != 304 {
        head.extend(["Content-Length: ", &length.to_string(), "\r\n"]);
    }
    (head + "\r\n").into_bytes()
}

fn parse(head: &str, at: DateTime<Utc>, log: &[ReceivedRequest]) -> ReceivedRequest {
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (method, path) =
        (first.next().unwrap_or_default().to_owned(), first.next().unwrap_or_default().to_owned());
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    let before = log.iter().filter(|seen| seen.path == path).count();
    ReceivedRequest { at, method, headers: headers.collect(), before, path }
}
