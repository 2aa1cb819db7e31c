//! What all requests share: the service behind them, the settings, the bounds on what is under way, the documents.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::caller_limits::CallerLimits;
use super::cross_origin::CrossOrigin;
use super::document::ServedDocument;
use super::mount::Mount;
use super::one_look::OneLook;
use super::page_paths::is_page;
use super::request_id::RequestIds;
use super::settings::HttpSettings;
use super::traffic::Traffic;
use super::{oauth, paths};
use parquote_call::Service;
use parquote_catalogue::operation::Market;
use parquote_explorer::FormAnswer;

/// What all requests share.
pub(super) struct AppState {
    pub service: Arc<Service>,
    pub settings: HttpSettings,
    pub request_ids: RequestIds,
    /// All paths there are, for the hint in a 404.
    pub paths: Vec<String>,
    /// Those that need no key.
    pub open: HashSet<String>,
    /// Protocols of their own.
    pub mounts: Vec<Mount>,
    /// A place for each request that may be under way.
    pub places: Semaphore,
    /// What each caller has under way.
    pub callers: Arc<CallerLimits>,
    /// What forms of pages came to.
    pub told: OneLook<FormAnswer>,
    pub openapi: ServedDocument,
    pub docs: ServedDocument,
}

impl AppState {
    /// Whether a path needs no key, with a slash at its end or without.
    ///
    /// What lies under `.well-known` is asked for by programs that look whether there is more to find, such as a server that
    /// hands out tokens. Where there is nothing, they go on only when they are told just that.
    pub(super) fn is_open(&self, path: &str) -> bool {
        self.is_for_apps(path)
            || self.open.contains(path.trim_end_matches('/'))
            || path.starts_with(paths::FILES)
            || is_well_known(path)
    }

    /// Whether apps go there to be let in, if any are.
    fn is_for_apps(&self, path: &str) -> bool {
        self.settings.apps.is_some() && oauth::is_for_apps(path)
    }

    /// Pages of other places that may read what is answered at a path.
    pub(super) fn readers(&self, path: &str) -> CrossOrigin {
        match self.mount(path) {
            _ if is_page(path) => CrossOrigin::Nobody,
            Some(mount) => mount.readers().clone(),
            None if self.is_for_apps(path) || is_well_known(path) => CrossOrigin::Everyone,
            None => CrossOrigin::Nobody,
        }
    }

    /// The part of the server that a path belongs to.
    pub(super) fn traffic(&self, path: &str) -> Traffic {
        let path = path.trim_end_matches('/');
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        if path == paths::STATUS {
            Traffic::Status
        } else if self.is_route(path) {
            Traffic::Operations
        } else if self.mount(path).is_some() {
            Traffic::Tools
        } else if oauth::is_of_oauth(path) {
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

    /// Whether an operation has this path.
    fn is_route(&self, path: &str) -> bool {
        let name = path.strip_prefix(paths::ROOT).and_then(|path| path.strip_prefix('/'));
        name.and_then(|name| self.service.catalogue().operation(name))
            .is_some_and(|operation| operation.has_route)
    }

    /// The protocol of its own that lies at a path.
    pub(super) fn mount(&self, path: &str) -> Option<&Mount> {
        self.mounts.iter().find(|mount| mount.is_at(path))
    }
}

/// Whether a path lies where programs look for what there is.
fn is_well_known(path: &str) -> bool {
    path.split('/').any(|part| part == ".well-known")
}
