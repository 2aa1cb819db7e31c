//! Reads sources on all cores and hands their pieces on in the order of the sources.
//!
//! Each source has its own small queue, and the pieces are taken source by source: the result is the same on any number of
//! cores, and a worker that is ahead waits when its queue is full. Workers keep a state of their own over their sources.

use std::panic;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::RawError;
use super::files::Source;

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

/// Reads every source with `read` and takes the pieces with `take`; returns the workers' states.
pub(crate) fn read_in_order<S: Send, T: Send>(
    sources: &[&Source],
    start: impl Fn() -> S + Sync,
    read: impl Fn(&mut S, &Source, &Outlet<T>) + Sync,
    mut take: impl FnMut(usize, T) -> Result<(), RawError>,
) -> Result<Vec<S>, RawError> {
    let (outlets, inlets): (Vec<Mutex<Option<Outlet<T>>>>, Vec<Receiver<T>>) = sources
        .iter()
        .map(|_| {
            let (sender, receiver) = sync_channel(QUEUE);
            (Mutex::new(Some(Outlet { sender })), receiver)
        })
        .unzip();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut state = start();
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let (Some(source), Some(slot)) = (sources.get(position), outlets.get(position)) else {
                return state;
            };
            // Dropping the outlet at the end of this turn tells the taker that the source is done.
            let outlet = slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
            if let Some(outlet) = outlet {
                read(&mut state, source, &outlet);
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores().min(sources.len())).map(|_| scope.spawn(work)).collect();
        for (position, inlet) in inlets.into_iter().enumerate() {
            for piece in inlet {
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

/// Maps parts of a list on all cores; the results keep the order of the list.
pub(crate) fn map_in_order<A: Send, B: Send>(items: Vec<A>, map: impl Fn(A) -> B + Sync) -> Vec<B> {
    let part = items.len().div_ceil(cores()).max(1);
    let mut items = items.into_iter();
    let map = &map;
    thread::scope(|scope| {
        let mut workers = Vec::new();
        loop {
            let some: Vec<A> = items.by_ref().take(part).collect();
            if some.is_empty() {
                break;
            }
            workers.push(scope.spawn(move || some.into_iter().map(map).collect::<Vec<B>>()));
        }
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
            .collect()
    })
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
