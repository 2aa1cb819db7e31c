//! Web sessions by the hash of their cookie's token.
//!
//! A session ends after a day without use, after seven days at most, and with its key. Last uses are recorded in memory and written once a
//! minute, so that no page waits for the state.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::hash_index::{HashIndex, HashedItem};
use parquote_state::Changes;

/// Seconds without use after which a session ends.
pub const IDLE_S: i64 = 24 * 3_600;
/// Maximum lifetime of a session, in seconds.
pub const LONGEST_S: i64 = 7 * 24 * 3_600;
/// Interval between two writes of a session's last use, in seconds.
const WRITE_INTERVAL_S: i64 = 60;

/// A web session.
#[derive(Debug)]
pub struct WebSession {
    /// Number of the session in the state.
    pub number: i64,
    /// Number of the key that signed in.
    pub key_id: i64,
    hash: [u8; 32],
    made_at: i64,
    last_used_at: AtomicI64,
    /// Time of the last use that was written to the state, in Unix seconds.
    written_at: AtomicI64,
}

#[derive(Debug, Default)]
pub(super) struct WebSessions(HashIndex<WebSession>);

impl HashedItem for WebSession {
    fn number(&self) -> i64 {
        self.number
    }

    fn hash(&self) -> &[u8; 32] {
        &self.hash
    }
}

impl WebSession {
    fn is_over(&self, now: i64) -> bool {
        is_over(self.made_at, self.last_used_at.load(Ordering::Relaxed), now)
    }
}

/// Returns true if a session with these times, in Unix seconds, has ended.
pub fn is_over(made_at: i64, last_used_at: i64, now: i64) -> bool {
    now >= made_at.saturating_add(LONGEST_S) || now >= last_used_at.saturating_add(IDLE_S)
}

impl WebSessions {
    /// Returns the session of a token's hash and records its use; `None` if the session is unknown or has ended.
    pub(super) fn find_session(&self, hash: &[u8; 32], now: i64) -> Option<Arc<WebSession>> {
        let session = self.0.find(hash).filter(|session| !session.is_over(now))?;
        session.last_used_at.fetch_max(now, Ordering::Relaxed);
        Some(session)
    }

    /// Applies changes; unwritten uses are retained.
    pub(super) fn apply_changes(&self, changes: &Changes) {
        let sessions = changes.sessions.iter().map(|row| {
            let existing = self.0.by_number(row.number);
            let latest = |time: fn(&WebSession) -> &AtomicI64| {
                let in_memory = existing.as_deref().map(|session| time(session).load(Ordering::Relaxed));
                AtomicI64::new(in_memory.unwrap_or(0).max(row.last_used_at))
            };
            WebSession {
                number: row.number,
                key_id: row.key_id,
                hash: row.hash,
                made_at: row.made_at,
                last_used_at: latest(|session| &session.last_used_at),
                written_at: latest(|session| &session.written_at),
            }
        });
        self.0.apply_changes(changes.is_whole, &changes.touched_sessions, sessions.collect());
    }

    /// Returns the uses that are due to be written: numbers of sessions with times in Unix seconds.
    pub(super) fn uses_due(&self) -> Vec<(i64, i64)> {
        self.uses_older_than(WRITE_INTERVAL_S)
    }

    pub(super) fn unwritten_uses(&self) -> Vec<(i64, i64)> {
        self.uses_older_than(1)
    }

    fn uses_older_than(&self, at_least: i64) -> Vec<(i64, i64)> {
        let sessions = self.0.all();
        let uses = sessions.iter().filter_map(|session| {
            let used = session.last_used_at.load(Ordering::Relaxed);
            let is_due = used - session.written_at.load(Ordering::Relaxed) >= at_least;
            is_due.then_some((session.number, used))
        });
        uses.collect()
    }

    pub(super) fn record_written(&self, uses: &[(i64, i64)]) {
        for (number, at) in uses {
            if let Some(session) = self.0.by_number(*number) {
                session.written_at.fetch_max(*at, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquote_state::WebSessionRow;

    fn row(number: i64, byte: u8) -> WebSessionRow {
        WebSessionRow {
            number,
            hash: [byte; 32],
            key_id: 1,
            browser: String::new(),
            made_at: 1_000,
            last_used_at: 1_000,
        }
    }

    fn whole<const N: usize>(sessions: [WebSessionRow; N]) -> Changes {
        Changes { is_whole: true, sessions: sessions.into(), ..Changes::default() }
    }

    #[test]
    fn a_session_ends_idle_or_old() {
        let sessions = WebSessions::default();
        sessions.apply_changes(&whole([row(1, 1), row(2, 2)]));
        let is_there = |byte, at| sessions.find_session(&[byte; 32], at).is_some();
        assert!(is_there(1, 1_000 + IDLE_S - 1) && !is_there(2, 1_000 + IDLE_S) && !is_there(3, 1_000));
        // Used every day, it lasts for seven days.
        let last = (1..=7).map(|day| 1_000 + day * (IDLE_S - 1)).filter(|at| is_there(1, *at)).max();
        assert_eq!(last, Some(1_000 + 7 * (IDLE_S - 1)));
        assert!(!is_there(1, 1_000 + LONGEST_S));
    }

    #[test]
    fn a_use_is_written_once_a_minute_and_survives_a_read_of_the_state() {
        let sessions = WebSessions::default();
        sessions.apply_changes(&whole([row(1, 1)]));
        sessions.find_session(&[1; 32], 1_059);
        assert_eq!((sessions.uses_due(), sessions.unwritten_uses()), (vec![], vec![(1, 1_059)]));
        sessions.apply_changes(&whole([row(1, 1), row(2, 2)]));
        sessions.find_session(&[1; 32], 1_060);
        assert_eq!(sessions.uses_due(), [(1, 1_060)]);
        sessions.record_written(&[(1, 1_060)]);
        assert_eq!((sessions.uses_due(), sessions.unwritten_uses()), (vec![], vec![]));
        sessions.apply_changes(&whole([row(2, 2)]));
        assert!(sessions.find_session(&[1; 32], 1_061).is_none());
    }
}
