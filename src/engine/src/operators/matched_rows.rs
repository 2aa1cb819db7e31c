//! The number of rows that match before a limit cuts them. A plan writes it while it runs; this file does not know the counter.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The rows that the last run of a plan has seen below its sort.
#[derive(Debug, Default)]
pub(crate) struct MatchedRows(AtomicUsize);

impl MatchedRows {
    /// How many they are, once a row has come out of the sort.
    pub(crate) fn rows(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// They are this many.
    pub(crate) fn set(&self, rows: usize) {
        self.0.store(rows, Ordering::Relaxed);
    }

    /// There are so many more.
    pub(crate) fn add(&self, rows: usize) {
        self.0.fetch_add(rows, Ordering::Relaxed);
    }
}
