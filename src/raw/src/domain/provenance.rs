//! Source of a row, in words.
//!
//! A source that a row itself states has precedence. Neither file names nor the market are used to guess a source.

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
