//! The keys of the first side of a join, passed to the tables of its second side: rows of other keys have no match, so that a table sorted
//! by the key yields only the rows of these keys.
//!
//! A join reads its whole first side before it polls its second. A scan that is polled earlier yields all rows.
//!
//! The saved time is in [`super::key_joins`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt32Array};

use super::observed_plan::RowObserver;
use crate::storage::key_index::KeyIndex;

/// The keys of one run of a plan.
#[derive(Debug, Default)]
pub(crate) struct RunKeys {
    run_keys: Mutex<CollectedKeys>,
}

#[derive(Debug, Default)]
struct CollectedKeys {
    keys: Vec<ArrayRef>,
    is_complete: bool,
}

impl RunKeys {
    /// Returns the rows of these keys in a table, ascending; `None` if all rows must be read.
    pub(crate) fn matching_rows(&self, index: &KeyIndex) -> Option<UInt32Array> {
        let run_keys = self.lock_keys();
        if run_keys.is_complete { index.rows_of(&run_keys.keys) } else { None }
    }

    fn lock_keys(&self) -> MutexGuard<'_, CollectedKeys> {
        self.run_keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records the keys of the rows that pass, from one column.
#[derive(Debug, Clone)]
pub(crate) struct KeyRecorder {
    position: usize,
    run_keys: Arc<RunKeys>,
}

impl KeyRecorder {
    pub(crate) const fn new(position: usize, run_keys: Arc<RunKeys>) -> Self {
        Self { position, run_keys }
    }
}

impl RowObserver for KeyRecorder {
    const NAME: &'static str = "KeysNoted";
    type Run = Self;

    fn start(&self) -> Self {
        *self.run_keys.lock_keys() = CollectedKeys::default();
        self.clone()
    }

    fn after(run: &mut Self, batch: &RecordBatch) {
        run.run_keys.lock_keys().keys.extend(batch.columns().get(run.position).cloned());
    }

    fn end(run: &mut Self) {
        run.run_keys.lock_keys().is_complete = true;
    }
}
