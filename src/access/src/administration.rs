//! Management of keys and sessions by signed-in owners. Every change is stored with its log line, and applied in this process before the
//! caller gets an answer.
//!
//! It uses a separate connection behind a lock and blocks on the disk: call it on a thread that may block. Calls of operations never come
//! here.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::access_control::AccessControl;
use super::administration_error::AdministrationError;
use super::clock::Window;
use super::directory::Key;
use super::random_token::RandomToken;
use super::roles::{KeyRequest, KeyScope, admitted, manages};
use super::secret::Secret;
use super::state_sync::FOLLOWED;
use super::web_sessions::is_over;
use parquote_state::{
    APP_HINT, ActivityRow, CounterRow, KeyChange, KeyRow, NewActivity, NewKey, NewWebSession, OwnerBounds,
    StateError, Store, UseRow, WebSessionRow,
};

/// Limits for one owner; admin keys have none.
const BOUNDS: OwnerBounds =
    OwnerBounds { keys: 100, apps: 20, issues: 200, rotations: 100, consents: 100, sign_ins: 500 };
/// Stored characters of a browser's user agent.
const BROWSER: usize = 120;
/// Maximum number of keys and sessions listed, newest first.
const LISTED: u32 = 1_000;
/// Maximum number of activity log lines shown.
const LINES: u32 = 200;

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
    /// Number of its session.
    pub session: i64,
}

/// The client of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visitor {
    /// Its address, if known.
    pub from: Option<IpAddr>,
    /// Its user agent.
    pub browser: String,
}

/// An issued key. The secret is shown once.
#[derive(Debug)]
pub struct IssuedKey {
    /// Its number.
    pub id: i64,
    /// Its secret text.
    pub secret: Secret,
    /// The stored key.
    pub stored: NewKey,
}

/// A listed key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedKey {
    /// The stored key.
    pub row: KeyRow,
    /// Its use, if it was ever used.
    pub counter: Option<CounterRow>,
    /// True if the caller may rotate and revoke it.
    pub is_managed: bool,
}

/// A listed web session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedSession {
    /// The stored session.
    pub row: WebSessionRow,
    /// The first characters of its key.
    pub hint: String,
    /// Owner of its key.
    pub owner: String,
    /// True if it is the caller's session.
    pub is_own: bool,
}

impl Administration {
    /// Builds the management of a state that access control follows.
    pub fn new(store: Store, access: Arc<AccessControl>) -> Self {
        Self { store: Mutex::new(store), access }
    }

    /// Begins a session for a key and returns the token for its cookie.
    ///
    /// # Errors
    /// The key does not work, or the state cannot be written.
    pub fn sign_in(&self, text: &str, visitor: &Visitor) -> Result<RandomToken, AdministrationError> {
        let key = self.access.identify([text], visitor.from)?;
        self.begin(&key, visitor, "signed in")
    }

    /// Begins a session with a sign-in code.
    ///
    /// # Errors
    /// The code is unknown, used or expired, or the state cannot be written.
    pub fn sign_in_with_code(
        &self,
        code: &str,
        visitor: &Visitor,
    ) -> Result<RandomToken, AdministrationError> {
        let taken = match RandomToken::hash_of(code.trim()) {
            Some(hash) => self.open_store()?.take_sign_in_code(hash, self.access.now())?,
            None => None,
        };
        if let Some(key) = taken.and_then(|id| self.access.key(id)) {
            return self.begin(&key, visitor, "signed in with a code");
        }
        self.access.count_failure(visitor.from)?;
        Err(AdministrationError::Code)
    }

    fn begin(
        &self,
        key: &Key,
        visitor: &Visitor,
        what: &'static str,
    ) -> Result<RandomToken, AdministrationError> {
        let token = RandomToken::generate().map_err(|_| AdministrationError::Randomness)?;
        let browser = visitor.browser.chars().filter(|c| !c.is_control()).take(BROWSER).collect();
        let now = self.access.now();
        let new = NewWebSession { hash: token.hash(), key_id: key.id, browser, made_at: now };
        let noted = NewActivity {
            at: now,
            owner: key.owner.to_string(),
            actor: Some(key.id),
            what,
            key_id: Some(key.id),
            detail: new.browser.clone(),
        };
        self.changed(key, &KeyChange::SignIn(&new), &noted)?;
        Ok(token)
    }

