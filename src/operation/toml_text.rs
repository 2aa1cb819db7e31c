//! TOML as declarations of providers, presets, sources and raw formats are written in: the one place that tells the line of a mistake.

use serde::de::DeserializeOwned;

/// Reads a declaration.
///
/// # Errors
/// The line of the first mistake, and what is wrong there, in one line.
pub fn read_toml<T: DeserializeOwned>(text: &str) -> Result<T, (usize, String)> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        (line, error.message().split_whitespace().collect::<Vec<_>>().join(" "))
    })
}

/// The line of a byte of a text, from 1.
pub fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}
