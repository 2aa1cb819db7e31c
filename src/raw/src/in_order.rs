//! Reads sources on all cores and passes their pieces on in the order of the sources.
//!
//! Each source has a small queue, and the pieces are taken source by source: the result is the same on any number of cores. A worker that
//! is ahead waits if its queue is full or its source is far from its turn, which bounds memory. Each worker has a state that lasts over its
//! sources.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::{panic, thread};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Maximum number of sources that are started before the source whose turn it is.
const MOST_STARTED_AHEAD: usize = 64;

/// Maximum number of pieces of a source that are queued.
const QUEUED_PIECES: usize = 4;

/// A source's queue, created when one of its ends is first taken: there may be a million sources.
struct SourceQueue<T>(Mutex<Option<ChannelEnds<T>>>);

/// Both ends of a queue; each is `None` once it is taken.
struct ChannelEnds<T> {
    sender: Option<SyncSender<T>>,
    receiver: Option<Receiver<T>>,
}

impl<T> SourceQueue<T> {
    const fn new() -> Self {
        Self(Mutex::new(None))
    }

    fn take_end<E>(&self, end: impl FnOnce(&mut ChannelEnds<T>) -> Option<E>) -> Option<E> {
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        end(ends.get_or_insert_with(|| {
            let (sender, receiver) = sync_channel(QUEUED_PIECES);
            ChannelEnds { sender: Some(sender), receiver: Some(receiver) }
        }))
    }

    fn sender(&self) -> Option<SyncSender<T>> {
        self.take_end(|ends| ends.sender.take())
    }

    fn receiver(&self) -> Option<Receiver<T>> {
        self.take_end(|ends| ends.receiver.take())
    }

    /// Closes the queue, so that the other end does not wait.
    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(ChannelEnds { sender: None, receiver: None });
    }
}

/// Position of the source whose pieces are being taken.
#[derive(Default)]
struct SourceTurn {
    position: Mutex<usize>,
    /// Notified when the position changes.
    changed: Condvar,
}

impl SourceTurn {
    /// Waits until a source may be started.
    fn wait_for(&self, source: usize) {
        let position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let is_far = |position: &mut usize| source.saturating_sub(*position) > MOST_STARTED_AHEAD;
        drop(self.changed.wait_while(position, is_far));
    }

    fn pass_to(&self, source: usize) {
        *self.position.lock().unwrap_or_else(PoisonError::into_inner) = source;
        self.changed.notify_all();
    }
}

/// Releases all waiting workers when it is dropped, even if `use_piece` fails.
struct LastSourceTurn<'a, T>(&'a SourceTurn, &'a [SourceQueue<T>]);

impl<T> Drop for LastSourceTurn<'_, T> {
    fn drop(&mut self) {
        self.1.iter().for_each(SourceQueue::close);
        self.0.pass_to(usize::MAX);
    }
}

/// Reads every source with `read` and passes the pieces to `use_piece`; returns the workers' states.
pub(crate) fn read_in_order<I: Sync, S: Send, T: Send, E>(
    sources: &[I],
    start: impl Fn() -> S + Sync,
    read: impl Fn(&mut S, &I, &SyncSender<T>) + Sync,
    mut use_piece: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<Vec<S>, E> {
    let queues: Vec<SourceQueue<T>> = sources.iter().map(|_| SourceQueue::new()).collect();
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
            // Dropping the sender at the end of this turn signals that the source is done.
            if let Some(sender) = ends.sender() {
                read(&mut state, source, &sender);
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores().min(sources.len())).map(|_| scope.spawn(work)).collect();
        let _last_turn = LastSourceTurn(&turn, &queues);
        for (position, ends) in queues.iter().enumerate() {
            turn.pass_to(position);
            for piece in ends.receiver().into_iter().flatten() {
                // On an error the receivers are dropped, so that the workers stop waiting.
                use_piece(position, piece)?;
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

/// Returns the number of threads: the cores that this process may use, or `RAYON_NUM_THREADS`.
pub fn cores() -> usize {
    rayon::current_num_threads()
}
