//! Messages on a connection: each is read whole, within bounds of its length and of time, and written in pieces that a client must take.
//!
//! A message is cut out of the stream before it is decoded, so that what one says of its length decides nothing but when it is over.

use std::io;
use std::time::Duration;

use bytes::{Buf as _, BytesMut};
use pgwire::messages::{DecodeContext, PgWireBackendMessage, PgWireFrontendMessage};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::engine::own_select::LONGEST;

/// The longest message before it is known who calls.
const MOST_STARTUP: usize = 8 << 10;
/// The longest message of a caller: the longest SELECT, and as much again of values.
const MOST: usize = LONGEST + (16 << 10);
/// What is written at once.
const PIECE: usize = 64 << 10;

/// Bytes that go both ways.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Duplex for T {}

/// A connection.
pub(super) struct Wire {
    stream: Box<dyn Duplex>,
    inbox: BytesMut,
    outbox: BytesMut,
    context: DecodeContext,
    stalled: Duration,
}

/// Why a connection ends.
#[derive(Debug, thiserror::Error)]
pub(super) enum WireError {
    /// The client is gone.
    #[error("the connection ended")]
    Io(#[from] io::Error),
    /// Nothing came, or nothing was taken, for too long.
    #[error("nothing came for too long")]
    Idle,
    /// It says that it is longer than it may be, or shorter than it can be.
    #[error("a message of {0} bytes; at most {MOST} are read, and {MOST_STARTUP} before the password")]
    Length(usize),
    /// It is no message.
    #[error("a message cannot be read")]
    Unread,
}

impl Wire {
    /// A connection whose first bytes were read already, and whose client has so long to send the rest of a message and to take what is
    /// written.
    pub(super) fn new(stream: Box<dyn Duplex>, read: &[u8], stalled: Duration) -> Self {
        let mut context = DecodeContext::default();
        context.awaiting_frontend_ssl = false;
        Self { stream, inbox: BytesMut::from(read), outbox: BytesMut::new(), context, stalled }
    }

    /// The first message: it has no kind before its length. `None` where the client left.
    pub(super) async fn first(&mut self) -> Result<Option<PgWireFrontendMessage>, WireError> {
        let Some(mut message) = self.message(0, MOST_STARTUP, self.stalled).await? else { return Ok(None) };
        if message.len() < 9 {
            return Err(WireError::Unread);
        }
        self.decoded(&mut message).map(Some)
    }

    /// The password, or whatever is sent in its place.
    pub(super) async fn password(&mut self) -> Result<Option<PgWireFrontendMessage>, WireError> {
        self.typed(MOST_STARTUP, self.stalled).await
    }

    /// The next message of a caller, who may be idle so long. `None` where the client left.
    pub(super) async fn next(&mut self, idle: Duration) -> Result<Option<PgWireFrontendMessage>, WireError> {
        self.typed(MOST, idle).await
    }

    async fn typed(
        &mut self,
        most: usize,
        idle: Duration,
    ) -> Result<Option<PgWireFrontendMessage>, WireError> {
        self.context.awaiting_frontend_startup = false;
        let Some(mut message) = self.message(1, most, idle).await? else { return Ok(None) };
        self.decoded(&mut message).map(Some)
    }

    /// The bytes of one message, whose length stands behind so many bytes.
    async fn message(
        &mut self,
        before: usize,
        most: usize,
        idle: Duration,
    ) -> Result<Option<BytesMut>, WireError> {
        if !self.fill(before + 4, idle).await? {
            return Ok(None);
        }
        let length = self.inbox.get(before..before + 4).and_then(|length| length.try_into().ok());
        let length = u32::from_be_bytes(length.unwrap_or_default()) as usize;
        if !(4..=most).contains(&length) {
            return Err(WireError::Length(length));
        }
        if !self.fill(before + length, self.stalled).await? {
            return Ok(None);
        }
        Ok(Some(self.inbox.split_to(before + length)))
    }

