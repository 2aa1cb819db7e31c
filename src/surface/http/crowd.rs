//! The connections that are open: how many there are, from where, and which of them do nothing.
//!
//! A connection is idle while no request of its is under way, whatever else it sends: heads that never end, settings, pings.
//! Idle connections make room for new ones, the oldest first; one that is at work is closed only when a reply of its stalls.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};

use super::held::Keep;
use crate::access::network;

/// Bounds on connections.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub at_once: usize,
    pub per_address: usize,
    pub idle: Duration,
    pub stalled: Duration,
}

/// The open connections.
pub(super) struct Crowd {
    bounds: Bounds,
    members: Mutex<Members>,
    left: Notify,
}

#[derive(Default)]
struct Members {
    next: u64,
    lives: BTreeMap<u64, Arc<Life>>,
    by_network: HashMap<[u8; 8], usize>,
}

/// A connection's membership; it ends when it is dropped.
pub(super) struct Member {
    crowd: Arc<Crowd>,
    number: u64,
    pub life: Arc<Life>,
    pub end: watch::Receiver<End>,
}

/// How a connection is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Not at all.
    NotYet,
    /// In the words of its protocol, as nothing is under way.
    Politely,
    /// At once.
    Now,
}

/// Why a connection is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Full {
    /// Its address has as many as it may, and all are at work.
    Address,
    /// There are as many as there may be, and all are at work.
    Everywhere,
}

/// What one connection does.
pub(super) struct Life {
    network: Option<[u8; 8]>,
    began: Instant,
    work: Mutex<Work>,
    end: watch::Sender<End>,
}

struct Work {
    under_way: usize,
    idle_since: Instant,
    replies: Vec<Arc<AtomicU64>>,
}

/// A request under way, and its reply until that was handed over.
pub(super) struct Open {
    life: Arc<Life>,
    /// When a part of the reply was last taken, in milliseconds of the connection's life.
    moved: Option<Arc<AtomicU64>>,
}

