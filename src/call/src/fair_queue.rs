//! A fair queue of queries: permits to run are handed out in turns among keys, so that the tenth query of one key waits behind the first of
//! another. It runs nothing itself.
//!
//! A query that leaves the queue, or ends, makes room for the next at once.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::queue_figures::{QueueFigures, Waits};
use parquote_catalogue::error::{ClientError, ErrorKind, ReachedLimit};

/// Number of a key; `None` for unmetered callers.
pub(super) type KeyNumber = Option<i64>;

/// Limits on running and waiting queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueueLimits {
    /// Concurrent queries.
    pub running: usize,
    /// Concurrent queries of one key.
    pub running_per_key: usize,
    /// Waiting queries of one key.
    pub waiting_per_key: usize,
    /// Waiting queries of all keys.
    pub waiting: usize,
}

/// Reason for which a query is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum QueueFull {
    /// The key has its maximum of waiting queries.
    #[error(
        "{0} queries of this key are waiting, which is the most that may wait; try again when some of them are answered"
    )]
    Key(usize),
    /// All keys together have the maximum of waiting queries.
    #[error("{0} queries are waiting, which is the most that may wait")]
    All(usize),
}

impl From<QueueFull> for ClientError {
    fn from(full: QueueFull) -> Self {
        let bound = match full {
            QueueFull::Key(_) => ReachedLimit::OwnerQueue,
            QueueFull::All(_) => ReachedLimit::Queue,
        };
        let message = format!("{full}; try again in a few seconds");
        Self::new(ErrorKind::Unavailable, message).with_retry_after(1).with_limit(bound)
    }
}

#[derive(Debug)]
pub(super) struct FairQueue {
    limits: QueueLimits,
    state: Mutex<QueueState>,
    waits: Waits,
}

#[derive(Debug, Default)]
struct QueueState {
    by_key: HashMap<KeyNumber, KeyQueue>,
    /// Keys with waiting queries that may run, in the order of their turns.
    turns: VecDeque<KeyNumber>,
    running: usize,
    waiting: usize,
    next_ticket: u64,
}

/// Running and waiting queries of one key.
#[derive(Debug, Default)]
struct KeyQueue {
    running: usize,
    waiting: VecDeque<(u64, oneshot::Sender<RunPermit>)>,
    /// True if the key is in the queue of turns.
    has_turn: bool,
}

/// Permit to run one query, until it is dropped.
#[derive(Debug)]
pub(super) struct RunPermit {
    queue: Arc<FairQueue>,
    key: KeyNumber,
}

/// A query in the queue; dropping the ticket removes it.
struct Ticket<'a> {
    queue: &'a FairQueue,
    key: KeyNumber,
    number: u64,
}

impl FairQueue {
    /// Builds an empty queue. At least one query runs at a time, and the limit of a key is at most the limit of all keys.
    pub(super) fn new(limits: QueueLimits) -> Arc<Self> {
        let running = limits.running.max(1);
        let running_per_key = limits.running_per_key.clamp(1, running);
        let limits = QueueLimits { running, running_per_key, ..limits };
        Arc::new(Self { limits, state: Mutex::default(), waits: Waits::default() })
    }

