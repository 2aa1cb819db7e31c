//! Reads sources on all cores and hands their pieces on in the order of the sources.
//!
//! Each source has its own small queue, and the pieces are taken source by source: the result is the same on any number of
//! cores. A worker that is ahead waits when its queue is full or its source is far from its turn, so that what is in memory
//! twice stays small. Workers keep a state of their own over their sources.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::{panic, thread};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Sources that may be begun before the one whose turn it is has been taken.
const AHEAD: usize = 64;

/// Pieces of one source that may wait to be taken.
const QUEUE: usize = 4;

/// Where a worker puts the pieces of one source.
pub(crate) struct Outlet<T> {
    sender: SyncSender<T>,
}

impl<T> Outlet<T> {
    /// Hands a piece on; false when nobody takes it any more.
    pub(crate) fn put(&self, piece: T) -> bool {
        self.sender.send(piece).is_ok()
    }
}

/// The two ends of a source's queue, which is there from when the first of the two is asked for: there may be a million sources.
struct Ends<T>(Mutex<Option<Both<T>>>);

/// Both ends, each until it is taken.
struct Both<T> {
    outlet: Option<Outlet<T>>,
    inlet: Option<Receiver<T>>,
}

impl<T> Ends<T> {
    const fn new() -> Self {
        Self(Mutex::new(None))
    }

    fn take<E>(&self, end: impl FnOnce(&mut Both<T>) -> Option<E>) -> Option<E> {
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        end(ends.get_or_insert_with(|| {
            let (sender, receiver) = sync_channel(QUEUE);
            Both { outlet: Some(Outlet { sender }), inlet: Some(receiver) }
        }))
    }

    fn outlet(&self) -> Option<Outlet<T>> {
        self.take(|ends| ends.outlet.take())
    }

    fn inlet(&self) -> Option<Receiver<T>> {
        self.take(|ends| ends.inlet.take())
    }

    /// Lets nobody wait for the other end.
    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Both { outlet: None, inlet: None });
    }
}

/// Whose turn it is to be taken.
#[derive(Default)]
struct SourceTurn {
    position: Mutex<usize>,
    changed: Condvar,
}

impl SourceTurn {
    /// Waits until a source may be begun.
    fn wait_for(&self, source: usize) {
        let position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let far = |position: &mut usize| source.saturating_sub(*position) > AHEAD;
        drop(self.changed.wait_while(position, far));
    }

    fn pass_to(&self, source: usize) {
        *self.position.lock().unwrap_or_else(PoisonError::into_inner) = source;
        self.changed.notify_all();
    }
}

/// Lets everyone pass when it is dropped: nobody waits for a turn that will not come, even when the taking fails.
struct LastSourceTurn<'a, T>(&'a SourceTurn, &'a [Ends<T>]);

impl<T> Drop for LastSourceTurn<'_, T> {
    fn drop(&mut self) {
        self.1.iter().for_each(Ends::close);
        self.0.pass_to(usize::MAX);
    }
}

/// Reads every source with `read` and takes the pieces with `take`; returns the workers' states.
pub(crate) fn read_in_order<I: Sync, S: Send, T: Send, E>(
    sources: &[I],
    start: impl Fn() -> S + Sync,
    read: impl Fn(&mut S, &I, &Outlet<T>) + Sync,
    mut take: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<Vec<S>, E> {
    let queues: Vec<Ends<T>> = sources.iter().map(|_| Ends::new()).collect();
    let next = AtomicUsize::new(0);
    let turn = SourceTurn::default();
    let work = || {
        let mut state = start();
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let (Some(source), Some(ends)) = (sources.get(position), queues.get(position)) else {
                return state;
            };
            turn.wait_for(position);
            // Dropping the outlet at the end of this turn tells the taker that the source is done.
            if let Some(outlet) = ends.outlet() {
                read(&mut state, source, &outlet);
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores().min(sources.len())).map(|_| scope.spawn(work)).collect();
        let _last_turn = LastSourceTurn(&turn, &queues);
        for (position, ends) in queues.iter().enumerate() {
            turn.pass_to(position);
            for piece in ends.inlet().into_iter().flatten() {
                // On an error the inlets are dropped, so that the workers stop waiting.
                take(position, piece)?;
            }
        }
        Ok(workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
            .collect())
    })
}

/// Maps the items of a list on all cores; the results keep the order of the list.
pub fn map_in_order<A: Send, B: Send>(items: Vec<A>, map: impl Fn(A) -> B + Sync) -> Vec<B> {
    items.into_par_iter().map(&map).collect()
}

/// What is done at once: as many things as there are cores that this process may use, or as `RAYON_NUM_THREADS` says.
pub fn cores() -> usize {
    rayon::current_num_threads()
}
