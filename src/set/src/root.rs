//! The location behind `--data`: sets or plain files, in a folder or in an object store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use object_store::ObjectStore;

use super::blocks::Blocks;
use super::bucket::Bucket;
use super::error::SetError;
use super::home::Home;
use super::inbox::{Inbox, plain_files};
use super::layout::{PAST, SETS};
use super::manifest::{Set, SetFile};
use super::plain_file::PlainFilePart;
use super::stored_file::{StoredFile, TableFiles};
use parquote_catalogue::operation::Market;

/// A readable root.
#[derive(Debug, Clone)]
pub enum Root {
    /// A folder.
    Folder(Home),
    /// An object store.
    Bucket(Bucket),
}

/// Locations of a server: sets to read, incoming plain files, and the folder to write to.
#[derive(Debug, Clone)]
pub struct DataLocation {
    /// Location of the sets.
    pub sets: Root,
    /// Location of incoming plain files; `None` if all sets come from another publisher.
    pub inbox: Option<Inbox>,
    /// Folder where sets of plain files are published and findings are written.
    pub home: Home,
}

impl Root {
    /// Opens a folder, or the object store of a URL. Blocks of a store are cached below `cache`, up to `cache_bytes`.
    ///
    /// # Errors
    /// An unsupported URL, or a block folder that cannot be created.
    pub fn open(root: &str, cache: &Path, cache_bytes: u64) -> Result<Self, SetError> {
        if let Some(folder) = root.strip_prefix("file://") {
            return Ok(Self::folder(folder));
        }
        if !root.contains("://") {
            return Ok(Self::folder(root));
        }
        // The name contains the block size, because blocks of another size would have different bytes under the same name.
        let folder = cache.join("blocks-1m");
        let blocks = Blocks::open(&folder, cache_bytes).map_err(SetError::file(&folder, "made"))?;
        Ok(Self::Bucket(Bucket::open(root, Arc::new(blocks))?))
    }

