//! One HTTP request and its reply: the only file that sends bytes to a host.
//!
//! The client sends one honest agent name, stores no cookie, follows no redirect, and requests no compression, so that lengths and ranges
//! count bytes of the file. No error contains a URL, because a URL may contain a key.

use std::time::Duration;

use chrono::DateTime;
use reqwest::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderMap, HeaderName,
    HeaderValue, IF_RANGE, LAST_MODIFIED, LOCATION, RANGE, RETRY_AFTER, USER_AGENT,
};
use reqwest::{Method, Response, StatusCode};
use tokio::time::Instant;
use url::Url;

use super::error::FetchError;
use super::limits::{Limits, Proxy};
use super::partial_download::{DownloadNote, PartialDownload, ReplyHeaders, RequestedFile};

/// Maximum number of characters of another host's name in a message.
const MOST_HOST_CHARACTERS: usize = 100;

/// The agent name of every request.
pub(crate) const AGENT: &str = concat!("parquote/", env!("CARGO_PKG_VERSION"));

/// An HTTP request for one file.
#[derive(Debug)]
pub(crate) struct FileRequest {
    /// The URL to request, which may contain a key.
    pub(crate) url: Url,
    pub(crate) method: Method,
    /// Headers in addition to the standard ones; secret ones are marked sensitive.
    pub(crate) headers: HeaderMap,
    /// The file, for the note of the download.
    pub(crate) file: RequestedFile,
    /// Size limit of the body in bytes.
    pub(crate) max_bytes: u64,
}

/// A reply of a host, without its body.
#[derive(Debug)]
pub(crate) enum HostReply {
    /// The complete file is in the download.
    Whole(ReplyHeaders),
    /// The reply to a HEAD request.
    Head(ReplyHeaders),
    /// The host has the version that was sent with the request.
    NotModified,
    /// The file does not exist; with the status.
    Absent(u16),
    /// The host refuses, or asks for fewer requests.
    Refused {
        status: u16,
        /// True if the host asks for fewer requests.
        slow: bool,
        /// The wait that the host requests; `None` without one.
        after: Option<Duration>,
    },
    /// A redirect to a URL of the same host.
    Redirect(Url),
    /// A redirect to another host, with its name; it is not followed.
    OtherHost(String),
    /// The host is overloaded or failing.
    Busy {
        status: u16,
        /// The wait that the host requests; `None` without one.
        after: Option<Duration>,
    },
    /// Any other reply.
    Unexpected { status: u16, why: String },
}

/// The reason why a file was not received completely.
#[derive(Debug)]
pub(crate) enum TransferFault {
    /// The transfer failed; a retry may succeed.
    Interrupted(String),
    /// The body exceeds the size limit.
    TooLarge(String),
    /// The local disk failed.
    Disk(std::io::Error),
}

impl From<std::io::Error> for TransferFault {
    fn from(error: std::io::Error) -> Self {
        Self::Disk(error)
    }
}

/// The HTTP client of a run.
#[derive(Debug, Clone)]
pub(crate) struct FetchClient {
    http: reqwest::Client,
    limits: Limits,
}

