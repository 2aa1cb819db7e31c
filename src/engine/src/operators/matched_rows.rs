//! The number of rows that match before a limit cuts them. A plan writes it while it runs; `match_count` has the node that counts.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of rows below the sort in the last run of a plan.
#[derive(Debug, Default)]
pub(crate) struct MatchedRows(AtomicUsize);

impl MatchedRows {
    /// Returns the number, which is final once the sort has yielded a row.
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, rows: usize) {
        self.0.store(rows, Ordering::Relaxed);
    }

    pub(crate) fn add(&self, rows: usize) {
        self.0.fetch_add(rows, Ordering::Relaxed);
    }
}
