//! A protocol of its own at some paths: the middleware around it is that of all requests - keys, limits, log, figures - and what
//! it speaks is not known here.

use std::fmt;
use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use axum::routing::{MethodRouter, any};
use futures::future::BoxFuture;

use super::cross_origin::CrossOrigin;
use super::reply::{self, Trail};
use parquote_catalogue::error::ClientError;

/// Answers a request of which the middleware knows who asks: the caller stands in its extensions.
type RouteAnswer = dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync;

/// Reads the body of a request, or says what is wrong with it.
type TakeIn = dyn Fn(Request) -> BoxFuture<'static, Result<Request, Response>> + Send + Sync;

/// A protocol of its own at some paths.
#[derive(Clone)]
pub struct Mount {
    paths: &'static [&'static str],
    take_in: Arc<TakeIn>,
    answer: Arc<RouteAnswer>,
    /// A refusal as its callers read it, in JSON.
    refusal: fn(&ClientError) -> Vec<u8>,
    /// The longest body that is taken.
    body_bytes: u64,
    /// Pages of other places that may read its replies.
    readers: CrossOrigin,
}

impl Mount {
    /// What answers at these paths, each with a slash at its end or without. `take_in` reads a body before the request takes a
    /// place; `answer` finds it read.
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

    /// The same, with replies that pages of other places may read.
    #[must_use]
    pub fn read_by(self, readers: CrossOrigin) -> Self {
        Self { readers, ..self }
    }

    /// Pages of other places that may read its replies.
    pub(super) fn readers(&self) -> &CrossOrigin {
        &self.readers
    }

    /// Its paths.
    pub(super) fn paths(&self) -> &'static [&'static str] {
        self.paths
    }

    /// Whether a path is one of its own.
    pub(super) fn is_at(&self, path: &str) -> bool {
        self.paths.contains(&path.strip_suffix('/').unwrap_or(path))
    }

    /// The longest body that is taken.
    pub(super) fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    /// The request with its body read, or what is wrong with it.
    pub(super) fn take_in(&self, request: Request) -> BoxFuture<'static, Result<Request, Response>> {
        (self.take_in)(request)
    }

    /// What answers, whatever the method.
    pub(super) fn methods(&self) -> MethodRouter {
        let answer = Arc::clone(&self.answer);
        any(move |request: Request| answer(request))
    }

    /// A refusal in the words of the protocol; status and headers are those of every refusal.
    pub(super) fn refuse(&self, refused: ClientError) -> Response {
        let body = (self.refusal)(&refused);
        let mut response = reply::refusal(refused);
        if let Some(trail) = response.extensions_mut().get_mut::<Trail>() {
            trail.bytes = body.len();
        }
        *response.body_mut() = body.into();
        response
    }
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mount").field("paths", &self.paths).finish_non_exhaustive()
    }
}