    /// Waits for a permit; an error at the maximum of waiting queries.
    pub(super) async fn wait_for_permit(self: &Arc<Self>, key: KeyNumber) -> Result<RunPermit, QueueFull> {
        let (number, turn) = {
            let mut state = self.state();
            let QueueState { by_key, running, waiting, .. } = &mut *state;
            let key_queue = by_key.entry(key).or_default();
            let has_room = *running < self.limits.running && key_queue.running < self.limits.running_per_key;
            // If a permit is free, all waiting queries belong to keys that have reached their limit.
            if has_room && key_queue.waiting.is_empty() {
                *running += 1;
                key_queue.running += 1;
                self.waits.add(Duration::ZERO);
                return Ok(RunPermit { queue: Arc::clone(self), key });
            }
            let full = if key_queue.waiting.len() >= self.limits.waiting_per_key {
                Some(QueueFull::Key(self.limits.waiting_per_key))
            } else if *waiting >= self.limits.waiting {
                Some(QueueFull::All(self.limits.waiting))
            } else {
                None
            };
            if let Some(full) = full {
                state.forget_if_idle(key);
                return Err(full);
            }
            state.append_waiting(key, self.limits)
        };
        let ticket = Ticket { queue: self, key, number };
        let began = Instant::now();
        let permit = turn.await;
        self.waits.add(began.elapsed());
        // The sender is in the queue until it is used or the ticket is dropped.
        let permit = permit.map_err(|_| QueueFull::All(self.limits.waiting));
        drop(ticket);
        permit
    }

    /// Returns the running and waiting queries, and the wait times.
    pub(super) fn figures(&self) -> QueueFigures {
        let QueueState { running, waiting, .. } = *self.state();
        QueueFigures { running, waiting, waits: self.waits.current() }
    }

    /// Returns the numbers of running queries, of waiting queries, and of keys with either.
    #[cfg(test)]
    fn queue_counts(&self) -> (usize, usize, usize) {
        let state = self.state();
        (state.running, state.waiting, state.by_key.len())
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands free permits to the next queries.
    fn hand_out_permits(self: &Arc<Self>) {
        loop {
            let Some((key, sender)) = self.state().next(self.limits) else { return };
            // If the receiver was dropped, the permit is dropped and handed out again, so this loop must not hold a lock.
            if sender.send(RunPermit { queue: Arc::clone(self), key }).is_err() {
                tracing::trace!("a query left the queue when its turn came");
            }
        }
    }
}

impl QueueState {
    /// Appends a query to the waiting ones of its key.
    fn append_waiting(&mut self, key: KeyNumber, limits: QueueLimits) -> (u64, oneshot::Receiver<RunPermit>) {
        let (sender, receiver) = oneshot::channel();
        let number = self.next_ticket;
        self.next_ticket += 1;
        self.waiting += 1;
        self.by_key.entry(key).or_default().waiting.push_back((number, sender));
        self.give_turn(key, limits);
        (number, receiver)
    }

    /// Appends a key to the turns if it has a query that may run.
    fn give_turn(&mut self, key: KeyNumber, limits: QueueLimits) {
        let Some(key_queue) = self.by_key.get_mut(&key) else { return };
        if !key_queue.has_turn && !key_queue.waiting.is_empty() && key_queue.running < limits.running_per_key
        {
            key_queue.has_turn = true;
            self.turns.push_back(key);
        }
    }

    /// Takes the next query if a permit is free, and counts it as running.
    fn next(&mut self, limits: QueueLimits) -> Option<(KeyNumber, oneshot::Sender<RunPermit>)> {
        while self.running < limits.running {
            let key = self.turns.pop_front()?;
            let Some(key_queue) = self.by_key.get_mut(&key) else { continue };
            key_queue.has_turn = false;
            if key_queue.running >= limits.running_per_key {
                continue;
            }
            let Some((_, sender)) = key_queue.waiting.pop_front() else { continue };
            key_queue.running += 1;
            self.running += 1;
            self.waiting -= 1;
            self.give_turn(key, limits);
            return Some((key, sender));
        }
        None
    }

