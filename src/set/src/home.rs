//! Sets in a folder: listing, reading, publishing, rollback, and deletion of old sets.
//!
//! Publishing writes in this order, each step durable before the next: content-named files, their folders, the manifest, its
//! folder. So a manifest never refers to a missing file, even after a power failure.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};

use super::admission_record::AdmissionRecord;
use super::disk::{Disk, SystemDisk};
use super::error::SetError;
use super::layout::{FILES, SETS};
use super::lock::{Lock, LockError};
use super::manifest::{
    FORMAT, Publication, Set, SetFile, SetOrigin, SetTable, parse_manifest, publisher_name,
};
use super::plain_file::FileVersion;
use super::retention::Retention;
use super::staging::Staging;
use super::stored_file::{StoredFile, TableFiles};

use parquote_catalogue::operation::Market;

/// The lock that serializes publishers of a market.
const PUBLISH_LOCK: &str = ".publishing";
/// The largest set number: the largest integer that every JSON reader represents exactly.
pub(super) const LARGEST_NUMBER: u64 = (1 << 53) - 1;
/// The lock that serializes long work on a market, such as derivations.
const DERIVATION_LOCK: &str = ".deriving";

/// A folder with sets of the markets.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
    disk: Arc<dyn Disk>,
}

/// A set that is about to be published.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The market.
    pub market: Market,
    /// The date of the last session in it.
    pub as_of: Option<NaiveDate>,
    /// Its origin.
    pub origin: SetOrigin,
    /// True if the set is published in spite of errors.
    pub forced: bool,
    /// Time when its content was first published, if an earlier set had the same content.
    pub first_at: Option<DateTime<Utc>>,
    /// The number of its predecessor; 0 for the first set.
    pub follows: u64,
    /// Its tables.
    pub tables: BTreeMap<String, SetTable>,
    /// The plain files that it contains or ignores.
    pub inbox: BTreeMap<String, FileVersion>,
    /// Derived tables that plain files replace.
    pub covered: BTreeMap<String, SetTable>,
}

/// A new file of a draft, to be moved to its final name.
#[derive(Debug, Clone)]
pub struct NewFile {
    /// Name of its table.
    pub table: String,
    /// BLAKE3 of its bytes, hexadecimal.
    pub hash: String,
    /// Its current path, on the file system of the home.
    pub path: PathBuf,
}

