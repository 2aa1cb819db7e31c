//! Plain files that users put into a folder or a bucket: `<market>/<table>.parquet` and `<market>/<table>/<part>.parquet`.
//!
//! They are examined and copied, never served in place, because users may write to them at any time.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::bucket::Bucket;
use super::error::SetError;
use super::layout::{FILES, SETS};
use super::plain_file::{FileVersion, PlainFilePart};
use super::watchdog::{Pulse, Watchdog};
use parquote_catalogue::operation::Market;

/// The location of plain files.
#[derive(Debug, Clone)]
pub enum Inbox {
    /// Below this folder.
    Folder(Folder),
    /// In this bucket.
    Bucket(Bucket),
}

/// A folder with plain files of the markets, possibly on a file system that hangs.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
    /// A watchdog for each market, so that no market waits for the files of another.
    watchdogs: BTreeMap<Market, Watchdog>,
}

/// The reason why a plain file cannot be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The file cannot be opened or read, or is not a regular file: a fault that lasts until the file changes.
    #[error("{0}")]
    Unfit(String),
    /// Another failure: the target disk, or a store.
    #[error(transparent)]
    Failed(#[from] SetError),
}

impl Inbox {
    /// Uses the plain files of a folder.
    pub fn of_folder(root: impl Into<PathBuf>) -> Self {
        let watchdogs = Market::ALL.map(|market| (market, Watchdog::default()));
        Self::Folder(Folder { root: root.into(), watchdogs: watchdogs.into() })
    }

    /// Returns the plain files of a market, by path below its folder.
    ///
    /// # Errors
    /// A folder that cannot be listed or does not respond, or a store that fails.
    pub async fn scan(&self, market: Market) -> Result<BTreeMap<String, FileVersion>, SetError> {
        match self {
            Self::Folder(folder) => {
                let path = folder.root.join(market.word());
                let failed = SetError::file(&path, "listed");
                folder.run_watched(market, move |_| plain_files(&path)).await.map_err(failed)?
            }
            Self::Bucket(bucket) => bucket.plain_files(market).await,
        }
    }

    /// Returns the paths, below the market's folder, of files that belong to no table: of another type, or below a table's folder. Only a
    /// local folder is searched.
    ///
    /// # Errors
    /// A folder that does not respond.
    pub async fn ignored_files(&self, market: Market) -> Result<Vec<String>, SetError> {
        let Self::Folder(folder) = self else { return Ok(Vec::new()) };
        let path = folder.root.join(market.word());
        let failed = SetError::file(&path, "listed");
        folder.run_watched(market, move |_| ignored_files(&path, "", 0)).await.map_err(failed)
    }

    /// Copies a plain file to a new local file.
    ///
    /// # Errors
    /// A source that is missing or unreadable, or a target that cannot be written.
    pub async fn copy(&self, market: Market, path: &str, to: &Path) -> Result<(), CopyError> {
        match self {
            Self::Folder(folder) => {
                let from = folder.root.join(market.word()).join(path);
                let failed = SetError::file(&from, "copied");
                let to = to.to_owned();
                folder
                    .run_watched(market, move |progress| copy(&from, &to, progress))
                    .await
                    .map_err(|error| CopyError::Failed(failed(error)))?
            }
            Self::Bucket(bucket) => Ok(bucket.copy_plain(market, path, to).await?),
        }
    }

    /// Returns the folder to watch, if the inbox is one.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(&folder.root),
            Self::Bucket(_) => None,
        }
    }

    /// Returns the location of a plain file, for messages.
    pub fn location(&self, market: Market, path: &str) -> String {
        match self {
            Self::Folder(folder) => folder.root.join(market.word()).join(path).display().to_string(),
            Self::Bucket(bucket) => format!("{}/{market}/{path}", bucket.location()),
        }
    }
}

