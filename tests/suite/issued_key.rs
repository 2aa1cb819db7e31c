//! Keys for servers that a test puts together itself, and the moment at which the clocks of these servers begin.

use parquote::access::Secret;
use parquote::operation::Tier;
use parquote::state::NewKey;

/// Noon of 30 October 2026 in India, as Unix seconds.
pub(crate) const NOON: i64 = 1_793_341_800;

/// A key of an owner as it is issued: its text, and what is stored of it.
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
