//! An error in a parameter of a call, in words for the caller.

/// An error in a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The parameter, as written by the caller.
    pub param: String,
    /// A sentence with the fault and the allowed values.
    pub message: String,
}
