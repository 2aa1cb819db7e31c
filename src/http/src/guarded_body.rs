//! A body that holds a guard until it is handed over: permits of limits on work, and observers of its progress.
//!
//! A reply is not over when its head is ready. An HTTP/2 caller that grants no window reads nothing of the body, whose source stays in
//! memory; the guard is dropped only when the body ends.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// Guard that a body holds.
pub(super) trait BodyGuard {
    /// Called when a part of the body is handed over.
    fn on_progress(&self) {}
}

pub(super) struct GuardedBody<K> {
    inner: Body,
    /// Most bytes that are handed over at once: they go to buffers that no limit here covers.
    piece: usize,
    rest: Bytes,
    guard: Option<K>,
}

impl<K> GuardedBody<K> {
    pub(super) fn new(inner: Body, piece: usize, guard: K) -> Self {
        Self { inner, piece, rest: Bytes::new(), guard: Some(guard) }
    }
}

impl<K: BodyGuard + Unpin> HttpBody for GuardedBody<K> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if this.rest.is_empty() {
            match ready!(Pin::new(&mut this.inner).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                ended => {
                    this.guard = None;
                    return Poll::Ready(ended);
                }
            }
        }
        if let Some(guard) = &this.guard {
            guard.on_progress();
        }
        let piece = this.rest.split_to(this.piece.min(this.rest.len()));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (inner, rest) = (self.inner.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + rest);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::body::to_bytes;

    use super::*;

    impl BodyGuard for Arc<()> {}

    #[tokio::test]
    async fn what_is_held_goes_with_the_last_piece() {
        let guard = Arc::new(());
        let mut guarded = GuardedBody::new(Body::from("abcde"), 2, Arc::clone(&guard));
        for (piece, left) in [("ab", 3), ("cd", 1)] {
            let frame = std::future::poll_fn(|context| Pin::new(&mut guarded).poll_frame(context)).await;
            assert_eq!(frame.unwrap().unwrap().into_data().unwrap(), piece);
            assert_eq!(guarded.size_hint().exact(), Some(left));
            assert_eq!((guarded.is_end_stream(), Arc::strong_count(&guard)), (false, 2));
        }
        assert_eq!(to_bytes(Body::new(guarded), 8).await.unwrap(), "e");
        assert_eq!(Arc::strong_count(&guard), 1);
    }
}
