//! A set of tables is made in a folder of its own and takes the place of the old one in one rename.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::DeriveError;
use crate::operation::Market;

/// The folder in which a set is made; gone with whatever is in it unless it is published.
pub(super) struct Staging {
    folder: PathBuf,
    target: PathBuf,
}

impl Staging {
    /// A fresh folder beside the market's own.
    pub(super) fn create(data: &Path, market: Market) -> Result<Self, DeriveError> {
        let folder = data.join(format!(".{market}-{}", std::process::id()));
        let failed = |source| DeriveError::Write { path: folder.clone(), source };
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        fs::create_dir_all(&folder).map_err(failed)?;
        Ok(Self { target: data.join(market.word()), folder })
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes the place of the market's set.
    pub(super) fn publish(self) -> Result<(), DeriveError> {
        let failed = |source| DeriveError::Write { path: self.target.clone(), source };
        if !self.target.exists() {
            return fs::rename(&self.folder, &self.target).map_err(failed);
        }
        exchange(&self.folder, &self.target).map_err(failed)
        // What is left in the staging folder now is the old set; it goes when this is dropped.
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.folder.exists()
            && let Err(error) = fs::remove_dir_all(&self.folder)
        {
            tracing::warn!(folder = %self.folder.display(), %error, "a folder of derived tables could not be removed");
        }
    }
}

/// Exchanges two folders at once where the system can; otherwise the old one steps aside for the new.
fn exchange(new: &Path, old: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let aside = new.with_extension("old");
    fs::rename(old, &aside)?;
    fs::rename(new, old).inspect_err(|_| drop(fs::rename(&aside, old)))?;
    fs::remove_dir_all(aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_set_takes_the_place_of_the_old() {
        let data = tempfile::tempdir().unwrap();
        for text in ["first", "second"] {
            let staging = Staging::create(data.path(), Market::India).unwrap();
            fs::write(staging.folder().join("x.parquet"), text).unwrap();
            staging.publish().unwrap();
            let published = fs::read_to_string(data.path().join("india/x.parquet")).unwrap();
            assert_eq!(published, text);
        }
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1, "nothing is left beside the set");
    }

    #[test]
    fn an_unpublished_set_leaves_nothing() {
        let data = tempfile::tempdir().unwrap();
        drop(Staging::create(data.path(), Market::Us).unwrap());
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
    }
}
