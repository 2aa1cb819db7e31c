//! What everything of a fetcher works with: sources, folders, settings and a clock.

use std::sync::Arc;

use super::clock::Clock;
use super::folders::Folders;
use super::shelf::Shelf;
use super::wanted::Settings;

/// What a fetcher works with.
#[derive(Debug)]
pub(crate) struct Kit {
    pub(crate) shelf: Shelf,
    pub(crate) folders: Folders,
    pub(crate) settings: Settings,
    pub(crate) clock: Arc<dyn Clock>,
}
