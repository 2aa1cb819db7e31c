//! Pages and prompts, which are read again when their files under `--queries` change. A mistake is logged at its line, and the previous
//! pages or prompts stay.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use arc_swap::ArcSwap;

use super::query_folder;
use crate::explorer::pages::{self, ExplorerPages};
use crate::mcp::{PROMPTS_FOLDER, Prompts};
use crate::operation::{Catalogue, DeclarationError, declarations_with};

/// The time between two looks at the files.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Pages and prompts.
#[derive(Clone)]
pub(super) struct LiveDeclarations {
    pub pages: Arc<ArcSwap<ExplorerPages>>,
    pub prompts: Arc<ArcSwap<Prompts>>,
}

impl LiveDeclarations {
    /// Reads the declarations that a catalogue carries.
    ///
    /// # Errors
    /// All mistakes, each at its line.
    pub(super) fn read(catalogue: &Catalogue) -> anyhow::Result<Self> {
        let pages =
            ExplorerPages::from_catalogue(catalogue).map_err(|mistakes| anyhow!(list_mistakes(&mistakes)))?;
        let prompts =
            Prompts::from_catalogue(catalogue).map_err(|mistakes| anyhow!(list_mistakes(&mistakes)))?;
        Ok(Self {
            pages: Arc::new(ArcSwap::from_pointee(pages)),
            prompts: Arc::new(ArcSwap::from_pointee(prompts)),
        })
    }

    /// Looks at the files of a folder every second, for as long as the server runs.
    pub(super) async fn watch_folder(self, folder: PathBuf, catalogue: Arc<Catalogue>) {
        let (mut before, mut unreadable) = (None, None);
        loop {
            match read_declarations(&folder).await {
                Ok(files) => {
                    // The first look compares nothing: a file may have changed since the start.
                    if before.as_ref() != Some(&files) {
                        self.replace(&catalogue, &files);
                        before = Some(files);
                    }
                    unreadable = None;
                }
                // The declarations that were read before remain; the reason is logged once.
                Err(error) => {
                    let reason = format!("{error:#}");
                    if unreadable.as_ref() != Some(&reason) {
                        tracing::warn!("pages and prompts stay as they were: {reason}");
                        unreadable = Some(reason);
                    }
                }
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }

    fn replace(&self, catalogue: &Catalogue, overlay: &[(String, String)]) {
        match ExplorerPages::from_files(catalogue, declarations_with(pages::FOLDER, overlay).into_iter()) {
            Ok(pages) => self.pages.store(Arc::new(pages)),
            Err(mistakes) => tracing::warn!("the pages stay as they were: {}", list_mistakes(&mistakes)),
        }
        match Prompts::from_files(catalogue, declarations_with(PROMPTS_FOLDER, overlay).into_iter()) {
            Ok(prompts) => self.prompts.store(Arc::new(prompts)),
            Err(mistakes) => tracing::warn!("the prompts stay as they were: {}", list_mistakes(&mistakes)),
        }
    }
}

/// Reads the pages and prompts of a folder.
async fn read_declarations(folder: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let folder = folder.to_owned();
    let read = move || query_folder::files(Some(&folder));
    let mut files = tokio::task::spawn_blocking(read).await??;
    files.retain(|(path, _)| path.starts_with(pages::FOLDER) || path.starts_with(PROMPTS_FOLDER));
    files.sort();
    Ok(files)
}

fn list_mistakes(mistakes: &[DeclarationError]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
