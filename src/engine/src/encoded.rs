//! An answer as bytes, ready to be sent and cached.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use parquote_catalogue::error::{ClientError, ErrorKind};

/// An encoded answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedAnswer {
    /// The JSON of `data`; the whole body for formats without an envelope.
    pub body: Bytes,
    /// The JSON object of the fields around the rows, for formats whose body cannot contain it; empty for others.
    pub wrapper: Bytes,
    /// The range of the rows; `None` for an object.
    pub extent: Option<Extent>,
}

/// The range of an answer's rows among all rows that match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Extent {
    /// Number of rows before those of the answer.
    pub offset: usize,
    /// Number of rows in the answer.
    pub rows: usize,
    /// Number of all rows that match; `None` if the run ended before it had read them all.
    pub total: Option<usize>,
    /// True if more rows follow.
    pub more: bool,
}

impl EncodedAnswer {
    /// Parses the body of an answer in JSON; `of` names the answer in the error.
    ///
    /// # Errors
    /// The body is not JSON of the type `T`, which is a fault of the server.
    pub fn parse_body<T: DeserializeOwned>(&self, of: &str) -> Result<T, ClientError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let message = format!("the server failed on the answer of {of}");
            ClientError::from_cause(ErrorKind::Internal, message, error)
        })
    }

    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.body.len() + self.wrapper.len()
    }
}

impl Extent {
    /// Returns the offset of the next rows; `None` at the end.
    pub fn next_offset(&self) -> Option<usize> {
        self.more.then_some(self.offset + self.rows)
    }
}
