//! Loaded tables by their content: what two snapshots have in common is loaded once.
//!
//! The shelf keeps nothing alive: a table that no snapshot holds any more is gone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::load::load;
use super::problem::Problem;
use super::served_table::ServedTable;
use crate::operation::{Market, Table};
use crate::set::StoredFile;

/// The market, the table, and the hashes of its files.
type ShelfKey = (Market, String, Vec<Arc<str>>);

/// Loaded tables by their content.
#[derive(Debug, Default)]
pub(super) struct Shelf(Mutex<HashMap<ShelfKey, Weak<ServedTable>>>);

impl Shelf {
    /// The table of these files: the one that is there, or loaded now. Plain files, which may change, are always loaded.
    ///
    /// # Errors
    /// Every promise that the files do not keep.
    pub(super) fn load(
        &self,
        table: &Table,
        market: Market,
        files: &[StoredFile],
    ) -> Result<Arc<ServedTable>, Vec<Problem>> {
        let hashes: Option<Vec<Arc<str>>> = files.iter().map(|file| file.hash().map(Into::into)).collect();
        let Some(hashes) = hashes else { return load(table, market, files).map(Arc::new) };
        let key = (market, table.name.clone(), hashes);
        if let Some(there) = self.there().get(&key).and_then(Weak::upgrade) {
            return Ok(there);
        }
        let loaded = Arc::new(load(table, market, files)?);
        let mut there = self.there();
        there.retain(|_, table| table.strong_count() > 0);
        there.insert(key, Arc::downgrade(&loaded));
        Ok(loaded)
    }

    fn there(&self) -> std::sync::MutexGuard<'_, HashMap<ShelfKey, Weak<ServedTable>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
