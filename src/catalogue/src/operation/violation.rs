//! What is wrong with a parameter of a call, in words for the caller.

/// One thing wrong with a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The parameter, as the caller wrote it.
    pub param: String,
    /// A sentence that says what is wrong and what is allowed.
    pub message: String,
}
