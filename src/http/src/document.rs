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
    render: Box<RenderDocument>,
    /// Rendered documents, in the order of the colour schemes; a document that is not a page has only the first.
    cached: [ArcSwapOption<RenderedDocument>; 3],
}

struct RenderedDocument {
    snapshot: String,
    tag: HeaderValue,
    body: RepeatedBody,
}

impl ServedDocument {
    pub(super) fn new(name: String, content_type: &'static str, render: Box<RenderDocument>) -> Self {
        let cached = ColourScheme::ALL.map(|_| ArcSwapOption::empty());
        Self { name, content_type, render, cached }
    }

    /// Returns the document for the current snapshot, or 304.
    pub(super) fn reply(&self, service: &Service, headers: &HeaderMap) -> Response {
        let is_page = self.content_type == HTML;
        let scheme = if is_page { colours::requested_scheme(headers) } else { ColourScheme::default() };
        let Some(cached) = self.get_or_render(service, scheme) else {
            return reply::error(StatusCode::INTERNAL_SERVER_ERROR, "the server failed on this request");
        };
        if entity_tag::is_named(headers, cached.tag.to_str().unwrap_or_default()) {
            return reply::not_modified(&cached.tag);
        }
        let (body, encoding) = cached.body.preferred(headers);
        let mut response = reply::revalidated_reply(self.content_type, &cached.tag, body);
        if let Some(log_fields) = response.extensions_mut().get_mut::<LogFields>() {
            log_fields.bytes = cached.body.plain.len();
        }
        let headers = response.headers_mut();
        encoding.write_headers(headers);
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        response
    }

    /// Returns the cached document, or renders it. After a swap, two requests may render it concurrently; the last result is cached.
    fn get_or_render(&self, service: &Service, scheme: ColourScheme) -> Option<Arc<RenderedDocument>> {
        let slot = scheme.pick(&self.cached);
        let snapshot = service.shared_snapshot();
        let snapshot_tag = snapshot.tag();
        if let Some(cached) = slot.load_full().filter(|cached| cached.snapshot == snapshot_tag) {
            return Some(cached);
        }
        let (name, version, colours) = (&self.name, env!("CARGO_PKG_VERSION"), scheme.word());
        let tag = format!("W/\"{name}-{version}-{snapshot_tag}-{colours}\"");
        let cached = Arc::new(RenderedDocument {
            snapshot: snapshot_tag,
            tag: HeaderValue::try_from(tag).ok()?,
            body: RepeatedBody::new(
                (self.render)(service.catalogue(), &snapshot, scheme).into(),
                FASTEST_LEVEL,
            ),
        });
        slot.store(Some(Arc::clone(&cached)));
        Some(cached)
    }
}
