//! What can be wrong with a preset file.

/// What is wrong with a preset file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {fault}")]
pub struct PresetError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what is allowed.
    pub fault: String,
}

impl PresetError {
    /// A fault at a byte of a file's text.
    pub(super) fn at(file: &str, text: &str, byte: usize, fault: impl Into<String>) -> Self {
        let line = text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1;
        Self { file: file.to_owned(), line, fault: fault.into() }
    }
}
