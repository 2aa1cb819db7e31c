//! A document about the service: built once for a snapshot, cached as bytes, compressed once for each encoding, revalidated by its tag.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;

use super::encoding::{FASTEST_LEVEL, RepeatedBody};
use super::policy::POLICY;
use super::reply::HTML;
use super::{colours, entity_tag, reply};
use parquote_call::Service;
use parquote_catalogue::operation::Catalogue;
use parquote_engine::Snapshot;
use parquote_surface::asset::ColourScheme;
use parquote_surface::log_fields::LogFields;

/// Function that renders a document, in the colours that a page asks for.
type RenderDocument = dyn Fn(&Catalogue, &Snapshot, ColourScheme) -> Vec<u8> + Send + Sync;

/// A document of the server with the function that renders it.
pub(super) struct ServedDocument {
    name: String,
    content_type: &'static str,
    make: Box<RenderDocument>,
    /// One for each colour scheme; documents that are no pages have the first only.
    cached: [ArcSwapOption<MadeDocument>; 3],
}

struct MadeDocument {
    snapshot: String,
    tag: HeaderValue,
    body: RepeatedBody,
}

impl ServedDocument {
    pub(super) fn new(name: String, content_type: &'static str, make: Box<RenderDocument>) -> Self {
        let cached = ColourScheme::ALL.map(|_| ArcSwapOption::empty());
        Self { name, content_type, make, cached }
    }

    /// Returns the document for the current snapshot, or 304.
    pub(super) fn reply(&self, service: &Service, headers: &HeaderMap) -> Response {
        let is_page = self.content_type == HTML;
        let scheme = if is_page { colours::requested_scheme(headers) } else { ColourScheme::default() };
        let Some(cached) = self.get_or_make(service, scheme) else {
            return reply::error(StatusCode::INTERNAL_SERVER_ERROR, "the server failed on this request");
        };
        if entity_tag::none_match(headers, cached.tag.to_str().unwrap_or_default()) {
            return reply::not_modified(&cached.tag);
        }
        let (body, encoding) = cached.body.preferred(headers);
        let mut response = reply::revalidated_reply(self.content_type, &cached.tag, body);
        if let Some(trail) = response.extensions_mut().get_mut::<LogFields>() {
            trail.bytes = cached.body.plain.len();
        }
        let headers = response.headers_mut();
        encoding.write_headers(headers);
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        response
    }

    /// Returns the cached document. Two requests may build it concurrently after a swap; both are right, and the last one is cached.
    fn get_or_make(&self, service: &Service, scheme: ColourScheme) -> Option<Arc<MadeDocument>> {
        let slot = scheme.pick(&self.cached);
        let snapshot = service.shared_snapshot();
        let named = snapshot.tag();
        if let Some(cached) = slot.load_full().filter(|cached| cached.snapshot == named) {
            return Some(cached);
        }
        let (name, version, colours) = (&self.name, env!("CARGO_PKG_VERSION"), scheme.word());
        let tag = format!("W/\"{name}-{version}-{named}-{colours}\"");
        let cached = Arc::new(MadeDocument {
            snapshot: named,
            tag: HeaderValue::try_from(tag).ok()?,
            body: RepeatedBody::new(
                (self.make)(service.catalogue(), &snapshot, scheme).into(),
                FASTEST_LEVEL,
            ),
        });
        slot.store(Some(Arc::clone(&cached)));
        Some(cached)
    }
}
