//! Every provider against a local server that speaks its protocol: what goes well, and all that does not.

/// What all tests ask, and whom.
mod asking;

/// Replies: text, tools, answers of a given shape.
mod replies;

/// Everything that is no reply.
mod faults;

/// What is never told: the key.
mod secrecy;
