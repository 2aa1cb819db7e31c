//! The folders of fetched files, and those of the fetcher's state: downloads, pages, manifest, consents, locks.
//!
//! State files are outside of the folders in which `derive` reads every file, but on the same file system, so that one rename moves
//! a complete file to its final path.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::Serialize;

use super::error::FetchError;
use parquote_catalogue::operation::Market;

/// Number of further attempts to take a lock that another process holds, and the pause before each.
const LOCK_TRIES: usize = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The folders of a fetcher.
#[derive(Debug, Clone)]
pub struct Folders {
    raw: PathBuf,
    state: PathBuf,
    shared: PathBuf,
}

impl Folders {
    /// Uses `raw/india` and `raw/us` for files, and `raw/.fetch` for the fetcher's state.
    pub fn new(raw: impl Into<PathBuf>) -> Self {
        let raw = raw.into();
        let state = raw.join(".fetch");
        Self { shared: state.clone(), raw, state }
    }

    /// Sets a folder for the locks of hosts and for consents that all processes of a user share. The spacing of requests then holds across
    /// these processes, and the user accepts terms once.
    #[must_use]
    pub fn with_shared(self, shared: impl Into<PathBuf>) -> Self {
        Self { shared: shared.into(), ..self }
    }

    /// Returns the folder of fetched files, from which `derive` reads.
    pub fn raw(&self) -> &Path {
        &self.raw
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.state.join("manifest.jsonl")
    }

    pub(crate) fn consents(&self) -> PathBuf {
        self.shared.join("consents.json")
    }

    /// Path of the watching process's record of tasks.
    pub(crate) fn watch_record_path(&self) -> PathBuf {
        self.state.join("watch.json")
    }

    /// Path of the record of the last refresh's input.
    pub(crate) fn refresh_record_path(&self) -> PathBuf {
        self.state.join("refreshed.json")
    }

    pub(crate) fn parts(&self) -> PathBuf {
        self.state.join("parts")
    }

    /// Path of the slot of a host group.
    pub(crate) fn slot_path(&self, group: &str) -> PathBuf {
        self.shared.join(format!("host-{group}.slot"))
    }

    /// Path of the last fetched page or listing of a source, in the fetcher's state.
    pub(crate) fn page(&self, source: &str, item: &str) -> PathBuf {
        self.state.join("pages").join(format!("{source} {item}"))
    }

    /// Creates the folders of the fetcher's state.
    pub(crate) fn create_folders(&self) -> Result<(), FetchError> {
        for folder in [self.parts(), self.state.join("pages"), self.shared.clone()] {
            fs::create_dir_all(&folder).map_err(FetchError::of_file("cannot make the folder", folder))?;
        }
        Ok(())
    }

    /// Takes the lock on this folder, which the system releases when the process ends.
    ///
    /// A child process briefly holds a copy of the lock until it executes its program, so the lock is retried for a fifth of a second.
    pub(crate) fn lock(&self) -> Result<File, FetchError> {
        let path = self.state.join("lock");
        let wrap = || FetchError::of_file("cannot lock", path.clone());
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(wrap())?;
        let mut locked = file.try_lock();
        for _ in 0..LOCK_TRIES {
            if !matches!(locked, Err(TryLockError::WouldBlock)) {
                break;
            }
            thread::sleep(LOCK_PAUSE);
            locked = file.try_lock();
        }
        match locked {
            Ok(()) => {
                // The holder's name is for messages; the lock is valid even if the name cannot be written.
                let words = format!("process {}", std::process::id());
                let _ = file.set_len(0).and_then(|()| file.write_all(words.as_bytes()));
                Ok(file)
            }
            Err(TryLockError::WouldBlock) => {
                Err(FetchError::Busy(fs::read_to_string(&path).unwrap_or_default()))
            }
            // On a file system without locks, the work continues without one.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(file),
            Err(TryLockError::Error(error)) => Err(wrap()(error)),
        }
    }

    /// Lists the names of the files of a market on disk, including files that the user added.
    pub(crate) fn files_on_disk(&self, market: Market) -> Result<FilesOnDisk, FetchError> {
        let folder = self.raw.join(market.word());
        let mut names = FilesOnDisk::default();
        if folder.is_dir() {
            walk(&folder, &mut |path, metadata| {
                // An empty file does not count as a file that the user added.
                let name = path.file_name().filter(|_| metadata.is_ok_and(|metadata| metadata.len() > 0));
                if let Some(name) = name {
                    names.add(&name.to_string_lossy());
                }
                Ok(())
            })
            .map_err(FetchError::of_file("cannot read", folder))?;
        }
        Ok(names)
    }
}

/// Names of the files on disk, without their folders.
#[derive(Debug, Default)]
pub(crate) struct FilesOnDisk(HashSet<String>);

