//! An answer as bytes, ready to be sent as often as it is asked for.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// An encoded answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The JSON that stands under `data`; of a format without an envelope, the whole body.
    pub body: Bytes,
    /// What is around the rows, as a JSON object, where the format has no room for it; empty otherwise.
    pub around: Bytes,
    /// Which rows it holds; none where it is an object.
    pub extent: Option<Extent>,
}

/// Which of the rows that match an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Extent {
    /// Rows that were passed over.
    pub offset: usize,
    /// Rows in the answer.
    pub rows: usize,
    /// Rows that match in all. None where the run ended before it had seen them all.
    pub total: Option<usize>,
    /// Whether more rows follow.
    pub more: bool,
}

impl Encoded {
    /// The bytes it holds.
    pub(crate) fn size(&self) -> usize {
        self.body.len() + self.around.len()
    }
}

impl Extent {
    /// The offset of the rows that follow, if some do.
    pub fn next_offset(&self) -> Option<usize> {
        self.more.then_some(self.offset + self.rows)
    }
}
