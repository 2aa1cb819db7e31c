//! The table of open connections: their number, their addresses, and the idle ones.
//!
//! A connection is idle while it has no request in progress, whatever else it sends: unfinished heads, settings, pings. The oldest idle
//! connections make room for new ones; a busy one is closed only when one of its replies stalls.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};

use super::connection_figures::{ConnectionFigures, EndReason};
use super::guarded_body::BodyGuard;
use parquote_access::network;

#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionBounds {
    pub at_once: usize,
    pub per_address: usize,
    pub idle: Duration,
    /// Longest time in which a caller may read no byte of a reply.
    pub stalled: Duration,
}

/// The open connections.
pub(super) struct ConnectionTable {
    bounds: ConnectionBounds,
    figures: Arc<ConnectionFigures>,
    connections: Mutex<OpenConnections>,
    /// Notified when a connection has closed.
    closed: Notify,
}

#[derive(Default)]
struct OpenConnections {
    next: u64,
    activities: BTreeMap<u64, Arc<ConnectionActivity>>,
    by_network: HashMap<[u8; 8], usize>,
    /// Time of the last log line about a system without free connections.
    full_table_logged_at: Option<Instant>,
}

/// A connection's entry in the table; dropping it removes the connection.
pub(super) struct ConnectionEntry {
    table: Arc<ConnectionTable>,
    number: u64,
    pub activity: Arc<ConnectionActivity>,
    pub end: watch::Receiver<CloseMode>,
}

/// The way in which a connection ends, the most urgent last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CloseMode {
    /// The connection stays open.
    KeepOpen,
    /// It ends after the requests in progress are answered.
    AfterRequests,
    /// It ends by a graceful shutdown of the protocol; no request is in progress.
    Gracefully,
    /// It ends at once.
    Now,
}

/// Reason for which a connection is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rejection {
    /// Its address has the maximum of connections, all busy.
    Address,
    /// The table is full, and all connections are busy.
    TableFull,
}

pub(super) struct ConnectionActivity {
    network: Option<[u8; 8]>,
    began: Instant,
    work: Mutex<ActivityState>,
    end: watch::Sender<CloseMode>,
}

struct ActivityState {
    requests_in_progress: usize,
    idle_since: Instant,
    /// Times of last progress of the replies, in milliseconds since the connection began.
    replies: Vec<Arc<AtomicU64>>,
}

/// Guard of a request in progress, held until its reply is handed over.
pub(super) struct ActiveRequest {
    activity: Arc<ConnectionActivity>,
    /// Time of the reply's last progress, in milliseconds since the connection began; `None` before the reply is ready.
    last_progress_ms: Option<Arc<AtomicU64>>,
}

impl ConnectionTable {
    pub(super) fn new(bounds: ConnectionBounds, figures: Arc<ConnectionFigures>) -> Arc<Self> {
        Arc::new(Self { bounds, figures, connections: Mutex::default(), closed: Notify::new() })
    }

    /// Enters a connection, in place of the oldest idle one if need be; the error is the limit that busy connections have reached. The
    /// address is `None` for a proxy, which acts for many callers.
    pub(super) fn enter(self: &Arc<Self>, address: Option<IpAddr>) -> Result<ConnectionEntry, Rejection> {
        let mut connections = self.connections();
        let network = address.map(network);
        let from_network =
            network.and_then(|network| connections.by_network.get(&network)).copied().unwrap_or(0);
        if from_network >= self.bounds.per_address {
            if !connections.close_oldest_idle(|activity| activity.network == network) {
                self.figures.count_end(EndReason::Address);
                return Err(Rejection::Address);
            }
            self.figures.count_end(EndReason::Room);
        }
        if connections.activities.len() >= self.bounds.at_once {
            if !connections.close_oldest_idle(|_| true) {
                return Err(Rejection::TableFull);
            }
            self.figures.count_end(EndReason::Room);
        }
        self.figures.count_accepted();
        let (activity, end) = ConnectionActivity::new(network);
        let number = connections.next;
        connections.next += 1;
        connections.activities.insert(number, Arc::clone(&activity));
        if let Some(network) = network {
            *connections.by_network.entry(network).or_default() += 1;
        }
        Ok(ConnectionEntry { table: Arc::clone(self), number, activity, end })
    }

    /// Closes the oldest idle connection, if any, because the system has no free ones. Returns true if this is to be logged, at most once a
    /// minute.
    pub(super) fn make_room(&self) -> bool {
        const LOG_INTERVAL: Duration = Duration::from_mins(1);
        let mut connections = self.connections();
        if connections.close_oldest_idle(|_| true) {
            self.figures.count_end(EndReason::Room);
        }
        let is_due = connections.full_table_logged_at.is_none_or(|at| at.elapsed() >= LOG_INTERVAL);
        if is_due {
            connections.full_table_logged_at = Some(Instant::now());
        }
        is_due
    }

