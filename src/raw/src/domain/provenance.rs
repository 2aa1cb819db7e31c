//! Source of a row, in words.
//!
//! The source that a row itself names has precedence. File names and the market are never used to guess it.

use std::sync::Arc;

/// Source of a row; `None` if it is not stated.
///
/// All values compare equal, so that two files with the same row are found to agree whatever their sources.
#[derive(Debug, Clone, Default)]
pub(crate) struct Provenance(Option<Arc<str>>);

impl Provenance {
    /// Returns the source in words.
    pub(crate) fn words(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Wraps a source in words.
    pub(crate) const fn new(words: Option<Arc<str>>) -> Self {
        Self(words)
    }
}

impl PartialEq for Provenance {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Provenance {}
