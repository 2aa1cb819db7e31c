//! Index of keys, sessions and tokens by the hash of their secret text. Lookups run concurrently with the updates of one writer.

use std::collections::HashSet;
use std::sync::Arc;

use dashmap::DashMap;
use subtle::ConstantTimeEq as _;

/// An item that is found by the hash of its secret.
pub(super) trait HashedItem {
    /// Number of the item in the state.
    fn number(&self) -> i64;
    /// Hash of the secret.
    fn hash(&self) -> &[u8; 32];
}

/// Items by hash and by number.
#[derive(Debug)]
pub(super) struct HashIndex<T> {
    /// Items by the first eight bytes of the hash. The timing of this step reveals only a part of a hash, which says nothing about the
    /// secret. The whole hash is then compared in constant time.
    by_prefix: DashMap<[u8; 8], Vec<Arc<T>>>,
    by_number: DashMap<i64, Arc<T>>,
}

impl<T> Default for HashIndex<T> {
    fn default() -> Self {
        Self { by_prefix: DashMap::new(), by_number: DashMap::new() }
    }
}

impl<T: HashedItem> HashIndex<T> {
    /// Returns the item with a hash; `None` if there is none.
    pub(super) fn find(&self, hash: &[u8; 32]) -> Option<Arc<T>> {
        let candidates = self.by_prefix.get(&hash_prefix(hash))?;
        candidates.iter().find(|item| bool::from(item.hash().ct_eq(hash))).cloned()
    }

    /// Returns the item with a number; `None` if there is none.
    pub(super) fn by_number(&self, number: i64) -> Option<Arc<T>> {
        self.by_number.get(&number).map(|item| Arc::clone(&item))
    }

    /// Returns all items, unordered.
    pub(super) fn all(&self) -> Vec<Arc<T>> {
        self.by_number.iter().map(|item| Arc::clone(item.value())).collect()
    }

    /// Inserts or replaces items. Items with a number in `touched` that are missing in `items` are removed; if `is_whole`, all missing
    /// items are.
    pub(super) fn apply_changes(&self, is_whole: bool, touched: &[i64], items: Vec<T>) {
        let numbers: HashSet<i64> = items.iter().map(T::number).collect();
        let existing =
            if is_whole { self.all().iter().map(|item| item.number()).collect() } else { Vec::new() };
        existing
            .iter()
            .chain(touched)
            .filter(|number| !numbers.contains(number))
            .for_each(|removed| self.remove(*removed));
        for new in items {
            self.insert(Arc::new(new));
        }
    }

    fn insert(&self, new: Arc<T>) {
        let old = self.by_number.insert(new.number(), Arc::clone(&new));
        if let Some(old) = old.filter(|old| hash_prefix(old.hash()) != hash_prefix(new.hash())) {
            self.remove_hash(&old);
        }
        let mut candidates = self.by_prefix.entry(hash_prefix(new.hash())).or_default();
        match candidates.iter_mut().find(|item| item.number() == new.number()) {
            Some(item) => *item = new,
            None => candidates.push(new),
        }
    }

    fn remove(&self, number: i64) {
        if let Some((_, removed)) = self.by_number.remove(&number) {
            self.remove_hash(&removed);
        }
    }

    fn remove_hash(&self, removed: &T) {
        self.by_prefix.remove_if_mut(&hash_prefix(removed.hash()), |_, candidates| {
            candidates.retain(|item| item.number() != removed.number());
            candidates.is_empty()
        });
    }
}

fn hash_prefix(hash: &[u8; 32]) -> [u8; 8] {
    hash.first_chunk().copied().unwrap_or_default()
}