impl FilesOnDisk {
    /// Returns true if a file with this name is on disk, packed or unpacked; files added by the user count.
    pub(crate) fn has(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let unpacked = name.strip_suffix(".zip").or_else(|| name.strip_suffix(".gz"));
        self.0.contains(&name)
            || unpacked.is_some_and(|name| self.0.contains(name))
            || [".zip", ".gz"].iter().any(|ending| self.0.contains(&format!("{name}{ending}")))
    }

    /// Adds the name of a file.
    pub(crate) fn add(&mut self, name: &str) {
        self.0.insert(name.to_ascii_lowercase());
    }
}

/// Receives the path of a file and its metadata.
type FileVisitor<'a> = dyn FnMut(&Path, io::Result<Metadata>) -> io::Result<()> + 'a;

/// Passes each file below a folder to `each`: first the files of its real folders, then those behind links, in the order of the links. No
/// folder is read twice, and links to folders around `folder` are not followed, so that circles of links end.
///
/// # Errors
/// A folder cannot be read, or `each` fails.
pub(crate) fn walk(folder: &Path, each: &mut FileVisitor<'_>) -> io::Result<()> {
    let root = folder.canonicalize()?;
    let (mut visited, mut links) = (HashSet::new(), BTreeSet::from([folder.to_owned()]));
    while let Some(link) = links.pop_first() {
        let target = link.canonicalize()?;
        let is_around = target != root && root.starts_with(&target);
        let mut pending = if is_around { Vec::new() } else { vec![link] };
        while let Some(folder) = pending.pop() {
            if !visited.insert(folder.canonicalize()?) {
                continue;
            }
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                match fs::metadata(&path) {
                    Ok(metadata) if metadata.is_dir() && path.is_symlink() => {
                        links.insert(path);
                    }
                    Ok(metadata) if metadata.is_dir() => pending.push(path),
                    metadata => each(&path, metadata)?,
                }
            }
        }
    }
    Ok(())
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        File::open(folder)?.sync_all()
    }
    #[cfg(not(unix))]
    {
        // Other systems cannot open folders; names become durable with the files.
        let _ = folder;
        Ok(())
    }
}

/// Writes a record of the fetcher's state as JSON, atomically and durably.
pub(crate) fn write_record(path: &Path, record: &impl Serialize) -> Result<(), FetchError> {
    let text = serde_json::to_vec_pretty(record).map_err(io::Error::other);
    text.and_then(|text| write_whole(path, &text)).map_err(FetchError::of_file("cannot write", path))
}

/// Writes a small file atomically and durably.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let temporary = path.with_extension("new");
    let mut file = File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    sync_folder(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_the_user_added_count_packed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::new(folder.path());
        fs::create_dir_all(folder.path().join("india/mine")).unwrap();
        for (name, bytes) in [("PR080726.ZIP", "x"), ("a.csv", "x"), ("b.csv.gz", "x"), ("empty.csv", "")] {
            fs::write(folder.path().join("india/mine").join(name), bytes).unwrap();
        }
        let held = folders.files_on_disk(Market::India).unwrap();
        for name in ["PR080726.zip", "a.csv.zip", "b.csv"] {
            assert!(held.has(name), "{name}");
        }
        assert!(!held.has("empty.csv") && !held.has("c.csv"));
    }

    #[test]
    fn the_error_for_a_second_fetcher_names_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::new(folder.path());
        folders.create_folders().unwrap();
        let held = folders.lock().unwrap();
        let error = folders.lock().unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        drop(held);
        folders.lock().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn folders_that_link_to_each_other_are_read_once() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let market = folder.path().join("india");
        let beside = ["a", "b", "c"];
        for name in beside {
            fs::create_dir_all(market.join(name)).unwrap();
            fs::write(market.join(name).join(format!("{name}.csv")), name).unwrap();
        }
        for name in beside {
            for other in beside {
                symlink(market.join(other), market.join(name).join(format!("to_{other}"))).unwrap();
            }
            symlink(folder.path(), market.join(name).join("up")).unwrap();
        }
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("d.csv"), "d").unwrap();
        symlink(&market, elsewhere.path().join("back")).unwrap();
        symlink(elsewhere.path(), market.join("a/elsewhere")).unwrap();
        let mut found = Vec::new();
        walk(&market, &mut |path, metadata| {
            assert!(metadata.is_ok(), "{}", path.display());
            found.push(path.strip_prefix(&market).unwrap().display().to_string());
            Ok(())
        })
        .unwrap();
        found.sort();
        assert_eq!(found, ["a/a.csv", "a/elsewhere/d.csv", "b/b.csv", "c/c.csv"]);
    }
}
