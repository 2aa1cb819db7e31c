//! The settings of a refresher.

use std::time::Duration;

use super::vetter::Vetter;
use parquote_set::Retention;

/// Settings of a refresher.
#[derive(Debug, Clone)]
pub struct RefreshSettings {
    /// How long plain files must have been left alone before they are taken in.
    pub quiet: Duration,
    /// How often a root is looked at where nobody tells of changes.
    pub poll: Duration,
    /// Which earlier sets stay when another is published.
    pub keep: Retention,
    /// Who reads new files first.
    pub vetter: Vetter,
    /// How many earlier sets are held open for those who ask for them.
    pub earlier: usize,
    /// Whether plans of operations are made before anybody asks for them.
    pub plans_ahead: bool,
}

impl Default for RefreshSettings {
    fn default() -> Self {
        Self {
            quiet: Duration::from_secs(2),
            poll: Duration::from_secs(1),
            keep: Retention::default(),
            vetter: Vetter::Here,
            earlier: 4,
            plans_ahead: true,
        }
    }
}
