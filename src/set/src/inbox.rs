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
use super::watchdog::{Pulse, Watchdog};
use parquote_catalogue::operation::Market;

/// Where plain files lie.
#[derive(Debug, Clone)]
pub enum Inbox {
    /// Below this folder.
    Folder(Folder),
    /// In this bucket.
    Bucket(Bucket),
}

/// A folder with plain files of the markets, which may lie on a file system that hangs.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
    /// One a market, so that none waits for another's files.
    watchdogs: BTreeMap<Market, Watchdog>,
}

/// Why a plain file cannot be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// It cannot be opened or read, or is no file: the fault is the file's, and is there until the file changes.
    #[error("{0}")]
    Unfit(String),
    /// Something else failed: the disk that takes the copy, or a store.
    #[error(transparent)]
    Failed(#[from] SetError),
}

impl Inbox {
    /// The plain files of a folder.
    pub fn of_folder(root: impl Into<PathBuf>) -> Self {
        let watchdogs = Market::ALL.map(|market| (market, Watchdog::default()));
        Self::Folder(Folder { root: root.into(), watchdogs: watchdogs.into() })
    }

    /// The plain files of a market, by path below its folder.
    ///
    /// # Errors
    /// A folder that cannot be listed or that does not answer, or a store that fails.
    pub async fn scan(&self, market: Market) -> Result<BTreeMap<String, FileVersion>, SetError> {
        match self {
            Self::Folder(folder) => {
                let path = folder.root.join(market.word());
                let failed = SetError::file(&path, "listed");
                folder.watched(market, move |_| plain_files(&path)).await.map_err(failed)?
            }
            Self::Bucket(bucket) => bucket.plain_files(market).await,
        }
    }

    /// The files of a market that lie where no part of a table does: of another kind, or in a folder below a table's. Only those of
    /// a folder on the disk are looked for.
    ///
    /// # Errors
    /// A folder that does not answer.
    pub async fn passed_over(&self, market: Market) -> Result<Vec<String>, SetError> {
        let Self::Folder(folder) = self else { return Ok(Vec::new()) };
        let path = folder.root.join(market.word());
        let failed = SetError::file(&path, "listed");
        folder.watched(market, move |_| passed_over(&path, "", 0)).await.map_err(failed)
    }

    /// Copies a plain file.
    ///
    /// # Errors
    /// A file that is gone or cannot be read, a target that cannot be written.
    pub async fn copy(&self, market: Market, path: &str, to: &Path) -> Result<(), CopyError> {
        match self {
            Self::Folder(folder) => {
                let from = folder.root.join(market.word()).join(path);
                let failed = SetError::file(&from, "copied");
                let to = to.to_owned();
                folder
                    .watched(market, move |progress| copy(&from, &to, progress))
                    .await
                    .map_err(|error| CopyError::Failed(failed(error)))?
            }
            Self::Bucket(bucket) => Ok(bucket.copy_plain(market, path, to).await?),
        }
    }

    /// The folder to watch, where there is one.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(&folder.root),
            Self::Bucket(_) => None,
        }
    }

    /// Where a plain file lies, for a person.
    pub fn shown(&self, market: Market, path: &str) -> String {
        match self {
            Self::Folder(folder) => folder.root.join(market.word()).join(path).display().to_string(),
            Self::Bucket(bucket) => format!("{}/{market}/{path}", bucket.shown()),
        }
    }
}

impl Folder {
    async fn watched<T: Send + 'static>(
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

/// Copies a regular file. It is opened so that what is none, such as a pipe that nobody writes to, holds nothing up.
fn copy(from: &Path, to: &Path, progress: &Pulse) -> Result<(), CopyError> {
    /// What is copied at a time; between two such steps the copy is seen to go on.
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
        return Err(CopyError::Unfit("is no regular file".to_owned()));
    }
    let failed = SetError::file(to, "written");
    let mut target = fs::File::create_new(to).map_err(&failed)?;
    loop {
        // The system copies from file to file, and shares the blocks of both where the file system can.
        let copied = io::copy(&mut io::Read::take(&source, STEP), &mut target);
        match copied {
            Ok(0) => return Ok(()),
            Ok(_) => progress.moved(),
            // One call reads and writes: a disk that is full, or that takes no more of this user, is the target's.
            Err(error) if is_of_target(&error) => return Err(failed(error).into()),
            Err(error) => return Err(unfit("read", error)),
        }
    }
}

fn is_of_target(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), FileTooLarge | QuotaExceeded | ReadOnlyFilesystem | StorageFull)
}

/// The plain files below a market's folder; none where there is no folder.
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
                    .for_each(|below| see(&mut files, format!("{name}/{}", self::name(below)), below)),
                // A folder that nobody may list holds the others up no more than such a file does.
                Err(error) => drop(files.insert(format!("{name}/*.parquet"), FileVersion::unseen(&error))),
            }
        } else {
            see(&mut files, name, &path);
        }
    }
    Ok(files)
}

/// The paths of files that are no part of a table, to some depth.
fn passed_over(folder: &Path, below: &str, depth: usize) -> Vec<String> {
    /// Folders in folders, as tables in parts by year, month and day have.
    const DEEPEST: usize = 4;
    let mut found = Vec::new();
    // What cannot be listed, the search for tables names.
    for path in entries(folder).unwrap_or_default() {
        let name = name(&path);
        let at = format!("{below}{name}");
        if name.starts_with(['.', '_']) || depth == 0 && [SETS, FILES].contains(&name.as_str()) {
            continue;
        }
        if !path.is_dir() {
            found.extend(Some(at).filter(|at| PlainFilePart::at(at).is_none()));
        } else if depth < DEEPEST {
            found.extend(passed_over(&path, &format!("{at}/"), depth + 1));
        }
    }
    found.sort();
    found
}

fn see(files: &mut BTreeMap<String, FileVersion>, name: String, path: &Path) {
    if PlainFilePart::at(&name).is_none() {
        return;
    }
    match fs::metadata(path) {
        Ok(stat) => drop(files.insert(name, FileVersion::of(&stat))),
        // It went while the folder was listed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => drop(files.insert(name, FileVersion::unseen(&error))),
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
