//! State shared by all requests: the service, the settings, the limits on concurrent requests, the documents.

use std::collections::HashSet;
use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio::sync::Semaphore;

use super::caller_limits::CallerLimits;
use super::cross_origin::CrossOrigin;
use super::document::ServedDocument;
use super::flash_messages::FlashMessages;
use super::mount::Mount;
use super::page_paths::is_page;
use super::request_id::RequestIds;
use super::settings::HttpSettings;
use super::traffic::Traffic;
use super::{oauth, paths};
use parquote_call::Service;
use parquote_catalogue::operation::Market;
use parquote_explorer::FormAnswer;
use parquote_explorer::pages::ExplorerPages;

/// State shared by all requests.
pub(super) struct AppState {
    pub service: Arc<Service>,
    pub settings: HttpSettings,
    pub request_ids: RequestIds,
    /// The pages of the explorer, which may be reloaded.
    pub pages: Arc<ArcSwap<ExplorerPages>>,
    /// All paths, for the hint in a 404.
    pub paths: Vec<String>,
    /// Paths that need no key.
    pub open_paths: HashSet<String>,
    pub mounts: Vec<Mount>,
    /// One permit for each concurrent request.
    pub permits: Semaphore,
    pub callers: Arc<CallerLimits>,
    /// Flash messages: results of page forms.
    pub flash_messages: FlashMessages<FormAnswer>,
    pub openapi: ServedDocument,
    pub docs: ServedDocument,
}

impl AppState {
    /// Returns true if a path needs no key, with or without a trailing slash.
    ///
    /// Paths under `.well-known` are probed by programs that discover services, such as OAuth authorization servers. These programs go on
    /// only after a 404, so such paths need no key.
    pub(super) fn is_open(&self, path: &str) -> bool {
        self.is_for_apps(path)
            || self.open_paths.contains(path.trim_end_matches('/'))
            || path.starts_with(paths::FILES)
            || is_well_known(path)
    }

    /// Returns true if the path belongs to OAuth and apps are enabled.
    fn is_for_apps(&self, path: &str) -> bool {
        self.settings.apps.is_some() && oauth::is_for_apps(path)
    }

    /// Returns the pages of other origins that may read the reply at a path.
    pub(super) fn allowed_origins(&self, path: &str) -> CrossOrigin {
        match self.mount(path) {
            _ if is_page(path) => CrossOrigin::Nobody,
            Some(mount) => mount.allowed_origins().clone(),
            None if self.is_for_apps(path) || is_well_known(path) => CrossOrigin::Everyone,
            None => CrossOrigin::Nobody,
        }
    }

    /// Returns the part of the server that a path belongs to.
    pub(super) fn traffic(&self, path: &str) -> Traffic {
        let path = path.trim_end_matches('/');
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        if path == paths::STATUS {
            Traffic::Status
        } else if self.is_route(path) {
            Traffic::Operations
        } else if self.mount(path).is_some() {
            Traffic::Tools
        } else if oauth::is_oauth_path(path) {
            Traffic::OAuth
        } else if first.parse::<Market>().is_ok() {
            Traffic::Pages
        } else if is_page(path) {
            Traffic::Portal
        } else if self.is_open(path) {
            Traffic::Documents
        } else {
            Traffic::Unknown
        }
    }

    /// Returns true if an operation has this path.
    fn is_route(&self, path: &str) -> bool {
        let name = path.strip_prefix(paths::ROOT).and_then(|path| path.strip_prefix('/'));
        name.and_then(|name| self.service.catalogue().operation(name))
            .is_some_and(|operation| operation.has_route)
    }

    /// Returns the protocol that is mounted at a path.
    pub(super) fn mount(&self, path: &str) -> Option<&Mount> {
        self.mounts.iter().find(|mount| mount.is_at(path))
    }
}

/// Returns true if a path is under `.well-known`.
fn is_well_known(path: &str) -> bool {
    path.split('/').any(|part| part == ".well-known")
}
