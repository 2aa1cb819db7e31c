//! Limits for one owner. Each is checked in the transaction that would exceed it, over all keys of the owner.

use super::database::{self, Transaction, params};
use super::key_row::{APP_HINT, NewKey};
use super::keys::count_working;

/// Limits for one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerBounds {
    /// Maximum number of working keys, without those of apps.
    pub keys: u32,
    /// Maximum number of working apps.
    pub apps: u32,
    /// Maximum number of keys issued in 24 hours.
    pub issues: u32,
    /// Maximum number of keys rotated in 24 hours.
    pub rotations: u32,
    /// Maximum number of apps authorized in 24 hours.
    pub consents: u32,
    /// Maximum number of sign-ins of browsers in 24 hours.
    pub sign_ins: u32,
}

/// A limit that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReachedBound {
    /// This limit of working keys.
    Keys(u32),
    /// This limit of working apps.
    Apps(u32),
    /// The limit of actions of one kind in 24 hours.
    Day {
        /// The action, as in the activity log.
        what: &'static str,
        /// Maximum number of such actions.
        most: u32,
    },
}

impl OwnerBounds {
    /// Refuses a new key that would exceed the owner's limit of working keys or apps.
    pub(super) fn check_new_key(
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

    /// Refuses an action that the owner's log has at least `most` times in the last 24 hours.
    pub(super) fn check_daily(
        transaction: &Transaction<'_>,
        owner: &str,
        at: i64,
        what: &'static str,
        most: u32,
    ) -> database::Result<Result<(), ReachedBound>> {
        const SQL: &str = "SELECT count(*) FROM activity WHERE owner = ?1 AND at > ?2 AND what = ?3";
        let since = at.saturating_sub(24 * 3_600);
        let count: u32 = transaction.query_row(SQL, params![owner, since, what], |row| row.get(0))?;
        Ok(if count < most { Ok(()) } else { Err(ReachedBound::Day { what, most }) })
    }
}
