//! The body of an HTTP/1 request that records whether it was read to its end.
//!
//! A refusal may be sent before the body has arrived. The connection cannot carry another request then, and the reply must say so: a caller
//! that sends the next one into a closing connection gets no answer at all.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

/// Flag of a body that was read to its end.
#[derive(Clone, Default)]
pub(super) struct ReadToEndFlag(Arc<AtomicBool>);

impl ReadToEndFlag {
    pub(super) fn was_read_to_end(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A body that sets a flag when it was read to its end.
pub(super) struct RequestBody {
    body: Incoming,
    end: ReadToEndFlag,
}

impl RequestBody {
    pub(super) fn new(body: Incoming, end: &ReadToEndFlag) -> Self {
        Self { body, end: end.clone() }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.end.0.store(true, Ordering::Relaxed);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
