//! The name of the set whose tables a market serves: an id of its content, a number, and the time of its publication.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use parquote_set::Set;

/// Name of the set that a market's tables are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetName {
    /// The id: a hash over the content; empty if the market has no tables.
    pub id: Arc<str>,
    /// Set number; `None` for plain files that are read in place.
    pub number: Option<u64>,
    /// Time when its content was first published; `None` if it is not published.
    pub published: Option<DateTime<Utc>>,
}

impl SetName {
    /// Returns the name of a published set.
    pub fn from_set(set: &Set) -> Self {
        Self {
            id: set.id.as_str().into(),
            number: Some(set.number),
            published: Some(set.published.content_at()),
        }
    }

    /// Returns the name for tables without a published set.
    pub fn unpublished(id: &str) -> Self {
        Self { id: id.into(), number: None, published: None }
    }
}
