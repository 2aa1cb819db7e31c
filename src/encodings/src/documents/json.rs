//! A JSON document that is held in memory whole, with not more values than documents have.

use std::io::{self, Read};

use serde::de::DeserializeOwned;

use crate::unpack_bounds::{self, DOCUMENT, refusal};

/// Values of a document; the facts of a company are some hundred thousand figures of nine values.
const VALUES: usize = 4_000_000;

/// Reads a document.
///
/// # Errors
/// What is no such document, and what is longer or has more values than any has: two bytes of JSON can be 64 in memory.
pub(super) fn read<T: DeserializeOwned>(reader: &mut dyn Read) -> io::Result<T> {
    let bytes = unpack_bounds::whole(reader, DOCUMENT)?;
    let values = bytes.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    if values > VALUES {
        return Err(refusal(format!("the JSON has more than {VALUES} values")));
    }
    Ok(serde_json::from_slice(&bytes)?)
}
