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
