//! Limits for one owner. Each is checked in the transaction that would exceed it, over all keys of the owner.

use super::database::{self, Transaction, params};
use super::key_row::{APP_HINT, NewKey};
use super::keys::count_working;

/// Limits for one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerBounds {
    /// Working keys, without those of apps.
    pub keys: u32,
    /// Working apps.
    pub apps: u32,
    /// Keys issued in 24 hours.
    pub issues: u32,
    /// Keys rotated in 24 hours.
    pub rotations: u32,
    /// Apps authorized in 24 hours.
    pub consents: u32,
    /// Sign-ins of browsers in 24 hours.
    pub sign_ins: u32,
}

/// A limit that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReachedBound {
    /// Working keys.
    Keys(u32),
    /// Working apps.
    Apps(u32),
    /// Actions of one kind in 24 hours.
    Day {
        /// The action, as in the activity log.
        what: &'static str,
        /// The limit.
        most: u32,
    },
}

impl OwnerBounds {
    /// Refuses a new key that would exceed the owner's limit of working keys or apps.
    pub(super) fn of_key(
        &self,
        transaction: &Transaction<'_>,
        new: &NewKey,
    ) -> database::Result<Result<(), ReachedBound>> {
        let is_app = new.hint == APP_HINT;
        let (most, full) = if is_app {
            (self.apps, ReachedBound::Apps(self.apps))
        } else {
            (self.keys, ReachedBound::Keys(self.keys))
        };
        let working = count_working(transaction, &new.owner, is_app, new.created_at)?;
        Ok(if working < most { Ok(()) } else { Err(full) })
    }

    /// Refuses an action that the owner's log has `most` times in the last 24 hours.
    pub(super) fn of_day(
        transaction: &Transaction<'_>,
        owner: &str,
        at: i64,
        what: &'static str,
        most: u32,
    ) -> database::Result<Result<(), ReachedBound>> {
        const SQL: &str = "SELECT count(*) FROM activity WHERE owner = ?1 AND at > ?2 AND what = ?3";
        let since = at.saturating_sub(24 * 3_600);
        let done: u32 = transaction.query_row(SQL, params![owner, since, what], |row| row.get(0))?;
        Ok(if done < most { Ok(()) } else { Err(ReachedBound::Day { what, most }) })
    }
}
