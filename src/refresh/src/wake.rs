//! The reasons to wake a refresher before its pause is over.

use tokio::sync::oneshot;

/// A reason to wake the loop.
pub(super) enum WakeReason {
    /// Files below the root changed.
    Changed,
    /// A client requested a scan; the sender is notified when the scan has ended.
    Requested(oneshot::Sender<()>),
}
