//! A JSON document read completely into memory, with a limit on its values.

use std::io::{self, Read};

use serde::de::DeserializeOwned;

use crate::unpack_bounds::{self, DOCUMENT, refusal};

/// Maximum number of values; a company's facts are some hundred thousand figures of nine values.
const MOST_VALUES: usize = 4_000_000;

/// Parses a document.
///
/// # Errors
/// JSON of another shape, or beyond the limits of length and values: two bytes of JSON can be 64 in memory.
pub(super) fn read<T: DeserializeOwned>(reader: &mut dyn Read) -> io::Result<T> {
    let bytes = unpack_bounds::read_whole(reader, DOCUMENT)?;
    let values = bytes.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    if values > MOST_VALUES {
        return Err(refusal(format!("the JSON has more than {MOST_VALUES} values")));
    }
    Ok(serde_json::from_slice(&bytes)?)
}
