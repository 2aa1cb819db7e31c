//! A body in three pieces: a cached answer is sent without a copy, between the beginning and the end of its envelope.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// A body of consecutive byte buffers.
#[derive(Debug)]
pub(super) struct EnvelopeBody {
    pieces: [Bytes; 3],
    next: usize,
}

impl EnvelopeBody {
    pub(super) const fn new(pieces: [Bytes; 3]) -> Self {
        Self { pieces, next: 0 }
    }

    /// Returns the number of bytes still to be sent.
    pub(super) fn bytes(&self) -> usize {
        self.pieces.iter().skip(self.next).map(Bytes::len).sum()
    }
}

impl HttpBody for EnvelopeBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let position = self.next;
        self.next += 1;
        Poll::Ready(self.pieces.get_mut(position).map(|piece| Ok(Frame::data(std::mem::take(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.next >= self.pieces.len()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes() as u64)
    }
}
