//! A stream with a timeout for callers that read a reply too slowly: nothing at all, or a few bytes now and then. It times bytes, not
//! requests: a connection without requests is closed by `connection_table`.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Minimum rate of a caller while bytes wait for it.
const LEAST_BYTES_A_SECOND: f64 = 4.0 * 1024.0;
/// Window over which the rate is measured, in multiples of the stall timeout.
const SLOW_WINDOWS: u32 = 3;

/// A stream with limits on a caller's stalls and on its rate.
pub(super) struct IoTimeout<S> {
    stream: S,
    /// Longest time in which nothing can be written.
    stalled: Duration,
    /// Timer since the first write that had to wait; `None` if the last write made progress.
    stall: Option<Pin<Box<Sleep>>>,
    pace: Pace,
}

/// Bytes that a caller takes in the time in which bytes wait for it. Time without waiting bytes does not count.
#[derive(Default)]
struct Pace {
    /// Time since which bytes wait; `None` if none wait.
    since: Option<Instant>,
    /// Time in which bytes waited for the caller.
    waited: Duration,
    bytes: usize,
}

impl Pace {
    /// Marks that bytes wait from here on, if they did not already.
    fn wait(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    /// Records bytes taken; returns true if the rate was too low, judged once in each window of waiting.
    fn is_too_slow(&mut self, bytes: usize, now: Instant, window: Duration) -> bool {
        let Some(since) = self.since.take() else { return false };
        self.waited += now.saturating_duration_since(since);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.waited < window {
            return false;
        }
        let Self { waited, bytes, .. } = std::mem::take(self);
        (bytes as f64) < LEAST_BYTES_A_SECOND * waited.as_secs_f64()
    }
}

impl<S> IoTimeout<S> {
    pub(super) fn new(stream: S, stalled: Duration) -> Self {
        Self { stream, stalled, stall: None, pace: Pace::default() }
    }

    /// Applies the stall timeout to a write: progress resets it, waiting runs against it.
    fn apply_timeout<T>(
        &mut self,
        context: &mut Context<'_>,
        poll: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.stall = None;
            return poll;
        }
        self.pace.wait(Instant::now());
        let until = Instant::now() + self.stalled;
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep_until(until)));
        ready!(stall.as_mut().poll(context));
        Poll::Ready(Err(timed_out("the caller reads nothing of the reply")))
    }

    /// Applies the stall timeout and the minimum rate to a write that returns its bytes.
    fn judge_bytes(
        &mut self,
        context: &mut Context<'_>,
        poll: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let written = ready!(self.apply_timeout(context, poll))?;
        if self.pace.is_too_slow(written, Instant::now(), self.stalled * SLOW_WINDOWS) {
            return Poll::Ready(Err(timed_out("the caller takes too little of the reply")));
        }
        Poll::Ready(Ok(written))
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
        self.judge_bytes(context, poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.judge_bytes(context, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A flush without buffered bytes is ready at once, and is not progress of a reply.
        let poll = Pin::new(&mut self.stream).poll_flush(context);
        if poll.is_ready() { poll } else { self.apply_timeout(context, poll) }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_shutdown(context);
        if poll.is_ready() { poll } else { self.apply_timeout(context, poll) }
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

    #[test]
    fn a_caller_who_takes_a_few_bytes_now_and_then_is_too_slow() {
        const WINDOW: Duration = Duration::from_mins(1);
        let began = Instant::now();
        // Bytes are taken every ten seconds, with or without waiting.
        let verdicts = |bytes: usize, waits: bool| {
            let mut pace = Pace::default();
            let times = (1..=12).map(|turn| began + Duration::from_secs(10) * turn);
            let judged = times.map(|now| {
                if waits {
                    pace.wait(now - Duration::from_secs(10));
                }
                pace.is_too_slow(bytes, now, WINDOW)
            });
            judged.filter(|is_too_slow| *is_too_slow).count()
        };
        assert_eq!((verdicts(100, true), verdicts(100, false)), (2, 0));
        assert_eq!((verdicts(40_000, true), verdicts(41_000, true)), (2, 0));
    }
}
