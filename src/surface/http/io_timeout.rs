//! A stream that does not wait for ever for a caller to take what is written. It times bytes, not requests: a connection without
//! requests is `connection_table`'s to end.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// A stream with a limit on how long a caller takes nothing.
pub(super) struct IoTimeout<S> {
    stream: S,
    stalled: Duration,
    /// Since when nothing could be written.
    stall: Option<Pin<Box<Sleep>>>,
}

impl<S> IoTimeout<S> {
    pub(super) fn new(stream: S, stalled: Duration) -> Self {
        Self { stream, stalled, stall: None }
    }

    /// What a write came to: progress resets the time, waiting runs against it.
    fn judge<T>(&mut self, context: &mut Context<'_>, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.stall = None;
            return poll;
        }
        let until = Instant::now() + self.stalled;
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep_until(until)));
        ready!(stall.as_mut().poll(context));
        Poll::Ready(Err(timed_out("the caller takes nothing of the reply")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for IoTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for IoTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.judge(context, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A flush without anything to flush is ready at once, and says nothing of a reply.
        let poll = Pin::new(&mut self.stream).poll_flush(context);
        if poll.is_ready() { poll } else { self.judge(context, poll) }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_shutdown(context);
        if poll.is_ready() { poll } else { self.judge(context, poll) }
    }
}

fn timed_out(words: &'static str) -> io::Error {
    io::Error::new(ErrorKind::TimedOut, words)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncWriteExt as _, duplex};

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn a_caller_who_takes_nothing_is_given_up() {
        let (ours, _theirs) = duplex(8);
        let mut stream = IoTimeout::new(ours, SHORT);
        stream.write_all(b"12345678").await.unwrap();
        assert_eq!(stream.write_all(b"9").await.unwrap_err().kind(), ErrorKind::TimedOut);
    }
}
