//! The keys of the state, by the hash of their text. A key in memory is immutable; a change of the state replaces it.

use std::collections::HashMap;
use std::sync::Arc;

use dashmap::DashMap;

use super::error::AccessError;
use super::hash_index::{HashIndex, HashedItem};
use super::secret;
use parquote_catalogue::operation::{Quota, Tier};
use parquote_state::{Changes, KeyRow};

/// An issued key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Number of the key in the state.
    pub id: i64,
    /// Name of the owner.
    pub owner: Arc<str>,
    /// Number of the owner, for limits that count the calls of all keys of a caller.
    pub owner_number: i64,
    /// Highest tier that the key may call.
    pub tier: Tier,
    /// Quotas of the key itself.
    pub quota: Quota,
    /// True if the key may manage the keys of all owners.
    pub is_admin: bool,
    /// Number of the parent key, whose quotas this key shares, and with which it is revoked; `None` without a parent.
    pub parent: Option<i64>,
    /// True if the key may save and remove the owner's provider keys.
    pub may_account: bool,
    /// Numbers and quotas of the ancestors, against which calls also count, nearest first.
    pub(super) shared: Box<[(i64, Quota)]>,
    /// Earliest expiry of the key and its ancestors, in Unix seconds.
    ends_at: Option<i64>,
    revoked: bool,
    hash: [u8; 32],
    /// Expiry of the key itself, in Unix seconds.
    own_expiry: Option<i64>,
}

/// The keys of the state.
#[derive(Debug, Default)]
pub(super) struct Directory {
    pub(super) keys: HashIndex<Key>,
    /// Number of each owner: the number of the owner's first key.
    owners: DashMap<Arc<str>, i64>,
}

impl HashedItem for Key {
    fn number(&self) -> i64 {
        self.id
    }

    fn hash(&self) -> &[u8; 32] {
        &self.hash
    }
}

impl Directory {
    /// Applies changes; keys of an unknown tier are left out with a warning.
    pub(super) fn apply_changes(&self, changes: &Changes) {
        let rows: HashMap<i64, &KeyRow> = changes.keys.iter().map(|row| (row.id, row)).collect();
        let keys = changes.keys.iter().filter_map(|row| {
            let Ok(tier) = row.tier.parse::<Tier>() else {
                tracing::warn!(key = row.id, tier = row.tier, "a key of an unknown tier is left out");
                return None;
            };
            Some(self.build_key(&rows, row, tier))
        });
        self.keys.apply_changes(changes.is_whole, &changes.touched_keys, keys.collect());
    }

    fn build_key(&self, rows: &HashMap<i64, &KeyRow>, row: &KeyRow, tier: Tier) -> Key {
        let ancestors = self.find_ancestors(rows, row);
        let ends_at = ancestors.iter().map(|link| link.expires_at).chain([row.expires_at]).flatten().min();
        let owner = Arc::<str>::from(row.owner.as_str());
        Key {
            id: row.id,
            owner_number: *self.owners.entry(Arc::clone(&owner)).or_insert(row.id),
            owner,
            tier,
            quota: quota_of(row, tier),
            is_admin: row.is_admin,
            parent: row.parent,
            may_account: row.may_account || row.parent.is_none(),
            shared: ancestors.iter().map(|link| (link.id, link.quota)).collect(),
            ends_at,
            revoked: row.revoked_at.is_some() || ancestors.iter().any(|link| link.revoked),
            hash: row.hash,
            own_expiry: row.expires_at,
        }
    }

    /// Returns the ancestors of a key, nearest first, from the changed rows, otherwise from the keys in memory.
    fn find_ancestors(&self, rows: &HashMap<i64, &KeyRow>, row: &KeyRow) -> Vec<Link> {
        /// Maximum number of ancestors; keys that are issued or replaced never have more.
        const MOST_DEPTH: usize = 4;
        let mut next = row.parent;
        let mut ancestors = Vec::new();
        while let Some(id) = next.filter(|_| ancestors.len() < MOST_DEPTH) {
            let link = match rows.get(&id) {
                Some(row) => row.tier.parse().ok().map(|tier| Link::from_row(row, tier)),
                None => self.keys.by_number(id).map(|key| Link::from_key(&key)),
            };
            let Some(link) = link else { break };
            next = link.parent;
            ancestors.push(link);
        }
        ancestors
    }

