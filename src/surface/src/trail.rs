//! What a reply tells the log and the metrics, whichever adapter made it; it is not sent to the caller.

use std::sync::Arc;

use parquote_catalogue::error::ClientError;

/// What a reply tells the log.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    /// The operation asked.
    pub operation: Option<Arc<str>>,
    /// The error behind a refusal.
    pub cause: Option<Arc<ClientError>>,
    /// The size of the body before compression.
    pub bytes: usize,
    /// Whether it cost something of an allowance.
    pub is_paid: bool,
}
