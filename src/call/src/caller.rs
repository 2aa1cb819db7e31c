//! The caller: the key behind a call, and its tier.

use std::sync::Arc;

use parquote_access::Key;
use parquote_catalogue::operation::Tier;
use parquote_handlers::Owner;
use parquote_state::GUESTS;

/// Owner of the saved state of a local caller without a key.
pub const LOCAL_OWNER: &str = "local";

/// The caller of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub(super) tier: Tier,
    /// The key whose calls are counted; `None` if none are counted.
    pub(super) key: Option<Arc<Key>>,
}

impl Caller {
    /// Returns an unmetered caller of the highest tier: the local one.
    pub const fn unmetered() -> Self {
        Self { tier: Tier::ApiMax, key: None }
    }

    /// Returns the tier of the key.
    pub const fn tier(&self) -> Tier {
        self.tier
    }

    /// Returns true for a guest.
    pub fn is_guest(&self) -> bool {
        self.key.as_ref().is_some_and(|key| &*key.owner == GUESTS)
    }

    /// Returns the number of the key; `None` for a local caller.
    pub fn key_number(&self) -> Option<i64> {
        self.key.as_ref().map(|key| key.id)
    }

    /// Returns the number of the owner, for limits that all keys of an owner share; `None` for a local caller.
    pub fn owner_number(&self) -> Option<i64> {
        self.key.as_ref().map(|key| key.owner_number)
    }

    /// Returns the owner of the caller's saved state.
    pub fn owner(&self) -> Owner {
        match &self.key {
            Some(key) => Owner {
                name: Arc::clone(&key.owner),
                key: Some(key.root()),
                caller: Some(key.id),
                tier: self.tier,
                is_admin: key.is_admin,
            },
            None => {
                Owner { name: LOCAL_OWNER.into(), key: None, caller: None, tier: self.tier, is_admin: true }
            }
        }
    }
}
