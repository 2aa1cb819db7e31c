//! Changes of keys and sessions with their activity log. A change and its log line are stored in one transaction.

use super::bounds::{OwnerBounds, ReachedBound};
use super::database::{self, Row, Transaction, params, read_row};
use super::error::StateError;
use super::key_row::NewKey;
use super::keys::{insert, replace, revoke};
use super::store::Store;
use super::web_sessions::{NewWebSession, begin_session, end_session};

/// An activity log line, stored or to store; `W` is the form of its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityRow<W = String> {
    /// Time of the activity, in Unix seconds.
    pub at: i64,
    /// Owner of the keys concerned.
    pub owner: String,
    /// The key that made the change; `None` for the command line.
    pub actor: Option<i64>,
    /// The action, in words.
    pub what: W,
    /// The key that was changed; for a new key, its number is filled in when the line is stored.
    pub key_id: Option<i64>,
    /// Further details.
    pub detail: String,
}

/// An activity log line to store.
pub type NewActivity = ActivityRow<&'static str>;

impl NewActivity {
    /// Builds a log line about an owner for an action on the command line.
    pub fn by_command_line(at: i64, owner: &str, what: &'static str) -> Self {
        Self { at, owner: owner.to_owned(), actor: None, what, key_id: None, detail: String::new() }
    }
}

/// A change of keys or sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyChange<'a> {
    /// A new key.
    Issue(&'a NewKey),
    /// Replaces a key; the old one works until a time at the latest.
    Rotate {
        /// The key that is replaced.
        old: i64,
        /// The key that replaces it.
        new: &'a NewKey,
        /// Expiry of the old key, in Unix seconds.
        until: i64,
    },
    /// Revokes a key and its descendants.
    Revoke(i64),
    /// A browser signs in.
    SignIn(&'a NewWebSession),
    /// A session ends.
    EndSession(i64),
}

impl Store {
    /// Makes a change and writes its log line. Returns the number of the created or ended key or session; `None`, without a log line, if
    /// there is no such key or session or it has already ended.
    ///
    /// # Errors
    /// Database errors; nothing is changed then.
    pub fn change(&mut self, change: &KeyChange<'_>, noted: &NewActivity) -> Result<Option<i64>, StateError> {
        self.write(|transaction| make(transaction, change, noted))
    }

    /// Makes a change like [`Store::change`], unless it would exceed one of the owner's bounds.
    ///
    /// # Errors
    /// Database errors; nothing is changed then.
    pub fn change_within(
        &mut self,
        bounds: &OwnerBounds,
        change: &KeyChange<'_>,
        noted: &NewActivity,
    ) -> Result<Result<Option<i64>, ReachedBound>, StateError> {
        self.write(|transaction| {
            let (one_more, a_day) = match *change {
                KeyChange::Issue(new) => (Some(new), Some(bounds.issues)),
                // Without an overlap of both keys, the number of working keys stays the same.
                KeyChange::Rotate { new, until, .. } => {
                    ((until > noted.at).then_some(new), Some(bounds.rotations))
                }
                KeyChange::SignIn(_) => (None, Some(bounds.sign_ins)),
                KeyChange::Revoke(_) | KeyChange::EndSession(_) => (None, None),
            };
            if let Some(new) = one_more
                && let Err(full) = bounds.of_key(transaction, new)?
            {
                return Ok(Err(full));
            }
            if let Some(most) = a_day
                && let Err(full) = OwnerBounds::of_day(transaction, &noted.owner, noted.at, noted.what, most)?
            {
                return Ok(Err(full));
            }
            make(transaction, change, noted).map(Ok)
        })
    }

    /// Writes a log line about something outside of this state.
    pub fn log_activity(&mut self, noted: &NewActivity) -> Result<(), StateError> {
        self.write(|transaction| note(transaction, noted, noted.key_id))
    }

    /// Returns the newest log lines, of one owner or of all.
    pub fn activity(&self, owner: Option<&str>, most: u32) -> Result<Vec<ActivityRow>, StateError> {
        const SQL: &str =
            "SELECT * FROM activity WHERE ?1 IS NULL OR owner = ?1 ORDER BY number DESC LIMIT ?2";
        self.connection.rows(SQL, params![owner, most], activity_row).map_err(self.failed())
    }
}

fn make(
    transaction: &Transaction<'_>,
    change: &KeyChange<'_>,
    noted: &NewActivity,
) -> database::Result<Option<i64>> {
    let made = match *change {
        KeyChange::Issue(new) => Some(insert(transaction, new)?),
        KeyChange::Rotate { old, new, until } => replace(transaction, old, new, until)?,
        KeyChange::Revoke(id) => revoke(transaction, id, noted.at)?.then_some(id),
        KeyChange::SignIn(new) => Some(begin_session(transaction, new)?),
        KeyChange::EndSession(number) => end_session(transaction, number)?.then_some(number),
    };
    if made.is_some() {
        let key_id = if matches!(change, KeyChange::Issue(_)) { made } else { noted.key_id };
        note(transaction, noted, key_id)?;
    }
    Ok(made)
}

pub(super) fn note(
    transaction: &Transaction<'_>,
    new: &NewActivity,
    key_id: Option<i64>,
) -> database::Result<()> {
    const SQL: &str = "INSERT INTO activity (at, owner, actor, what, key_id, detail)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    transaction.execute(SQL, params![new.at, new.owner, new.actor, new.what, key_id, new.detail]).map(drop)
}

fn activity_row(row: &Row<'_>) -> database::Result<ActivityRow> {
    read_row!(row => ActivityRow: at, owner, actor, what, key_id, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_nothing_leaves_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("state.db")).unwrap();
        let noted = NewActivity::by_command_line(7, "A", "revoked");
        assert_eq!(store.change(&KeyChange::Revoke(1), &noted).unwrap(), None);
        assert_eq!(store.change(&KeyChange::EndSession(1), &noted).unwrap(), None);
        assert!(store.activity(None, 9).unwrap().is_empty());
        let new = NewKey { created_at: 7, ..NewKey::of_test(1) };
        let issued = NewActivity::by_command_line(7, "A", "issued");
        let id = store.change(&KeyChange::Issue(&new), &issued).unwrap();
        assert!(store.change(&KeyChange::Revoke(1), &NewActivity { key_id: id, ..noted }).unwrap().is_some());
        let lines = store.activity(Some("A"), 9).unwrap();
        let entries: Vec<_> = lines.iter().map(|line| (line.what.as_str(), line.key_id)).collect();
        assert_eq!(entries, [("revoked", id), ("issued", id)]);
        assert!(store.activity(Some("B"), 9).unwrap().is_empty());
        // A line about something outside of the state needs no key.
        store.log_activity(&NewActivity::by_command_line(8, "B", "rolled back a set")).unwrap();
        let lines = store.activity(Some("B"), 9).unwrap();
        assert_eq!((lines[0].what.as_str(), lines[0].key_id), ("rolled back a set", None));
    }
}
