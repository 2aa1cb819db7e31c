//! A separate protocol at some paths. The middleware around it is that of all requests - keys, limits, log, metrics - and the protocol
//! itself is unknown here.

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
type BodyIntake = dyn Fn(Request) -> BoxFuture<'static, Result<Request, Response>> + Send + Sync;

/// A protocol at some paths.
#[derive(Clone)]
pub struct Mount {
    paths: &'static [&'static str],
    take_in: Arc<BodyIntake>,
    answer: Arc<RouteAnswer>,
    /// Renders a refusal as JSON in the protocol's format.
    refusal: fn(&ClientError) -> Vec<u8>,
    /// Longest accepted body, in bytes.
    body_bytes: u64,
    /// Pages of other origins that may read its replies.
    readers: CrossOrigin,
}

impl Mount {
    /// Mounts a protocol at these paths, each with or without a trailing slash. `take_in` reads the body before the request takes a permit;
    /// `answer` gets the request with its body read.
    pub fn new(
        paths: &'static [&'static str],
        take_in: impl Fn(Request) -> BoxFuture<'static, Result<Request, Response>> + Send + Sync + 'static,
        answer: impl Fn(Request) -> BoxFuture<'static, Response> + Send + Sync + 'static,
        refusal: fn(&ClientError) -> Vec<u8>,
        body_bytes: u64,
    ) -> Self {
        let (take_in, answer) = (Arc::new(take_in), Arc::new(answer));
        Self { paths, take_in, answer, refusal, body_bytes, readers: CrossOrigin::default() }
    }

    /// Returns the mount with replies that pages of other origins may read.
    #[must_use]
    pub fn with_allowed_origins(self, readers: CrossOrigin) -> Self {
        Self { readers, ..self }
    }

    /// Returns the pages of other origins that may read its replies.
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
    pub(super) fn take_in(&self, request: Request) -> BoxFuture<'static, Result<Request, Response>> {
        (self.take_in)(request)
    }

    /// Returns the route for every method.
    pub(super) fn methods(&self) -> MethodRouter {
        let answer = Arc::clone(&self.answer);
        any(move |request: Request| answer(request))
    }

    /// Renders a refusal in the protocol's format; status and headers are those of every refusal.
    pub(super) fn refuse(&self, refused: ClientError) -> Response {
        let body = (self.refusal)(&refused);
        let mut response = reply::refusal(refused);
        if let Some(trail) = response.extensions_mut().get_mut::<LogFields>() {
            trail.bytes = body.len();
        }
        *response.body_mut() = body.into();
        response
    }
}