impl FetchClient {
    pub(crate) fn new(limits: Limits, proxy: Proxy) -> Result<Self, FetchError> {
        let builder = reqwest::Client::builder()
            .connect_timeout(limits.connect)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false);
        let builder = match proxy {
            Proxy::Environment => builder,
            Proxy::Direct => builder.no_proxy(),
        };
        let http = builder.build().map_err(|error| FetchError::Client(error.to_string()))?;
        Ok(Self { http, limits })
    }

    /// Sends a request and appends the body of a success to the download. If the download already has bytes, only the missing ones
    /// are requested; a host without range support sends the complete file.
    pub(crate) async fn send(
        &self,
        request: &FileRequest,
        download: &mut PartialDownload,
        on_bytes: &(dyn Fn(u64) + Sync),
    ) -> Result<HostReply, TransferFault> {
        let resume_point = download.resume().filter(|_| request.method == Method::GET);
        let sent = self.http.execute(build_request(request, resume_point.as_ref())?);
        let response = match tokio::time::timeout(self.limits.reply, sent).await {
            Ok(response) => response.map_err(|error| TransferFault::Interrupted(http_error_words(error)))?,
            Err(_) => return Err(TransferFault::Interrupted("no reply came in time".to_owned())),
        };
        let headers = ReplyHeaders::from_response(&response);
        match response.status() {
            _ if is_encoded(response.headers()) => {
                let why = "it came compressed, which was not requested".to_owned();
                Ok(HostReply::Unexpected { status: headers.status, why })
            }
            StatusCode::OK if request.method == Method::HEAD => Ok(HostReply::Head(headers)),
            StatusCode::OK => {
                download.begin(DownloadNote {
                    file: request.file.clone(),
                    headers: headers.clone(),
                    complete: false,
                    line: None,
                })?;
                self.receive(response, download, request.max_bytes, on_bytes).await?;
                download.complete()?;
                Ok(HostReply::Whole(headers))
            }
            StatusCode::PARTIAL_CONTENT if resume_point.is_some() => {
                let Some(total) = resumed_total(&response, &headers, download) else {
                    return Err(discard_mismatch(download));
                };
                download.continue_download()?;
                self.receive(response, download, request.max_bytes, on_bytes).await?;
                mark_complete(download, total)?;
                Ok(HostReply::Whole(ReplyHeaders { status: 200, length: Some(total), ..headers }))
            }
            StatusCode::RANGE_NOT_SATISFIABLE if resume_point.is_some() => {
                let range = header_text(response.headers(), &CONTENT_RANGE);
                let total = range.and_then(|range| range.strip_prefix("bytes */")?.parse().ok());
                mark_complete(download, total.unwrap_or_default())?;
                Ok(HostReply::Whole(download.note().map_or(headers, |note| note.headers.clone())))
            }
            status => Ok(reply_without_body(status, &response, &request.url)),
        }
    }

    /// Reads a body into the download, within the limits of size, idle time and speed.
    async fn receive(
        &self,
        mut response: Response,
        download: &mut PartialDownload,
        max_bytes: u64,
        on_bytes: &(dyn Fn(u64) + Sync),
    ) -> Result<(), TransferFault> {
        let too_large = || TransferFault::TooLarge(format!("it is larger than {max_bytes} bytes"));
        if response.content_length().is_some_and(|length| download.length() + length > max_bytes) {
            return Err(too_large());
        }
        let (start, mut received) = (Instant::now(), 0_u64);
        let longest = self.limits.grace + Duration::from_secs(max_bytes / self.limits.usual.max(1));
        loop {
            let chunk = match tokio::time::timeout(self.limits.idle, response.chunk()).await {
                Ok(chunk) => chunk.map_err(|error| TransferFault::Interrupted(http_error_words(error)))?,
                Err(_) => return Err(TransferFault::Interrupted("it stopped in its midst".to_owned())),
            };
            let Some(chunk) = chunk else { return Ok(()) };
            if download.length() + chunk.len() as u64 > max_bytes {
                return Err(too_large());
            }
            download.add(&chunk)?;
            received += chunk.len() as u64;
            on_bytes(chunk.len() as u64);
            let elapsed = start.elapsed();
            if elapsed > self.limits.grace
                && (received as f64) < elapsed.as_secs_f64() * self.limits.slowest as f64
            {
                return Err(TransferFault::Interrupted("it came too slowly".to_owned()));
            }
            if elapsed > longest {
                let why = format!("it had not come whole after {} s", longest.as_secs_f64());
                return Err(TransferFault::Interrupted(why));
            }
        }
    }
}

/// Builds the HTTP request; with a resume point, for the bytes from that offset if the version is the same.
fn build_request(
    request: &FileRequest,
    resume_point: Option<&(u64, String)>,
) -> Result<reqwest::Request, TransferFault> {
    let mut outgoing = reqwest::Request::new(request.method.clone(), request.url.clone());
    let headers = outgoing.headers_mut();
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    for (name, value) in &request.headers {
        headers.insert(name.clone(), value.clone());
    }
    if let Some((from, version)) = resume_point {
        let value = |text: &str| {
            HeaderValue::from_str(text)
                .map_err(|_| TransferFault::Interrupted("a validator fits no header".to_owned()))
        };
        headers.insert(RANGE, value(&format!("bytes={from}-"))?);
        headers.insert(IF_RANGE, value(version)?);
    }
    Ok(outgoing)
}