    /// Uses a folder.
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self::Folder(Home::new(path))
    }

    /// Returns the root of the past sets: sets that were derived as of an earlier day. Their numbers are independent, they are never served
    /// as the current set, and stay until their files are deleted.
    #[must_use]
    pub fn past(&self) -> Self {
        match self {
            Self::Folder(home) => Self::Folder(home.below(PAST)),
            Self::Bucket(bucket) => Self::Bucket(bucket.below(PAST)),
        }
    }

    /// Returns the folder or URL as the user wrote it.
    pub fn location(&self) -> String {
        match self {
            Self::Folder(home) => home.root().display().to_string(),
            Self::Bucket(bucket) => bucket.location().to_owned(),
        }
    }

    /// Returns the object store with its base URL; `None` for a folder.
    pub fn store(&self) -> Option<(url::Url, Arc<dyn ObjectStore>)> {
        match self {
            Self::Folder(_) => None,
            Self::Bucket(bucket) => Some((bucket.url("")?, Arc::clone(&bucket.store))),
        }
    }

    /// Returns the URL of a file of a set, for programs that read it directly.
    pub fn url_of(&self, market: Market, table: &str, file: &SetFile) -> Option<url::Url> {
        match self {
            Self::Folder(home) => {
                let path = std::path::absolute(home.file_path(market, table, &file.hash)).ok()?;
                url::Url::from_file_path(path).ok()
            }
            Self::Bucket(bucket) => bucket.url(bucket.file_path(market, table, file).as_ref()),
        }
    }

    /// Returns the numbers of the available sets, ascending.
    ///
    /// # Errors
    /// A folder or store that cannot be listed.
    pub async fn numbers(&self, market: Market) -> Result<Vec<u64>, SetError> {
        match self {
            Self::Folder(home) => home.numbers(market),
            Self::Bucket(bucket) => bucket.numbers(market).await,
        }
    }

    /// Reads the set with a number.
    ///
    /// # Errors
    /// A set that is not available, or an invalid manifest.
    pub async fn read(&self, market: Market, number: u64) -> Result<Set, SetError> {
        match self {
            Self::Folder(home) => home.read(market, number),
            Self::Bucket(bucket) => match bucket.find(market, number).await? {
                Some(set) => Ok(set),
                None => Err(SetError::NoSuchSet { market, number, retained: bucket.numbers(market).await? }),
            },
        }
    }

    /// Reads all available sets of a market, oldest first. Those with an invalid manifest are left out with a warning.
    ///
    /// # Errors
    /// As [`Root::numbers`] and [`Root::read`].
    pub async fn read_all(&self, market: Market) -> Result<Vec<Set>, SetError> {
        let mut sets = Vec::new();
        for number in self.numbers(market).await? {
            match self.read(market, number).await {
                Ok(set) => sets.push(set),
                Err(error @ SetError::Manifest { .. }) => {
                    tracing::warn!(%market, number, %error, "a set is left out");
                }
                // It was deleted after the listing.
                Err(SetError::NoSuchSet { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(sets)
    }

    /// Finds the published or past set with a number and an id, and returns it with the root of its kind. A published and a past set
    /// may have the same number.
    ///
    /// # Errors
    /// As [`Root::read`].
    pub async fn find(&self, market: Market, number: u64, id: &str) -> Result<(Self, Set), SetError> {
        for root in [self.clone(), self.past()] {
            match root.read(market, number).await {
                Ok(set) if set.id == id => return Ok((root, set)),
                Ok(_) | Err(SetError::NoSuchSet { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(SetError::NoSuchSet { market, number, retained: self.numbers(market).await? })
    }

    /// Returns true if a set was admitted or forced, false if it was refused, and `None` if its check has not ended. Sets are uploaded to a
    /// store after their check.
    pub fn is_admitted(&self, set: &Set) -> Option<bool> {
        match self {
            Self::Folder(home) if !set.published.forced => {
                let record = home.admission(set.market, set.number).filter(|record| record.id == set.id);
                record.map(|record| record.admitted)
            }
            Self::Folder(_) | Self::Bucket(_) => Some(true),
        }
    }

    /// Returns the number of failed fetches from a store since it was opened; 0 for a folder.
    pub fn failures(&self) -> u64 {
        match self {
            Self::Folder(_) => 0,
            Self::Bucket(bucket) => bucket.failures(),
        }
    }

    /// Returns the text of the last failed fetch; empty if none has failed.
    pub fn last_failure(&self) -> String {
        match self {
            Self::Folder(_) => String::new(),
            Self::Bucket(bucket) => bucket.last_failure(),
        }
    }

    /// Returns the newest number if it differs from `known`; it is lower if sets are gone. In a store, only the next number
    /// is probed; the sets are listed only if set `known` is gone, because the sets after it may be gone too.
    ///
    /// # Errors
    /// A folder or store that fails.
    pub async fn newest_other_than(&self, market: Market, known: u64) -> Result<Option<u64>, SetError> {
        match self {
            Self::Folder(home) => Ok(home.numbers(market)?.last().copied().filter(|newest| *newest != known)),
            Self::Bucket(bucket) => {
                let mut newest = known;
                while bucket.has(market, newest + 1).await? {
                    newest += 1;
                }
                if newest == known && !bucket.has(market, known).await? {
                    newest = bucket.numbers(market).await?.last().copied().unwrap_or_default();
                }
                Ok(Some(newest).filter(|newest| *newest != known))
            }
        }
    }

    /// Returns the newest set; `None` if there is none.
    ///
    /// # Errors
    /// As [`Root::numbers`] and [`Root::read`].
    pub async fn newest(&self, market: Market) -> Result<Option<Set>, SetError> {
        match self.numbers(market).await?.last() {
            Some(number) => self.read(market, *number).await.map(Some),
            None => Ok(None),
        }
    }

    /// Publishes the content of an earlier set again, as the next set; nothing is deleted. Returns the newest set if it already has that
    /// content.
    ///
    /// # Errors
    /// A set that is not available, another publisher, or a folder or store that fails.
    pub async fn roll_back(&self, market: Market, to: u64) -> Result<Set, SetError> {
        match self {
            Self::Folder(home) => home.roll_back(market, to, false),
            Self::Bucket(bucket) => bucket.roll_back(market, to).await,
        }
    }

    /// Returns the files of a set by table.
    pub fn files(&self, market: Market, set: &Set) -> TableFiles {
        match self {
            Self::Folder(home) => home.files(market, set),
            Self::Bucket(bucket) => bucket.files(market, set),
        }
    }

    /// Returns the plain files of a market, to be read in place.
    ///
    /// # Errors
    /// A folder or store that fails.
    pub async fn plain_tables(&self, market: Market) -> Result<TableFiles, SetError> {
        match self {
            Self::Bucket(bucket) => bucket.plain_tables(market).await,
            Self::Folder(home) => {
                let folder = home.market_path(market);
                let mut tables = TableFiles::new();
                for path in plain_files(&folder)?.into_keys() {
                    let Some(part) = PlainFilePart::from_path(&path) else { continue };
                    tables.entry(part.table).or_default().push(StoredFile::plain(folder.join(path)));
                }
                Ok(tables)
            }
        }
    }

    /// Decides where a server of this root reads and writes sets: in the root if it is writable, else in a separate folder below `cache`.
    ///
    /// # Errors
    /// A root that cannot be listed.
    pub async fn data_location(&self, cache: &Path) -> Result<DataLocation, SetError> {
        let hash = blake3::hash(self.location().as_bytes()).to_hex();
        let cache_home = Home::new(cache.join("roots").join(hash.get(..16).unwrap_or_default()));
        let mut has_sets = false;
        for market in Market::ALL {
            has_sets |= !self.numbers(market).await?.is_empty();
        }
        Ok(match self {
            Self::Folder(home) if is_writable(home) => DataLocation {
                sets: self.clone(),
                inbox: Some(Inbox::of_folder(home.root())),
                home: home.clone(),
            },
            _ if has_sets => DataLocation { sets: self.clone(), inbox: None, home: cache_home },
            Self::Folder(home) => DataLocation {
                sets: Self::Folder(cache_home.clone()),
                inbox: Some(Inbox::of_folder(home.root())),
                home: cache_home,
            },
            Self::Bucket(bucket) => DataLocation {
                sets: Self::Folder(cache_home.clone()),
                inbox: Some(Inbox::Bucket(bucket.clone())),
                home: cache_home,
            },
        })
    }
}

/// Returns true if sets can be published below every existing market folder.
fn is_writable(home: &Home) -> bool {
    Market::ALL.into_iter().map(|market| home.market_path(market)).filter(|folder| folder.is_dir()).all(
        |folder| {
            let sets = folder.join(SETS);
            std::fs::create_dir_all(&sets).is_ok() && tempfile::tempfile_in(&sets).is_ok()
        },
    )
}
