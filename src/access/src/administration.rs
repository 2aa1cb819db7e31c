//! Management of keys by signed-in owners. Every change is stored with its log line, and applied in this process before the
//! caller gets an answer.
//!
//! The functions use a separate connection behind a lock and block on the disk, so they are called on threads that may block. Calls of
//! operations do not use them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::access_control::AccessControl;
use super::administration_error::AdministrationError;
use super::clock::Window;
use super::directory::Key;
use super::roles::{KeyRequest, KeyScope, admit_request, may_manage};
use super::secret::Secret;
use super::state_sync::SYNC_TIME;
use parquote_state::{
    APP_HINT, ActivityRow, CounterRow, KeyChange, KeyRow, NewActivity, NewKey, OwnerBounds, StateError,
    Store, UseRow,
};

/// Limits for one owner; admin keys have none.
const OWNER_BOUNDS: OwnerBounds =
    OwnerBounds { keys: 100, apps: 20, issues: 200, rotations: 100, consents: 100, sign_ins: 500 };
/// Maximum number of keys and sessions listed, newest first.
pub(super) const MOST_LISTED: u32 = 1_000;
/// Maximum number of lines of the activity log that are returned.
const MOST_LINES: u32 = 200;

/// Management of keys and sessions.
pub struct Administration {
    store: Mutex<Store>,
    pub(super) access: Arc<AccessControl>,
}

/// A signed-in caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The key.
    pub key: Arc<Key>,
    /// Number of the session.
    pub session: i64,
}

/// An issued key. The secret is shown once.
#[derive(Debug)]
pub struct IssuedKey {
    /// The number of the key.
    pub id: i64,
    /// The secret text.
    pub secret: Secret,
    /// The stored key.
    pub stored: NewKey,
}

/// A listed key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedKey {
    /// The stored key.
    pub row: KeyRow,
    /// The use of the key; `None` if it was never used.
    pub counter: Option<CounterRow>,
    /// True if the caller may rotate and revoke it.
    pub is_managed: bool,
}

impl Administration {
    /// Creates the management of the state that `access` is synchronized with.
    pub fn new(store: Store, access: Arc<AccessControl>) -> Self {
        Self { store: Mutex::new(store), access }
    }

    /// Issues a key.
    ///
    /// # Errors
    /// The request exceeds the caller's rights, has a text that cannot be stored, or the state cannot be written.
    pub fn issue(&self, actor: &Actor, request: &KeyRequest) -> Result<IssuedKey, AdministrationError> {
        let (request, parent) = admit_request(&actor.key, request)?;
        let now = self.access.now();
        if request.expires_at.is_some_and(|at| at <= now) {
            return Err(AdministrationError::Past);
        }
        let owner = request.owner.unwrap_or_default();
        let secret = Secret::generate().map_err(|_| AdministrationError::Randomness)?;
        let stored = NewKey {
            hash: secret.hash(),
            hint: secret.hint().to_owned(),
            tier: request.tier.word().to_owned(),
            owner,
            note: request.label,
            quota_day: None,
            quota_hour: None,
            created_at: now,
            expires_at: request.expires_at,
            is_admin: request.is_admin,
            parent,
            may_account: request.may_account,
        };
        let mut entry = self.activity_entry(&actor.key, "issued a key", &stored.owner, None);
        entry.detail = format!("{}: {}", stored.tier, stored.note);
        let id = self.apply_change(&actor.key, &KeyChange::Issue(&stored), &entry)?;
        let id = id.ok_or(AdministrationError::Gone("key"))?;
        Ok(IssuedKey { id, secret, stored })
    }

    /// Replaces a key; the old one works for `grace_s` more seconds.
    ///
    /// # Errors
    /// The key does not exist, does not work, or may not be managed by the caller.
    pub fn rotate(&self, actor: &Actor, id: i64, grace_s: i64) -> Result<IssuedKey, AdministrationError> {
        let now = self.access.now();
        let old = self.managed_key(actor, id)?;
        if !old.works(now) {
            return Err(AdministrationError::Gone("key"));
        }
        if old.hint == APP_HINT {
            let why =
                "this is the access of an app, which renews itself; revoke it, and let the app in again";
            return Err(AdministrationError::Denied(why));
        }
        let secret = Secret::generate().map_err(|_| AdministrationError::Randomness)?;
        let (hash, hint) = (secret.hash(), secret.hint().to_owned());
        let stored = NewKey { hash, hint, created_at: now, ..old.key };
        let mut entry = self.activity_entry(&actor.key, "rotated a key", &stored.owner, Some(id));
        entry.detail.clone_from(&stored.note);
        let until = now.saturating_add(grace_s);
        // The new key inherits the old one's use, including the last second.
        self.access.flush(&mut *self.open_store()?)?;
        let new =
            self.apply_change(&actor.key, &KeyChange::Rotate { old: id, new: &stored, until }, &entry)?;
        let id = new.ok_or(AdministrationError::Gone("key"))?;
        Ok(IssuedKey { id, secret, stored })
    }

