//! Rows of API keys: as they are stored, and as they are to be stored.

use std::ops::Deref;

use super::database::{self, Row, read_row};

/// Value of `hint` of the key of an app.
pub const APP_HINT: &str = "app";

/// Owner of the key that counts the calls of guests: visitors without a key, who read pages and change nothing.
pub const GUESTS: &str = "guests";
/// Value of `hint` of the key of guests. Nobody knows the text of that key.
pub const GUEST_HINT: &str = "guest";

/// A stored key: its number, its fields, and when it was revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// Number of the key, never reused.
    pub id: i64,
    /// The stored fields, with later changes.
    pub key: NewKey,
    /// Time when the key was revoked, in Unix seconds; `None` if it was not.
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
    /// The hash of the key's text.
    pub hash: [u8; 32],
    /// The first characters of the key's text, or [`APP_HINT`] or [`GUEST_HINT`].
    pub hint: String,
    /// Name of its tier.
    pub tier: String,
    /// Name of the owner.
    pub owner: String,
    /// Note on its purpose; may be empty.
    pub note: String,
    /// Daily request quota; `None` for that of the tier.
    pub quota_day: Option<u32>,
    /// Hourly request quota; `None` for that of the tier.
    pub quota_hour: Option<u32>,
    /// Time when it was issued, in Unix seconds.
    pub created_at: i64,
    /// Expiry, in Unix seconds; `None` if the key does not expire.
    pub expires_at: Option<i64>,
    /// True if the key may manage the keys of all owners.
    pub is_admin: bool,
    /// Number of the parent key, whose quotas the key shares and with which it is revoked; `None` without a parent.
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
