//! The route of a file that pages load. Its path contains a hash of its content: it is cached forever, and compressed once for each
//! encoding, at a level that would be too slow for a reply.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::get;

use super::encoding::{RepeatedBody, SINGLE_USE_LEVEL};
use super::reply;
use parquote_surface::asset::Asset;

/// Adds the route of a file.
pub(super) fn asset(router: Router, asset: &'static Asset) -> Router {
    let served = Arc::new(RepeatedBody::new(Bytes::from_static(asset.text.as_bytes()), SINGLE_USE_LEVEL));
    let answer = move |headers: HeaderMap| {
        let (body, encoding) = served.preferred(&headers);
        let mut response = reply::immutable(asset.content_type, body);
        encoding.write_headers(response.headers_mut());
        std::future::ready(response)
    };
    router.route(&asset.path, get(answer))
}
