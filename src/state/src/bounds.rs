//! How much one owner may have and do: asked in the transaction that would go beyond it, of keys of whatever origin.

use super::database::{self, Transaction, params};
use super::keys::{APP_HINT, NewKey, count_working};

/// The most that an owner may have and do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerBounds {
    /// Working keys, apps not among them.
    pub keys: u32,
    /// Working apps.
    pub apps: u32,
    /// Keys issued in 24 hours.
    pub issues: u32,
    /// Keys rotated in 24 hours.
    pub rotations: u32,
    /// Apps let in, in 24 hours.
    pub consents: u32,
    /// Browsers signed in, in 24 hours.
    pub sign_ins: u32,
}

/// A bound that is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullBound {
    /// So many keys work.
    Keys(u32),
    /// So many apps work.
    Apps(u32),
    /// So much of something was done in 24 hours.
    Day {
        /// What was done, as the log tells it.
        what: &'static str,
        /// How often.
        most: u32,
    },
}

impl OwnerBounds {
    /// Refuses one key more than an owner may have.
    pub(super) fn of_key(
        &self,
        transaction: &Transaction<'_>,
        new: &NewKey,
    ) -> database::Result<Result<(), FullBound>> {
        let is_app = new.hint == APP_HINT;
        let (most, full) = if is_app {
            (self.apps, FullBound::Apps(self.apps))
        } else {
            (self.keys, FullBound::Keys(self.keys))
        };
        let working = count_working(transaction, &new.owner, is_app, new.created_at)?;
        Ok(if working < most { Ok(()) } else { Err(full) })
    }

    /// Refuses what an owner did `most` times since this time yesterday, by the lines of the log.
    pub(super) fn of_day(
        transaction: &Transaction<'_>,
        (owner, at): (&str, i64),
        (what, most): (&'static str, u32),
    ) -> database::Result<Result<(), FullBound>> {
        const SQL: &str = "SELECT count(*) FROM activity WHERE owner = ?1 AND at > ?2 AND what = ?3";
        let since = at.saturating_sub(24 * 3_600);
        let done: u32 = transaction.query_row(SQL, params![owner, since, what], |row| row.get(0))?;
        Ok(if done < most { Ok(()) } else { Err(FullBound::Day { what, most }) })
    }
}
