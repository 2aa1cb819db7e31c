//! Access tokens of apps. Each token belongs to a separate key and ends with that key; a key has one access token at a time.

use super::hash_index::{HashIndex, HashedItem};
use parquote_state::{AccessTokenRow, Changes};

/// The access tokens of the state.
#[derive(Debug, Default)]
pub(super) struct AccessTokens(HashIndex<AccessTokenRow>);

impl HashedItem for AccessTokenRow {
    fn number(&self) -> i64 {
        self.key_id
    }

    fn hash(&self) -> &[u8; 32] {
        &self.hash
    }
}

impl AccessTokens {
    /// Returns the number of a token's key; `None` if the token is unknown or expired.
    pub(super) fn key_of(&self, hash: &[u8; 32], now: i64) -> Option<i64> {
        self.0.find(hash).filter(|token| token.expires_at > now).map(|token| token.key_id)
    }

    /// Applies the changes of tokens in the state.
    pub(super) fn apply_changes(&self, changes: &Changes) {
        self.0.apply_changes(changes.is_whole, &changes.touched_tokens, changes.tokens.clone());
    }
}
