//! The keys there are, by the hash of their text. Each is immutable; a change of the state file puts another in its place.

use std::collections::HashMap;
use std::sync::Arc;

use dashmap::DashMap;

use super::error::AccessError;
use super::hash_index::{HashIndex, Opened};
use super::secret;
use parquote_catalogue::operation::{Quota, Tier};
use parquote_state::{Changes, KeyRow};

/// A key that was issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Its number in the state file.
    pub id: i64,
    /// Whose it is.
    pub owner: Arc<str>,
    /// The number of the owner, by which bounds of one caller tell owners apart.
    pub owner_number: i64,
    /// What it may call.
    pub tier: Tier,
    /// How often.
    pub quota: Quota,
    /// Whether it may manage the keys of all owners.
    pub is_admin: bool,
    /// The key whose allowance it shares and with which it is revoked.
    pub parent: Option<i64>,
    /// Whether it may save and remove the owner's keys of model providers.
    pub may_account: bool,
    /// The allowances that its calls are taken from beside its own, the nearest first.
    pub(super) shared: Box<[(i64, Quota)]>,
    /// When it ends: in its own time, or in that of a key that it depends on.
    ends_at: Option<i64>,
    revoked: bool,
    hash: [u8; 32],
    /// Its own end, whatever it depends on.
    own_end: Option<i64>,
}

/// The keys there are.
#[derive(Debug, Default)]
pub(super) struct Directory {
    keys: HashIndex<Key>,
    /// Numbers of owners: that of the first key of each that was met.
    owners: DashMap<Arc<str>, i64>,
}

impl Opened for Key {
    fn number(&self) -> i64 {
        self.id
    }

    fn hash(&self) -> &[u8; 32] {
        &self.hash
    }
}

impl Directory {
    /// Follows what changed; a row whose tier this binary does not know is left out and named.
    pub(super) fn follow(&self, changes: &Changes) {
        let rows: HashMap<i64, &KeyRow> = changes.keys.iter().map(|row| (row.id, row)).collect();
        let known = changes.keys.iter().filter_map(|row| {
            let Ok(tier) = row.tier.parse::<Tier>() else {
                tracing::warn!(key = row.id, tier = row.tier, "a key of an unknown tier is left out");
                return None;
            };
            Some(self.key(&rows, row, tier))
        });
        self.keys.follow(changes.is_whole, &changes.touched_keys, known.collect());
    }

    fn key(&self, rows: &HashMap<i64, &KeyRow>, row: &KeyRow, tier: Tier) -> Key {
        let above = self.above(rows, row);
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
            own_end: row.expires_at,
        }
    }

    /// The keys that a key depends on, the nearest first: from the rows that changed, else as they are known.
    fn above(&self, rows: &HashMap<i64, &KeyRow>, row: &KeyRow) -> Vec<Link> {
        /// A key that replaces one that was issued with another: deeper chains are not made.
        const DEEPEST: usize = 4;
        let mut next = row.parent;
        let mut above = Vec::new();
        while let Some(id) = next.filter(|_| above.len() < DEEPEST) {
            let link = match rows.get(&id) {
                Some(row) => row.tier.parse().ok().map(|tier| Link::of_row(row, tier)),
                None => self.keys.numbered(id).map(|key| Link::of_key(&key)),
            };
            let Some(link) = link else { break };
            next = link.parent;
            above.push(link);
        }
        above
    }

    /// The key of that number as it was last followed, whether it works or not.
    pub(super) fn known(&self, id: i64) -> Option<Arc<Key>> {
        self.keys.numbered(id)
    }

    /// The key of that number, if it works now.
    pub(super) fn numbered(&self, id: i64, now: i64) -> Option<Arc<Key>> {
        self.keys.numbered(id).filter(|key| key.works(now).is_ok())
    }

    /// The key with this text, if it works now.
    ///
    /// # Errors
    /// Why it does not.
    pub(super) fn find(&self, text: &str, now: i64) -> Result<Arc<Key>, AccessError> {
        let hash = secret::hash(text).ok_or(AccessError::Unknown)?;
        let key = self.keys.find(&hash).ok_or(AccessError::Unknown)?;
        key.works(now).map(|()| key)
    }
}

impl Key {
    /// The key whose limits its runs count against: its own, or the one that it depends on.
    pub fn root(&self) -> i64 {
        self.shared.last().map_or(self.id, |(id, _)| *id)
    }

    /// From when on it does not work, if its time is limited.
    pub fn expires_at(&self) -> Option<i64> {
        self.ends_at
    }

    fn works(&self, now: i64) -> Result<(), AccessError> {
        match self.ends_at {
            _ if self.revoked => Err(AccessError::Revoked),
            Some(at) if now >= at => Err(AccessError::Expired),
            _ => Ok(()),
        }
    }
}

/// What a key that others depend on says of them.
struct Link {
    id: i64,
    parent: Option<i64>,
    quota: Quota,
    expires_at: Option<i64>,
    revoked: bool,
}

impl Link {
    fn of_row(row: &KeyRow, tier: Tier) -> Self {
        let (quota, revoked) = (quota_of(row, tier), row.revoked_at.is_some());
        Self { id: row.id, parent: row.parent, quota, expires_at: row.expires_at, revoked }
    }

    fn of_key(key: &Key) -> Self {
        let Key { id, parent, quota, own_end, revoked, .. } = *key;
        Self { id, parent, quota, expires_at: own_end, revoked }
    }
}

/// The allowance of a stored key: its own where it has one, else that of its tier.
pub fn quota_of(row: &KeyRow, tier: Tier) -> Quota {
    let Quota { day, hour } = tier.quota();
    Quota { day: row.quota_day.unwrap_or(day), hour: row.quota_hour.unwrap_or(hour) }
}

#[cfg(test)]
mod tests {
    use super::super::Secret;
    use super::*;

    fn row(id: i64, secret: &Secret) -> KeyRow {
        KeyRow {
            id,
            hash: secret.hash(),
            hint: secret.hint().to_owned(),
            tier: "api_pro".to_owned(),
            owner: "A".to_owned(),
            note: String::new(),
            quota_day: None,
            quota_hour: None,
            created_at: 0,
            expires_at: None,
            revoked_at: None,
            is_admin: false,
            parent: None,
            may_account: false,
        }
    }

    #[test]
    fn a_key_works_until_it_is_revoked_or_expires() {
        let secrets: Vec<Secret> = (0..5).map(|_| Secret::generate().unwrap()).collect();
        let rows = [
            KeyRow { quota_hour: Some(7), ..row(1, &secrets[0]) },
            KeyRow { expires_at: Some(100), ..row(2, &secrets[1]) },
            KeyRow { revoked_at: Some(50), expires_at: Some(60), ..row(3, &secrets[2]) },
            KeyRow { tier: "golden".to_owned(), ..row(4, &secrets[3]) },
        ];
        let directory = Directory::default();
        directory.follow(&Changes { is_whole: true, keys: rows.to_vec(), ..Changes::default() });
        let find = |n: usize, now| directory.find(secrets[n].reveal(), now).map(|key| (key.id, key.quota));
        assert_eq!(find(0, 99), Ok((1, Quota { day: 1_000, hour: 7 })));
        assert!(find(1, 99).is_ok());
        assert_eq!(find(1, 100), Err(AccessError::Expired));
        assert_eq!(find(2, 0), Err(AccessError::Revoked));
        assert_eq!(find(3, 0), Err(AccessError::Unknown));
        assert_eq!(find(4, 0), Err(AccessError::Unknown));
    }
}
