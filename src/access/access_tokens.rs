//! Access tokens of apps, by the hash of their text; replaced as a whole when the state file changes. A token calls by a key of its
//! own, so that it ends with that key.

use std::collections::HashMap;

use arc_swap::ArcSwap;
use subtle::ConstantTimeEq as _;

use crate::state::AccessTokenRow;

/// The access tokens there are.
#[derive(Debug, Default)]
pub(super) struct AccessTokens {
    /// By the first eight bytes of the hash; the whole hash is then compared in constant time.
    by_hash: ArcSwap<HashMap<[u8; 8], Vec<AccessTokenRow>>>,
}

impl AccessTokens {
    /// The number of the key that a token calls by; `None` if there is no such token, or its time is over.
    pub(super) fn key_of(&self, hash: &[u8; 32], now: i64) -> Option<i64> {
        let tokens = self.by_hash.load();
        let near = tokens.get(&start(hash))?;
        let token = near.iter().find(|token| bool::from(token.hash.ct_eq(hash)))?;
        (token.expires_at > now).then_some(token.key_id)
    }

    /// Follows what the file says.
    pub(super) fn follow(&self, rows: Vec<AccessTokenRow>) {
        let mut tokens: HashMap<_, Vec<AccessTokenRow>> = HashMap::with_capacity(rows.len());
        for row in rows {
            tokens.entry(start(&row.hash)).or_default().push(row);
        }
        self.by_hash.store(std::sync::Arc::new(tokens));
    }
}

fn start(hash: &[u8; 32]) -> [u8; 8] {
    hash.first_chunk().copied().unwrap_or_default()
}
