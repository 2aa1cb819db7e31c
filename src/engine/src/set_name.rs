//! The name of the set whose tables a market serves. The name identifies the content and does not describe it.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use parquote_set::Set;

/// Which set a market's tables are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetName {
    /// The id: a hash over the content; empty where the market has no tables.
    pub id: Arc<str>,
    /// The number; none of plain files that are read where they lie.
    pub number: Option<u64>,
    /// When its content was published first; none of what is not published.
    pub published: Option<DateTime<Utc>>,
}

impl SetName {
    /// The name of a published set.
    pub fn from_set(set: &Set) -> Self {
        Self {
            id: set.id.as_str().into(),
            number: Some(set.number),
            published: Some(set.published.content_at()),
        }
    }

    /// The name of tables that are no published set.
    pub fn unpublished(id: &str) -> Self {
        Self { id: id.into(), number: None, published: None }
    }
}
