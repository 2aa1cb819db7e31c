//! What each key called, by day and operation. Counts are written as differences, as those of allowances are.

use super::database::{self, Transaction, params};
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
    /// What the database reports.
    pub fn usage(&self, owner: Option<&str>, from_day: i64) -> Result<Vec<UseRow>, StateError> {
        const SQL: &str = "SELECT usage.* FROM usage JOIN keys ON keys.id = usage.key_id
                           WHERE day >= ?2 AND (?1 IS NULL OR owner = ?1) ORDER BY day, operation, key_id";
        let read = self.connection.rows(SQL, params![owner, from_day], |row| {
            Ok(UseRow {
                key_id: row.get("key_id")?,
                day: row.get("day")?,
                operation: row.get("operation")?,
                calls: row.get("calls")?,
                refused: row.get("refused")?,
            })
        });
        read.map_err(self.failed())
    }
}

/// Adds differences; keys that are gone are passed over.
pub(super) fn add_usage(transaction: &Transaction<'_>, deltas: &[UseDelta]) -> database::Result<()> {
    const ADD: &str = "INSERT INTO usage SELECT id, ?2, ?3, ?4, ?5 FROM keys WHERE id = ?1
                       ON CONFLICT (key_id, day, operation) DO UPDATE SET
                           calls = usage.calls + ?4, refused = usage.refused + ?5";
    deltas.iter().try_for_each(|delta| {
        let UseDelta { key_id, day, operation, calls, refused } = delta;
        transaction.execute_later(ADD, params![key_id, day, operation, calls, refused])
    })
}