    /// Ends the caller's session.
    ///
    /// # Errors
    /// The state cannot be written.
    pub fn sign_out(&self, actor: &Actor) -> Result<(), AdministrationError> {
        let noted = self.noted(actor, "signed out", &actor.key.owner, Some(actor.key.id));
        self.changed(&actor.key, &KeyChange::EndSession(actor.session), &noted).map(drop)
    }

    /// Checks the key again before an action that a stolen session must not be able to do.
    ///
    /// # Errors
    /// The text is not the key of the session.
    pub fn confirm(
        &self,
        actor: &Actor,
        text: &str,
        from: Option<IpAddr>,
    ) -> Result<(), AdministrationError> {
        let key = self.access.identify([text], from)?;
        if key.id == actor.key.id {
            return Ok(());
        }
        self.access.count_failure(from)?;
        Err(AdministrationError::OtherKey)
    }

    /// Issues a key.
    ///
    /// # Errors
    /// The request exceeds the caller's rights, has a text that cannot be stored, or the state cannot be written.
    pub fn issue(&self, actor: &Actor, request: &KeyRequest) -> Result<IssuedKey, AdministrationError> {
        let (request, parent) = admitted(&actor.key, request)?;
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
        let mut noted = self.noted(actor, "issued a key", &stored.owner, None);
        noted.detail = format!("{}: {}", stored.tier, stored.note);
        let id = self.changed(&actor.key, &KeyChange::Issue(&stored), &noted)?;
        let id = id.ok_or(AdministrationError::Gone("key"))?;
        Ok(IssuedKey { id, secret, stored })
    }

    /// Replaces a key; the old one works for `grace_s` more seconds.
    ///
    /// # Errors
    /// The key does not exist, does not work, or may not be managed by the caller.
    pub fn rotate(&self, actor: &Actor, id: i64, grace_s: i64) -> Result<IssuedKey, AdministrationError> {
        let now = self.access.now();
        let old = self.managed(actor, id)?;
        if !works(&old, now) {
            return Err(AdministrationError::Gone("key"));
        }
        if old.hint == APP_HINT {
            let why =
                "this is the access of an app, which renews itself; revoke it, and let the app in again";
            return Err(AdministrationError::Denied(why));
        }
        let secret = Secret::generate().map_err(|_| AdministrationError::Randomness)?;
        let stored = NewKey {
            hash: secret.hash(),
            hint: secret.hint().to_owned(),
            tier: old.tier,
            owner: old.owner,
            note: old.note,
            quota_day: old.quota_day,
            quota_hour: old.quota_hour,
            created_at: now,
            expires_at: old.expires_at,
            is_admin: old.is_admin,
            parent: old.parent,
            may_account: old.may_account,
        };
        let mut noted = self.noted(actor, "rotated a key", &stored.owner, Some(id));
        noted.detail.clone_from(&stored.note);
        let until = now.saturating_add(grace_s);
        // The new key inherits the old one's use, including the last second.
        self.access.flush(&mut *self.open_store()?)?;
        let new = self.changed(&actor.key, &KeyChange::Rotate { old: id, new: &stored, until }, &noted)?;
        let id = new.ok_or(AdministrationError::Gone("key"))?;
        Ok(IssuedKey { id, secret, stored })
    }

    /// Revokes a key and its descendants.
    ///
    /// # Errors
    /// The key does not exist, is already revoked, or may not be managed by the caller.
    pub fn revoke(&self, actor: &Actor, id: i64) -> Result<(), AdministrationError> {
        let row = self.managed(actor, id)?;
        let mut noted = self.noted(actor, "revoked a key", &row.owner, Some(id));
        noted.detail = row.note;
        self.changed(&actor.key, &KeyChange::Revoke(id), &noted)?
            .ok_or(AdministrationError::Gone("key"))
            .map(drop)
    }

