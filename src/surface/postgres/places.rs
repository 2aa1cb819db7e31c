//! The connections of the door: how many there may be, of whom, and how one is told to leave what it is at.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use subtle::ConstantTimeEq as _;
use tokio::sync::Notify;

use crate::access::network;

/// Bounds on connections.
#[derive(Debug, Clone, Copy)]
pub struct ClientBounds {
    /// In all.
    pub at_once: usize,
    /// From one address, or from one /64 of IPv6.
    pub per_address: usize,
    /// Of one key.
    pub per_key: usize,
}

/// The connections that there are.
#[derive(Debug)]
pub(super) struct ClientPlaces {
    bounds: ClientBounds,
    taken: Mutex<PlaceTaken>,
}

#[derive(Debug, Default)]
struct PlaceTaken {
    next: i32,
    by_network: HashMap<[u8; 8], usize>,
    by_key: HashMap<i64, usize>,
    running: HashMap<i32, Running>,
}

#[derive(Debug)]
struct Running {
    secret: [u8; 4],
    cancel: Arc<Notify>,
}

/// A place, which is free again when this is dropped.
#[derive(Debug)]
pub(super) struct ClientPlace {
    places: Arc<ClientPlaces>,
    network: [u8; 8],
    key: Option<i64>,
    /// The number of the connection, by which a client cancels.
    pub number: i32,
    /// Comes when what runs is cancelled.
    pub cancelled: Arc<Notify>,
}

impl ClientPlaces {
    pub(super) fn new(bounds: ClientBounds) -> Arc<Self> {
        Arc::new(Self { bounds, taken: Mutex::default() })
    }

    /// A place for a connection from this address; `None` where there is none.
    pub(super) fn take(self: &Arc<Self>, from: IpAddr) -> Option<ClientPlace> {
        let network = network(from);
        let mut taken = self.taken();
        let in_all: usize = taken.by_network.values().sum();
        let from_there = taken.by_network.get(&network).copied().unwrap_or_default();
        if in_all >= self.bounds.at_once || from_there >= self.bounds.per_address {
            return None;
        }
        *taken.by_network.entry(network).or_default() += 1;
        taken.next = taken.next.wrapping_add(1).max(1);
        let number = taken.next;
        Some(ClientPlace { places: Arc::clone(self), network, key: None, number, cancelled: Arc::default() })
    }

    /// Cancels what runs on the connection of this number, if the secret is its own.
    pub(super) fn cancel(&self, number: i32, secret: &[u8]) {
        if let Some(running) = self.taken().running.get(&number)
            && running.secret.ct_eq(secret).into()
        {
            running.cancel.notify_waiters();
        }
    }

    fn taken(&self) -> MutexGuard<'_, PlaceTaken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientPlace {
    /// Gives the place to a key, and the connection a secret by which it is cancelled. `false` where the key has as many as it may.
    pub(super) fn give(&mut self, key: Option<i64>, secret: [u8; 4]) -> bool {
        let mut taken = self.places.taken();
        if let Some(key) = key {
            let count = taken.by_key.entry(key).or_default();
            if *count >= self.places.bounds.per_key {
                return false;
            }
            *count += 1;
            self.key = Some(key);
        }
        taken.running.insert(self.number, Running { secret, cancel: Arc::clone(&self.cancelled) });
        true
    }
}

impl Drop for ClientPlace {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        taken.running.remove(&self.number);
        let network = self.network;
        if taken.by_network.get(&network) == Some(&1) {
            taken.by_network.remove(&network);
        } else if let Some(count) = taken.by_network.get_mut(&network) {
            *count -= 1;
        }
        if let Some(key) = self.key {
            if taken.by_key.get(&key) == Some(&1) {
                taken.by_key.remove(&key);
            } else if let Some(count) = taken.by_key.get_mut(&key) {
                *count -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_bounded_and_free_again() {
        let places = ClientPlaces::new(ClientBounds { at_once: 3, per_address: 2, per_key: 1 });
        let (here, there) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let mut first = places.take(here).unwrap();
        let mut second = places.take(here).unwrap();
        assert!(places.take(here).is_none(), "an address has two");
        let third = places.take(there).unwrap();
        assert!(places.take(there).is_none(), "three in all");
        assert!(first.give(Some(7), [1; 4]));
        assert!(!second.give(Some(7), [2; 4]), "a key has one");
        drop(first);
        assert!(second.give(Some(7), [2; 4]));
        drop((second, third));
        let taken = places.taken();
        assert!(taken.by_network.is_empty() && taken.by_key.is_empty() && taken.running.is_empty());
    }
}
