//! The header `Accept-Encoding`, and bodies compressed in one step.
//!
//! A body is compressed whole before its reply leaves the middleware: an encoder exists for microseconds, however slowly a caller reads. A
//! caller that does not read holds compressed bytes, but no encoder.

use std::cell::RefCell;
use std::io::{self, Write as _};
use std::sync::OnceLock;

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use zstd::bulk::Compressor;

use super::header_list;
use super::panics::reply_or_500;
use super::reply;
use parquote_catalogue::operation::AnswerFormat;

/// Smaller bodies are not compressed, because they fit into one packet in any case.
const WORTH_COMPRESSING_BYTES: u64 = 1024;
/// Level for bodies that are compressed for each reply: it takes about a hundred microseconds. Higher levels take longer for a few percent
/// of the size.
pub(super) const FASTEST_LEVEL: u8 = 1;
/// Level for bodies that are compressed once: it takes milliseconds and saves a fifth.
pub(super) const SINGLE_USE_LEVEL: u8 = 9;

parquote_catalogue::word_enum! {
    /// Encoding of a body.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum ContentEncoding {
        Identity = "identity",
        Gzip = "gzip",
        Zstd = "zstd",
    }
    fn word "Returns the name in headers.";
}

impl ContentEncoding {
    /// All encodings in order of preference: the best ratio of size to time first.
    const ALL: [Self; 3] = [Self::Zstd, Self::Gzip, Self::Identity];

    /// Returns the encoding that a caller prefers; `None` if none is acceptable.
    pub(super) fn preferred_encoding(headers: &HeaderMap) -> Option<Self> {
        let weight_of = |requested: &str| {
            let items = header_list::items(headers, header::ACCEPT_ENCODING, b',');
            let mut weights = items.filter_map(parse_weight);
            weights.find(|(name, _)| name.eq_ignore_ascii_case(requested)).map(|(_, weight)| weight)
        };
        let wildcard_weight = weight_of("*");
        let mut best: Option<(Self, u16)> = None;
        for encoding in Self::ALL {
            let named_weight = match encoding {
                Self::Gzip => weight_of("gzip").or_else(|| weight_of("x-gzip")),
                _ => weight_of(encoding.word()),
            };
            // Without an entry, identity is acceptable with the least weight; an entry of its name or `*` may refuse it.
            let default_weight = if encoding == Self::Identity { Some(1) } else { None };
            let weight = named_weight.or(wildcard_weight).or(default_weight).unwrap_or(0);
            if weight > best.map_or(0, |(_, weight)| weight) {
                best = Some((encoding, weight));
            }
        }
        best.map(|(encoding, _)| encoding)
    }

    /// Compresses a body; `None` if the body is not compressed.
    pub(super) fn compress(self, body: &[u8]) -> Option<Bytes> {
        self.compress_by(FASTEST_LEVEL, body)
    }

    fn compress_by(self, level: u8, body: &[u8]) -> Option<Bytes> {
        if (body.len() as u64) < WORTH_COMPRESSING_BYTES {
            return None;
        }
        let compressed = match self {
            Self::Identity => return None,
            Self::Gzip => gzip(level, body),
            Self::Zstd if level == FASTEST_LEVEL => zstd(body),
            Self::Zstd => zstd::bulk::compress(body, i32::from(level)),
        };
        compressed
            .inspect_err(|error| tracing::error!(%error, "a body could not be compressed"))
            .ok()
            .map(Bytes::from)
    }

    /// Sets the headers for this encoding.
    pub(super) fn write_headers(self, headers: &mut HeaderMap) {
        if self != Self::Identity {
            headers.remove(header::CONTENT_LENGTH);
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(self.word()));
        }
    }
}

/// A body that is sent many times, with its compressed forms, each made on first use.
#[derive(Debug)]
pub(super) struct RepeatedBody {
    pub(super) plain: Bytes,
    level: u8,
    gzip: OnceLock<Option<Bytes>>,
    zstd: OnceLock<Option<Bytes>>,
}

impl RepeatedBody {
    /// Builds a body; the level is [`FASTEST_LEVEL`] or [`SINGLE_USE_LEVEL`].
    pub(super) const fn new(plain: Bytes, level: u8) -> Self {
        Self { plain, level, gzip: OnceLock::new(), zstd: OnceLock::new() }
    }

    /// Returns the body in the encoding that a caller prefers, and that encoding.
    pub(super) fn preferred(&self, headers: &HeaderMap) -> (Bytes, ContentEncoding) {
        let encoding = ContentEncoding::preferred_encoding(headers).unwrap_or(ContentEncoding::Identity);
        let cached = match encoding {
            ContentEncoding::Identity => None,
            ContentEncoding::Gzip => Some(&self.gzip),
            ContentEncoding::Zstd => Some(&self.zstd),
        };
        let compress = || encoding.compress_by(self.level, &self.plain);
        match cached.and_then(|cached| cached.get_or_init(compress).clone()) {
            Some(compressed) => (compressed, encoding),
            None => (self.plain.clone(), ContentEncoding::Identity),
        }
    }
}