/// Returns the total length of a file whose missing bytes the host sends; `None` if they belong to another version, or do not begin
/// at the end of the download.
fn resumed_total(response: &Response, headers: &ReplyHeaders, download: &PartialDownload) -> Option<u64> {
    let stated = header_text(response.headers(), &CONTENT_RANGE)?;
    let (range, total) = stated.strip_prefix("bytes ")?.split_once('/')?;
    let from: u64 = range.split_once('-')?.0.parse().ok()?;
    let total: u64 = total.parse().ok()?;
    let note = &download.note()?.headers;
    let same = |noted: Option<&String>, sent: Option<&String>| sent.is_none() || noted == sent;
    let is_same = same(note.etag.as_ref(), headers.etag.as_ref())
        && same(note.last_modified.as_ref(), headers.last_modified.as_ref())
        && note.length.is_none_or(|length| length == total);
    (is_same && from == download.length()).then_some(total)
}

/// Marks a download as complete if it has the total length.
fn mark_complete(download: &mut PartialDownload, total: u64) -> Result<(), TransferFault> {
    if download.length() == total { Ok(download.complete()?) } else { Err(discard_mismatch(download)) }
}

/// Discards the bytes so far, which are of another version; the next attempt starts from the beginning.
fn discard_mismatch(download: &mut PartialDownload) -> TransferFault {
    match download.discard() {
        Ok(()) => TransferFault::Interrupted("the rest that came is of another version".to_owned()),
        Err(error) => TransferFault::Disk(error),
    }
}

/// Converts a reply whose body is not read.
fn reply_without_body(status: StatusCode, response: &Response, requested: &Url) -> HostReply {
    let number = status.as_u16();
    let after = parse_retry_after(response.headers());
    match number {
        304 => HostReply::NotModified,
        404 | 410 => HostReply::Absent(number),
        429 => HostReply::Refused { status: number, slow: true, after },
        401 | 402 | 403 | 407 | 418 | 421 | 451 => HostReply::Refused { status: number, slow: false, after },
        301 | 302 | 303 | 307 | 308 => redirect_target(response, requested),
        408 | 500..=599 => HostReply::Busy { status: number, after },
        _ => {
            HostReply::Unexpected { status: number, why: format!("the status {number} makes no sense here") }
        }
    }
}

/// Returns the target of a redirect; for another host, only its name.
fn redirect_target(response: &Response, requested: &Url) -> HostReply {
    let status = response.status().as_u16();
    let target =
        header_text(response.headers(), &LOCATION).and_then(|location| requested.join(&location).ok());
    match target {
        Some(url) if url.origin() == requested.origin() => HostReply::Redirect(url),
        Some(url) => {
            let host = url.host_str().unwrap_or("an address without a host");
            HostReply::OtherHost(host.chars().take(MOST_HOST_CHARACTERS).collect())
        }
        None => HostReply::Unexpected { status, why: "it redirects to no address".to_owned() },
    }
}

/// Parses the wait that a host requests, in seconds or as a date.
fn parse_retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = header_text(headers, &RETRY_AFTER)?;
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = DateTime::parse_from_rfc2822(text.trim()).ok()?;
    // The date is relative to the host's clock.
    let now = header_text(headers, &HeaderName::from_static("date"));
    let now = now.and_then(|date| DateTime::parse_from_rfc2822(&date).ok())?;
    (until - now).to_std().ok()
}

fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_ENCODING).is_some_and(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// Describes an error of the HTTP layers without the URL.
fn http_error_words(error: reqwest::Error) -> String {
    let error = error.without_url();
    let what = if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "no connection"
    } else if error.is_body() || error.is_decode() {
        "the body was cut"
    } else {
        "the request failed"
    };
    let mut cause: &dyn std::error::Error = &error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    format!("{what}: {cause}")
}

impl ReplyHeaders {
    fn from_response(response: &Response) -> Self {
        let headers = response.headers();
        Self {
            status: response.status().as_u16(),
            etag: header_text(headers, &ETAG),
            last_modified: header_text(headers, &LAST_MODIFIED),
            // The header is read because a reply to HEAD has no body to measure.
            length: header_text(headers, &CONTENT_LENGTH).and_then(|length| length.parse().ok()),
        }
    }
}
