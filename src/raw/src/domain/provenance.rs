//! Where a row is from, in words.
//!
//! A row that names its own source keeps it. Nothing is guessed from names of files or from the market.

use std::sync::Arc;

/// Where a row is from; none where nothing says it.
///
/// Rows that say the same are equal wherever they are from, so that two files with one row are found to agree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Provenance(Option<Arc<str>>);

impl Provenance {
    /// What is known of it, in words.
    pub(crate) fn words(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// What words say of it.
    pub(crate) const fn of(words: Option<Arc<str>>) -> Self {
        Self(words)
    }
}

impl PartialEq for Provenance {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Provenance {}
