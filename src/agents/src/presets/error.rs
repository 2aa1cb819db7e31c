//! Errors in a preset file.

/// An error in a preset file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {fault}")]
pub struct PresetError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The fault, and the allowed values.
    pub fault: String,
}
