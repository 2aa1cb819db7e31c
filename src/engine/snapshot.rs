//! All tables of both markets at one moment; immutable.

use chrono::NaiveDate;

use super::ResultColumn;
use crate::operation::Market;

/// All tables of both markets, their plans, an id, each market's `as_of`.
pub struct Snapshot {}

impl Snapshot {
    /// The id: a content hash, hexadecimal.
    pub fn id(&self) -> &str {
        ""
    }

    /// The market's last session.
    pub fn as_of(&self, _market: Market) -> Option<NaiveDate> {
        None
    }

    /// The columns of each statement of the operation at this place in the catalogue.
    pub fn columns(&self, _operation: usize) -> &[Vec<ResultColumn>] {
        &[]
    }
}
