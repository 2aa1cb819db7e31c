//! A separate protocol at some paths. The middleware of all requests is also around it: keys, limits, log, metrics. The protocol itself is
//! unknown here.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use axum::routing::{MethodRouter, any};
use futures::future::BoxFuture;

use super::cross_origin::CrossOrigin;
use super::reply::{self, LogFields};
use parquote_catalogue::error::ClientError;

/// Answers an authenticated request, whose extensions contain the caller.
type RouteAnswer = dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync;

/// Reads the body of a request, or returns the refusal.
type ReadBody = dyn Fn(Request) -> BoxFuture<'static, Result<Request, Response>> + Send + Sync;

/// A protocol at some paths.
#[derive(Clone)]
pub struct Mount {
    paths: &'static [&'static str],
    read_body: Arc<ReadBody>,
    answer: Arc<RouteAnswer>,
    /// Renders a refusal as JSON in the protocol's format.
    refusal: fn(&ClientError) -> Vec<u8>,
    /// Longest accepted body, in bytes.
    body_bytes: u64,
    /// Pages of other origins that may read the replies of the protocol.
    readers: CrossOrigin,
}

impl Mount {
    /// Mounts a protocol at these paths, each with or without a trailing slash. `read_body` reads the body before the request takes a
    /// permit; `answer` gets the request with its body read.
    pub fn new(
        paths: &'static [&'static str],
        read_body: impl Fn(Request) -> BoxFuture<'static, Result<Request, Response>> + Send + Sync + 'static,
        answer: impl Fn(Request) -> BoxFuture<'static, Response> + Send + Sync + 'static,
        refusal: fn(&ClientError) -> Vec<u8>,
        body_bytes: u64,
    ) -> Self {
        let (read_body, answer) = (Arc::new(read_body), Arc::new(answer));
        Self { paths, read_body, answer, refusal, body_bytes, readers: CrossOrigin::default() }
    }

    /// Returns the mount with replies that pages of other origins may read.
    #[must_use]
    pub fn with_allowed_origins(self, readers: CrossOrigin) -> Self {
        Self { readers, ..self }
    }

    /// Returns the pages of other origins that may read the replies of the protocol.
    pub(super) fn allowed_origins(&self) -> &CrossOrigin {
        &self.readers
    }

    pub(super) fn paths(&self) -> &'static [&'static str] {
        self.paths
    }

    /// Returns true if a path is one of this mount.
    pub(super) fn is_at(&self, path: &str) -> bool {
        self.paths.contains(&path.strip_suffix('/').unwrap_or(path))
    }

    /// Returns the longest accepted body, in bytes.
    pub(super) fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    /// Reads the body of a request, or returns the refusal.
    pub(super) fn read_body(&self, request: Request) -> BoxFuture<'static, Result<Request, Response>> {
        (self.read_body)(request)
    }

    /// Returns the route for every method.
    pub(super) fn methods(&self) -> MethodRouter {
        let answer = Arc::clone(&self.answer);
        any(move |request: Request| answer(request))
    }

    /// Renders a refusal in the protocol's format; its status and headers are the same as for any refusal.
    pub(super) fn refuse(&self, refused: ClientError) -> Response {
        let body = (self.refusal)(&refused);
        let mut response = reply::refusal(refused);
        if let Some(log_fields) = response.extensions_mut().get_mut::<LogFields>() {
            log_fields.bytes = body.len();
        }
        *response.body_mut() = body.into();
        response
    }
}
