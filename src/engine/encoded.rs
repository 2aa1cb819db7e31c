//! An answer as bytes, ready to be sent as often as it is asked for.

use bytes::Bytes;

/// An encoded answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The JSON that stands under `data`; of a form without an envelope, the whole body.
    pub body: Bytes,
    /// What is around the rows, as a JSON object, where the form has no room for it; empty otherwise.
    pub around: Bytes,
}

impl Encoded {
    /// The bytes it holds.
    pub(super) fn size(&self) -> usize {
        self.body.len() + self.around.len()
    }
}
