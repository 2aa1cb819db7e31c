//! A key for tests that keep one in the state.

use parquote_state::NewKey;

/// A key of the tier `free` whose owner is A and whose hash consists of one byte, made at the beginning of time.
pub(crate) fn new_key(byte: u8) -> NewKey {
    NewKey {
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
