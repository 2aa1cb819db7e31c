//! Index of keys, sessions and tokens by the hash of their secret text. Lookups run concurrently with the updates of one writer.

use std::collections::HashSet;
use std::sync::Arc;

use dashmap::DashMap;
use subtle::ConstantTimeEq as _;

/// An item that a secret gives access to.
pub(super) trait HashedItem {
    /// Its number in the state.
    fn number(&self) -> i64;
    /// Hash of its secret; it must not change for a number, or lookups by the old hash fail.
    fn hash(&self) -> &[u8; 32];
}

/// Items by hash and by number.
#[derive(Debug)]
pub(super) struct HashIndex<T> {
    /// By the first eight bytes of the hash: the timing of this step reveals part of a hash only, which says nothing about the secret. The
    /// whole hash is then compared in constant time.
    by_start: DashMap<[u8; 8], Vec<Arc<T>>>,
    by_number: DashMap<i64, Arc<T>>,
}

impl<T> Default for HashIndex<T> {
    fn default() -> Self {
        Self { by_start: DashMap::new(), by_number: DashMap::new() }
    }
}

impl<T: HashedItem> HashIndex<T> {
    /// Returns the item with this hash.
    pub(super) fn find(&self, hash: &[u8; 32]) -> Option<Arc<T>> {
        let near = self.by_start.get(&start(hash))?;
        near.iter().find(|known| bool::from(known.hash().ct_eq(hash))).cloned()
    }

    /// Returns the item with this number.
    pub(super) fn by_number(&self, number: i64) -> Option<Arc<T>> {
        self.by_number.get(&number).map(|known| Arc::clone(&known))
    }

    /// Returns all items, unordered.
    pub(super) fn all(&self) -> Vec<Arc<T>> {
        self.by_number.iter().map(|known| Arc::clone(known.value())).collect()
    }

    /// Replaces changed items. Touched items that are missing in `came` are removed; after a full read, all missing ones.
    pub(super) fn apply_changes(&self, is_whole: bool, touched: &[i64], came: Vec<T>) {
        let numbers: HashSet<i64> = came.iter().map(T::number).collect();
        let known =
            if is_whole { self.all().iter().map(|known| known.number()).collect() } else { Vec::new() };
        known
            .iter()
            .chain(touched)
            .filter(|number| !numbers.contains(number))
            .for_each(|gone| self.remove(*gone));
        for new in came {
            self.insert(Arc::new(new));
        }
    }

    fn insert(&self, new: Arc<T>) {
        let old = self.by_number.insert(new.number(), Arc::clone(&new));
        if let Some(old) = old.filter(|old| start(old.hash()) != start(new.hash())) {
            self.remove_hash(&old);
        }
        let mut near = self.by_start.entry(start(new.hash())).or_default();
        match near.iter_mut().find(|known| known.number() == new.number()) {
            Some(known) => *known = new,
            None => near.push(new),
        }
    }

    fn remove(&self, number: i64) {
        if let Some((_, gone)) = self.by_number.remove(&number) {
            self.remove_hash(&gone);
        }
    }

    fn remove_hash(&self, gone: &T) {
        self.by_start.remove_if_mut(&start(gone.hash()), |_, near| {
            near.retain(|known| known.number() != gone.number());
            near.is_empty()
        });
    }
}

fn start(hash: &[u8; 32]) -> [u8; 8] {
    hash.first_chunk().copied().unwrap_or_default()
}
