//! The reasons to wake a refresher before its pause is over.

use tokio::sync::oneshot;

/// A reason to wake the loop.
pub(super) enum WakeReason {
    /// Files below the root changed.
    Changed,
    /// A requested scan; the sender is notified when it has ended.
    Asked(oneshot::Sender<()>),
}
