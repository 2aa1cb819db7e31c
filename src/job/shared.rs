//! What callers and workers of one server share. It does nothing by itself.

use std::sync::Arc;

use tokio::sync::Notify;

use super::held::HeldJobs;
use super::settings::{Settings, UnixClock};
use super::store::JobStore;

/// What callers and workers share.
pub(super) struct Shared {
    pub(super) store: Arc<dyn JobStore>,
    pub(super) clock: UnixClock,
    pub(super) settings: Settings,
    /// Rings when there may be a job to be taken.
    pub(super) wake: Notify,
    pub(super) held: Arc<HeldJobs>,
}
