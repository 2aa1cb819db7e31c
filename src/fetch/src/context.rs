//! The context that all parts of a fetcher share: sources, folders, settings and a clock.

use std::sync::Arc;

use super::clock::FetchClock;
use super::fetch_request::FetchSettings;
use super::folders::Folders;
use super::source_catalogue::SourceCatalogue;

#[derive(Debug)]
pub(crate) struct FetchContext {
    pub(crate) catalogue: SourceCatalogue,
    pub(crate) folders: Folders,
    pub(crate) settings: FetchSettings,
    pub(crate) clock: Arc<dyn FetchClock>,
}
