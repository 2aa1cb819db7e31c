//! Wakes a refresher when files below the root change, if the system reports that. The root is also polled, so correctness does not
//! depend on the file system.

use std::path::Path;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc::UnboundedSender;

use super::wake::WakeReason;
use parquote_set::is_staged;

/// Reports changes below a folder to a refresher until dropped.
pub(super) struct FolderWatch {
    _watcher: RecommendedWatcher,
}

impl FolderWatch {
    /// Watches a folder; returns `None` if the system cannot.
    pub(super) fn start(folder: &Path, wake: UnboundedSender<WakeReason>) -> Option<Self> {
        let on_event = move |event: notify::Result<notify::Event>| {
            // Read accesses and changes in staging folders are ignored.
            let is_change = |event: notify::Event| {
                !event.kind.is_access() && !event.paths.iter().all(|path| is_staged(path))
            };
            if event.is_ok_and(is_change) {
                let _gone = wake.send(WakeReason::Changed);
            }
        };
        let started = RecommendedWatcher::new(on_event, notify::Config::default())
            .and_then(|mut watcher| watcher.watch(folder, RecursiveMode::Recursive).map(|()| watcher));
        match started {
            Ok(watcher) => Some(Self { _watcher: watcher }),
            Err(error) => {
                tracing::info!(folder = %folder.display(), %error, "the system does not report changes; the folder is polled");
                None
            }
        }
    }
}
