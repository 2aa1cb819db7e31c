//! The id of a request in the log: the caller's if it is well-formed, else a new one.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::{HeaderMap, HeaderValue};

use parquote_access::redact;

const LONGEST_ID: usize = 128;

/// Generates ids: a random part per process, and a counter.
pub(super) struct RequestIds {
    /// Random part of the ids of this process.
    process: u32,
    next: AtomicU64,
}

impl RequestIds {
    pub(super) fn new() -> Self {
        Self { process: RandomState::new().build_hasher().finish() as u32, next: AtomicU64::new(1) }
    }

    /// Returns the id of a request with these headers.
    pub(super) fn id_for(&self, headers: &HeaderMap) -> HeaderValue {
        headers.get("x-request-id").filter(|id| is_valid(id)).cloned().unwrap_or_else(|| self.generate())
    }

    fn generate(&self) -> HeaderValue {
        let count = self.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:08x}-{count:x}", self.process);
        HeaderValue::try_from(id).unwrap_or_else(|_| HeaderValue::from_static("-"))
    }
}

/// Returns true for visible ASCII of limited length without a key: nothing that breaks a log line or must not be logged.
fn is_valid(id: &HeaderValue) -> bool {
    let is_text = (1..=LONGEST_ID).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic);
    is_text && matches!(redact(id.to_str().unwrap_or_default()), Cow::Borrowed(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_for(ids: &RequestIds, text: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert("x-request-id", HeaderValue::from_str(text).unwrap());
        ids.id_for(&headers).to_str().unwrap().to_owned()
    }

    #[test]
    fn sane_ids_are_kept_and_others_replaced() {
        let ids = RequestIds::new();
        let longest = "x".repeat(128);
        for retained in ["01J-abc/9", "!", longest.as_str()] {
            assert_eq!(id_for(&ids, retained), retained);
        }
        let too_long = "x".repeat(129);
        for replaced in ["", "a b", "a\tb", "pq_0123456789abcdef", too_long.as_str()] {
            assert_ne!(id_for(&ids, replaced), replaced);
        }
        assert_ne!(ids.id_for(&HeaderMap::new()), ids.id_for(&HeaderMap::new()));
    }
}