    /// Reads until there are so many bytes. `false` where the client left before that.
    async fn fill(&mut self, bytes: usize, within: Duration) -> Result<bool, WireError> {
        let filled = timeout(within, async {
            while self.inbox.len() < bytes {
                self.inbox.reserve(bytes - self.inbox.len());
                if self.stream.read_buf(&mut self.inbox).await? == 0 {
                    return Ok(false);
                }
            }
            Ok(true)
        });
        filled.await.map_err(|_| WireError::Idle)?
    }

    fn decoded(&self, message: &mut BytesMut) -> Result<PgWireFrontendMessage, WireError> {
        let is_whole = self.context.awaiting_frontend_startup || is_whole(message);
        let decoded = is_whole.then(|| PgWireFrontendMessage::decode(message, &self.context).ok().flatten());
        decoded.flatten().ok_or(WireError::Unread)
    }

    /// Puts a message behind those that are to be written.
    pub(super) async fn send(&mut self, message: &PgWireBackendMessage) -> Result<(), WireError> {
        message.encode(&mut self.outbox).map_err(|_| WireError::Unread)?;
        if self.outbox.len() < PIECE { Ok(()) } else { self.flush().await }
    }

    /// Writes all of them.
    pub(super) async fn flush(&mut self) -> Result<(), WireError> {
        while !self.outbox.is_empty() {
            let written = timeout(self.stalled, self.stream.write(&self.outbox)).await;
            let written = written.map_err(|_| WireError::Idle)??;
            if written == 0 {
                return Err(io::Error::from(io::ErrorKind::WriteZero).into());
            }
            self.outbox.advance(written);
        }
        timeout(self.stalled, self.stream.flush()).await.map_err(|_| WireError::Idle)??;
        Ok(())
    }

    /// Ends the connection.
    pub(super) async fn close(mut self) {
        let _ = timeout(self.stalled, self.stream.shutdown()).await;
    }
}

/// Whether a message has all that it says it has; the decoder takes that for granted.
fn is_whole(message: &[u8]) -> bool {
    fn walk(message: &[u8]) -> Option<()> {
        let (kind, body) = message.split_first()?;
        let mut rest = UnreadRest(body.get(4..)?);
        match kind {
            b'Q' => rest.text(),
            b'P' => {
                rest.text()?;
                rest.text()?;
                rest.list(4)
            }
            b'B' => {
                rest.text()?;
                rest.text()?;
                rest.list(2)?;
                for _ in 0..rest.count()? {
                    let length = rest.take(4)?.try_into().ok().map(i32::from_be_bytes)?;
                    rest.take(usize::try_from(length).unwrap_or_default())?;
                }
                rest.list(2)
            }
            b'D' | b'C' => {
                rest.take(1)?;
                rest.text()
            }
            b'E' => {
                rest.text()?;
                rest.take(4).map(|_| ())
            }
            _ => Some(()),
        }
    }
    walk(message).is_some()
}

/// What is left of a message.
struct UnreadRest<'a>(&'a [u8]);

impl<'a> UnreadRest<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn text(&mut self) -> Option<()> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        self.take(end + 1).map(|_| ())
    }

    fn count(&mut self) -> Option<usize> {
        self.take(2)?.try_into().ok().map(|count| u16::from_be_bytes(count).into())
    }

    fn list(&mut self, bytes: usize) -> Option<()> {
        let count = self.count()?;
        self.take(count * bytes).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_lacks_a_part_is_not_decoded() {
        let bind = b"B\0\0\0\x14\0\0\0\x01\0\x01\0\x01\0\0\0\x01x\0\0";
        let whole: [&[u8]; 5] = [
            b"Q\0\0\0\x06x\0",
            b"P\0\0\0\x0c\0x\0\0\x01\0\0\0\x17",
            bind,
            b"E\0\0\0\x09\0\0\0\0\0",
            b"S\0\0\0\x04",
        ];
        for message in whole {
            assert!(is_whole(message), "{message:?}");
            let is_short = |end: &usize| !is_whole(&message[..*end]);
            assert_eq!((5..message.len()).filter(is_short).count(), message.len() - 5, "{message:?}");
        }
    }
}
