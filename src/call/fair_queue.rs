//! Who runs next: a place for each query that may run at once, handed out in turns among keys, so that the tenth query of
//! one key waits behind the first of another. It runs nothing itself.
//!
//! Whoever leaves the queue, or is done, makes room for the next at once.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The number of a key; `None` for callers of whom nothing is counted.
pub(super) type Party = Option<i64>;

/// How many queries run and wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Queries that run at once.
    pub running: usize,
    /// Of one key.
    pub running_per_key: usize,
    /// Queries of one key that wait.
    pub waiting_per_key: usize,
    /// Of all keys together.
    pub waiting: usize,
}

/// Why a query is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Full {
    /// The key has as many waiting as it may.
    #[error("{0} queries of this key wait for their turn, as many as are taken; wait for some of them")]
    Key(usize),
    /// All keys together have.
    #[error("{0} queries wait for their turn, as many as are taken")]
    All(usize),
}

/// The queue.
#[derive(Debug)]
pub(super) struct FairQueue {
    bounds: Bounds,
    lines: Mutex<Lines>,
}

#[derive(Debug, Default)]
struct Lines {
    by_key: HashMap<Party, Line>,
    /// Keys with queries that wait and a place to run them in, in the order of their turns.
    turns: VecDeque<Party>,
    running: usize,
    waiting: usize,
    next_ticket: u64,
}

/// What runs and waits of one key.
#[derive(Debug, Default)]
struct Line {
    running: usize,
    waiting: VecDeque<(u64, oneshot::Sender<Place>)>,
    /// Whether it stands in `turns`.
    has_turn: bool,
}

/// The right to run one query, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    queue: Arc<FairQueue>,
    party: Party,
}

/// A query in the queue; dropped, it leaves.
struct Ticket<'a> {
    queue: &'a FairQueue,
    party: Party,
    number: u64,
}

impl FairQueue {
    /// An empty queue; at least one query runs and none is refused that could run at once.
    pub(super) fn new(bounds: Bounds) -> Arc<Self> {
        let running = bounds.running.max(1);
        let running_per_key = bounds.running_per_key.clamp(1, running);
        let bounds = Bounds { running, running_per_key, ..bounds };
        Arc::new(Self { bounds, lines: Mutex::default() })
    }

    /// Waits for a place.
    ///
    /// # Errors
    /// As many wait as may.
    pub(super) async fn enter(self: &Arc<Self>, party: Party) -> Result<Place, Full> {
        let (number, turn) = {
            let mut lines = self.lines();
            let Lines { by_key, running, waiting, .. } = &mut *lines;
            let line = by_key.entry(party).or_default();
            let has_room = *running < self.bounds.running && line.running < self.bounds.running_per_key;
            // While a place is free, whoever waits has no right to one more.
            if has_room && line.waiting.is_empty() {
                *running += 1;
                line.running += 1;
                return Ok(Place { queue: Arc::clone(self), party });
            }
            let full = if line.waiting.len() >= self.bounds.waiting_per_key {
                Some(Full::Key(self.bounds.waiting_per_key))
            } else if *waiting >= self.bounds.waiting {
                Some(Full::All(self.bounds.waiting))
            } else {
                None
            };
            if let Some(full) = full {
                lines.forget_if_idle(party);
                return Err(full);
            }
            lines.line_up(party, self.bounds)
        };
        let ticket = Ticket { queue: self, party, number };
        let place = turn.await;
        // The sender stands in the queue until it is used or the ticket is dropped.
        let place = place.map_err(|_| Full::All(self.bounds.waiting));
        drop(ticket);
        place
    }

    /// How many run and wait.
    #[cfg(test)]
    fn standing(&self) -> (usize, usize, usize) {
        let lines = self.lines();
        (lines.running, lines.waiting, lines.by_key.len())
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives free places to those whose turn it is.
    fn hand_out(self: &Arc<Self>) {
        loop {
            let Some((party, sender)) = self.lines().next(self.bounds) else { return };
            // Whoever left meanwhile drops the place, which hands it out again: not here, within a loop that holds no lock.
            if sender.send(Place { queue: Arc::clone(self), party }).is_err() {
                tracing::trace!("a query left the queue when its turn came");
            }
        }
    }
}

impl Lines {
    /// Puts a query at the end of its key's line.
    fn line_up(&mut self, party: Party, bounds: Bounds) -> (u64, oneshot::Receiver<Place>) {
        let (tell, told) = oneshot::channel();
        let number = self.next_ticket;
        self.next_ticket += 1;
        self.waiting += 1;
        self.by_key.entry(party).or_default().waiting.push_back((number, tell));
        self.give_turn(party, bounds);
        (number, told)
    }