    /// Revokes a key and its descendants.
    ///
    /// # Errors
    /// The key does not exist, is already revoked, or may not be managed by the caller.
    pub fn revoke(&self, actor: &Actor, id: i64) -> Result<(), AdministrationError> {
        let row = self.managed_key(actor, id)?;
        let mut entry = self.activity_entry(&actor.key, "revoked a key", &row.owner, Some(id));
        entry.detail = row.key.note;
        self.apply_change(&actor.key, &KeyChange::Revoke(id), &entry)?
            .ok_or(AdministrationError::Gone("key"))
            .map(drop)
    }

    /// Returns the keys that the caller may see, newest first.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn keys(&self, actor: &Actor) -> Result<Vec<ManagedKey>, AdministrationError> {
        let scope = KeyScope::for_key(&actor.key);
        let newest = self.open_store()?.newest_keys(KeyScope::owner(&actor.key), MOST_LISTED)?.into_iter();
        let visible = newest.filter(|(row, _)| scope.may_see(row.id, &row.owner));
        let listed = visible.map(|(row, counter)| {
            let is_managed = may_manage(&actor.key, &row);
            ManagedKey { row, counter, is_managed }
        });
        Ok(listed.collect())
    }

    /// Logs an action on something outside of the state, such as a set of tables.
    ///
    /// # Errors
    /// The state cannot be written.
    pub fn log_action(
        &self,
        actor: &Actor,
        what: &'static str,
        detail: &str,
    ) -> Result<(), AdministrationError> {
        let entry = self.activity_entry(&actor.key, what, &actor.key.owner, None);
        Ok(self.open_store()?.log_activity(&NewActivity { detail: detail.to_owned(), ..entry })?)
    }

    /// Returns the newest activity log lines that the caller may see.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn activity(&self, actor: &Actor) -> Result<Vec<ActivityRow>, AdministrationError> {
        let mut lines = self.open_store()?.activity(KeyScope::owner(&actor.key), MOST_LINES)?;
        if let KeyScope::Itself(id) = KeyScope::for_key(&actor.key) {
            lines.retain(|line| line.key_id == Some(id));
        }
        Ok(lines)
    }

    /// Returns the usage that the key may see, of the last `days` days including today.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn usage(&self, key: &Key, days: i64) -> Result<Vec<UseRow>, AdministrationError> {
        let from = Window::from_unix(self.access.now()).day.saturating_sub(days - 1);
        let mut rows = self.open_store()?.usage(KeyScope::owner(key), from)?;
        if let KeyScope::Itself(id) = KeyScope::for_key(key) {
            rows.retain(|row| row.key_id == id);
        }
        Ok(rows)
    }

    /// Returns the present time in Unix seconds; all decisions use this clock.
    pub fn now(&self) -> i64 {
        self.access.now()
    }

    /// Returns a key that the caller may manage.
    pub(super) fn managed_key(&self, actor: &Actor, id: i64) -> Result<KeyRow, AdministrationError> {
        let gone = AdministrationError::Gone("key");
        let row = self
            .open_store()?
            .key(id)?
            .filter(|row| KeyScope::for_key(&actor.key).may_see(row.id, &row.owner))
            .ok_or(gone)?;
        if may_manage(&actor.key, &row) {
            return Ok(row);
        }
        Err(AdministrationError::Denied("this key is of a higher tier than yours, or an admin key"))
    }

    /// Builds a line of the activity log with an empty detail.
    pub(super) fn activity_entry(
        &self,
        by: &Key,
        what: &'static str,
        owner: &str,
        key_id: Option<i64>,
    ) -> NewActivity {
        let (at, actor, detail) = (self.access.now(), Some(by.id), String::new());
        NewActivity { at, owner: owner.to_owned(), actor, what, key_id, detail }
    }

    /// Makes a change within the owner's limits and applies it in this process. Returns the number of the new or changed row; `None` if
    /// there was none.
    pub(super) fn apply_change(
        &self,
        by: &Key,
        change: &KeyChange<'_>,
        entry: &NewActivity,
    ) -> Result<Option<i64>, AdministrationError> {
        let mut store = self.open_store()?;
        let id = match bounds(by) {
            Some(bounds) => store.change_within(bounds, change, entry)?.map_err(AdministrationError::Full)?,
            None => store.change(change, entry)?,
        };
        self.propagate(store)?;
        Ok(id)
    }

    /// Applies a change in this process and waits until other servers on the database have read it, because the client's next request may
    /// reach one of them.
    pub(super) fn propagate(&self, store: MutexGuard<'_, Store>) -> Result<(), StateError> {
        self.access.sync_from_store(&store)?;
        let is_shared = store.is_on_a_server() && self.access.leasing.servers() > 1;
        drop(store);
        if is_shared {
            std::thread::sleep(SYNC_TIME);
        }
        Ok(())
    }

    /// Locks the store; if the state file was replaced, switches to the new file.
    pub(super) fn open_store(&self) -> Result<MutexGuard<'_, Store>, StateError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.reopen_if_replaced()?;
        Ok(store)
    }
}

/// Returns the limits for a key; `None` for admin keys.
pub(super) fn bounds(key: &Key) -> Option<&'static OwnerBounds> {
    (!key.is_admin).then_some(&OWNER_BOUNDS)
}
