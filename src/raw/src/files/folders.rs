//! The files in and below a folder. Links to folders are followed, but no folder is read twice, so that a circle of links ends.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::RawError;

/// The files below a folder.
#[derive(Debug, Default)]
pub(super) struct FolderWalk {
    pub(super) files: Vec<PathBuf>,
    /// Links that are not followed: to a folder that is read already, or to a folder that contains this one.
    pub(super) repeated: Vec<PathBuf>,
    /// Pipes, sockets and devices, whose reading may never end.
    pub(super) special_files: Vec<PathBuf>,
    /// Links to folders that are still to be read.
    links: BTreeSet<PathBuf>,
    /// The folders that have been read, without links in their paths.
    visited: BTreeSet<PathBuf>,
}

impl FolderWalk {
    /// Lists the files below a folder: first those of its real folders, then those behind links, in the order of their paths.
    ///
    /// # Errors
    /// A folder cannot be listed.
    pub(super) fn walk(dir: &Path) -> Result<Self, RawError> {
        let mut found = Self::default();
        let root = real_path(dir)?;
        found.list(dir, root.clone())?;
        while let Some(link) = found.links.pop_first() {
            let folder = real_path(&link)?;
            if root.starts_with(&folder) || found.visited.contains(&folder) {
                found.repeated.push(link);
            } else {
                found.list(&link, folder)?;
            }
        }
        Ok(found)
    }

    /// Lists a folder, whose path without links is `folder`, and the real folders below it.
    fn list(&mut self, dir: &Path, folder: PathBuf) -> Result<(), RawError> {
        let wrap = |source| RawError::Folder { path: dir.to_owned(), source };
        for entry in fs::read_dir(dir).map_err(wrap)? {
            let entry = entry.map_err(wrap)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(wrap)?);
            if kind.is_dir() {
                let below = folder.join(entry.file_name());
                // A link may lead to a folder around one that is read already.
                if self.visited.contains(&below) {
                    self.repeated.push(path);
                } else {
                    self.list(&path, below)?;
                }
            } else if kind.is_symlink() && path.is_dir() {
                self.links.insert(path);
            } else if !kind.is_file() && fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
                self.special_files.push(path);
            } else {
                self.files.push(path);
            }
        }
        self.visited.insert(folder);
        Ok(())
    }
}

/// Returns the path of a folder without links.
fn real_path(dir: &Path) -> Result<PathBuf, RawError> {
    dir.canonicalize().map_err(|source| RawError::Folder { path: dir.to_owned(), source })
}
