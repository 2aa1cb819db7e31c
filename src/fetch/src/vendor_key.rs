//! The user's key at a vendor. It appears only in requests: no manifest, log or error shows it.

use std::fmt;

/// A key, hidden in its debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct VendorKey(String);

impl VendorKey {
    /// Creates a key from an environment variable's text; returns `None` if it is empty or not valid in a header.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_key =
            !text.is_empty() && text.len() <= 512 && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_key.then(|| Self(text.to_owned()))
    }

    /// Returns the key itself, for the request alone.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for VendorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

/// Looks up keys by the name of their environment variable.
pub trait VendorKeys: Send + Sync {
    /// Returns the key in an environment variable; `None` if it is not set or not valid.
    fn key(&self, name: &str) -> Option<VendorKey>;
}

impl fmt::Debug for dyn VendorKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(hidden)")
    }
}

/// An empty set of keys.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoVendorKeys;

impl VendorKeys for NoVendorKeys {
    fn key(&self, _: &str) -> Option<VendorKey> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_hidden_and_fits_a_header() {
        let key = VendorKey::new(" s3cr3t ").unwrap();
        assert_eq!((key.reveal(), format!("{key:?}").as_str()), ("s3cr3t", "Key(hidden)"));
        for mistake in ["", "  ", "two words", "line\nbreak", "schlüssel"] {
            assert_eq!(VendorKey::new(mistake), None, "{mistake}");
        }
    }
}
