//! What a secret text opens, by the hash of the text: keys, sessions, tokens. Many look things up while one follows the state file.

use std::collections::HashSet;
use std::sync::Arc;

use dashmap::DashMap;
use subtle::ConstantTimeEq as _;

/// What a secret opens.
pub(super) trait Opened {
    /// Its number in the state file.
    fn number(&self) -> i64;
    /// The hash of the secret; of one number it is always the same, or the old one opens nothing.
    fn hash(&self) -> &[u8; 32];
}

/// Things by the hash of their secret, and by their number.
#[derive(Debug)]
pub(super) struct HashIndex<T> {
    /// By the first eight bytes of the hash: what a caller learns from the time of this step is a part of a hash, which says
    /// nothing about the secret. The whole hash is then compared in constant time.
    by_start: DashMap<[u8; 8], Vec<Arc<T>>>,
    by_number: DashMap<i64, Arc<T>>,
}

impl<T> Default for HashIndex<T> {
    fn default() -> Self {
        Self { by_start: DashMap::new(), by_number: DashMap::new() }
    }
}

impl<T: Opened> HashIndex<T> {
    /// What the secret of this hash opens.
    pub(super) fn find(&self, hash: &[u8; 32]) -> Option<Arc<T>> {
        let near = self.by_start.get(&start(hash))?;
        near.iter().find(|known| bool::from(known.hash().ct_eq(hash))).cloned()
    }

    /// The one of this number.
    pub(super) fn numbered(&self, number: i64) -> Option<Arc<T>> {
        self.by_number.get(&number).map(|known| Arc::clone(&known))
    }

    /// All of them, in no order.
    pub(super) fn all(&self) -> Vec<Arc<T>> {
        self.by_number.iter().map(|known| Arc::clone(known.value())).collect()
    }

    /// Puts what changed in the place of what was. What was touched and did not come is gone; so is, where everything came, all
    /// else.
    pub(super) fn follow(&self, is_whole: bool, touched: &[i64], came: Vec<T>) {
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
            self.forget(&old);
        }
        let mut near = self.by_start.entry(start(new.hash())).or_default();
        match near.iter_mut().find(|known| known.number() == new.number()) {
            Some(known) => *known = new,
            None => near.push(new),
        }
    }

    fn remove(&self, number: i64) {
        if let Some((_, gone)) = self.by_number.remove(&number) {
            self.forget(&gone);
        }
    }

    fn forget(&self, gone: &T) {
        self.by_start.remove_if_mut(&start(gone.hash()), |_, near| {
            near.retain(|known| known.number() != gone.number());
            near.is_empty()
        });
    }
}

fn start(hash: &[u8; 32]) -> [u8; 8] {
    hash.first_chunk().copied().unwrap_or_default()
}
