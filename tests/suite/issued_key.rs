//! Keys for servers that a test assembles, and the start time of these servers' clocks.

use parquote::access::Secret;
use parquote::operation::Tier;
use parquote::state::NewKey;

/// Noon of 30 October 2026 in India, as Unix seconds.
pub(crate) const NOON: i64 = 1_793_341_800;

/// Returns a new key of an owner: its secret, and the record to store.
pub(crate) fn key(owner: &str, tier: Tier) -> (Secret, NewKey) {
    let secret = Secret::generate().unwrap();
    let key = NewKey {
        hash: secret.hash(),
        hint: secret.hint().to_owned(),
        tier: tier.word().to_owned(),
        owner: owner.to_owned(),
        note: String::new(),
        quota_day: None,
        quota_hour: None,
        created_at: NOON,
        expires_at: None,
        is_admin: false,
        parent: None,
        may_account: false,
    };
    (secret, key)
}