/// Compresses the reply of `answer` if its size is known and its format is not compressed already, as PNG is.
pub(super) async fn compress_reply<R: Future<Output = Response>>(
    request: Request,
    answer: impl FnOnce(Request) -> R,
) -> Response {
    let Some(encoding) = ContentEncoding::preferred_encoding(request.headers()) else {
        let message = "none of the encodings in Accept-Encoding can be served; zstd, gzip and identity can";
        return reply::error(StatusCode::NOT_ACCEPTABLE, message);
    };
    let is_head = request.method() == Method::HEAD;
    let response = reply_or_500(answer(request)).await;
    // For HEAD the routes leave out the body, but send its length.
    let stated_length = content_length(response.headers()).filter(|_| is_head);
    let is_whole = stated_length
        .or(response.body().size_hint().exact())
        .is_some_and(|bytes| bytes >= WORTH_COMPRESSING_BYTES);
    if encoding == ContentEncoding::Identity
        || !is_whole
        || response.headers().contains_key(header::CONTENT_ENCODING)
        || response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| {
            [AnswerFormat::Png, AnswerFormat::Xlsx].iter().any(|format| kind == format.media_type())
        })
    {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return reply::error(StatusCode::INTERNAL_SERVER_ERROR, "the server failed on this request");
    };
    let compressed = if body.is_empty() { Some(body.clone()) } else { encoding.compress(&body) };
    let Some(smaller) = compressed else {
        return Response::from_parts(parts, Body::from(body));
    };
    encoding.write_headers(&mut parts.headers);
    let varies = |value: &HeaderValue| value.to_str().is_ok_and(|value| value.contains("accept-encoding"));
    if !parts.headers.get_all(header::VARY).iter().any(varies) {
        parts.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    Response::from_parts(parts, Body::from(smaller))
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Parses a name and its weight in thousandths; `None` for a weight that is not a number from 0 to 1.
fn parse_weight(text: &str) -> Option<(&str, u16)> {
    let (name, parameters) = text.split_once(';').unwrap_or((text, ""));
    let weight = match parameters.trim().split_once('=') {
        None => 1.0,
        Some((q, weight)) if q.trim().eq_ignore_ascii_case("q") => weight.trim().parse::<f32>().ok()?,
        Some(_) => return None,
    };
    (0.0..=1.0).contains(&weight).then_some((name.trim(), (weight * 1000.0) as u16))
}

fn gzip(level: u8, body: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::new(u32::from(level)));
    encoder.write_all(body)?;
    encoder.finish()
}

/// Compresses at the fastest level with one compressor per thread: its tables are large and worth reusing.
fn zstd(body: &[u8]) -> io::Result<Vec<u8>> {
    thread_local! {
        static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    }
    COMPRESSOR.with_borrow_mut(|cached| {
        let compressor = match cached {
            Some(compressor) => compressor,
            None => cached.insert(Compressor::new(i32::from(FASTEST_LEVEL))?),
        };
        compressor.compress(body)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted_encoding(lines: &[&'static str]) -> Option<ContentEncoding> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::ACCEPT_ENCODING, HeaderValue::from_static(line));
        }
        ContentEncoding::preferred_encoding(&headers)
    }

    #[test]
    fn the_best_that_is_taken_is_chosen() {
        assert_eq!(accepted_encoding(&[]), Some(ContentEncoding::Identity));
        assert_eq!(accepted_encoding(&["gzip, deflate, br, zstd"]), Some(ContentEncoding::Zstd));
        assert_eq!(accepted_encoding(&["gzip;q=0.9", "zstd; Q=0.8"]), Some(ContentEncoding::Gzip));
        assert_eq!(accepted_encoding(&["x-gzip"]), Some(ContentEncoding::Gzip));
        assert_eq!(accepted_encoding(&["br"]), Some(ContentEncoding::Identity));
        assert_eq!(accepted_encoding(&["*"]), Some(ContentEncoding::Zstd));
        assert_eq!(accepted_encoding(&["*;q=0.1, identity"]), Some(ContentEncoding::Identity));
        assert_eq!(accepted_encoding(&["zstd;q=0, *"]), Some(ContentEncoding::Gzip));
        assert_eq!(accepted_encoding(&["gzip;q=x, zstd;q=7,,;,="]), Some(ContentEncoding::Identity));
    }

    #[test]
    fn a_lack_of_acceptable_encodings_is_reported() {
        assert_eq!(accepted_encoding(&["identity;q=0"]), None);
        assert_eq!(accepted_encoding(&["*;q=0"]), None);
        assert_eq!(accepted_encoding(&["identity;q=0, gzip"]), Some(ContentEncoding::Gzip));
    }
}
