//! A document about the service: built once for a snapshot, cached as bytes, compressed once for each encoding, revalidated by its tag.

use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwapOption;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;

use super::encoding::ContentEncoding;
use super::policy::POLICY;
use super::{entity_tag, reply};
use parquote_call::Service;
use parquote_catalogue::operation::Catalogue;
use parquote_engine::Snapshot;
use parquote_surface::log_fields::LogFields;

/// Function that renders a document.
type RenderDocument = dyn Fn(&Catalogue, &Snapshot) -> Vec<u8> + Send + Sync;

/// A document, and the function that renders it.
pub(super) struct ServedDocument {
    name: String,
    content_type: &'static str,
    make: Box<RenderDocument>,
    kept: ArcSwapOption<MadeDocument>,
}

struct MadeDocument {
    snapshot: String,
    tag: HeaderValue,
    body: Bytes,
    gzip: OnceLock<Option<Bytes>>,
    zstd: OnceLock<Option<Bytes>>,
}

impl MadeDocument {
    /// Returns the body in an encoding, compressed on first use; `None` if it stays as it is.
    fn compressed(&self, encoding: ContentEncoding) -> Option<Bytes> {
        let kept = match encoding {
            ContentEncoding::Identity => return None,
            ContentEncoding::Gzip => &self.gzip,
            ContentEncoding::Zstd => &self.zstd,
        };
        kept.get_or_init(|| encoding.compress(&self.body)).clone()
    }
}

impl ServedDocument {
    pub(super) fn new(name: String, content_type: &'static str, make: Box<RenderDocument>) -> Self {
        Self { name, content_type, make, kept: ArcSwapOption::empty() }
    }

    /// Returns the document for the current snapshot, or 304.
    pub(super) fn reply(&self, service: &Service, headers: &HeaderMap) -> Response {
        let Some(kept) = self.get_or_make(service) else {
            return reply::error(StatusCode::INTERNAL_SERVER_ERROR, "the server failed on this request");
        };
        if entity_tag::none_match(headers, kept.tag.to_str().unwrap_or_default()) {
            return reply::not_modified(&kept.tag);
        }
        let encoding = ContentEncoding::accepted(headers).unwrap_or(ContentEncoding::Identity);
        let compressed = kept.compressed(encoding);
        let is_compressed = compressed.is_some();
        let body = compressed.unwrap_or_else(|| kept.body.clone());
        let mut response = reply::kept(self.content_type, &kept.tag, body);
        if let Some(trail) = response.extensions_mut().get_mut::<LogFields>() {
            trail.bytes = kept.body.len();
        }
        let headers = response.headers_mut();
        if is_compressed {
            encoding.write_headers(headers);
        }
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        response
    }

    /// Returns the cached document. Two requests may build it concurrently after a swap; both are right, and the last one is cached.
    fn get_or_make(&self, service: &Service) -> Option<Arc<MadeDocument>> {
        let snapshot = service.seen_by_all();
        let named = snapshot.tag();
        if let Some(kept) = self.kept.load_full().filter(|kept| kept.snapshot == named) {
            return Some(kept);
        }
        let tag = format!("W/\"{}-{}-{}\"", self.name, env!("CARGO_PKG_VERSION"), named);
        let kept = Arc::new(MadeDocument {
            snapshot: named,
            tag: HeaderValue::try_from(tag).ok()?,
            body: (self.make)(service.catalogue(), &snapshot).into(),
            gzip: OnceLock::new(),
            zstd: OnceLock::new(),
        });
        self.kept.store(Some(Arc::clone(&kept)));
        Some(kept)
    }
}
