//! A connection to a local server, for benches: one request after another, each reply read to its end.

use std::net::SocketAddr;

use anyhow::{Context, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The longest reply in bytes.
const LONGEST: usize = 256 * 1024;

/// An open connection.
pub(crate) struct Connection {
    stream: TcpStream,
    reply: Vec<u8>,
}

impl Connection {
    /// Opens a connection.
    pub(crate) async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, reply: vec![0; LONGEST] })
    }

    /// Sends a request and reads the reply up to the length in its head; it must be a success. Returns the head.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<&str> {
        self.stream.write_all(request).await?;
        let mut read = 0;
        let whole = loop {
            let more = self.stream.read(self.reply.get_mut(read..).unwrap_or_default()).await?;
            ensure!(more > 0, "the server hung up, or its reply is longer than {LONGEST} bytes");
            read += more;
            if is_whole(self.reply.get(..read).unwrap_or_default())? {
                break read;
            }
        };
        Ok(std::str::from_utf8(self.reply.get(..whole).unwrap_or_default())?)
    }
}

/// Returns the bytes of a request for a path below `/v1/`; each further header ends its line.
pub(crate) fn request(path: &str, headers: &str) -> Vec<u8> {
    format!("GET /v1/{path} HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\n{headers}\r\n").into_bytes()
}

/// Returns true if a reply is complete.
fn is_whole(reply: &[u8]) -> anyhow::Result<bool> {
    let Some(head) = reply.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(false) };
    let text = std::str::from_utf8(reply.get(..head).unwrap_or_default())?;
    ensure!(text.starts_with("HTTP/1.1 200"), "{}", String::from_utf8_lossy(reply));
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.context("a reply says how long it is")?.parse()?;
    Ok(reply.len() >= head + 4 + length)
}
