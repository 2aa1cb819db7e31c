//! Changes of keys and sessions with their activity log. A change and its log line are stored in one transaction.

use super::bounds::{OwnerBounds, ReachedBound};
use super::database::{self, Row, Transaction, params, read_row};
use super::error::StateError;
use super::key_row::NewKey;
use super::keys::{insert_key, replace_key, revoke_key};
use super::store::Store;
use super::web_sessions::{NewWebSession, begin_session, end_session};

/// An activity log line, stored or to be stored; `W` is the string type of its action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityRow<W = String> {
    /// Time of the activity, in Unix seconds.
    pub at: i64,
    /// Name of the owner of the changed keys.
    pub owner: String,
    /// Number of the key that made the change; `None` for the command line.
    pub actor: Option<i64>,
    /// The action, such as `issued` or `revoked`.
    pub what: W,
    /// Number of the changed key; `None` if the action changes no key, or before its new key is stored.
    pub key_id: Option<i64>,
    /// Further details, in words; may be empty.
    pub detail: String,
}

/// An activity log line to be stored.
pub type NewActivity = ActivityRow<&'static str>;

impl NewActivity {
    /// Builds a log line for an action on the command line.
    pub fn by_command_line(at: i64, owner: &str, what: &'static str) -> Self {
        Self { at, owner: owner.to_owned(), actor: None, what, key_id: None, detail: String::new() }
    }
}

/// A change of keys or sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyChange<'a> {
    /// Stores a new key.
    Issue(&'a NewKey),
    /// Replaces a key; the old key works until `until` at the latest.
    Rotate {
        /// Number of the old key.
        old: i64,
        /// The new key.
        new: &'a NewKey,
        /// Expiry of the old key, in Unix seconds.
        until: i64,
    },
    /// Revokes the key of this number and its descendants.
    Revoke(i64),
    /// Begins the web session of a browser.
    SignIn(&'a NewWebSession),
    /// Ends the web session of this number.
    EndSession(i64),
}

impl Store {
    /// Makes a change and writes its log line. Returns the number of the created or ended key or session; `None`, without a log line, if
    /// the key or session does not exist or has already ended.
    ///
    /// # Errors
    /// Database errors; nothing is changed then.
    pub fn change(
        &mut self,
        change: &KeyChange<'_>,
        log_line: &NewActivity,
    ) -> Result<Option<i64>, StateError> {
        self.write(|transaction| apply(transaction, change, log_line))
    }

    /// Makes a change like [`Store::change`], unless it would exceed one of the owner's bounds.
    ///
    /// # Errors
    /// Database errors; nothing is changed then.
    pub fn change_within(
        &mut self,
        bounds: &OwnerBounds,
        change: &KeyChange<'_>,
        log_line: &NewActivity,
    ) -> Result<Result<Option<i64>, ReachedBound>, StateError> {
        self.write(|transaction| {
            let (new_key, daily_limit) = match *change {
                KeyChange::Issue(new) => (Some(new), Some(bounds.issues)),
                // Without an overlap of both keys, the number of working keys stays the same.
                KeyChange::Rotate { new, until, .. } => {
                    ((until > log_line.at).then_some(new), Some(bounds.rotations))
                }
                KeyChange::SignIn(_) => (None, Some(bounds.sign_ins)),
                KeyChange::Revoke(_) | KeyChange::EndSession(_) => (None, None),
            };
            if let Some(new) = new_key
                && let Err(full) = bounds.check_new_key(transaction, new)?
            {
                return Ok(Err(full));
            }
            if let Some(most) = daily_limit
                && let Err(full) =
                    OwnerBounds::check_daily(transaction, &log_line.owner, log_line.at, log_line.what, most)?
            {
                return Ok(Err(full));
            }
            apply(transaction, change, log_line).map(Ok)
        })
    }

    /// Writes a log line about something outside of this state.
    pub fn log_activity(&mut self, log_line: &NewActivity) -> Result<(), StateError> {
        self.write(|transaction| insert_log_line(transaction, log_line, log_line.key_id))
    }

    /// Returns the newest log lines, `most` at most, of one owner or of all.
    pub fn activity(&self, owner: Option<&str>, most: u32) -> Result<Vec<ActivityRow>, StateError> {
        const SQL: &str =
            "SELECT * FROM activity WHERE ?1 IS NULL OR owner = ?1 ORDER BY number DESC LIMIT ?2";
        self.connection.rows(SQL, params![owner, most], activity_row).map_err(self.error_mapper())
    }
}

fn apply(
    transaction: &Transaction<'_>,
    change: &KeyChange<'_>,
    log_line: &NewActivity,
) -> database::Result<Option<i64>> {
    let number = match *change {
        KeyChange::Issue(new) => Some(insert_key(transaction, new)?),
        KeyChange::Rotate { old, new, until } => replace_key(transaction, old, new, until)?,
        KeyChange::Revoke(id) => revoke_key(transaction, id, log_line.at)?.then_some(id),
        KeyChange::SignIn(new) => Some(begin_session(transaction, new)?),
        KeyChange::EndSession(number) => end_session(transaction, number)?.then_some(number),
    };
    if number.is_some() {
        let key_id = if matches!(change, KeyChange::Issue(_)) { number } else { log_line.key_id };
        insert_log_line(transaction, log_line, key_id)?;
    }
    Ok(number)
}

pub(super) fn insert_log_line(
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
        let log_line = NewActivity::by_command_line(7, "A", "revoked");
        assert_eq!(store.change(&KeyChange::Revoke(1), &log_line).unwrap(), None);
        assert_eq!(store.change(&KeyChange::EndSession(1), &log_line).unwrap(), None);
        assert!(store.activity(None, 9).unwrap().is_empty());
        let new = NewKey { created_at: 7, ..NewKey::of_test(1) };
        let issued = NewActivity::by_command_line(7, "A", "issued");
        let id = store.change(&KeyChange::Issue(&new), &issued).unwrap();
        assert!(
            store.change(&KeyChange::Revoke(1), &NewActivity { key_id: id, ..log_line }).unwrap().is_some()
        );
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
