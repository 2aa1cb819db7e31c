//! Limits the wrong keys from one address per minute, to slow down guessing and to limit the log. Valid keys are never delayed, so that a
//! guesser behind a shared address or a proxy does not lock out others.

use std::net::IpAddr;

use dashmap::DashMap;

use super::error::AccessError;

const MINUTE: i64 = 60;
/// Maximum number of addresses. When it is reached, addresses of past minutes are dropped, then all others, so that memory stays bounded.
const MOST_ADDRESSES: usize = 65_536;

/// Numbers of wrong keys in the present minute, by network address.
#[derive(Debug)]
pub(super) struct AuthFailureLimiter {
    by_address: DashMap<[u8; 8], FailureCount>,
    max_per_minute: u32,
}

#[derive(Debug, Clone, Copy)]
struct FailureCount {
    minute: i64,
    count: u32,
}

impl AuthFailureLimiter {
    pub(super) fn new(max_per_minute: u32) -> Self {
        Self { by_address: DashMap::new(), max_per_minute }
    }

    /// Counts a wrong key from an address.
    ///
    /// # Errors
    /// Too many wrong keys in this minute.
    pub(super) fn count(&self, from: IpAddr, now: i64) -> Result<(), AccessError> {
        let minute = now.div_euclid(MINUTE);
        if self.by_address.len() >= MOST_ADDRESSES {
            self.by_address.retain(|_, failures| failures.minute == minute);
            if self.by_address.len() >= MOST_ADDRESSES {
                self.by_address.clear();
            }
        }
        let mut failures = self.by_address.entry(network(from)).or_insert(FailureCount { minute, count: 0 });
        if failures.minute != minute {
            *failures = FailureCount { minute, count: 0 };
        }
        if failures.count >= self.max_per_minute {
            return Err(AccessError::Failures(MINUTE - now.rem_euclid(MINUTE)));
        }
        failures.count += 1;
        Ok(())
    }
}

/// Returns the network of an address: the whole IPv4 address, or the first 64 bits of an IPv6 address, which belong to one household or
/// machine.
pub fn network(address: IpAddr) -> [u8; 8] {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            [0, 0, 0, 0, a, b, c, d]
        }
        IpAddr::V6(address) => address.octets().first_chunk().copied().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_tries_a_minute() {
        let failures = AuthFailureLimiter::new(2);
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        assert!(failures.count(address("192.0.2.1"), 61).is_ok());
        assert!(failures.count(address("::ffff:192.0.2.1"), 62).is_ok());
        assert_eq!(failures.count(address("192.0.2.1"), 70), Err(AccessError::Failures(50)));
        assert!(failures.count(address("192.0.2.2"), 70).is_ok());
        assert!(failures.count(address("192.0.2.1"), 120).is_ok());
        for host in 1..=2 {
            assert!(failures.count(address(&format!("2001:db8:0:1::{host}")), 61).is_ok());
        }
        assert!(failures.count(address("2001:db8:0:1::3"), 61).is_err());
        assert!(failures.count(address("2001:db8:0:2::3"), 61).is_ok());
    }
}
