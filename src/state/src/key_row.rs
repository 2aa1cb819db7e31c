//! Rows of API keys: as they are stored, and as they are to be stored.

use std::ops::Deref;

use super::database::{self, Row, read_row};

/// Value of `hint` of a key that an app's access uses.
pub const APP_HINT: &str = "app";

/// Owner of the key that counts guests: visitors without a key, who read pages and change nothing.
pub const GUESTS: &str = "guests";
/// Value of `hint` of the key that counts guests. Its text is unknown to anyone.
pub const GUEST_HINT: &str = "guest";

/// A stored key: its number, its fields, and when it was revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// Its number, never reused.
    pub id: i64,
    /// The stored fields, with later changes.
    pub key: NewKey,
    /// Time when it was revoked.
    pub revoked_at: Option<i64>,
}

impl Deref for KeyRow {
    type Target = NewKey;

    fn deref(&self) -> &NewKey {
        &self.key
    }
}

impl KeyRow {
    /// Returns true if it is neither revoked nor expired at a time in Unix seconds.
    pub fn works(&self, now: i64) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|at| at > now)
    }
}

/// A key to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// The hash of its text.
    pub hash: [u8; 32],
    /// The first characters of its text.
    pub hint: String,
    /// Name of its tier.
    pub tier: String,
    /// Name of the owner.
    pub owner: String,
    /// Note on its purpose.
    pub note: String,
    /// Daily request quota, if set for this key.
    pub quota_day: Option<u32>,
    /// Hourly request quota, if set for this key.
    pub quota_hour: Option<u32>,
    /// Time when it was issued, in Unix seconds.
    pub created_at: i64,
    /// Expiry, in Unix seconds.
    pub expires_at: Option<i64>,
    /// True if it may manage the keys of all owners.
    pub is_admin: bool,
    /// The parent key: it shares its quotas and is revoked with it.
    pub parent: Option<i64>,
    /// True if it may save and remove provider keys although it has a parent.
    pub may_account: bool,
}

/// Reads a row of the table of keys.
pub(super) fn key_row(row: &Row<'_>) -> database::Result<KeyRow> {
    let key: database::Result<NewKey> = read_row!(row => NewKey:
        hash, hint, tier, owner, note, quota_day, quota_hour, created_at, expires_at, is_admin, parent, may_account
    );
    Ok(KeyRow { id: row.get("id")?, key: key?, revoked_at: row.get("revoked_at")? })
}

#[cfg(test)]
impl NewKey {
    /// Builds a key of tier `free` and owner A with a hash of one repeated byte, created at Unix time 0.
    pub(crate) fn of_test(byte: u8) -> Self {
        Self {
            hash: [byte; 32],
            hint: "pq_0".to_owned(),
            tier: "free".to_owned(),
            owner: "A".to_owned(),
            note: String::new(),
            quota_day: None,
            quota_hour: None,
            created_at: 0,
            expires_at: None,
            is_admin: false,
            parent: None,
            may_account: false,
        }
    }
}