impl Folder {
    /// Runs work on the files of a market under its watchdog.
    async fn run_watched<T: Send + 'static>(
        &self,
        market: Market,
        work: impl FnOnce(&Pulse) -> T + Send + 'static,
    ) -> io::Result<T> {
        match self.watchdogs.get(&market) {
            Some(watchdog) => watchdog.run(work).await,
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Copies a regular file. It is opened non-blocking, so that another kind of file, such as a pipe without a writer, does not block.
fn copy(from: &Path, to: &Path, progress: &Pulse) -> Result<(), CopyError> {
    /// Number of bytes copied at a time; progress is reported after each.
    const STEP: u64 = 16 << 20;
    let unfit = |what: &str, error: io::Error| CopyError::Unfit(format!("cannot be {what}: {error}"));
    let mut options = fs::File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default(),
    );
    let source = options.open(from).map_err(|error| unfit("opened", error))?;
    let stat = source.metadata().map_err(|error| unfit("read", error))?;
    if !stat.is_file() {
        return Err(CopyError::Unfit("is not a regular file".to_owned()));
    }
    let failed = SetError::file(to, "written");
    let mut target = fs::File::create_new(to).map_err(&failed)?;
    loop {
        // The system copies between the files, and shares blocks where the file system supports it.
        let copied = io::copy(&mut io::Read::take(&source, STEP), &mut target);
        match copied {
            Ok(0) => return Ok(()),
            Ok(_) => progress.record_progress(),
            // The call reads and writes: a full disk or an exceeded quota is an error of the target, any other one of the source.
            Err(error) if is_target_error(&error) => return Err(failed(error).into()),
            Err(error) => return Err(unfit("read", error)),
        }
    }
}

fn is_target_error(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), FileTooLarge | QuotaExceeded | ReadOnlyFilesystem | StorageFull)
}

/// Returns the plain files below a market's folder, by path; none if there is no folder.
pub(super) fn plain_files(folder: &Path) -> Result<BTreeMap<String, FileVersion>, SetError> {
    let mut files = BTreeMap::new();
    for path in entries(folder).map_err(SetError::file(folder, "listed"))? {
        let name = name(&path);
        if path.is_dir() {
            if name.starts_with('.') || [SETS, FILES].contains(&name.as_str()) {
                continue;
            }
            match entries(&path) {
                Ok(below) => below
                    .iter()
                    .for_each(|below| add_file(&mut files, format!("{name}/{}", self::name(below)), below)),
                // An unreadable folder is reported as one unreadable file, and the others are still listed.
                Err(error) => {
                    drop(files.insert(format!("{name}/*.parquet"), FileVersion::without_metadata(&error)));
                }
            }
        } else {
            add_file(&mut files, name, &path);
        }
    }
    Ok(files)
}

/// Returns the paths of files that belong to no table; `below` is the path of `folder` below the market's folder.
fn ignored_files(folder: &Path, below: &str, depth: usize) -> Vec<String> {
    /// Maximum depth of nested folders: a table, partitioned by year, month and day.
    const MOST_FOLDER_DEPTH: usize = 4;
    let mut ignored = Vec::new();
    // Unreadable folders are already reported by the search for tables.
    for path in entries(folder).unwrap_or_default() {
        let name = name(&path);
        let at = format!("{below}{name}");
        if name.starts_with(['.', '_']) || depth == 0 && [SETS, FILES].contains(&name.as_str()) {
            continue;
        }
        if !path.is_dir() {
            ignored.extend(Some(at).filter(|at| PlainFilePart::from_path(at).is_none()));
        } else if depth < MOST_FOLDER_DEPTH {
            ignored.extend(ignored_files(&path, &format!("{at}/"), depth + 1));
        }
    }
    ignored.sort();
    ignored
}

fn add_file(files: &mut BTreeMap<String, FileVersion>, name: String, path: &Path) {
    if PlainFilePart::from_path(&name).is_none() {
        return;
    }
    match fs::metadata(path) {
        Ok(stat) => drop(files.insert(name, FileVersion::from_metadata(&stat))),
        // It was removed while the folder was listed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => drop(files.insert(name, FileVersion::without_metadata(&error))),
    }
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        entries => entries?.map(|entry| Ok(entry?.path())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_give_tables_and_their_parts() {
        let part = |path: &str| PlainFilePart::from_path(path).map(|part| (part.table, part.part));
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