impl Crowd {
    pub(super) fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self { bounds, members: Mutex::default(), left: Notify::new() })
    }

    /// Takes in a connection, in the place of the oldest idle one if need be. `None` for the address stands for a proxy, which
    /// speaks for many.
    ///
    /// # Errors
    /// Which bound is met by connections that are all at work.
    pub(super) fn enter(self: &Arc<Self>, address: Option<IpAddr>) -> Result<Member, Full> {
        let mut members = self.members();
        let network = address.map(network);
        let from_there = network.and_then(|network| members.by_network.get(&network)).copied().unwrap_or(0);
        if from_there >= self.bounds.per_address && !members.close_oldest_idle(|life| life.network == network)
        {
            return Err(Full::Address);
        }
        if members.lives.len() >= self.bounds.at_once && !members.close_oldest_idle(|_| true) {
            return Err(Full::Everywhere);
        }
        let (life, end) = Life::new(network);
        let number = members.next;
        members.next += 1;
        members.lives.insert(number, Arc::clone(&life));
        if let Some(network) = network {
            *members.by_network.entry(network).or_default() += 1;
        }
        Ok(Member { crowd: Arc::clone(self), number, life, end })
    }

    /// Closes the oldest idle connection, if there is one.
    pub(super) fn make_room(&self) {
        self.members().close_oldest_idle(|_| true);
    }

    /// Comes when a connection has ended.
    pub(super) async fn left(&self) {
        self.left.notified().await;
    }

    /// Closes connections that did nothing for too long, and those of whose replies one is not taken.
    pub(super) fn sweep(&self) {
        let lives: Vec<Arc<Life>> = self.members().lives.values().cloned().collect();
        for life in lives {
            life.judge(self.bounds);
        }
    }

    /// How often it is worth to sweep.
    pub(super) fn period(&self) -> Duration {
        const LONGEST: Duration = Duration::from_secs(1);
        const SHORTEST: Duration = Duration::from_millis(5);
        (self.bounds.idle.min(self.bounds.stalled) / 4).clamp(SHORTEST, LONGEST)
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Members {
    /// Closes the connection that has been idle longest of those that are meant. Its place is free at once.
    fn close_oldest_idle(&mut self, is_meant: impl Fn(&Life) -> bool) -> bool {
        let meant = self.lives.iter().filter(|(_, life)| is_meant(life));
        let idle = meant.filter_map(|(number, life)| life.idle_since().map(|since| (since, *number)));
        let Some((_, number)) = idle.min() else { return false };
        if let Some(life) = self.remove(number) {
            life.close(End::Politely);
        }
        true
    }

    fn remove(&mut self, number: u64) -> Option<Arc<Life>> {
        let life = self.lives.remove(&number)?;
        if let Some(network) = life.network
            && let Some(count) = self.by_network.get_mut(&network)
        {
            *count -= 1;
            if *count == 0 {
                self.by_network.remove(&network);
            }
        }
        Some(life)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.crowd.members().remove(self.number);
        self.crowd.left.notify_one();
    }
}

impl Life {
    fn new(network: Option<[u8; 8]>) -> (Arc<Self>, watch::Receiver<End>) {
        let (end, told) = watch::channel(End::NotYet);
        let now = Instant::now();
        let work = Mutex::new(Work { under_way: 0, idle_since: now, replies: Vec::new() });
        (Arc::new(Self { network, began: now, work, end }), told)
    }

    /// A request has come.
    pub(super) fn open(self: &Arc<Self>) -> Open {
        self.work().under_way += 1;
        Open { life: Arc::clone(self), moved: None }
    }

    fn idle_since(&self) -> Option<Instant> {
        let work = self.work();
        (work.under_way == 0).then_some(work.idle_since)
    }

    fn judge(&self, bounds: Bounds) {
        let work = self.work();
        let now = Instant::now();
        let since = |moved: &Arc<AtomicU64>| {
            now.saturating_duration_since(self.began + Duration::from_millis(moved.load(Ordering::Relaxed)))
        };
        if work.replies.iter().any(|moved| since(moved) > bounds.stalled) {
            drop(work);
            tracing::debug!("a caller takes nothing of a reply");
            self.close(End::Now);
        } else if work.under_way == 0 && now.saturating_duration_since(work.idle_since) > bounds.idle {
            drop(work);
            self.close(End::Politely);
        }
    }

    fn close(&self, how: End) {
        self.end.send_if_modified(|end| {
            let is_news = *end == End::NotYet || how == End::Now;
            if is_news {
                *end = how;
            }
            is_news
        });
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// The reply is ready: from here on it must be taken.
    #[must_use]
    pub(super) fn replying(mut self) -> Self {
        let moved = Arc::new(AtomicU64::new(self.life.now()));
        self.life.work().replies.push(Arc::clone(&moved));
        self.moved = Some(moved);
        self
    }
}

impl Keep for Open {
    fn moved(&self) {
        if let Some(moved) = &self.moved {
            moved.store(self.life.now(), Ordering::Relaxed);
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut work = self.life.work();
        if let Some(moved) = &self.moved {
            work.replies.retain(|other| !Arc::ptr_eq(other, moved));
        }
        work.under_way -= 1;
        work.idle_since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crowd(at_once: usize, per_address: usize) -> Arc<Crowd> {
        let bounds = Bounds { at_once, per_address, idle: Duration::ZERO, stalled: Duration::ZERO };
        Crowd::new(bounds)
    }

    fn enter(crowd: &Arc<Crowd>, address: &str) -> Result<Member, Full> {
        crowd.enter(Some(address.parse().unwrap()))
    }

    fn is_closed(member: &Member) -> bool {
        *member.end.borrow() != End::NotYet
    }

    #[test]
    fn the_oldest_idle_connection_makes_room() {
        let crowd = crowd(2, 9);
        let first = enter(&crowd, "192.0.2.1").unwrap();
        let at_work = first.life.open();
        let second = enter(&crowd, "192.0.2.2").unwrap();
        let third = enter(&crowd, "192.0.2.3").unwrap();
        assert_eq!((is_closed(&first), is_closed(&second), is_closed(&third)), (false, true, false));
        let _busy = third.life.open();
        assert_eq!(enter(&crowd, "192.0.2.4").err(), Some(Full::Everywhere));
        drop(at_work);
        assert!(enter(&crowd, "192.0.2.4").is_ok());
        assert!(is_closed(&first));
    }

    #[test]
    fn an_address_has_so_many_and_a_proxy_as_many_as_there_are() {
        let crowd = crowd(9, 1);
        let first = enter(&crowd, "2001:db8:0:1::1").unwrap();
        let other = enter(&crowd, "2001:db8:0:2::1").unwrap();
        let busy = first.life.open();
        assert_eq!(enter(&crowd, "2001:db8:0:1::2").err(), Some(Full::Address));
        assert!(!is_closed(&other));
        let proxied: Vec<_> = (0..3).map(|_| crowd.enter(None).unwrap()).collect();
        assert!(!proxied.iter().any(is_closed));
        drop((busy, first));
        assert!(enter(&crowd, "2001:db8:0:1::2").is_ok());
    }

    #[test]
    fn the_idle_go_politely_and_the_stalled_at_once() {
        let crowd = crowd(9, 9);
        let [idle, waiting, stalled] = [1, 2, 3].map(|_| enter(&crowd, "192.0.2.1").unwrap());
        let (_under_way, _reply) = (waiting.life.open(), stalled.life.open().replying());
        std::thread::sleep(Duration::from_millis(5));
        crowd.sweep();
        let ends = [&idle, &waiting, &stalled].map(|member| *member.end.borrow());
        assert_eq!(ends, [End::Politely, End::NotYet, End::Now]);
    }
}
