//! Plain files that people put into a folder or a bucket: `<market>/<table>.parquet` and `<market>/<table>/<part>.parquet`.
//!
//! They are examined and copied, never served in place: whoever put them there may write into them at any time.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::bucket::Bucket;
use super::error::SetError;
use super::layout::{FILES, SETS};
use super::plain_file::{FileVersion, PlainFilePart};
use crate::operation::Market;

/// Where plain files lie.
#[derive(Debug, Clone)]
pub enum Inbox {
    /// Below this folder.
    Folder(PathBuf),
    /// In this bucket.
    Bucket(Bucket),
}

impl Inbox {
    /// The plain files of a market, by path below its folder.
    ///
    /// # Errors
    /// A folder that cannot be listed, or a store that fails.
    pub async fn scan(&self, market: Market) -> Result<BTreeMap<String, FileVersion>, SetError> {
        match self {
            Self::Folder(root) => plain_files(&root.join(market.word())),
            Self::Bucket(bucket) => bucket.plain_files(market).await,
        }
    }

    /// Copies a plain file.
    ///
    /// # Errors
    /// A file that is gone or cannot be read, a target that cannot be written.
    pub async fn copy(&self, market: Market, path: &str, to: &Path) -> Result<(), SetError> {
        match self {
            // The system's copy shares the blocks of both files where the file system can.
            Self::Folder(root) => {
                let from = root.join(market.word()).join(path);
                fs::copy(&from, to).map(drop).map_err(SetError::file(&from, "copied"))
            }
            Self::Bucket(bucket) => bucket.copy_plain(market, path, to).await,
        }
    }

    /// The folder to watch, where there is one.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(root) => Some(root),
            Self::Bucket(_) => None,
        }
    }

    /// Where a plain file lies, for a person.
    pub fn shown(&self, market: Market, path: &str) -> String {
        match self {
            Self::Folder(root) => root.join(market.word()).join(path).display().to_string(),
            Self::Bucket(bucket) => format!("{}/{market}/{path}", bucket.shown()),
        }
    }
}

/// The plain files below a market's folder; none where there is no folder.
pub(super) fn plain_files(folder: &Path) -> Result<BTreeMap<String, FileVersion>, SetError> {
    let mut files = BTreeMap::new();
    for path in entries(folder)? {
        let name = name(&path);
        if path.is_dir() {
            if name.starts_with('.') || [SETS, FILES].contains(&name.as_str()) {
                continue;
            }
            for below in entries(&path)? {
                see(&mut files, format!("{name}/{}", self::name(&below)), &below)?;
            }
        } else {
            see(&mut files, name, &path)?;
        }
    }
    Ok(files)
}

fn see(files: &mut BTreeMap<String, FileVersion>, name: String, path: &Path) -> Result<(), SetError> {
    if PlainFilePart::at(&name).is_none() {
        return Ok(());
    }
    match fs::metadata(path) {
        Ok(stat) => drop(files.insert(name, FileVersion::of(&stat))),
        // It went while the folder was listed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(SetError::file(path, "read")(error)),
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, SetError> {
    let failed = SetError::file(folder, "listed");
    match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        entries => entries.map_err(&failed)?.map(|entry| Ok(entry.map_err(&failed)?.path())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_their_parts_are_told_by_their_paths() {
        let part = |path: &str| PlainFilePart::at(path).map(|part| (part.table, part.part));
        assert_eq!(part("stocks.parquet"), Some(("stocks".into(), None)));
        assert_eq!(part("daily_prices/2026.parquet"), Some(("daily_prices".into(), Some("2026".into()))));
        for path in [
            "report.json",
            ".stocks.parquet.x1y2",
            ".stocks.parquet",
            "daily_prices/.2026.parquet",
            "files/stocks.parquet",
            "sets/1.parquet",
            "a/b/c.parquet",
            ".parquet",
        ] {
            assert_eq!(part(path), None, "{path}");
        }
    }

    #[test]
    fn a_file_that_is_replaced_at_equal_size_and_time_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stocks.parquet");
        fs::write(&path, "one").unwrap();
        let stat = fs::metadata(&path).unwrap();
        let before = plain_files(folder.path()).unwrap();
        let other = folder.path().join(".new");
        fs::write(&other, "two").unwrap();
        fs::File::options().write(true).open(&other).unwrap().set_modified(stat.modified().unwrap()).unwrap();
        fs::rename(&other, &path).unwrap();
        let after = plain_files(folder.path()).unwrap();
        assert_eq!(before["stocks.parquet"].written, after["stocks.parquet"].written);
        assert!(!before["stocks.parquet"].is_same(&after["stocks.parquet"]));
    }
}
