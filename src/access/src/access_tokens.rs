//! Access tokens of apps. A token calls by a key of its own, so that it ends with that key; a key has one access token at a time.

use super::hash_index::{HashIndex, Opened};
use parquote_state::{AccessTokenRow, Changes};

/// The access tokens there are.
#[derive(Debug, Default)]
pub(super) struct AccessTokens(HashIndex<AccessTokenRow>);

impl Opened for AccessTokenRow {
    fn number(&self) -> i64 {
        self.key_id
    }

    fn hash(&self) -> &[u8; 32] {
        &self.hash
    }
}

impl AccessTokens {
    /// The number of the key that a token calls by; `None` if there is no such token, or its time is over.
    pub(super) fn key_of(&self, hash: &[u8; 32], now: i64) -> Option<i64> {
        self.0.find(hash).filter(|token| token.expires_at > now).map(|token| token.key_id)
    }

    /// Follows what changed.
    pub(super) fn follow(&self, changes: &Changes) {
        self.0.follow(changes.is_whole, &changes.touched_tokens, changes.tokens.clone());
    }
}
