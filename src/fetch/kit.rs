//! The context that all parts of a fetcher share: sources, folders, settings and a clock.

use std::sync::Arc;

use super::clock::FetchClock;
use super::folders::Folders;
use super::source_catalogue::SourceCatalogue;
use super::wanted::FetchSettings;

/// What a fetcher works with.
#[derive(Debug)]
pub(crate) struct Kit {
    pub(crate) catalogue: SourceCatalogue,
    pub(crate) folders: Folders,
    pub(crate) settings: FetchSettings,
    pub(crate) clock: Arc<dyn FetchClock>,
}