    /// Returns the keys that the caller may see, newest first.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn keys(&self, actor: &Actor) -> Result<Vec<ManagedKey>, AdministrationError> {
        let scope = KeyScope::for_key(&actor.key);
        let newest = self.open_store()?.newest_keys(KeyScope::owner(&actor.key), LISTED)?.into_iter();
        let seen = newest.filter(|(row, _)| scope.sees(row.id, &row.owner));
        let listed = seen.map(|(row, counter)| {
            let is_managed = manages(&actor.key, &row);
            ManagedKey { row, counter, is_managed }
        });
        Ok(listed.collect())
    }

    /// Returns the sessions of the keys that the caller may see, newest first.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn sessions(&self, actor: &Actor) -> Result<Vec<ManagedSession>, AdministrationError> {
        let (scope, now) = (KeyScope::for_key(&actor.key), self.access.now());
        let newest = self.open_store()?.web_sessions(KeyScope::owner(&actor.key), LISTED)?.into_iter();
        let seen = newest.filter(|(row, _, owner)| {
            !is_over(row.made_at, row.last_used_at, now) && scope.sees(row.key_id, owner)
        });
        let listed = seen.map(|(row, hint, owner)| {
            let is_own = row.number == actor.session;
            ManagedSession { row, hint, owner, is_own }
        });
        Ok(listed.collect())
    }

    /// Ends a session of the caller's key, or of a key that the caller manages.
    ///
    /// # Errors
    /// The session does not exist or may not be ended by the caller.
    pub fn end_session(&self, actor: &Actor, number: i64) -> Result<(), AdministrationError> {
        let gone = || AdministrationError::Gone("session");
        let session = self.sessions(actor)?.into_iter().find(|session| session.row.number == number);
        let session = session.ok_or_else(gone)?;
        let key_id = session.row.key_id;
        if key_id != actor.key.id {
            self.managed(actor, key_id).map_err(|_| gone())?;
        }
        let noted = self.noted(actor, "ended a session", &session.owner, Some(key_id));
        self.changed(&actor.key, &KeyChange::EndSession(number), &noted)?.ok_or_else(gone).map(drop)
    }

    /// Returns the newest activity log lines that the caller may see.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn activity(&self, actor: &Actor) -> Result<Vec<ActivityRow>, AdministrationError> {
        let mut lines = self.open_store()?.activity(KeyScope::owner(&actor.key), LINES)?;
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

    /// Returns a key if the caller manages it.
    fn managed(&self, actor: &Actor, id: i64) -> Result<KeyRow, AdministrationError> {
        let gone = AdministrationError::Gone("key");
        let row = self
            .open_store()?
            .key(id)?
            .filter(|row| KeyScope::for_key(&actor.key).sees(row.id, &row.owner))
            .ok_or(gone)?;
        if manages(&actor.key, &row) {
            return Ok(row);
        }
        Err(AdministrationError::Denied("this key is of a higher tier than yours, or an admin key"))
    }

    fn noted(&self, actor: &Actor, what: &'static str, owner: &str, key_id: Option<i64>) -> NewActivity {
        let (at, actor, detail) = (self.access.now(), Some(actor.key.id), String::new());
        NewActivity { at, owner: owner.to_owned(), actor, what, key_id, detail }
    }

    /// Makes a change within the owner's limits and applies it in this process.
    fn changed(
        &self,
        by: &Key,
        change: &KeyChange<'_>,
        noted: &NewActivity,
    ) -> Result<Option<i64>, AdministrationError> {
        let mut store = self.open_store()?;
        let made = match bounds(by) {
            Some(bounds) => store.change_within(bounds, change, noted)?.map_err(AdministrationError::Full)?,
            None => store.change(change, noted)?,
        };
        self.propagate(store)?;
        Ok(made)
    }

    /// Applies a change in this process and waits until other servers on the database have followed it: the client's next request may reach
    /// one of them.
    pub(super) fn propagate(&self, store: MutexGuard<'_, Store>) -> Result<(), StateError> {
        self.access.sync_from_store(&store)?;
        let is_shared = store.is_on_a_server() && self.access.leasing.servers() > 1;
        drop(store);
        if is_shared {
            std::thread::sleep(FOLLOWED);
        }
        Ok(())
    }

    /// Locks the store, after switching to a replaced state file.
    pub(super) fn open_store(&self) -> Result<MutexGuard<'_, Store>, StateError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.take_up()?;
        Ok(store)
    }
}

impl std::fmt::Debug for Administration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Administration").finish_non_exhaustive()
    }
}

/// Returns the limits for a key; `None` for admin keys.
pub(super) fn bounds(key: &Key) -> Option<&'static OwnerBounds> {
    (!key.is_admin).then_some(&BOUNDS)
}

/// Returns true if a stored key works.
fn works(row: &KeyRow, now: i64) -> bool {
    row.revoked_at.is_none() && row.expires_at.is_none_or(|at| at > now)
}
