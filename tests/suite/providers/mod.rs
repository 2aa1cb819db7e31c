//! Every provider against a local server that speaks its protocol: success and all kinds of failure.

/// Requests and clients that the tests share.
mod asking;

/// Replies: text, tools, answers of a given shape.
mod replies;

/// Faults.
mod faults;

/// The key is never revealed.
mod secrecy;
