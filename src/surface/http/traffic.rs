//! What a request is counted under that reached no operation: the part of the server that its path belongs to. There are as many as
//! stand here, whatever callers ask for.

use super::app_state::AppState;
use super::page_paths::is_page;
use super::{oauth, paths};
use crate::operation::Market;

/// A part of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Traffic {
    /// The health payload.
    Status,
    /// The routes of operations, where a request is refused before it reaches one, such as without a key.
    Operations,
    /// The endpoint of tools, where no tool is called.
    Tools,
    /// Pages on which owners sign in and manage keys.
    Portal,
    /// Consent, registration, tokens and what is said of them.
    OAuth,
    /// Pages of the explorer that are no page of its menu.
    Pages,
    /// The manual, the OpenAPI document, and the files of pages.
    Documents,
    /// All other paths.
    Unknown,
}

impl Traffic {
    pub(super) const ALL: [Self; 8] = [
        Self::Status,
        Self::Operations,
        Self::Tools,
        Self::Portal,
        Self::OAuth,
        Self::Pages,
        Self::Documents,
        Self::Unknown,
    ];

    /// The part that a path belongs to.
    pub(super) fn of(state: &AppState, path: &str) -> Self {
        let path = path.trim_end_matches('/');
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        if path == paths::STATUS {
            Self::Status
        } else if is_route(state, path) {
            Self::Operations
        } else if state.mount(path).is_some() {
            Self::Tools
        } else if oauth::is_of_oauth(path) {
            Self::OAuth
        } else if first.parse::<Market>().is_ok() {
            Self::Pages
        } else if is_page(path) {
            Self::Portal
        } else if state.is_open(path) {
            Self::Documents
        } else {
            Self::Unknown
        }
    }

    /// What it is called where an operation has its name.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Operations => "operations",
            Self::Tools => "mcp",
            Self::Portal => "portal",
            Self::OAuth => "oauth",
            Self::Pages => "pages",
            Self::Documents => "documents",
            Self::Unknown => "unknown",
        }
    }
}

/// Whether an operation lies at a path.
fn is_route(state: &AppState, path: &str) -> bool {
    let name = path.strip_prefix(paths::ROOT).and_then(|path| path.strip_prefix('/'));
    name.and_then(|name| state.service.catalogue().operation(name))
        .is_some_and(|operation| operation.has_route)
}
