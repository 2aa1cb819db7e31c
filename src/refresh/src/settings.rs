//! The settings of a refresher.

use std::time::Duration;

use super::vetter::Vetter;
use parquote_set::Retention;

/// Settings of a refresher.
#[derive(Debug, Clone)]
pub struct RefreshSettings {
    /// Quiet time: plain files are used after they have been unchanged for so long.
    pub quiet: Duration,
    /// Poll interval of the root; changes that the system reports are handled at once.
    pub poll: Duration,
    /// Retention of earlier sets after a publication.
    pub keep: Retention,
    /// The reader of new files.
    pub vetter: Vetter,
    /// Maximum number of earlier sets that stay open after a request for them.
    pub open_earlier_sets: usize,
    /// True if operations are planned before the first request for them.
    pub plans_ahead: bool,
}

impl Default for RefreshSettings {
    fn default() -> Self {
        Self {
            quiet: Duration::from_secs(2),
            poll: Duration::from_secs(1),
            keep: Retention::default(),
            vetter: Vetter::Here,
            open_earlier_sets: 4,
            plans_ahead: true,
        }
    }
}
