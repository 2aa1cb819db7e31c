//! What each key called, by day and operation. Counts are written as differences, as those of allowances are.

use rusqlite::{Transaction, params};

use super::error::StateError;
use super::store::Store;

/// What a key called of an operation in a day since it was last written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseDelta {
    /// The key.
    pub key_id: i64,
    /// The day, as whoever counts numbers days.
    pub day: i64,
    /// The operation.
    pub operation: Box<str>,
    /// Calls that were answered.
    pub calls: u32,
    /// Calls that were refused for the tier or the allowance.
    pub refused: u32,
}

/// What the keys of some owners called of an operation in a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseRow {
    /// The key.
    pub key_id: i64,
    /// The day.
    pub day: i64,
    /// The operation.
    pub operation: String,
    /// Calls that were answered.
    pub calls: i64,
    /// Calls that were refused.
    pub refused: i64,
}

impl Store {
    /// What was called from a day on, by the keys of one owner or of all; oldest days first.
    ///
    /// # Errors
    /// What SQLite reports.
    pub fn usage(&self, owner: Option<&str>, from_day: i64) -> Result<Vec<UseRow>, StateError> {
        const SQL: &str = "SELECT usage.* FROM usage JOIN keys ON keys.id = usage.key_id
                           WHERE day >= ?2 AND (?1 IS NULL OR owner = ?1) ORDER BY day, operation, key_id";
        let read = || {
            let mut statement = self.connection.prepare(SQL)?;
            let rows = statement.query_map(params![owner, from_day], |row| {
                Ok(UseRow {
                    key_id: row.get("key_id")?,
                    day: row.get("day")?,
                    operation: row.get("operation")?,
                    calls: row.get("calls")?,
                    refused: row.get("refused")?,
                })
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(StateError::at(self.path()))
    }
}

/// Adds differences; keys that are gone are passed over.
pub(super) fn add_usage(transaction: &Transaction<'_>, deltas: &[UseDelta]) -> rusqlite::Result<()> {
    const ADD: &str = "INSERT INTO usage SELECT id, ?2, ?3, ?4, ?5 FROM keys WHERE id = ?1
                       ON CONFLICT (key_id, day, operation) DO UPDATE SET
                           calls = calls + ?4, refused = refused + ?5";
    let mut add = transaction.prepare(ADD)?;
    deltas.iter().try_for_each(|delta| {
        add.execute(params![delta.key_id, delta.day, delta.operation, delta.calls, delta.refused]).map(drop)
    })
}
