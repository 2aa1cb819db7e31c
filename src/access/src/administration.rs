//! What signed-in owners do with keys and sessions. Every change is in the state file, with a line in its log, and holds in this
//! process before it is told.
//!
//! It works on a connection of its own, behind a lock, and waits for the disk: callers take it to a thread that may wait. No call
//! of an operation comes this way.

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

/// The most that an owner may have and do; an admin key is not bound.
const BOUNDS: OwnerBounds =
    OwnerBounds { keys: 100, apps: 20, issues: 200, rotations: 100, consents: 100, sign_ins: 500 };
/// How much is kept of what a browser says of itself, in characters.
const BROWSER: usize = 120;
/// Keys and sessions that are listed, the newest.
const LISTED: u32 = 1_000;
/// Lines of the log that are shown.
const LINES: u32 = 200;

/// Keys and sessions, as their owners manage them.
pub struct Administration {
    store: Mutex<Store>,
    pub(super) access: Arc<AccessControl>,
}

/// Who does something: a key, and the session it is signed in with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The key.
    pub key: Arc<Key>,
    /// The number of the session.
    pub session: i64,
}

/// The other end of a connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visitor {
    /// Where it is, if that is known.
    pub from: Option<IpAddr>,
    /// What the browser says of itself.
    pub browser: String,
}

/// A key that was issued. The secret is shown once.
#[derive(Debug)]
pub struct IssuedKey {
    /// Its number.
    pub id: i64,
    /// Its text.
    pub secret: Secret,
    /// What is stored of it.
    pub stored: NewKey,
}

/// A key as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedKey {
    /// What is stored of it.
    pub row: KeyRow,
    /// What it used, if it was ever used.
    pub counter: Option<CounterRow>,
    /// Whether whoever looks may rotate and revoke it.
    pub is_managed: bool,
}

/// A session as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedSession {
    /// What is stored of it.
    pub row: WebSessionRow,
    /// The first characters of its key.
    pub hint: String,
    /// Whose it is.
    pub owner: String,
    /// Whether it is the one that looks.
    pub is_own: bool,
}

impl Administration {
    /// The administration of a state file that access control follows.
    pub fn new(store: Store, access: Arc<AccessControl>) -> Self {
        Self { store: Mutex::new(store), access }
    }

    /// Begins a session for a key. What the cookie is to hold comes back.
    ///
    /// # Errors
    /// A key that does not work, or a state file that cannot be written.
    pub fn sign_in(&self, text: &str, visitor: &Visitor) -> Result<RandomToken, AdministrationError> {
        let key = self.access.identify([text], visitor.from)?;
        self.begin(&key, visitor, "signed in")
    }

    /// Begins a session for the key that a code was printed for.
    ///
    /// # Errors
    /// A code of no use, or a state file that cannot be written.
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

    /// Ends the session of whoever asks.
    ///
    /// # Errors
    /// A state file that cannot be written.
    pub fn sign_out(&self, actor: &Actor) -> Result<(), AdministrationError> {
        let noted = self.noted(actor, "signed out", &actor.key.owner, Some(actor.key.id));
        self.changed(&actor.key, &KeyChange::EndSession(actor.session), &noted).map(drop)
    }

    /// Asks for the key again, before something is done that a stolen session must not do.
    ///
    /// # Errors
    /// A text that is not the key of the session.
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
    /// What is not this key's to ask, a text that cannot be stored, or a state file that cannot be written.
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

