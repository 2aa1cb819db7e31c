//! Registry of loaded tables by content: a table shared by two snapshots is loaded once, and so is a file of a long table. The registry
//! holds weak references: a table is dropped with its last snapshot.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::load::load;
use super::long_file::LongFile;
use super::served_table::{ServedTable, TableRows};
use crate::problem::Problem;
use parquote_catalogue::operation::{Market, Table};
use parquote_set::StoredFile;

/// The market, the table, and the hashes of its files.
type LoadedKey = (Market, String, Vec<Arc<str>>);

#[derive(Debug, Default)]
pub(crate) struct LoadedTables(Mutex<LoadedEntries>);

#[derive(Debug, Default)]
struct LoadedEntries {
    tables: HashMap<LoadedKey, Weak<ServedTable>>,
    /// The files of long tables.
    files: HashMap<LoadedKey, Weak<LongFile>>,
}

impl LoadedTables {
    /// Returns the table of these files, loading it if necessary. Plain files, which may change, are always loaded.
    ///
    /// # Errors
    /// Every violation of the declaration.
    pub(crate) fn load(
        &self,
        table: &Table,
        market: Market,
        files: &[StoredFile],
    ) -> Result<Arc<ServedTable>, Vec<Problem>> {
        let hashes: Option<Vec<Arc<str>>> = files.iter().map(|file| file.hash().map(Into::into)).collect();
        let Some(hashes) = hashes else {
            return load(table, market, files, |_| None).map(Arc::new);
        };
        let key_of = |hashes| (market, table.name.clone(), hashes);
        let key = key_of(hashes);
        if let Some(loaded) = self.lock_entries().tables.get(&key).and_then(Weak::upgrade) {
            return Ok(loaded);
        }
        let loaded_file = |file: &StoredFile| {
            let key = key_of(vec![file.hash()?.into()]);
            self.lock_entries().files.get(&key).and_then(Weak::upgrade)
        };
        let loaded = Arc::new(load(table, market, files, loaded_file)?);
        let LoadedEntries { tables, files } = &mut *self.lock_entries();
        tables.retain(|_, table| table.strong_count() > 0);
        tables.insert(key, Arc::downgrade(&loaded));
        if let TableRows::Files(long_files) = &loaded.rows {
            files.retain(|_, file| file.strong_count() > 0);
            let by_content = long_files.iter().filter_map(|file| Some((file.hash()?, file)));
            files.extend(by_content.map(|(hash, file)| (key_of(vec![hash]), Arc::downgrade(file))));
        }
        Ok(loaded)
    }

    fn lock_entries(&self) -> std::sync::MutexGuard<'_, LoadedEntries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