    fn forget_if_idle(&mut self, key: KeyNumber) {
        if self.by_key.get(&key).is_some_and(KeyQueue::is_idle) {
            self.by_key.remove(&key);
        }
    }
}

impl KeyQueue {
    fn is_idle(&self) -> bool {
        self.running == 0 && self.waiting.is_empty()
    }
}

impl Drop for RunPermit {
    fn drop(&mut self) {
        {
            let mut state = self.queue.state();
            state.running -= 1;
            if let Some(key_queue) = state.by_key.get_mut(&self.key) {
                key_queue.running -= 1;
            }
            state.give_turn(self.key, self.queue.limits);
            state.forget_if_idle(self.key);
        }
        self.queue.hand_out_permits();
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        let Some(key_queue) = state.by_key.get_mut(&self.key) else { return };
        let before = key_queue.waiting.len();
        key_queue.waiting.retain(|(number, _)| *number != self.number);
        let left = before - key_queue.waiting.len();
        state.waiting -= left;
        state.forget_if_idle(self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use futures::FutureExt as _;

    use super::*;

    const A: KeyNumber = Some(1);
    const B: KeyNumber = Some(2);

    fn queue(running: usize, running_per_key: usize) -> Arc<FairQueue> {
        FairQueue::new(QueueLimits { running, running_per_key, waiting_per_key: 4, waiting: 6 })
    }

    fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    #[test]
    fn keys_take_turns_whoever_came_first() {
        let queue = queue(1, 1);
        let permit = now(queue.wait_for_permit(A)).unwrap().unwrap();
        let mut of_a: Vec<_> = (0..3).map(|_| Box::pin(queue.wait_for_permit(A))).collect();
        assert!(of_a.iter_mut().all(|waiting| waiting.now_or_never().is_none()));
        let mut of_b = Box::pin(queue.wait_for_permit(B));
        assert!((&mut of_b).now_or_never().is_none());
        assert_eq!(queue.queue_counts(), (1, 4, 2));
        // The permit goes to the key whose turn it is, though the other waited first.
        drop(permit);
        let is_admitted: Vec<bool> =
            of_a.iter_mut().map(|waiting| waiting.now_or_never().is_some()).collect();
        assert_eq!((is_admitted, (&mut of_b).now_or_never().is_some()), (vec![false; 3], true));
        // The second key had its turn, so the first one is next.
        assert_eq!(queue.queue_counts(), (1, 2, 1));
        // Two had their turn: the first at once, the other after a wait.
        assert_eq!(queue.figures().waits.count(), 2);
    }

    #[test]
    fn a_key_leaves_places_to_others() {
        let queue = queue(3, 2);
        let places: Vec<RunPermit> =
            (0..2).map(|_| now(queue.wait_for_permit(A)).unwrap().unwrap()).collect();
        let mut third = Box::pin(queue.wait_for_permit(A));
        assert!((&mut third).now_or_never().is_none());
        assert!(now(queue.wait_for_permit(B)).unwrap().is_ok());
        drop(places);
        assert!((&mut third).now_or_never().unwrap().is_ok());
        assert_eq!(queue.queue_counts(), (0, 0, 0));
    }

    #[test]
    fn whoever_leaves_makes_room_and_is_not_waited_for() {
        let queue = queue(1, 1);
        let permit = now(queue.wait_for_permit(A)).unwrap().unwrap();
        let mut waiting: Vec<_> = (0..4).map(|_| Box::pin(queue.wait_for_permit(A))).collect();
        for waiting in &mut waiting {
            assert!(waiting.now_or_never().is_none());
        }
        assert_eq!(now(queue.wait_for_permit(A)).unwrap().unwrap_err(), QueueFull::Key(4));
        let mut others: Vec<_> = (0..2).map(|_| Box::pin(queue.wait_for_permit(B))).collect();
        for waiting in &mut others {
            assert!(waiting.now_or_never().is_none());
        }
        assert_eq!(now(queue.wait_for_permit(Some(3))).unwrap().unwrap_err(), QueueFull::All(6));
        assert_eq!(queue.queue_counts(), (1, 6, 2));
        drop(waiting);
        assert_eq!(queue.queue_counts(), (1, 2, 2));
        // A query that left before taking its permit passes it on.
        drop(permit);
        let second = others.pop().unwrap();
        drop(others);
        assert!(second.now_or_never().unwrap().is_ok());
        assert_eq!(queue.queue_counts(), (0, 0, 0));
    }
}
