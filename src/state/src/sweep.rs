//! Removal of expired data: sessions, codes, tokens, keys that ended long ago, and old lines of the activity log and of usage.

use super::database::{self, params};
use super::error::StateError;
use super::store::Store;

/// Limits of retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionLimits {
    /// Now, in Unix seconds: sign-in codes and tokens that expired before this time are deleted.
    pub now: i64,
    /// Time in Unix seconds: sessions that began earlier are deleted.
    pub sessions_made: i64,
    /// Time in Unix seconds: sessions that were last used earlier are deleted.
    pub sessions_used: i64,
    /// Time in Unix seconds: app codes that expired earlier are deleted; until then a second exchange is detected.
    pub app_codes: i64,
    /// Time in Unix seconds: keys that expired or were revoked earlier are deleted, unless they have usage or children.
    pub keys: i64,
    /// Time in Unix seconds: earlier lines of the activity log are deleted.
    pub activity: i64,
    /// Maximum number of lines of the activity log for each owner; the newest stay.
    pub lines: u32,
    /// Day, as the caller numbers days: usage of earlier days is deleted.
    pub usage_day: i64,
    /// Day, as the caller numbers days: leases of earlier days are deleted.
    pub lease_day: i64,
    /// Time in Unix seconds: servers that were last seen earlier are deleted.
    pub servers: i64,
}

impl Store {
    /// Deletes expired data, at most 2,000 keys at once; returns the number of deleted keys.
    ///
    /// # Errors
    /// Database errors; nothing is deleted then.
    pub fn sweep(&mut self, limits: &RetentionLimits) -> Result<usize, StateError> {
        const LINES: &str = "DELETE FROM activity WHERE at < ?1 OR number IN (
            SELECT number FROM (SELECT number, row_number() OVER (PARTITION BY owner ORDER BY number DESC) AS nth FROM activity) AS numbered
            WHERE nth > ?2)";
        // A key stays until its children are deleted.
        const KEYS: &str = "DELETE FROM keys WHERE id IN (
            SELECT id FROM keys WHERE (revoked_at < ?1 OR expires_at < ?1)
            AND NOT EXISTS (SELECT 1 FROM keys child WHERE child.parent = keys.id)
            AND NOT EXISTS (SELECT 1 FROM usage WHERE key_id = keys.id) LIMIT 2000)";
        self.write(|transaction| {
            let run = |sql: &str, params: &[&dyn database::ToValue]| transaction.execute(sql, params);
            run(
                "DELETE FROM web_sessions WHERE made_at < ?1 OR last_used_at < ?2",
                params![limits.sessions_made, limits.sessions_used],
            )?;
            run("DELETE FROM sign_in_codes WHERE expires_at <= ?1", params![limits.now])?;
            run("DELETE FROM app_codes WHERE expires_at < ?1", params![limits.app_codes])?;
            run("DELETE FROM app_tokens WHERE expires_at < ?1", params![limits.now])?;
            run("DELETE FROM usage WHERE day < ?1", params![limits.usage_day])?;
            run("DELETE FROM leases WHERE day < ?1", params![limits.lease_day])?;
            run("DELETE FROM servers WHERE seen_at < ?1", params![limits.servers])?;
            run(LINES, params![limits.activity, limits.lines])?;
            run(KEYS, params![limits.keys])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CountingServer, KeyChange, NewActivity, NewKey, NewWebSession, UseDelta};

    #[test]
    fn what_is_over_leaves_and_what_others_need_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("state.db")).unwrap();
        let mut key = |byte, expires_at, parent| {
            store.insert_key(&NewKey { expires_at, parent, ..NewKey::of_test(byte) }).unwrap()
        };
        let (works, parent, used, dead) =
            (key(1, None, None), key(2, Some(50), None), key(3, Some(50), None), key(4, Some(50), None));
        let child = key(5, Some(150), Some(parent));
        let late = key(6, Some(100), None);
        let calls = UseDelta { key_id: used, day: 7, operation: "a/b".into(), calls: 1, refused: 0 };
        let server = CountingServer { id: 0, now: 0, last_read_change: i64::MAX };
        store.settle(server, &[], &[calls]).unwrap();
        for nth in 0..5 {
            let session = NewWebSession {
                hash: [nth; 32],
                key_id: works,
                browser: String::new(),
                made_at: i64::from(nth),
            };
            let noted = NewActivity::by_command_line(i64::from(nth), "A", "signed in");
            store.change(&KeyChange::SignIn(&session), &noted).unwrap();
        }
        let keep = RetentionLimits {
            now: 200,
            sessions_made: 2,
            sessions_used: 3,
            app_codes: 0,
            keys: 100,
            activity: 1,
            lines: 3,
            usage_day: 7,
            lease_day: 7,
            servers: 0,
        };
        assert_eq!(store.sweep(&keep).unwrap(), 1);
        let ids = |store: &Store| store.keys().unwrap().into_iter().map(|row| row.id).collect::<Vec<_>>();
        assert_eq!(ids(&store), [works, parent, used, child, late]);
        assert!(!ids(&store).contains(&dead));
        assert_eq!(store.web_sessions(None, 9).unwrap().len(), 2);
        assert_eq!(store.activity(None, 9).unwrap().len(), 3);
        // An ended key is deleted once its usage and its child are gone.
        let all = RetentionLimits { keys: 200, usage_day: 8, ..keep };
        assert_eq!(store.sweep(&all).unwrap(), 3);
        assert_eq!(store.sweep(&all).unwrap(), 1);
        assert_eq!(ids(&store), [works]);
    }
}