    /// Issues a key in the place of one, which works for some seconds more.
    ///
    /// # Errors
    /// A key that is not there, does not work, or is not this key's to manage.
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
        // What the old key used counts for the new one, the last second too.
        self.access.flush(&mut *self.open_store()?)?;
        let new = self.changed(&actor.key, &KeyChange::Rotate { old: id, new: &stored, until }, &noted)?;
        let id = new.ok_or(AdministrationError::Gone("key"))?;
        Ok(IssuedKey { id, secret, stored })
    }

    /// Revokes a key, and those that depend on it.
    ///
    /// # Errors
    /// A key that is not there, was revoked, or is not this key's to manage.
    pub fn revoke(&self, actor: &Actor, id: i64) -> Result<(), AdministrationError> {
        let row = self.managed(actor, id)?;
        let mut noted = self.noted(actor, "revoked a key", &row.owner, Some(id));
        noted.detail = row.note;
        self.changed(&actor.key, &KeyChange::Revoke(id), &noted)?
            .ok_or(AdministrationError::Gone("key"))
            .map(drop)
    }

    /// The keys that this key sees, the newest first.
    ///
    /// # Errors
    /// A state file that cannot be read.
    pub fn keys(&self, actor: &Actor) -> Result<Vec<ManagedKey>, AdministrationError> {
        let scope = KeyScope::of(&actor.key);
        let newest = self.open_store()?.newest_keys(KeyScope::owner(&actor.key), LISTED)?.into_iter();
        let seen = newest.filter(|(row, _)| scope.sees((row.id, &row.owner)));
        let listed = seen.map(|(row, counter)| {
            let is_managed = manages(&actor.key, &row);
            ManagedKey { row, counter, is_managed }
        });
        Ok(listed.collect())
    }

    /// The sessions of the keys that this key sees, the newest first.
    ///
    /// # Errors
    /// A state file that cannot be read.
    pub fn sessions(&self, actor: &Actor) -> Result<Vec<ManagedSession>, AdministrationError> {
        let (scope, now) = (KeyScope::of(&actor.key), self.access.now());
        let newest = self.open_store()?.web_sessions(KeyScope::owner(&actor.key), LISTED)?.into_iter();
        let seen = newest.filter(|(row, _, owner)| {
            !is_over(row.made_at, row.last_used_at, now) && scope.sees((row.key_id, owner))
        });
        let listed = seen.map(|(row, hint, owner)| {
            let is_own = row.number == actor.session;
            ManagedSession { row, hint, owner, is_own }
        });
        Ok(listed.collect())
    }

    /// Ends a session of a key that this key manages, or its own.
    ///
    /// # Errors
    /// A session that is not there, or not this key's to end.
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

    /// What was done lately, as far as this key sees it.
    ///
    /// # Errors
    /// A state file that cannot be read.
    pub fn activity(&self, actor: &Actor) -> Result<Vec<ActivityRow>, AdministrationError> {
        let mut lines = self.open_store()?.activity(KeyScope::owner(&actor.key), LINES)?;
        if let KeyScope::Itself(id) = KeyScope::of(&actor.key) {
            lines.retain(|line| line.key_id == Some(id));
        }
        Ok(lines)
    }

    /// What was called in the last days, today included, as far as this key sees it.
    ///
    /// # Errors
    /// A state file that cannot be read.
    pub fn usage(&self, key: &Key, days: i64) -> Result<Vec<UseRow>, AdministrationError> {
        let from = Window::of(self.access.now()).day.saturating_sub(days - 1);
        let mut rows = self.open_store()?.usage(KeyScope::owner(key), from)?;
        if let KeyScope::Itself(id) = KeyScope::of(key) {
            rows.retain(|row| row.key_id == id);
        }
        Ok(rows)
    }

    /// The time by which everything here is judged, in Unix seconds.
    pub fn now(&self) -> i64 {
        self.access.now()
    }

    /// A key that this key manages.
    fn managed(&self, actor: &Actor, id: i64) -> Result<KeyRow, AdministrationError> {
        let gone = AdministrationError::Gone("key");
        let row = self
            .open_store()?
            .key(id)?
            .filter(|row| KeyScope::of(&actor.key).sees((row.id, &row.owner)))
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

    /// Makes a change within the bounds of the owner; it then holds in this process too.
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
        self.follow(store)?;
        Ok(made)
    }

    /// Has a change hold in this process, and waits until other servers on a database have followed it too: whoever is answered may ask
    /// one of them next.
    pub(super) fn follow(&self, store: MutexGuard<'_, Store>) -> Result<(), StateError> {
        self.access.follow(&store)?;
        let is_shared = store.is_on_a_server() && self.access.leasing.servers() > 1;
        drop(store);
        if is_shared {
            std::thread::sleep(FOLLOWED);
        }
        Ok(())
    }

    /// The state file that lies at its path now.
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

/// The bounds of what this key does.
pub(super) fn bounds(key: &Key) -> Option<&'static OwnerBounds> {
    (!key.is_admin).then_some(&BOUNDS)
}

/// Whether a stored key works.
fn works(row: &KeyRow, now: i64) -> bool {
    row.revoked_at.is_none() && row.expires_at.is_none_or(|at| at > now)
}
