//! Loaded tables by their content: a table that two snapshots have in common is loaded once.
//!
//! The list keeps no table alive: one that no snapshot holds any more is dropped.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::load::load;
use super::problem::Problem;
use super::served_table::ServedTable;
use crate::operation::{Market, Table};
use crate::set::StoredFile;

/// The market, the table, and the hashes of its files.
type LoadedKey = (Market, String, Vec<Arc<str>>);

/// Loaded tables by their content.
#[derive(Debug, Default)]
pub(super) struct LoadedTables(Mutex<HashMap<LoadedKey, Weak<ServedTable>>>);

impl LoadedTables {
    /// The table of these files: the loaded one, or loaded now. Plain files, which may change, are always loaded.
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
        if let Some(loaded) = self.locked().get(&key).and_then(Weak::upgrade) {
            return Ok(loaded);
        }
        let loaded = Arc::new(load(table, market, files)?);
        let mut tables = self.locked();
        tables.retain(|_, table| table.strong_count() > 0);
        tables.insert(key, Arc::downgrade(&loaded));
        Ok(loaded)
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, HashMap<LoadedKey, Weak<ServedTable>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
