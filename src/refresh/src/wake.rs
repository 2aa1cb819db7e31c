//! Why a refresher wakes before its pause is over.

use tokio::sync::oneshot;

/// What wakes the loop.
pub(super) enum Wake {
    /// Something changed below the root.
    Changed,
    /// Somebody wants the root looked at now, and to be told when that is done.
    Asked(oneshot::Sender<()>),
}
