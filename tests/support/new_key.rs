//! A key for tests that store one in the state.

use parquote_state::NewKey;

/// Returns a `free` key of the owner A, issued at Unix time 0, whose hash repeats one byte.
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
