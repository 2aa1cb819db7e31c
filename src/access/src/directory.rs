//! Known keys by the hash of their text. Keys are immutable; a change of the state replaces them.

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
    /// Its number in the state.
    pub id: i64,
    /// Name of its owner.
    pub owner: Arc<str>,
    /// Number of the owner; limits per caller count by it.
    pub owner_number: i64,
    /// Highest tier that it may call.
    pub tier: Tier,
    /// Its quotas.
    pub quota: Quota,
    /// True if it may manage the keys of all owners.
    pub is_admin: bool,
    /// The parent key: it shares its quotas and is revoked with it.
    pub parent: Option<i64>,
    /// True if it may save and remove the owner's provider keys.
    pub may_account: bool,
    /// Quotas of its ancestors that its calls also count against, nearest first.
    pub(super) shared: Box<[(i64, Quota)]>,
    /// Expiry of the key or of an ancestor, whichever is first.
    ends_at: Option<i64>,
    revoked: bool,
    hash: [u8; 32],
    /// Its own expiry, without the expiry of its ancestors.
    own_expiry: Option<i64>,
}

/// The known keys.
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
        let known = changes.keys.iter().filter_map(|row| {
            let Ok(tier) = row.tier.parse::<Tier>() else {
                tracing::warn!(key = row.id, tier = row.tier, "a key of an unknown tier is left out");
                return None;
            };
            Some(self.key(&rows, row, tier))
        });
        self.keys.apply_changes(changes.is_whole, &changes.touched_keys, known.collect());
    }

    fn key(&self, rows: &HashMap<i64, &KeyRow>, row: &KeyRow, tier: Tier) -> Key {
        let above = self.ancestors(rows, row);
        let ends_at = above.iter().map(|link| link.expires_at).chain([row.expires_at]).flatten().min();
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
            shared: above.iter().map(|link| (link.id, link.quota)).collect(),
            ends_at,
            revoked: row.revoked_at.is_some() || above.iter().any(|link| link.revoked),
            hash: row.hash,
            own_expiry: row.expires_at,
        }
    }

    /// Returns the ancestors of a key, nearest first, from the changed rows or else from the known keys.
    fn ancestors(&self, rows: &HashMap<i64, &KeyRow>, row: &KeyRow) -> Vec<Link> {
        /// Maximum depth: replacing keys that have a parent creates no deeper chain.
        const MOST_DEPTH: usize = 4;
        let mut next = row.parent;
        let mut above = Vec::new();
        while let Some(id) = next.filter(|_| above.len() < MOST_DEPTH) {
            let link = match rows.get(&id) {
                Some(row) => row.tier.parse().ok().map(|tier| Link::from_row(row, tier)),
                None => self.keys.by_number(id).map(|key| Link::from_key(&key)),
            };
            let Some(link) = link else { break };
            next = link.parent;
            above.push(link);
        }
        above
    }

    /// Returns the key of a number, if it works.
    pub(super) fn by_number(&self, id: i64, now: i64) -> Option<Arc<Key>> {
        self.keys.by_number(id).filter(|key| key.check_valid(now).is_ok())
    }

    /// Returns the working key with this text.
    ///
    /// # Errors
    /// The reason why it does not work.
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

    /// Returns its expiry in Unix seconds, if any.
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

/// Returns the quotas set for a stored key, or the quotas of its tier if none are set.
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
