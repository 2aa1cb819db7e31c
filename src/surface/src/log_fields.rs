//! The log and metric fields of a reply, from any adapter; they are not sent to the caller.

use std::sync::Arc;

use parquote_catalogue::error::ClientError;

/// Log and metric fields of a reply.
#[derive(Debug, Clone, Default)]
pub struct LogFields {
    /// Name of the operation; `None` if the request reached none.
    pub operation: Option<Arc<str>>,
    /// The error that caused a refusal; `None` for an answer.
    pub cause: Option<Arc<ClientError>>,
    /// Size of the body before compression.
    pub bytes: usize,
    /// True if the call was charged to a quota.
    pub is_paid: bool,
}
