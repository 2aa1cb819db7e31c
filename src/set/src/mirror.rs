//! Mirrors the objects below a URL of an object store into a folder; only changed objects are fetched.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

use futures::{StreamExt as _, TryStreamExt as _};
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _};
use serde::{Deserialize, Serialize};

use super::bucket::store_of;
use super::error::SetError;

/// The file, in the folder, that lists the mirrored objects. Names that begin with a dot are reserved for this program.
const RECORD: &str = ".mirror.json";
/// The folder, in the folder, of incomplete files.
const PARTIAL_FOLDER: &str = ".mirror.new";
/// Number of concurrent fetches.
const CONCURRENT_FETCHES: usize = 8;

/// Version of an object, to detect changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Version {
    bytes: u64,
    written_ms: i64,
    tag: Option<String>,
}

impl Version {
    fn from_object(object: &ObjectMeta) -> Self {
        let written_ms = object.last_modified.timestamp_millis();
        Self { bytes: object.size, written_ms, tag: object.e_tag.clone() }
    }
}

/// Counts of one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MirrorCounts {
    /// Number of fetched files.
    pub fetched: usize,
    /// Bytes of the fetched files.
    pub bytes: u64,
    /// Number of unchanged files.
    pub unchanged: usize,
    /// Number of files that were removed because the store no longer has them.
    pub removed: usize,
}

/// Makes a folder equal to the objects below a URL.
///
/// # Errors
/// An unsupported URL, a store that fails, an object whose name is not a path, a folder that cannot be written.
pub async fn mirror(url: &str, into: &Path) -> Result<MirrorCounts, SetError> {
    let failed = |source| SetError::Store { root: url.to_owned(), source };
    let generic = |source: Box<dyn std::error::Error + Send + Sync>| {
        failed(object_store::Error::Generic { store: "mirror", source })
    };
    let (store, base) = store_of(url)?;
    let mut objects = BTreeMap::new();
    let mut listing = store.list(Some(&base));
    while let Some(object) = listing.try_next().await.map_err(failed)? {
        let below = object.location.prefix_match(&base).into_iter().flatten();
        let below: PathBuf = below.map(|part| part.as_ref().to_owned()).collect();
        let is_path = below.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_path || below.as_os_str().is_empty() {
            return Err(generic(format!("the object {} has no name of a file", object.location).into()));
        }
        objects.insert(below, object);
    }
    let new = into.join(PARTIAL_FOLDER);
    fs::create_dir_all(&new).map_err(SetError::file(&new, "made"))?;
    let record = into.join(RECORD);
    let text = fs::read(&record).unwrap_or_default();
    // An unreadable record counts as empty: everything is fetched again.
    let before: BTreeMap<PathBuf, Version> = serde_json::from_slice(&text).unwrap_or_default();
    let mut counts = MirrorCounts::default();
    for gone in before.keys().filter(|path| !objects.contains_key(*path)) {
        let path = into.join(gone);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(SetError::file(&path, "removed")(error));
            }
            _ => counts.removed += 1,
        }
    }
    let is_unchanged = |(path, object): &(&PathBuf, &ObjectMeta)| {
        before.get(*path) == Some(&Version::from_object(object))
            && fs::metadata(into.join(path)).is_ok_and(|file| file.len() == object.size)
    };
    let (unchanged, changed): (Vec<_>, Vec<_>) = objects.iter().partition(is_unchanged);
    counts.unchanged = unchanged.len();
    let mut versions: BTreeMap<&PathBuf, Version> =
        unchanged.into_iter().map(|(path, object)| (path, Version::from_object(object))).collect();
    let fetch = |(path, object)| {
        let (store, new) = (&*store, &new);
        async move {
            fetch_object(store, object, (new, &into.join(path)), &failed).await?;
            Ok::<_, SetError>((path, object))
        }
    };
    let mut results =
        futures::stream::iter(changed.into_iter().map(fetch)).buffer_unordered(CONCURRENT_FETCHES);
    let mut outcome = Ok(());
    while let Some(fetched) = results.next().await {
        match fetched {
            Ok((path, object)) => {
                versions.insert(path, Version::from_object(object));
                counts.fetched += 1;
                counts.bytes += object.size;
            }
            Err(error) => outcome = Err(error),
        }
    }
    // Objects that were fetched before a failure are recorded, so that the next run skips them.
    let text = serde_json::to_vec(&versions).unwrap_or_default();
    fs::write(&record, text).map_err(SetError::file(&record, "written"))?;
    let _ = fs::remove_dir_all(&new);
    outcome.map(|()| counts)
}

/// Fetches one object; the file appears under its name when it is complete.
async fn fetch_object(
    store: &dyn ObjectStore,
    object: &ObjectMeta,
    (new, to): (&Path, &Path),
    failed: &impl Fn(object_store::Error) -> SetError,
) -> Result<(), SetError> {
    let written = SetError::file(to, "written");
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).map_err(&written)?;
    let part = new.join(blake3::hash(object.location.as_ref().as_bytes()).to_hex().as_str());
    let mut file = fs::File::create(&part).map_err(&written)?;
    let mut pieces = store.get(&object.location).await.map_err(failed)?.into_stream();
    let mut bytes = 0;
    while let Some(piece) = pieces.try_next().await.map_err(failed)? {
        bytes += piece.len() as u64;
        file.write_all(&piece).map_err(&written)?;
    }
    if bytes != object.size {
        let source = format!("{} came with {bytes} of {} bytes", object.location, object.size).into();
        return Err(failed(object_store::Error::Generic { store: "mirror", source }));
    }
    fs::rename(&part, to).map_err(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_folder_follows_what_lies_in_a_store() {
        let folder = tempfile::tempdir().unwrap();
        let (store, copy) = (folder.path().join("store"), folder.path().join("copy"));
        let url = format!("file://{}", store.display());
        let write = |name: &str, text: &str| {
            fs::create_dir_all(store.join(name).parent().unwrap()).unwrap();
            fs::write(store.join(name), text).unwrap();
        };
        let read = |name: &str| fs::read_to_string(copy.join(name)).ok();
        write("india/prices/one.csv", "one");
        write("india/two.csv", "two");
        let first = mirror(&url, &copy).await.unwrap();
        assert_eq!((first.fetched, first.bytes, first.unchanged), (2, 6, 0));
        assert_eq!(read("india/prices/one.csv").unwrap(), "one");
        write("india/two.csv", "other");
        fs::remove_file(store.join("india/prices/one.csv")).unwrap();
        write("india/three.csv", "three");
        let second = mirror(&url, &copy).await.unwrap();
        assert_eq!((second.fetched, second.unchanged, second.removed), (2, 0, 1));
        assert_eq!(
            (read("india/two.csv").unwrap(), read("india/prices/one.csv")),
            ("other".to_owned(), None)
        );
        // A deleted file is fetched again.
        fs::remove_file(copy.join("india/three.csv")).unwrap();
        let third = mirror(&url, &copy).await.unwrap();
        assert_eq!((third.fetched, third.unchanged, third.removed), (1, 1, 0));
        assert!(mirror("no url", &copy).await.is_err());
    }
}
