//! Attacks that run until they are dropped.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use reqwest::RequestBuilder;
use tokio::task::JoinSet;

use super::target::Target;
use crate::demo_market::RUNTIME;
use crate::running_server::wait_for;

/// Pause of an attacker between two requests: the server and the honest caller share the processors.
const PAUSE: Duration = Duration::from_millis(10);

/// Repeated requests, a fixed number at a time.
pub(super) struct Requests {
    _tasks: JoinSet<()>,
}

/// Repeated bytes on separate connections.
pub(super) struct Bytes {
    over: Arc<AtomicBool>,
    senders: Vec<JoinHandle<()>>,
}

impl Requests {
    /// Sends a request whenever the previous one has ended.
    pub(super) fn repeat(
        at_once: usize,
        request: impl Fn() -> RequestBuilder + Clone + Send + 'static,
    ) -> Self {
        let mut tasks = JoinSet::new();
        let sent = Arc::new(AtomicUsize::new(0));
        for _ in 0..at_once {
            let (request, sent) = (request.clone(), Arc::clone(&sent));
            let task = async move {
                loop {
                    sent.fetch_add(1, Ordering::Relaxed);
                    if let Ok(reply) = request().send().await {
                        let _ = reply.bytes().await;
                    }
                    tokio::time::sleep(PAUSE).await;
                }
            };
            tasks.spawn_on(task, RUNTIME.handle());
        }
        under_way(&sent, at_once);
        Self { _tasks: tasks }
    }
}

impl Bytes {
    /// Opens connections and sends the same bytes on each repeatedly; closed ones are opened again.
    pub(super) fn repeat(
        target: &Target,
        connections: usize,
        first: &[u8],
        again: impl Fn(u32) -> Vec<u8> + Clone + Send + 'static,
    ) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let rounds = Arc::new(AtomicUsize::new(0));
        let senders = (0..connections).map(|_| {
            let (over, address) = (Arc::clone(&over), target.address.clone());
            let rounds = Arc::clone(&rounds);
            let (first, again) = (first.to_vec(), again.clone());
            spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let Ok(stream) = TcpStream::connect(&address) else { continue };
                    say(stream, &first, &again, (&over, &rounds));
                }
            })
        });
        let senders = senders.collect();
        under_way(&rounds, 10 * connections);
        Self { over, senders }
    }
}

/// Sends the same bytes until the other side closes the connection.
fn say(
    mut stream: TcpStream,
    first: &[u8],
    again: &impl Fn(u32) -> Vec<u8>,
    (over, rounds): (&AtomicBool, &AtomicUsize),
) {
    let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
    let _ = stream.write_all(first);
    let mut round = 0;
    while !over.load(Ordering::Relaxed) && stream.write_all(&again(round)).is_ok() {
        round += 1;
        rounds.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(PAUSE);
    }
}

/// Waits until enough of an attack was sent.
fn under_way(sent: &AtomicUsize, enough: usize) {
    wait_for("the attack", || sent.load(Ordering::Relaxed) >= enough);
}

impl Drop for Bytes {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for sender in self.senders.drain(..) {
            let _ = sender.join();
        }
    }
}
