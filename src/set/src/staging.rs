//! A temporary folder in which files are written before they are published. It is deleted on drop, or by a later run if its owner
//! was killed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::error::SetError;
use super::lock::Lock;

/// Name prefix of staging folders. A name that begins with a dot is not a table.
const PREFIX: &str = ".staging-";
/// The file in a staging folder that its owner locks.
const OWNER: &str = ".owner";

/// A folder for files that are not published yet.
#[derive(Debug)]
pub struct Staging {
    folder: TempDir,
    /// The lock of the owner file. It is dropped after the folder is deleted; the system releases it if the process is killed.
    _owner: Lock,
}

impl Staging {
    /// Creates a staging folder with a random name below a folder, and deletes abandoned ones there.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn create(below: &Path) -> Result<Self, SetError> {
        fs::create_dir_all(below).map_err(SetError::file(below, "made"))?;
        sweep(below);
        let failed = SetError::file(below, "written");
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(below).map_err(&failed)?;
        let owner = Lock::take(&folder.path().join(OWNER)).map_err(&failed)?;
        Ok(Self { folder, _owner: owner })
    }

    /// Deletes staging folders of ended processes.
    pub(super) fn sweep(below: &Path) {
        sweep(below);
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Returns true for the path of a staging folder or of a file in one.
pub fn is_staged(path: &Path) -> bool {
    path.iter().any(|part| part.to_str().is_some_and(|part| part.starts_with(PREFIX)))
}

/// Deletes abandoned staging folders. A folder that cannot be deleted is left to the next sweep.
fn sweep(below: &Path) {
    for folder in abandoned_folders(below).unwrap_or_default() {
        if let Err(error) = fs::remove_dir_all(&folder) {
            tracing::warn!(folder = %folder.display(), %error, "an abandoned staging folder could not be removed");
        }
    }
}

fn abandoned_folders(below: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(below)? {
        let path = entry?.path();
        let is_staging =
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PREFIX));
        // A folder without an owner file is just being created, or its owner was killed at that moment.
        let owner = path.join(OWNER);
        if is_staging && path.is_dir() && (is_free(&owner) || is_old(&path)) {
            folders.push(path);
        }
    }
    Ok(folders)
}

fn is_free(owner: &Path) -> bool {
    owner.exists() && Lock::try_take(owner).is_ok()
}

/// Returns true if a folder without an owner file is abandoned: it is older than a minute, and owners lock their file sooner.
fn is_old(folder: &Path) -> bool {
    const SECONDS: u64 = 60;
    let age = fs::metadata(folder).and_then(|stat| stat.modified()).map(|at| at.elapsed());
    !folder.join(OWNER).exists() && matches!(age, Ok(Ok(age)) if age.as_secs() > SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_swept_when_their_owner_is_gone() {
        let data = tempfile::tempdir().unwrap();
        let mine = Staging::create(data.path()).unwrap();
        // Remains of a killed process: a folder whose owner holds no lock.
        let left = data.path().join(".staging-left");
        fs::create_dir(&left).unwrap();
        fs::write(left.join(OWNER), "parquote, process 1").unwrap();
        fs::write(left.join("x.parquet"), "half").unwrap();
        let other = Staging::create(data.path()).unwrap();
        assert!(!left.exists());
        assert!(mine.path().exists() && other.path().exists());
        drop((mine, other));
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
    }
}
