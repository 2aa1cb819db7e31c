//! The keys there are, by the hash of their text; immutable, replaced as a whole when the state file changes.

use std::collections::HashMap;
use std::sync::Arc;

use subtle::ConstantTimeEq as _;

use super::error::AccessError;
use super::secret;
use crate::operation::{Quota, Tier};
use crate::state::KeyRow;

/// A key that was issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Its number in the state file.
    pub id: i64,
    /// Whose it is.
    pub owner: Arc<str>,
    /// What it may call.
    pub tier: Tier,
    /// How often.
    pub quota: Quota,
    /// Whether it may manage the keys of all owners.
    pub is_admin: bool,
    /// The key whose allowance it shares and with which it is revoked.
    pub parent: Option<i64>,
    /// The allowances that its calls are taken from beside its own, the nearest first.
    pub(super) shared: Box<[(i64, Quota)]>,
    expires_at: Option<i64>,
    revoked: bool,
}

/// The keys there are.
#[derive(Debug, Default)]
pub(super) struct Directory {
    /// By the first eight bytes of the hash: what a caller learns from the time of this step is a part of a hash, which
    /// says nothing about the key. The whole hash is then compared in constant time.
    keys: HashMap<[u8; 8], Vec<Entry>>,
    by_number: HashMap<i64, Arc<Key>>,
}

/// A key under the hash of its text.
type Entry = ([u8; 32], Arc<Key>);

impl Directory {
    /// The keys of these rows; a row whose tier this binary does not know is left out and named.
    pub(super) fn new(rows: &[KeyRow]) -> Self {
        let mut keys: HashMap<_, Vec<Entry>> = HashMap::new();
        let mut by_number = HashMap::with_capacity(rows.len());
        let numbered: HashMap<i64, &KeyRow> = rows.iter().map(|row| (row.id, row)).collect();
        for row in rows {
            let Ok(tier) = row.tier.parse::<Tier>() else {
                tracing::warn!(key = row.id, tier = row.tier, "a key of an unknown tier is left out");
                continue;
            };
            let (expires_at, revoked) = (row.expires_at, row.revoked_at.is_some());
            let (owner, quota) = (row.owner.as_str().into(), quota_of(row, tier));
            let (is_admin, parent, shared) = (row.is_admin, row.parent, shared(&numbered, row));
            let key = Key { id: row.id, owner, tier, quota, is_admin, parent, shared, expires_at, revoked };
            let key = Arc::new(key);
            by_number.insert(key.id, Arc::clone(&key));
            keys.entry(start(&row.hash)).or_default().push((row.hash, key));
        }
        Self { keys, by_number }
    }

    /// The key of that number, if it works now.
    pub(super) fn numbered(&self, id: i64, now: i64) -> Option<Arc<Key>> {
        self.by_number.get(&id).filter(|key| key.works(now).is_ok()).cloned()
    }

    /// The key with this text, if it works now.
    ///
    /// # Errors
    /// Why it does not.
    pub(super) fn find(&self, text: &str, now: i64) -> Result<Arc<Key>, AccessError> {
        let hash = secret::hash(text).ok_or(AccessError::Unknown)?;
        let near = self.keys.get(&start(&hash)).map(Vec::as_slice).unwrap_or_default();
        let found = near.iter().find(|(known, _)| bool::from(known.ct_eq(&hash)));
        let (_, key) = found.ok_or(AccessError::Unknown)?;
        key.works(now).map(|()| Arc::clone(key))
    }
}

impl Key {
    /// The key whose limits its runs count against: its own, or the one that it depends on.
    pub fn root(&self) -> i64 {
        self.shared.last().map_or(self.id, |(id, _)| *id)
    }

    /// From when on it does not work, if its time is limited.
    pub fn expires_at(&self) -> Option<i64> {
        self.expires_at
    }

    fn works(&self, now: i64) -> Result<(), AccessError> {
        match self.expires_at {
            _ if self.revoked => Err(AccessError::Revoked),
            Some(at) if now >= at => Err(AccessError::Expired),
            _ => Ok(()),
        }
    }
}

/// The keys that a key depends on, with their allowances.
fn shared(numbered: &HashMap<i64, &KeyRow>, row: &KeyRow) -> Box<[(i64, Quota)]> {
    /// A key that replaces one that was issued with another: deeper chains are not made.
    const DEEPEST: usize = 4;
    let parent = |row: &&KeyRow| row.parent.and_then(|id| numbered.get(&id).copied());
    let chain = std::iter::successors(parent(&row), parent).take(DEEPEST);
    chain.filter_map(|row| Some((row.id, quota_of(row, row.tier.parse().ok()?)))).collect()
}

/// The allowance of a stored key: its own where it has one, else that of its tier.
pub fn quota_of(row: &KeyRow, tier: Tier) -> Quota {
    let Quota { day, hour } = tier.quota();
    Quota { day: row.quota_day.unwrap_or(day), hour: row.quota_hour.unwrap_or(hour) }
}

fn start(hash: &[u8; 32]) -> [u8; 8] {
    hash.first_chunk().copied().unwrap_or_default()
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
        let directory = Directory::new(&rows);
        let find = |n: usize, now| directory.find(secrets[n].reveal(), now).map(|key| (key.id, key.quota));
        assert_eq!(find(0, 99), Ok((1, Quota { day: 1_000, hour: 7 })));
        assert!(find(1, 99).is_ok());
        assert_eq!(find(1, 100), Err(AccessError::Expired));
        assert_eq!(find(2, 0), Err(AccessError::Revoked));
        assert_eq!(find(3, 0), Err(AccessError::Unknown));
        assert_eq!(find(4, 0), Err(AccessError::Unknown));
    }
}
