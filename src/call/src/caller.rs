//! Who calls: the key behind a call, and the tier that it has.

use std::sync::Arc;

use parquote_access::Key;
use parquote_catalogue::operation::Tier;
use parquote_handlers::Owner;
use parquote_state::GUESTS;

/// Whose the things are that a caller without a key keeps: whoever sits at the machine itself.
pub const LOCAL_OWNER: &str = "local";

/// Who calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub(super) tier: Tier,
    /// `None` where nothing is counted.
    pub(super) key: Option<Arc<Key>>,
}

impl Caller {
    /// A caller of the highest tier of whom nothing is counted: whoever sits at the machine itself.
    pub const fn unmetered() -> Self {
        Self { tier: Tier::ApiMax, key: None }
    }

    /// The tier of the key.
    pub const fn tier(&self) -> Tier {
        self.tier
    }

    /// Whether it is a guest.
    pub fn is_guest(&self) -> bool {
        self.key.as_ref().is_some_and(|key| &*key.owner == GUESTS)
    }

    /// The number of the key; `None` for whoever sits at the machine itself.
    pub fn key_number(&self) -> Option<i64> {
        self.key.as_ref().map(|key| key.id)
    }

    /// The number of the owner, for bounds that all keys of an owner share; `None` for whoever sits at the machine itself.
    pub fn owner_number(&self) -> Option<i64> {
        self.key.as_ref().map(|key| key.owner_number)
    }

    /// Who owns what the caller keeps here.
    pub fn owner(&self) -> Owner {
        match &self.key {
            Some(key) => Owner {
                name: Arc::clone(&key.owner),
                key: Some(key.root()),
                caller: Some(key.id),
                tier: self.tier,
            },
            None => Owner { name: LOCAL_OWNER.into(), key: None, caller: None, tier: self.tier },
        }
    }
}
