//! The data of the server behind the portal's pages of sets and sources.

use std::sync::Arc;

use parquote_explorer::portal::SourcesView;
use parquote_refresh::SetAdministration;

/// Reads the state of the sources. It blocks on the disk, and returns an error in words.
pub type ReadSources = Arc<dyn Fn() -> Result<SourcesView, String> + Send + Sync>;

/// Accepts the terms of a host group by its name, and returns an error in words.
pub type AcceptTerms = Arc<dyn Fn(&str) -> Result<(), String> + Send + Sync>;

/// The sets and sources of a server.
#[derive(Clone)]
pub struct SetsAndSources {
    /// The sets.
    pub sets: Arc<SetAdministration>,
    /// Reads the sources.
    pub sources: ReadSources,
    /// Accepts the terms of a host.
    pub accept_terms: AcceptTerms,
}
