//! Calls of each key by day and operation. Counts are written as differences, as quota counters are.

use super::database::{self, Transaction, params, read_row};
use super::error::StateError;
use super::store::Store;

/// Calls of an operation by a key on a day since the last write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseDelta {
    /// Number of the key.
    pub key_id: i64,
    /// The day, as the caller numbers days.
    pub day: i64,
    /// Name of the operation.
    pub operation: Box<str>,
    /// Number of answered calls.
    pub calls: u32,
    /// Number of calls refused for tier or quota.
    pub refused: u32,
}

/// Stored calls of an operation by a key on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseRow {
    /// Number of the key.
    pub key_id: i64,
    /// The day, as the caller numbers days.
    pub day: i64,
    /// Name of the operation.
    pub operation: String,
    /// Number of answered calls.
    pub calls: i64,
    /// Number of calls refused for tier or quota.
    pub refused: i64,
}

impl Store {
    /// Returns the calls from a day on, of one owner's keys or of all; oldest days first.
    pub fn usage(&self, owner: Option<&str>, from_day: i64) -> Result<Vec<UseRow>, StateError> {
        const SQL: &str = "SELECT usage.* FROM usage JOIN keys ON keys.id = usage.key_id
                           WHERE day >= ?2 AND (?1 IS NULL OR owner = ?1) ORDER BY day, operation, key_id";
        let rows = self.connection.rows(
            SQL,
            params![owner, from_day],
            |row| read_row!(row => UseRow: key_id, day, operation, calls, refused),
        );
        rows.map_err(self.error_mapper())
    }
}

/// Adds differences; deleted keys are skipped.
pub(super) fn add_usage(transaction: &Transaction<'_>, deltas: &[UseDelta]) -> database::Result<()> {
    const ADD: &str = "INSERT INTO usage SELECT id, ?2, ?3, ?4, ?5 FROM keys WHERE id = ?1
                       ON CONFLICT (key_id, day, operation) DO UPDATE SET
                           calls = usage.calls + ?4, refused = usage.refused + ?5";
    deltas.iter().try_for_each(|delta| {
        let UseDelta { key_id, day, operation, calls, refused } = delta;
        transaction.execute_later(ADD, params![key_id, day, operation, calls, refused])
    })
}
