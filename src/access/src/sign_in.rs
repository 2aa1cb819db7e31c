//! Signing in with a key or a code, and the web sessions that this begins. Sign-in codes are generated in `sign_in_code`.

use std::net::IpAddr;
use std::sync::Arc;

use super::administration::{Actor, Administration, MOST_LISTED};
use super::administration_error::AdministrationError;
use super::directory::Key;
use super::random_token::RandomToken;
use super::roles::KeyScope;
use super::web_sessions::is_over;
use parquote_state::{KeyChange, NewWebSession, WebSessionRow};

/// Maximum number of characters of a user agent that are stored.
const MOST_BROWSER_CHARACTERS: usize = 120;

/// The client of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visitor {
    /// Address of the client; `None` if it is unknown.
    pub from: Option<IpAddr>,
    /// User agent of the client.
    pub browser: String,
}

/// A listed web session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedSession {
    /// The stored session.
    pub row: WebSessionRow,
    /// The first characters of the session's key.
    pub hint: String,
    /// Owner of the session's key.
    pub owner: String,
    /// True if it is the caller's session.
    pub is_own: bool,
}

impl Administration {
    /// Begins a session for a key and returns the token for its cookie.
    ///
    /// # Errors
    /// The key does not work, or the state cannot be written.
    pub fn sign_in(&self, text: &str, visitor: &Visitor) -> Result<RandomToken, AdministrationError> {
        let key = self.typed_key(text, visitor.from)?;
        self.begin_session(&key, visitor, "signed in")
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
        let key_id = match RandomToken::hash_of(code.trim()) {
            Some(hash) => self.open_store()?.take_sign_in_code(hash, self.access.now())?,
            None => None,
        };
        if let Some(key) = key_id.and_then(|id| self.access.key(id)) {
            return self.begin_session(&key, visitor, "signed in with a code");
        }
        self.access.count_failure(visitor.from)?;
        Err(AdministrationError::Code)
    }

    fn begin_session(
        &self,
        key: &Key,
        visitor: &Visitor,
        what: &'static str,
    ) -> Result<RandomToken, AdministrationError> {
        let token = RandomToken::generate().map_err(|_| AdministrationError::Randomness)?;
        let browser: String =
            visitor.browser.chars().filter(|c| !c.is_control()).take(MOST_BROWSER_CHARACTERS).collect();
        let mut entry = self.activity_entry(key, what, &key.owner, Some(key.id));
        entry.detail.clone_from(&browser);
        let new = NewWebSession { hash: token.hash(), key_id: key.id, browser, made_at: entry.at };
        self.apply_change(key, &KeyChange::SignIn(&new), &entry)?;
        Ok(token)
    }

    /// Ends the caller's session.
    ///
    /// # Errors
    /// The state cannot be written.
    pub fn sign_out(&self, actor: &Actor) -> Result<(), AdministrationError> {
        let entry = self.activity_entry(&actor.key, "signed out", &actor.key.owner, Some(actor.key.id));
        self.apply_change(&actor.key, &KeyChange::EndSession(actor.session), &entry).map(drop)
    }

    /// Checks that a person has the key of the session, before an action for which a stolen session must not suffice.
    ///
    /// # Errors
    /// The text is not the key of the session.
    pub fn confirm(
        &self,
        actor: &Actor,
        text: &str,
        from: Option<IpAddr>,
    ) -> Result<(), AdministrationError> {
        let key = self.typed_key(text, from)?;
        if key.id == actor.key.id {
            return Ok(());
        }
        self.access.count_failure(from)?;
        Err(AdministrationError::OtherKey)
    }

    /// Returns the key whose text was typed into a form.
    fn typed_key(&self, text: &str, from: Option<IpAddr>) -> Result<Arc<Key>, AdministrationError> {
        if text.trim().is_empty() {
            return Err(AdministrationError::NoKey);
        }
        Ok(self.access.identify([text], from)?)
    }

    /// Returns the sessions of the keys that the caller may see, newest first.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn sessions(&self, actor: &Actor) -> Result<Vec<ManagedSession>, AdministrationError> {
        let (scope, now) = (KeyScope::for_key(&actor.key), self.access.now());
        let newest = self.open_store()?.web_sessions(KeyScope::owner(&actor.key), MOST_LISTED)?.into_iter();
        let visible = newest.filter(|(row, _, owner)| {
            !is_over(row.made_at, row.last_used_at, now) && scope.may_see(row.key_id, owner)
        });
        let listed = visible.map(|(row, hint, owner)| {
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
            self.managed_key(actor, key_id).map_err(|_| gone())?;
        }
        let entry = self.activity_entry(&actor.key, "ended a session", &session.owner, Some(key_id));
        self.apply_change(&actor.key, &KeyChange::EndSession(number), &entry)?.ok_or_else(gone).map(drop)
    }
}
