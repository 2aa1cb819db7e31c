//! The listener: which connections are taken, how they are encrypted, and how all of them end with the server.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::door::PostgresDoor;
use super::session;
use super::wire::Wire;

/// How long statements under way may take once the server ends: longer than any may take.
const GRACE: Duration = Duration::from_secs(15);
/// How long to wait when the system has no more connections to give.
const BREATH: Duration = Duration::from_millis(200);
/// What a client asks before anything else: the code of encryption, and that of a ticket of a domain, which is not there.
const ASKS_TLS: u32 = 80_877_103;
const ASKS_GSS: u32 = 80_877_104;
/// The first byte of a client that encrypts without asking.
const TLS_RECORD: u8 = 0x16;

impl PostgresDoor {
    /// Serves connections until `shutdown` completes; then those that do nothing end, and statements under way are answered.
    ///
    /// # Errors
    /// A listener that never had an address.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        listener.local_addr()?;
        let this = Arc::new(self);
        let (open, mut all_closed) = mpsc::channel::<()>(1);
        let mut shutdown = pin!(shutdown);
        loop {
            let taken = tokio::select! {
                () = &mut shutdown => break,
                taken = listener.accept() => taken,
            };
            match taken {
                Ok((stream, peer)) => {
                    let (this, open) = (Arc::clone(&this), open.clone());
                    tokio::spawn(async move {
                        this.connection(stream, peer).await;
                        drop(open);
                    });
                }
                Err(error) => {
                    tracing::error!(%error, "no connection of a Postgres client can be taken now");
                    sleep(BREATH).await;
                }
            }
        }
        this.ending.send_replace(true);
        drop((listener, open));
        let _ = timeout(GRACE, all_closed.recv()).await;
        Ok(())
    }

    async fn connection(&self, stream: TcpStream, peer: SocketAddr) {
        let peer = peer.ip().to_canonical();
        let Some(place) = self.places.take(peer) else {
            tracing::debug!(%peer, "a Postgres client is refused: there are as many connections as there may be");
            return;
        };
        let _ = stream.set_nodelay(true);
        match timeout(self.times.start, self.negotiated(stream)).await {
            Ok(Ok(Some((wire, is_encrypted)))) => session::serve(self, wire, place, peer, is_encrypted).await,
            Ok(Ok(None)) => {}
            Ok(Err(error)) => {
                tracing::debug!(%peer, %error, "a Postgres client did not come to terms on encryption");
            }
            Err(_) => tracing::debug!(%peer, "a Postgres client took too long to say anything"),
        }
    }

    /// The connection, encrypted if the client asks for it and there is a certificate. `None` where the client left.
    async fn negotiated(&self, mut stream: TcpStream) -> io::Result<Option<(Wire, bool)>> {
        let mut first = [0];
        if stream.peek(&mut first).await? == 0 {
            return Ok(None);
        }
        if first == [TLS_RECORD] {
            return self.encrypted(stream).await;
        }
        // Each is asked at most once.
        for _ in 0..2 {
            let mut asked = [0; 8];
            if stream.read_exact(&mut asked).await.is_err() {
                return Ok(None);
            }
            let [0, 0, 0, 8, code @ ..] = asked else {
                return Ok(Some((Wire::new(Box::new(stream), &asked, self.times.stalled), false)));
            };
            match u32::from_be_bytes(code) {
                ASKS_TLS if self.tls.is_some() => {
                    stream.write_all(b"S").await?;
                    return self.encrypted(stream).await;
                }
                ASKS_TLS | ASKS_GSS => stream.write_all(b"N").await?,
                _ => return Ok(None),
            }
        }
        Ok(Some((Wire::new(Box::new(stream), &[], self.times.stalled), false)))
    }

    async fn encrypted(&self, stream: TcpStream) -> io::Result<Option<(Wire, bool)>> {
        let Some(tls) = &self.tls else { return Ok(None) };
        let stream = tls.accept_for(stream, b"postgresql").await?;
        Ok(Some((Wire::new(Box::new(stream), &[], self.times.stalled), true)))
    }
}