    /// Completes when a connection has ended.
    pub(super) async fn connection_ended(&self) {
        self.closed.notified().await;
    }

    /// Requests that all connections end after their requests in progress are answered.
    pub(super) fn end_after_requests(&self) {
        for activity in self.connections().activities.values() {
            activity.close(CloseMode::AfterRequests);
        }
    }

    /// Closes connections that were idle for too long, and those with a stalled reply.
    pub(super) fn close_idle(&self) {
        let activities: Vec<Arc<ConnectionActivity>> =
            self.connections().activities.values().cloned().collect();
        for activity in activities {
            if let Some(reason) = activity.close_if_stalled(self.bounds) {
                self.figures.count_end(reason);
            }
        }
    }

    /// Returns the interval between calls of [`Self::close_idle`].
    pub(super) fn sweep_interval(&self) -> Duration {
        const LONGEST_WAIT: Duration = Duration::from_secs(1);
        const SHORTEST_WAIT: Duration = Duration::from_millis(5);
        (self.bounds.idle.min(self.bounds.stalled) / 4).clamp(SHORTEST_WAIT, LONGEST_WAIT)
    }

    fn connections(&self) -> MutexGuard<'_, OpenConnections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    /// Closes the candidate that is idle for the longest time, and frees its place at once. Returns true if there was one.
    fn close_oldest_idle(&mut self, is_candidate: impl Fn(&ConnectionActivity) -> bool) -> bool {
        let candidates = self.activities.iter().filter(|(_, activity)| is_candidate(activity));
        let idle =
            candidates.filter_map(|(number, activity)| activity.idle_since().map(|since| (since, *number)));
        let Some((_, number)) = idle.min() else { return false };
        if let Some(activity) = self.remove(number) {
            activity.close(CloseMode::Gracefully);
        }
        true
    }

    fn remove(&mut self, number: u64) -> Option<Arc<ConnectionActivity>> {
        let activity = self.activities.remove(&number)?;
        if let Some(network) = activity.network
            && let Some(count) = self.by_network.get_mut(&network)
        {
            *count -= 1;
            if *count == 0 {
                self.by_network.remove(&network);
            }
        }
        Some(activity)
    }
}

impl Drop for ConnectionEntry {
    fn drop(&mut self) {
        self.table.connections().remove(self.number);
        self.table.figures.count_close();
        self.table.closed.notify_one();
    }
}

impl ConnectionActivity {
    fn new(network: Option<[u8; 8]>) -> (Arc<Self>, watch::Receiver<CloseMode>) {
        let (end, end_signal) = watch::channel(CloseMode::KeepOpen);
        let now = Instant::now();
        let work =
            Mutex::new(ActivityState { requests_in_progress: 0, idle_since: now, replies: Vec::new() });
        (Arc::new(Self { network, began: now, work, end }), end_signal)
    }

    pub(super) fn begin_request(self: &Arc<Self>) -> ActiveRequest {
        self.work().requests_in_progress += 1;
        ActiveRequest { activity: Arc::clone(self), last_progress_ms: None }
    }

    fn idle_since(&self) -> Option<Instant> {
        let work = self.work();
        (work.requests_in_progress == 0).then_some(work.idle_since)
    }

    /// Returns true if no request was in progress for this time.
    pub(super) fn is_idle_for(&self, time: Duration) -> bool {
        self.idle_since().is_some_and(|since| since.elapsed() > time)
    }

    /// Closes the connection if it is stalled or idle. Returns the reason; `None` if it is neither, or was already requested to end as
    /// urgently.
    fn close_if_stalled(&self, bounds: ConnectionBounds) -> Option<EndReason> {
        let now = Instant::now();
        let since = |progress_ms: &Arc<AtomicU64>| {
            let progress_ms = progress_ms.load(Ordering::Relaxed);
            now.saturating_duration_since(self.began + Duration::from_millis(progress_ms))
        };
        if self.work().replies.iter().any(|progress_ms| since(progress_ms) > bounds.stalled) {
            tracing::debug!("a caller takes nothing of a reply");
            self.close(CloseMode::Now).then_some(EndReason::Stalled)
        } else if self.is_idle_for(bounds.idle) {
            self.close(CloseMode::Gracefully).then_some(EndReason::Idle)
        } else {
            None
        }
    }