    /// Returns the key with a number; `None` if it is unknown, revoked or expired.
    pub(super) fn by_number(&self, id: i64, now: i64) -> Option<Arc<Key>> {
        self.keys.by_number(id).filter(|key| key.check_valid(now).is_ok())
    }

    /// Returns the key with this text.
    ///
    /// # Errors
    /// The key is unknown, revoked or expired.
    pub(super) fn find(&self, text: &str, now: i64) -> Result<Arc<Key>, AccessError> {
        let hash = secret::hash(text).ok_or(AccessError::Unknown)?;
        let key = self.keys.find(&hash).ok_or(AccessError::Unknown)?;
        key.check_valid(now).map(|()| key)
    }
}

impl Key {
    /// Returns the key that agent runs count against: the topmost ancestor, or the key itself.
    pub fn root(&self) -> i64 {
        self.shared.last().map_or(self.id, |(id, _)| *id)
    }

    /// Returns the earliest expiry of the key and its ancestors, in Unix seconds; `None` if none expires.
    pub fn expires_at(&self) -> Option<i64> {
        self.ends_at
    }

    fn check_valid(&self, now: i64) -> Result<(), AccessError> {
        match self.ends_at {
            _ if self.revoked => Err(AccessError::Revoked),
            Some(at) if now >= at => Err(AccessError::Expired),
            _ => Ok(()),
        }
    }
}

/// An ancestor of a key.
struct Link {
    id: i64,
    parent: Option<i64>,
    quota: Quota,
    expires_at: Option<i64>,
    revoked: bool,
}

impl Link {
    fn from_row(row: &KeyRow, tier: Tier) -> Self {
        let (quota, revoked) = (quota_of(row, tier), row.revoked_at.is_some());
        Self { id: row.id, parent: row.parent, quota, expires_at: row.expires_at, revoked }
    }

    fn from_key(key: &Key) -> Self {
        let Key { id, parent, quota, own_expiry, revoked, .. } = *key;
        Self { id, parent, quota, expires_at: own_expiry, revoked }
    }
}

/// Returns the quotas of a stored key; those of the tier replace a quota that is not set.
pub fn quota_of(row: &KeyRow, tier: Tier) -> Quota {
    let Quota { day, hour } = tier.quota();
    Quota { day: row.quota_day.unwrap_or(day), hour: row.quota_hour.unwrap_or(hour) }
}

#[cfg(test)]
mod tests {
    use parquote_state::NewKey;

    use super::super::Secret;
    use super::*;
    use crate::on_postgres::new_key;

    fn row(id: i64, secret: &Secret) -> KeyRow {
        let (hash, tier) = (secret.hash(), "api_pro".to_owned());
        KeyRow { id, key: NewKey { hash, tier, ..new_key(0) }, revoked_at: None }
    }

    #[test]
    fn a_key_works_until_it_is_revoked_or_expires() {
        let secrets: Vec<Secret> = (0..5).map(|_| Secret::generate().unwrap()).collect();
        let mut rows = [1, 2, 3, 4].map(|id| row(id, &secrets[id as usize - 1]));
        rows[0].key.quota_hour = Some(7);
        rows[1].key.expires_at = Some(100);
        (rows[2].revoked_at, rows[2].key.expires_at) = (Some(50), Some(60));
        "golden".clone_into(&mut rows[3].key.tier);
        let directory = Directory::default();
        directory.apply_changes(&Changes { is_whole: true, keys: rows.to_vec(), ..Changes::default() });
        let find = |n: usize, now| directory.find(secrets[n].reveal(), now).map(|key| (key.id, key.quota));
        assert_eq!(find(0, 99), Ok((1, Quota { day: 1_000, hour: 7 })));
        assert!(find(1, 99).is_ok());
        assert_eq!(find(1, 100), Err(AccessError::Expired));
        assert_eq!(find(2, 0), Err(AccessError::Revoked));
        assert_eq!(find(3, 0), Err(AccessError::Unknown));
        assert_eq!(find(4, 0), Err(AccessError::Unknown));
    }
}
