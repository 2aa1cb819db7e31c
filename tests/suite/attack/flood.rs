//! Attacks that go on until they are dropped.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use reqwest::RequestBuilder;
use tokio::task::JoinSet;

use super::target::Target;
use crate::demo_market::RUNTIME;

/// How long an attack goes on before anything is measured.
const AHEAD: Duration = Duration::from_millis(500);

/// How long an attacker rests between two of anything: the server and the honest caller have the same processors.
const PAUSE: Duration = Duration::from_millis(10);

/// Requests, so many at a time.
pub(super) struct Requests(#[expect(dead_code, reason = "its tasks end with it")] JoinSet<()>);

/// Bytes on connections of their own.
pub(super) struct Bytes {
    over: Arc<AtomicBool>,
    senders: Vec<JoinHandle<()>>,
}

impl Requests {
    /// Sends a request whenever the one before it has ended.
    pub(super) fn of(at_once: usize, request: impl Fn() -> RequestBuilder + Clone + Send + 'static) -> Self {
        let mut tasks = JoinSet::new();
        for _ in 0..at_once {
            let request = request.clone();
            let task = async move {
                loop {
                    if let Ok(reply) = request().send().await {
                        let _ = reply.bytes().await;
                    }
                    tokio::time::sleep(PAUSE).await;
                }
            };
            tasks.spawn_on(task, RUNTIME.handle());
        }
        std::thread::sleep(AHEAD);
        Self(tasks)
    }
}

impl Bytes {
    /// Opens connections and says the same on each, again and again; one that is closed is opened again.
    pub(super) fn of(
        target: &Target,
        connections: usize,
        first: &[u8],
        again: impl Fn(u32) -> Vec<u8> + Clone + Send + 'static,
    ) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let senders = (0..connections).map(|_| {
            let (over, address) = (Arc::clone(&over), target.address.clone());
            let (first, again) = (first.to_vec(), again.clone());
            spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let Ok(stream) = TcpStream::connect(&address) else { continue };
                    say(stream, &first, &again, &over);
                }
            })
        });
        let senders = senders.collect();
        std::thread::sleep(AHEAD);
        Self { over, senders }
    }
}

/// Says the same until the other side ends the connection.
fn say(mut stream: TcpStream, first: &[u8], again: &impl Fn(u32) -> Vec<u8>, over: &AtomicBool) {
    let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
    let _ = stream.write_all(first);
    let mut round = 0;
    while !over.load(Ordering::Relaxed) && stream.write_all(&again(round)).is_ok() {
        round += 1;
        std::thread::sleep(PAUSE);
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for sender in self.senders.drain(..) {
            let _ = sender.join();
        }
    }
}