    /// Lets a key take turns, if it has something to run and may run it.
    fn give_turn(&mut self, party: Party, bounds: Bounds) {
        let Some(line) = self.by_key.get_mut(&party) else { return };
        if !line.has_turn && !line.waiting.is_empty() && line.running < bounds.running_per_key {
            line.has_turn = true;
            self.turns.push_back(party);
        }
    }

    /// The query whose turn it is, if there is a place for it, which it then has.
    fn next(&mut self, bounds: Bounds) -> Option<(Party, oneshot::Sender<Place>)> {
        while self.running < bounds.running {
            let party = self.turns.pop_front()?;
            let Some(line) = self.by_key.get_mut(&party) else { continue };
            line.has_turn = false;
            if line.running >= bounds.running_per_key {
                continue;
            }
            let Some((_, sender)) = line.waiting.pop_front() else { continue };
            line.running += 1;
            self.running += 1;
            self.waiting -= 1;
            self.give_turn(party, bounds);
            return Some((party, sender));
        }
        None
    }

    fn forget_if_idle(&mut self, party: Party) {
        if self.by_key.get(&party).is_some_and(Line::is_idle) {
            self.by_key.remove(&party);
        }
    }
}

impl Line {
    fn is_idle(&self) -> bool {
        self.running == 0 && self.waiting.is_empty()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        {
            let mut lines = self.queue.lines();
            lines.running -= 1;
            if let Some(line) = lines.by_key.get_mut(&self.party) {
                line.running -= 1;
            }
            lines.give_turn(self.party, self.queue.bounds);
            lines.forget_if_idle(self.party);
        }
        self.queue.hand_out();
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut lines = self.queue.lines();
        let Some(line) = lines.by_key.get_mut(&self.party) else { return };
        let before = line.waiting.len();
        line.waiting.retain(|(number, _)| *number != self.number);
        let left = before - line.waiting.len();
        lines.waiting -= left;
        lines.forget_if_idle(self.party);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use futures::FutureExt as _;

    use super::*;

    const A: Party = Some(1);
    const B: Party = Some(2);

    fn queue(running: usize, running_per_key: usize) -> Arc<FairQueue> {
        FairQueue::new(Bounds { running, running_per_key, waiting_per_key: 4, waiting: 6 })
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
        let place = now(queue.enter(A)).unwrap().unwrap();
        let mut of_a: Vec<_> = (0..3).map(|_| Box::pin(queue.enter(A))).collect();
        assert!(of_a.iter_mut().all(|waiting| waiting.now_or_never().is_none()));
        let mut of_b = Box::pin(queue.enter(B));
        assert!((&mut of_b).now_or_never().is_none());
        assert_eq!(queue.standing(), (1, 4, 2));
        // The place goes to the key whose turn it is, though the other waited first.
        drop(place);
        let told: Vec<bool> = of_a.iter_mut().map(|waiting| waiting.now_or_never().is_some()).collect();
        assert_eq!((told, (&mut of_b).now_or_never().is_some()), (vec![false; 3], true));
        // Which the second has had by now, so that the first key is at it again.
        assert_eq!(queue.standing(), (1, 2, 1));
    }

    #[test]
    fn a_key_leaves_places_to_others() {
        let queue = queue(3, 2);
        let places: Vec<Place> = (0..2).map(|_| now(queue.enter(A)).unwrap().unwrap()).collect();
        let mut third = Box::pin(queue.enter(A));
        assert!((&mut third).now_or_never().is_none());
        assert!(now(queue.enter(B)).unwrap().is_ok());
        drop(places);
        assert!((&mut third).now_or_never().unwrap().is_ok());
        assert_eq!(queue.standing(), (0, 0, 0));
    }

    #[test]
    fn whoever_leaves_makes_room_and_is_not_waited_for() {
        let queue = queue(1, 1);
        let place = now(queue.enter(A)).unwrap().unwrap();
        let mut waiting: Vec<_> = (0..4).map(|_| Box::pin(queue.enter(A))).collect();
        for waiting in &mut waiting {
            assert!(waiting.now_or_never().is_none());
        }
        assert_eq!(now(queue.enter(A)).unwrap().unwrap_err(), Full::Key(4));
        let mut others: Vec<_> = (0..2).map(|_| Box::pin(queue.enter(B))).collect();
        for waiting in &mut others {
            assert!(waiting.now_or_never().is_none());
        }
        assert_eq!(now(queue.enter(Some(3))).unwrap().unwrap_err(), Full::All(6));
        assert_eq!(queue.standing(), (1, 6, 2));
        drop(waiting);
        assert_eq!(queue.standing(), (1, 2, 2));
        // One who was given a place and left before taking it passes it on.
        drop(place);
        let second = others.pop().unwrap();
        drop(others);
        assert!(second.now_or_never().unwrap().is_ok());
        assert_eq!(queue.standing(), (0, 0, 0));
    }
}
