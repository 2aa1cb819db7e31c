//! Wakes a refresher when files below the root change, where the system reports that. The root is polled too, so that this does not
//! depend on the file system.

use std::path::Path;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc::UnboundedSender;

use super::wake::Wake;
use parquote_set::is_staged;

/// Tells a refresher of changes below a folder as long as it lives.
pub(super) struct FolderWatch {
    _watcher: RecommendedWatcher,
}

impl FolderWatch {
    /// Watches a folder; `None` where the system cannot.
    pub(super) fn start(folder: &Path, wake: UnboundedSender<Wake>) -> Option<Self> {
        let tell = move |event: notify::Result<notify::Event>| {
            // Files that are read say so too, which changes nothing; nor does what a publisher makes before it publishes.
            let is_news = |event: notify::Event| {
                !event.kind.is_access() && !event.paths.iter().all(|path| is_staged(path))
            };
            if event.is_ok_and(is_news) {
                let _gone = wake.send(Wake::Changed);
            }
        };
        let started = RecommendedWatcher::new(tell, notify::Config::default())
            .and_then(|mut watcher| watcher.watch(folder, RecursiveMode::Recursive).map(|()| watcher));
        match started {
            Ok(watcher) => Some(Self { _watcher: watcher }),
            Err(error) => {
                tracing::info!(folder = %folder.display(), %error, "changes are not told by the system; the folder is polled");
                None
            }
        }
    }
}
