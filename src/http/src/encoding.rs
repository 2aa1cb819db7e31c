//! The header `Accept-Encoding`, and bodies compressed in one step.
//!
//! A body is compressed whole before its reply leaves the middleware: an encoder lives for microseconds, not for as long as a caller takes
//! to read. Callers that read nothing therefore hold no encoders, only the compressed bytes.

use std::cell::RefCell;
use std::io::{self, Write as _};

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use zstd::bulk::Compressor;

use super::panics::unpanicked;
use super::reply;
use parquote_catalogue::operation::AnswerFormat;

/// Below this size compression saves nothing: the body fits into one packet either way.
const WORTH_COMPRESSING_BYTES: u64 = 1024;
/// Compression takes about a hundred microseconds; better levels take longer for a few percent of the size.
const FASTEST: u8 = 1;

/// Encoding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentEncoding {
    Identity,
    Gzip,
    Zstd,
}

impl ContentEncoding {
    /// In order of preference: the best ratio of size to time first.
    const ALL: [Self; 3] = [Self::Zstd, Self::Gzip, Self::Identity];

    /// Returns the name in headers.
    const fn word(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// Returns the encoding that a caller prefers; `None` if none is acceptable.
    pub(super) fn accepted(headers: &HeaderMap) -> Option<Self> {
        let said = |wanted: &str| {
            let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
            let mut said = lines.flat_map(|line| line.split(',')).filter_map(weighted);
            said.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, weight)| weight)
        };
        let others = said("*");
        let mut best: Option<(Self, u16)> = None;
        for encoding in Self::ALL {
            let named = match encoding {
                Self::Gzip => said("gzip").or_else(|| said("x-gzip")),
                _ => said(encoding.word()),
            };
            // Identity needs no permission: it has the least weight, and is refused only by name or with `*`.
            let unsaid = if encoding == Self::Identity { Some(1) } else { None };
            let weight = named.or(others).or(unsaid).unwrap_or(0);
            if weight > best.map_or(0, |(_, weight)| weight) {
                best = Some((encoding, weight));
            }
        }
        best.map(|(encoding, _)| encoding)
    }

    /// Compresses a body; `None` if it stays as it is.
    pub(super) fn compress(self, body: &[u8]) -> Option<Bytes> {
        if (body.len() as u64) < WORTH_COMPRESSING_BYTES {
            return None;
        }
        let compressed = match self {
            Self::Identity => return None,
            Self::Gzip => gzip(body),
            Self::Zstd => zstd(body),
        };
        compressed
            .inspect_err(|error| tracing::error!(%error, "a body could not be compressed"))
            .ok()
            .map(Bytes::from)
    }

    /// Sets the headers for this encoding.
    pub(super) fn write_headers(self, headers: &mut HeaderMap) {
        headers.remove(header::CONTENT_LENGTH);
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(self.word()));
    }
}

/// Compresses the reply of `answer` if its size is known and its format is not compressed already, as PNG is.
pub(super) async fn compressed<R: Future<Output = Response>>(
    request: Request,
    answer: impl FnOnce(Request) -> R,
) -> Response {
    let Some(encoding) = ContentEncoding::accepted(request.headers()) else {
        let message = "none of the encodings in Accept-Encoding can be served; zstd, gzip and identity can";
        return reply::error(StatusCode::NOT_ACCEPTABLE, message);
    };
    let has_body = request.method() != Method::HEAD;
    let response = unpanicked(answer(request)).await;
    let is_whole = response.body().size_hint().exact().is_some_and(|bytes| bytes >= WORTH_COMPRESSING_BYTES);
    if encoding == ContentEncoding::Identity
        || !has_body
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
    let Some(smaller) = encoding.compress(&body) else {
        return Response::from_parts(parts, Body::from(body));
    };
    encoding.write_headers(&mut parts.headers);
    let varies = |value: &HeaderValue| value.to_str().is_ok_and(|value| value.contains("accept-encoding"));
    if !parts.headers.get_all(header::VARY).iter().any(varies) {
        parts.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    Response::from_parts(parts, Body::from(smaller))
}

/// Parses a name and its weight in thousandths; `None` for a weight that is not a number from 0 to 1.
fn weighted(text: &str) -> Option<(&str, u16)> {
    let (name, parameters) = text.split_once(';').unwrap_or((text, ""));
    let weight = match parameters.trim().split_once('=') {
        None => 1.0,
        Some((q, weight)) if q.trim().eq_ignore_ascii_case("q") => weight.trim().parse::<f32>().ok()?,
        Some(_) => return None,
    };
    (0.0..=1.0).contains(&weight).then_some((name.trim(), (weight * 1000.0) as u16))
}

fn gzip(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder =
        GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::new(u32::from(FASTEST)));
    encoder.write_all(body)?;
    encoder.finish()
}

/// Compresses with one compressor per thread: its tables are large and worth reusing.
fn zstd(body: &[u8]) -> io::Result<Vec<u8>> {
    thread_local! {
        static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    }
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(Compressor::new(i32::from(FASTEST))?),
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
        ContentEncoding::accepted(&headers)
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
    fn nothing_acceptable_is_told() {
        assert_eq!(accepted_encoding(&["identity;q=0"]), None);
        assert_eq!(accepted_encoding(&["*;q=0"]), None);
        assert_eq!(accepted_encoding(&["identity;q=0, gzip"]), Some(ContentEncoding::Gzip));
    }
}
