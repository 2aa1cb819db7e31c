//! An error in an argument of a call, with a message for the caller.

/// An error in a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Name of the parameter as the caller wrote it, truncated to 64 characters.
    pub param: String,
    /// A sentence with the fault and the allowed values.
    pub message: String,
}