    /// Requests the connection to end; returns true if this is more urgent than before.
    fn close(&self, mode: CloseMode) -> bool {
        self.end.send_if_modified(|end| {
            let is_more_urgent = mode > *end;
            *end = mode.max(*end);
            is_more_urgent
        })
    }

    fn elapsed_ms(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    fn work(&self) -> MutexGuard<'_, ActivityState> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveRequest {
    /// Makes this the last request on its connection.
    pub(super) fn close_after_reply(&self) {
        self.activity.close(CloseMode::AfterRequests);
    }

    /// Marks the reply as ready: from here on it must make progress.
    #[must_use]
    pub(super) fn begin_reply(mut self) -> Self {
        let progress_ms = Arc::new(AtomicU64::new(self.activity.elapsed_ms()));
        self.activity.work().replies.push(Arc::clone(&progress_ms));
        self.last_progress_ms = Some(progress_ms);
        self
    }
}

impl BodyGuard for ActiveRequest {
    fn on_progress(&self) {
        if let Some(progress_ms) = &self.last_progress_ms {
            progress_ms.store(self.activity.elapsed_ms(), Ordering::Relaxed);
        }
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let mut work = self.activity.work();
        if let Some(progress_ms) = &self.last_progress_ms {
            work.replies.retain(|other| !Arc::ptr_eq(other, progress_ms));
        }
        work.requests_in_progress -= 1;
        work.idle_since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(at_once: usize, per_address: usize) -> Arc<ConnectionTable> {
        let bounds = ConnectionBounds { at_once, per_address, idle: Duration::ZERO, stalled: Duration::ZERO };
        ConnectionTable::new(bounds, Arc::default())
    }

    fn enter(table: &Arc<ConnectionTable>, address: &str) -> Result<ConnectionEntry, Rejection> {
        table.enter(Some(address.parse().unwrap()))
    }

    fn is_closed(entry: &ConnectionEntry) -> bool {
        *entry.end.borrow() != CloseMode::KeepOpen
    }

    #[test]
    fn the_oldest_idle_connection_makes_room() {
        let table = table(2, 9);
        let first = enter(&table, "192.0.2.1").unwrap();
        let at_work = first.activity.begin_request();
        let second = enter(&table, "192.0.2.2").unwrap();
        let third = enter(&table, "192.0.2.3").unwrap();
        assert_eq!((is_closed(&first), is_closed(&second), is_closed(&third)), (false, true, false));
        let _busy = third.activity.begin_request();
        assert_eq!(enter(&table, "192.0.2.4").err(), Some(Rejection::TableFull));
        drop(at_work);
        assert!(enter(&table, "192.0.2.4").is_ok());
        assert!(is_closed(&first));
    }

    #[test]
    fn an_address_has_so_many_and_a_proxy_as_many_as_there_are() {
        let table = table(9, 1);
        let first = enter(&table, "2001:db8:0:1::1").unwrap();
        let other = enter(&table, "2001:db8:0:2::1").unwrap();
        let busy = first.activity.begin_request();
        assert_eq!(enter(&table, "2001:db8:0:1::2").err(), Some(Rejection::Address));
        assert!(!is_closed(&other));
        let proxied: Vec<_> = (0..3).map(|_| table.enter(None).unwrap()).collect();
        assert!(!proxied.iter().any(is_closed));
        drop((busy, first));
        assert!(enter(&table, "2001:db8:0:1::2").is_ok());
    }

    #[test]
    fn the_idle_go_politely_and_the_stalled_at_once() {
        let table = table(9, 9);
        let [idle, waiting, stalled] = [1, 2, 3].map(|_| enter(&table, "192.0.2.1").unwrap());
        let (_under_way, _reply) =
            (waiting.activity.begin_request(), stalled.activity.begin_request().begin_reply());
        std::thread::sleep(Duration::from_millis(5));
        table.close_idle();
        let ends = [&idle, &waiting, &stalled].map(|entry| *entry.end.borrow());
        assert_eq!(ends, [CloseMode::Gracefully, CloseMode::KeepOpen, CloseMode::Now]);
        table.close_idle();
        table.end_after_requests();
        let ends = [&idle, &waiting, &stalled].map(|entry| *entry.end.borrow());
        assert_eq!(ends, [CloseMode::Gracefully, CloseMode::AfterRequests, CloseMode::Now]);
        // Each counts once.
        let ended: Vec<_> = table.figures.ends_by_reason().filter(|(_, count)| *count > 0).collect();
        assert_eq!((ended, table.figures.open()), (vec![("idle", 1), ("stalled", 1)], 3));
        drop(idle);
        assert_eq!((table.figures.open(), table.figures.accepted_count()), (2, 3));
    }
}