impl Home {
    /// Uses a folder, which need not exist.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self::with_disk(root, Arc::new(SystemDisk))
    }

    /// Uses a folder like [`Home::new`], on another [`Disk`].
    pub fn with_disk(root: impl Into<PathBuf>, disk: Arc<dyn Disk>) -> Self {
        Self { root: root.into(), disk }
    }

    /// Returns a home on the same disk, in a folder below this one.
    pub(super) fn below(&self, folder: &str) -> Self {
        Self { root: self.root.join(folder), disk: Arc::clone(&self.disk) }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of a market.
    pub fn market_path(&self, market: Market) -> PathBuf {
        self.root.join(market.word())
    }

    /// Returns the numbers of the available sets, ascending.
    ///
    /// # Errors
    /// A folder that cannot be listed.
    pub fn numbers(&self, market: Market) -> Result<Vec<u64>, SetError> {
        let folder = self.market_path(market).join(SETS);
        let failed = SetError::file(&folder, "listed");
        let mut numbers = Vec::new();
        let entries = match fs::read_dir(&folder) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(numbers);
            }
            entries => entries.map_err(&failed)?,
        };
        for entry in entries {
            let name = entry.map_err(&failed)?.file_name();
            let number = |name: &str| name.strip_suffix(".json")?.parse::<u64>().ok();
            numbers.extend(name.to_str().and_then(number).filter(|number| *number <= LARGEST_NUMBER));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Reads the set with a number.
    ///
    /// # Errors
    /// A set that is not available, or an invalid manifest.
    pub fn read(&self, market: Market, number: u64) -> Result<Set, SetError> {
        let path = self.manifest_path(market, number);
        match fs::read(&path) {
            Ok(bytes) => parse_manifest(&bytes, &path.display().to_string(), market, number),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(SetError::NoSuchSet { market, number, retained: self.numbers(market)? })
            }
            Err(error) => Err(SetError::file(&path, "read")(error)),
        }
    }

    /// Returns the newest set with a valid manifest; `None` if there is none. The number of an invalid manifest is not used again.
    ///
    /// # Errors
    /// As [`Home::numbers`] and [`Home::read`].
    pub fn newest(&self, market: Market) -> Result<Option<Set>, SetError> {
        let numbers = self.numbers(market)?;
        for number in numbers.iter().rev() {
            match self.read(market, *number) {
                Err(error @ SetError::Manifest { .. }) => {
                    tracing::warn!(%market, number, %error, "a set is passed over");
                }
                set => return set.map(Some),
            }
        }
        Ok(None)
    }

    /// Returns the newest number, also of a set with an invalid manifest; 0 if there is none.
    ///
    /// # Errors
    /// As [`Home::numbers`].
    pub fn newest_number(&self, market: Market) -> Result<u64, SetError> {
        Ok(self.numbers(market)?.last().copied().unwrap_or_default())
    }

    /// Returns the free bytes on the file system of a market's folder; `None` if the system does not report them.
    pub fn free_bytes(&self, market: Market) -> Option<u64> {
        #[cfg(unix)]
        {
            let stat = rustix::fs::statvfs(self.market_path(market)).ok()?;
            Some(stat.f_bavail.saturating_mul(stat.f_frsize))
        }
        #[cfg(not(unix))]
        {
            let _ = market;
            None
        }
    }

    /// Returns the files of a set by table.
    pub fn files(&self, market: Market, set: &Set) -> TableFiles {
        let stored = |table: &str, file: &SetFile| {
            StoredFile::of_set(self.file_path(market, table, &file.hash), &file.hash)
        };
        set.files_by_table(stored)
    }

    /// Returns the path of the file of a table with a hash.
    pub fn file_path(&self, market: Market, table: &str, hash: &str) -> PathBuf {
        self.market_path(market).join(FILES).join(table).join(format!("{hash}.parquet"))
    }

    fn manifest_path(&self, market: Market, number: u64) -> PathBuf {
        self.market_path(market).join(SETS).join(format!("{number}.json"))
    }

    /// Creates a staging folder for new files of a market.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn stage(&self, market: Market) -> Result<Staging, SetError> {
        Staging::create(&self.market_path(market))
    }

    /// Deletes staging folders of a market that killed processes left.
    pub fn sweep_staging(&self, market: Market) {
        Staging::sweep(&self.market_path(market));
    }

    /// Takes the lock for long work on a market, such as its derivation: one process at a time.
    ///
    /// # Errors
    /// Another process that holds it (the error names it), or a folder that cannot be written.
    pub fn lock_for_work(&self, market: Market) -> Result<Lock, SetError> {
        let path = self.market_path(market).join(DERIVATION_LOCK);
        Lock::try_take_temporary(&path).map_err(|error| match error {
            LockError::Held(holder) => SetError::Locked { market, root: self.root.clone(), holder },
            LockError::Failed(error) => SetError::file(&path, "locked")(error),
        })
    }

    /// Publishes a draft under the number after its predecessor's. The manifest is written to the staging folder before it gets its
    /// final name.
    ///
    /// # Errors
    /// Another publisher that took the number first, or a disk that fails. In both cases nothing is published.
    pub fn publish(&self, draft: Draft, new: &[NewFile], staging: &Staging) -> Result<Set, SetError> {
        let (market, number) = (draft.market, draft.follows + 1);
        let sets = self.market_path(market).join(SETS);
        self.disk.make_folder(&sets).map_err(SetError::file(&sets, "made"))?;
        let lock = sets.join(PUBLISH_LOCK);
        let _turn = Lock::take(&lock).map_err(SetError::file(&lock, "locked"))?;
        self.check_number_is_free(market, number)?;
        self.move_into_place(market, new)?;
        if number == 1 {
            self.sync_root_name();
        }
        self.check_reused_files(market, &draft.tables)?;
        let set = Set {
            format: FORMAT,
            market,
            number,
            id: Set::id_of(&draft.tables),
            as_of: draft.as_of,
            published: Publication {
                at: Utc::now(),
                by: publisher_name(),
                origin: draft.origin,
                forced: draft.forced,
                first_at: draft.first_at,
            },
            tables: draft.tables,
            inbox: draft.inbox,
            covered: draft.covered,
        };
        self.create_manifest(&set, market, staging)?;
        Ok(set)
    }

    /// Refuses a number that is already taken or not above the newest one.
    fn check_number_is_free(&self, market: Market, number: u64) -> Result<(), SetError> {
        let newest = self.newest_number(market)?;
        if newest < number {
            return Ok(());
        }
        let by = self.read(market, newest).map_or_else(|_| "unknown".to_owned(), |set| set.published.by);
        Err(SetError::NumberTaken { market, number, by })
    }

    /// Refuses a draft if a file that it reuses from an earlier set is missing or has another length.
    fn check_reused_files(
        &self,
        market: Market,
        tables: &BTreeMap<String, SetTable>,
    ) -> Result<(), SetError> {
        let files = tables.iter().flat_map(|(name, table)| table.files.iter().map(move |file| (name, file)));
        for (table, file) in files {
            let path = self.file_path(market, table, &file.hash);
            let stat = fs::metadata(&path).map_err(SetError::file(&path, "found"))?;
            if stat.len() != file.bytes {
                let source = io::Error::other(format!("it has {} bytes, not {}", stat.len(), file.bytes));
                return Err(SetError::file(&path, "published")(source));
            }
        }
        Ok(())
    }

    /// Renames new files to their final names, and syncs them and their folders.
    fn move_into_place(&self, market: Market, new: &[NewFile]) -> Result<(), SetError> {
        let mut folders = BTreeSet::new();
        for file in new {
            let target = self.file_path(market, &file.table, &file.hash);
            if let Some(folder) = target.parent()
                && folders.insert(folder.to_owned())
            {
                self.disk.make_folder(folder).map_err(SetError::file(folder, "made"))?;
            }
            // The file may remain from a publisher that was killed before its folder was synced, so the folder is synced in any case.
            if target.exists() {
                continue;
            }
            self.disk.sync_file(&file.path).map_err(SetError::file(&file.path, "synced"))?;
            self.disk.rename(&file.path, &target).map_err(SetError::file(&target, "written"))?;
        }
        let files = self.market_path(market).join(FILES);
        if files.exists() {
            folders.extend([self.root.clone(), self.market_path(market), files]);
        }
        folders.iter().try_for_each(|folder| self.sync_folder(folder))
    }

    fn create_manifest(&self, set: &Set, market: Market, staging: &Staging) -> Result<(), SetError> {
        let target = self.manifest_path(market, set.number);
        let failed = SetError::file(&target, "written");
        let text = serde_json::to_vec_pretty(set).map_err(|error| failed(error.into()))?;
        let draft = staging.path().join(format!("{}.json", set.number));
        self.disk.write(&draft, &text).map_err(&failed)?;
        self.disk.sync_file(&draft).map_err(&failed)?;
        match self.disk.link_new(&draft, &target) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let by = self.read(market, set.number).map_or_else(|_| "unknown".into(), |s| s.published.by);
                return Err(SetError::NumberTaken { market, number: set.number, by });
            }
            Err(error) => return Err(failed(error)),
        }
        self.sync_folder(&self.market_path(market).join(SETS))?;
        self.sync_folder(&self.market_path(market))
    }

    /// Syncs the folder entry of the root, because the root may have been created with its first set. A parent that cannot be read existed
    /// before the root and is skipped.
    fn sync_root_name(&self) {
        let parent = self
            .root
            .parent()
            .map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
        if let Some(Err(error)) = parent.map(|parent| self.disk.sync_folder(parent)) {
            tracing::debug!(root = %self.root.display(), %error, "the folder that holds the root cannot be synced");
        }
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), SetError> {
        self.disk.sync_folder(folder).map_err(SetError::file(folder, "synced"))
    }

    /// Publishes the content of an earlier set again. Plain files that the newest set ignores stay ignored. Returns the newest set
    /// if it already has that content. `forced`: the earlier set had errors.
    ///
    /// # Errors
    /// A set that is not available, and as [`Home::publish`].
    pub fn roll_back(&self, market: Market, to: u64, forced: bool) -> Result<Set, SetError> {
        let earlier = self.read(market, to)?;
        let newest = self.newest(market)?;
        let is_done = |set: &&Set| set.id == earlier.id && (set.published.forced || !forced);
        if let Some(set) = newest.as_ref().filter(is_done) {
            // Its publisher may have been killed before the name was durable.
            self.sync_folder(&self.market_path(market).join(SETS))?;
            self.sync_folder(&self.market_path(market))?;
            return Ok(set.clone());
        }
        let (follows, inbox) = (self.newest_number(market)?, newest.map(|set| set.inbox).unwrap_or_default());
        let draft = Draft {
            market,
            as_of: earlier.as_of,
            origin: SetOrigin::RolledBack { to },
            forced: forced || earlier.published.forced,
            first_at: Some(earlier.published.content_at()),
            follows,
            tables: earlier.tables,
            inbox,
            covered: earlier.covered,
        };
        let set = self.publish(draft, &[], &self.stage(market)?)?;
        if let Some(record) = self.admission(market, to) {
            self.record(market, set.number, &record)?;
        }
        Ok(set)
    }

    /// Deletes sets that retention does not require, and files that no set lists. Files that a server has open stay readable to it.
    ///
    /// # Errors
    /// A disk that fails; the rest is deleted by the next sweep.
    pub fn sweep(&self, market: Market, keep: &Retention) -> Result<(), SetError> {
        let lock = self.market_path(market).join(SETS).join(PUBLISH_LOCK);
        let _turn = Lock::take(&lock).map_err(SetError::file(&lock, "locked"))?;
        let (mut sets, mut unsound) = (Vec::new(), None);
        for number in self.numbers(market)?.into_iter().rev() {
            match self.read(market, number) {
                Ok(set) => sets.push(set),
                Err(error @ SetError::Manifest { .. }) => unsound = Some(error),
                Err(error) => return Err(error),
            }
        }
        let retained = keep.sets_to_retain(&sets, Utc::now());
        let expired = sets.iter().map(|set| set.number).filter(|number| !retained.contains(number));
        for number in expired {
            for path in [self.manifest_path(market, number), self.admission_path(market, number)] {
                if path.exists() {
                    self.disk.remove(&path).map_err(SetError::file(&path, "removed"))?;
                }
            }
        }
        // Manifests are deleted durably before their files.
        self.sync_folder(&self.market_path(market).join(SETS))?;
        // The files of an unreadable manifest, such as a manifest of a later program version, are unknown.
        if let Some(error) = unsound {
            tracing::warn!(%market, %error, "no file of a set is deleted as long as that manifest is there");
            return Ok(());
        }
        let files = sets.iter().filter(|set| retained.contains(&set.number)).flat_map(Set::retained_files);
        let retained = files.map(|(table, file)| (table.to_owned(), file.file_name())).collect();
        self.sweep_files(market, &retained)
    }

    fn sweep_files(&self, market: Market, retained: &BTreeSet<(String, String)>) -> Result<(), SetError> {
        let files = self.market_path(market).join(FILES);
        for table in entries(&files)? {
            for path in entries(&table)? {
                let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
                let key = name(&table).zip(name(&path));
                if key.is_some_and(|key| !retained.contains(&key)) {
                    self.disk.remove(&path).map_err(SetError::file(&path, "removed"))?;
                }
            }
        }
        Ok(())
    }

    fn admission_path(&self, market: Market, number: u64) -> PathBuf {
        self.market_path(market).join(SETS).join(format!("{number}.admission.json"))
    }

    /// Returns the admission record of a set; `None` if it was never checked.
    pub fn admission(&self, market: Market, number: u64) -> Option<AdmissionRecord> {
        serde_json::from_slice(&fs::read(self.admission_path(market, number)).ok()?).ok()
    }

    /// Writes the admission record of a set.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn record(&self, market: Market, number: u64, record: &AdmissionRecord) -> Result<(), SetError> {
        self.write_record(&self.admission_path(market, number), record)
    }

    /// Writes the refusal record of a market's plain files; `None` removes it.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn refuse(&self, market: Market, refusal: Option<&AdmissionRecord>) -> Result<(), SetError> {
        let path = self.market_path(market).join("refused.json");
        match refusal {
            Some(refusal) => self.write_record(&path, refusal),
            None if path.exists() => self.disk.remove(&path).map_err(SetError::file(&path, "removed")),
            None => Ok(()),
        }
    }

    fn write_record(&self, path: &Path, record: &AdmissionRecord) -> Result<(), SetError> {
        let failed = SetError::file(path, "written");
        let text = serde_json::to_vec_pretty(record).map_err(|error| failed(error.into()))?;
        let draft = path.with_extension(format!("{}.new", std::process::id()));
        self.disk.write(&draft, &text).map_err(&failed)?;
        self.disk.rename(&draft, path).map_err(&failed)
    }
}

/// Returns the entries of a folder; none if it does not exist.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, SetError> {
    let failed = SetError::file(folder, "listed");
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(&failed)?;
    entries.map(|entry| Ok(entry.map_err(&failed)?.path())).collect()
}
