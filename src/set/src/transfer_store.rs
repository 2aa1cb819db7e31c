//! Files exchanged between a derivation and its workers: content-named, in a hidden folder of a root, outside all sets.
//!
//! A *note* is a JSON object that describes a result, under a name that both sides know. Files are written before their note, so that a
//! note never refers to a missing file. Leftovers are deleted after a day.

use std::collections::HashMap;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use chrono::{TimeDelta, Utc};
use futures::TryStreamExt as _;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt as _};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use tokio::sync::OnceCell;

use super::bucket::store_of;
use super::error::SetError;
use super::stored_file::hash_of;
use super::upload::put_file;
use parquote_catalogue::operation::Market;

/// The folder in a root. A name that begins with a dot is neither a market nor a table.
const TRANSFER: &str = ".transfer";
/// Age at which files of a killed derivation are deleted.
const EXPIRY: TimeDelta = TimeDelta::days(1);

/// A content-named file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Blob {
    /// BLAKE3 of its bytes, hexadecimal; validated, because it becomes a file name.
    #[serde(deserialize_with = "deserialize_hash")]
    pub hash: String,
    /// Its length in bytes.
    pub bytes: u64,
}

fn deserialize_hash<'de, D: Deserializer<'de>>(text: D) -> Result<String, D::Error> {
    let text = String::deserialize(text)?;
    let hash = blake3::Hash::from_hex(&text).map_err(D::Error::custom)?;
    Ok(hash.to_hex().to_string())
}

/// The store through which files are exchanged.
#[derive(Debug, Clone)]
pub struct TransferStore {
    /// Location of the store, for messages.
    location: Arc<str>,
    store: Arc<dyn ObjectStore>,
    base: ObjectPath,
    /// Its local path, if it is a folder.
    folder: Option<PathBuf>,
    /// Objects that this process wrote or read, each with a cell that is set once the object exists; cleared by [`TransferStore::forget`].
    used_objects: Arc<Mutex<HashMap<ObjectPath, Arc<OnceCell<()>>>>>,
}

impl TransferStore {
    /// Opens the transfer store of a folder or an object store.
    ///
    /// # Errors
    /// An unsupported URL, or a folder that cannot be created.
    pub fn open(root: &str) -> Result<Self, SetError> {
        let failed = |source| SetError::Store { root: root.to_owned(), source };
        let folder = root.strip_prefix("file://").unwrap_or(root);
        let folder = (!folder.contains("://")).then(|| PathBuf::from(folder));
        let (store, base): (Arc<dyn ObjectStore>, ObjectPath) = if let Some(folder) = &folder {
            fs::create_dir_all(folder).map_err(SetError::file(folder, "made"))?;
            (Arc::new(LocalFileSystem::new_with_prefix(folder).map_err(failed)?), ObjectPath::default())
        } else {
            store_of(root)?
        };
        let folder = folder.map(|folder| folder.join(TRANSFER));
        Ok(Self {
            location: root.into(),
            store,
            base: base.join(TRANSFER),
            folder,
            used_objects: Arc::default(),
        })
    }

    /// Returns the transfer store of one market, with an empty record of written objects.
    #[must_use]
    pub fn for_market(&self, market: Market) -> Self {
        let folder = self.folder.as_ref().map(|folder| folder.join(market.word()));
        Self {
            base: self.base.clone().join(market.word()),
            folder,
            used_objects: Arc::default(),
            ..self.clone()
        }
    }

    fn store_error(&self) -> impl Fn(object_store::Error) -> SetError {
        let root = self.location.to_string();
        move |source| SetError::Store { root: root.clone(), source }
    }

    fn blob_path(&self, hash: &str) -> ObjectPath {
        self.base.clone().join(hash)
    }

    fn note_path(&self, name: &str) -> ObjectPath {
        self.base.clone().join(format!("{name}.json"))
    }

    fn remember(&self, object: &ObjectPath) -> Arc<OnceCell<()>> {
        let mut used_objects = self.used_objects.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(used_objects.entry(object.clone()).or_default())
    }

    /// Stores a file unless it exists. The file must not be modified afterwards: a folder takes it by a hard link.
    ///
    /// # Errors
    /// A file that cannot be read, or a store that fails.
    pub async fn store_file(&self, path: &Path) -> Result<Blob, SetError> {
        let bytes = fs::metadata(path).map_err(SetError::file(path, "read"))?.len();
        let blob = Blob { hash: hash_of(path)?, bytes };
        let object = self.blob_path(&blob.hash);
        // Concurrent callers with the same file wait for the first.
        let put = self.remember(&object);
        put.get_or_try_init(|| async {
            match self.store.head(&object).await {
                Ok(existing) if existing.size == bytes => Ok(()),
                Ok(_) | Err(object_store::Error::NotFound { .. }) if self.link_into_folder(path, &blob) => {
                    Ok(())
                }
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {
                    put_file(&*self.store, path, &object, self.store_error()).await
                }
                Err(error) => Err(self.store_error()(error)),
            }
        })
        .await?;
        Ok(blob)
    }

    /// Creates a hard link to a file in the folder; returns false if that fails or the store is not a folder.
    fn link_into_folder(&self, path: &Path, blob: &Blob) -> bool {
        let Some(folder) = &self.folder else { return false };
        fs::create_dir_all(folder).is_ok() && fs::hard_link(path, folder.join(&blob.hash)).is_ok()
    }

    /// Fetches a file to a path; from a folder, by a hard link.
    ///
    /// # Errors
    /// A store that fails or lacks it, bytes that do not match its hash, or a path that cannot be written.
    pub async fn get(&self, blob: &Blob, to: &Path) -> Result<(), SetError> {
        let object = self.blob_path(&blob.hash);
        self.remember(&object);
        let written = SetError::file(to, "written");
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(&written)?;
        }
        // The file appears under its name when it is complete.
        let part = to.with_added_extension("part");
        // The part file may be a hard link to a shared file, so it is removed, not overwritten.
        match fs::remove_file(&part) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(written(error)),
            _ => {}
        }
        let linked = self.folder.as_ref().map(|folder| fs::hard_link(folder.join(&blob.hash), &part));
        if !matches!(linked, Some(Ok(()))) {
            let mut file = fs::File::create(&part).map_err(&written)?;
            let mut pieces = self.store.get(&object).await.map_err(self.store_error())?.into_stream();
            while let Some(piece) = pieces.try_next().await.map_err(self.store_error())? {
                file.write_all(&piece).map_err(&written)?;
            }
        }
        if hash_of(&part)? != blob.hash {
            // The next caller of `store_file` then stores the file again.
            let _gone = self.store.delete(&object).await;
            let source = format!("the bytes of {object} are not those of its name").into();
            return Err(self.store_error()(object_store::Error::Generic { store: "transfer", source }));
        }
        fs::rename(&part, to).map_err(written)
    }

    /// Returns true if a file is stored with its full length.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn has(&self, blob: &Blob) -> Result<bool, SetError> {
        let object = self.blob_path(&blob.hash);
        self.remember(&object);
        match self.store.head(&object).await {
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            existing => Ok(existing.map_err(self.store_error())?.size == blob.bytes),
        }
    }

    /// Writes a note under a name.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn put_note(&self, name: &str, text: Vec<u8>) -> Result<(), SetError> {
        let object = self.note_path(name);
        self.remember(&object);
        self.store.put(&object, text.into()).await.map(drop).map_err(self.store_error())
    }

    /// Returns the note with a name; `None` if there is none.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn find_note(&self, name: &str) -> Result<Option<Bytes>, SetError> {
        let object = self.note_path(name);
        self.remember(&object);
        match self.store.get(&object).await {
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            reply => {
                let read = async { reply?.bytes().await };
                read.await.map(Some).map_err(self.store_error())
            }
        }
    }

    /// Deletes the objects written or read through this store, and those of others that are older than a day.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn forget(&self) -> Result<(), SetError> {
        let used_objects =
            std::mem::take(&mut *self.used_objects.lock().unwrap_or_else(PoisonError::into_inner));
        let oldest = Utc::now() - EXPIRY;
        let existing: Vec<_> =
            self.store.list(Some(&self.base)).try_collect().await.map_err(self.store_error())?;
        for object in existing {
            if used_objects.contains_key(&object.location) || object.last_modified < oldest {
                match self.store.delete(&object.location).await {
                    Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                    Err(error) => return Err(self.store_error()(error)),
                }
            }
        }
        self.delete_partial_files(&used_objects)
    }

    /// Deletes partial files that killed processes left in a folder, named `<file>#<number>`; listings omit them.
    fn delete_partial_files(
        &self,
        used_objects: &HashMap<ObjectPath, Arc<OnceCell<()>>>,
    ) -> Result<(), SetError> {
        let Some(folder) = self.folder.as_ref().filter(|folder| folder.is_dir()) else { return Ok(()) };
        let failed = SetError::file(folder, "emptied");
        for entry in fs::read_dir(folder).map_err(&failed)? {
            let entry = entry.map_err(&failed)?;
            let name = entry.file_name();
            let Some((whole, _)) = name.to_str().and_then(|name| name.split_once('#')) else { continue };
            let age = entry.metadata().and_then(|stat| stat.modified()).map(|written| written.elapsed());
            let is_old = matches!(age, Ok(Ok(age)) if TimeDelta::from_std(age).is_ok_and(|age| age > EXPIRY));
            if is_old || used_objects.contains_key(&self.base.clone().join(whole)) {
                match fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn files_and_notes_pass_and_are_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("data").display().to_string();
        let (here, there) = (TransferStore::open(&root).unwrap(), TransferStore::open(&root).unwrap());
        let path = |name: &str| folder.path().join(name);
        fs::write(path("one"), "some rows").unwrap();
        let blob = here.store_file(&path("one")).await.unwrap();
        assert_eq!(blob.bytes, 9);
        assert_eq!(here.store_file(&path("one")).await.unwrap(), blob);
        there.get(&blob, &path("below/two")).await.unwrap();
        assert_eq!(fs::read_to_string(path("below/two")).unwrap(), "some rows");
        assert!(there.find_note("unit").await.unwrap().is_none());
        here.put_note("unit", b"done".to_vec()).await.unwrap();
        assert_eq!(there.find_note("unit").await.unwrap().unwrap(), "done");
        // A partial file of a killed process.
        let half = folder.path().join("data").join(TRANSFER).join(format!("{}#1", blob.hash));
        fs::write(&half, "some").unwrap();
        here.forget().await.unwrap();
        assert!(!half.exists());
        assert!(there.find_note("unit").await.unwrap().is_none() && !there.has(&blob).await.unwrap());
        assert!(there.get(&blob, &path("three")).await.is_err());
    }

    #[test]
    fn a_hash_that_comes_over_the_network_names_no_other_file() {
        let read =
            |hash: &str| serde_json::from_value::<Blob>(serde_json::json!({ "hash": hash, "bytes": 1 }));
        let sound = "0a".repeat(32);
        assert_eq!(read(&sound).unwrap().hash, sound);
        for hash in ["", "../key", &"0a".repeat(31), &"zz".repeat(32)] {
            assert!(read(hash).is_err(), "{hash}");
        }
    }

    #[tokio::test]
    async fn bytes_of_another_content_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().display().to_string();
        let transfer = TransferStore::open(&root).unwrap();
        fs::write(folder.path().join("one"), "some rows").unwrap();
        let blob = transfer.store_file(&folder.path().join("one")).await.unwrap();
        fs::write(folder.path().join(TRANSFER).join(&blob.hash), "same rows").unwrap();
        let refused = transfer.get(&blob, &folder.path().join("two")).await.unwrap_err();
        let SetError::Store { source, .. } = refused else { panic!("{refused}") };
        assert!(source.to_string().contains("not those of its name"), "{source}");
        assert!(!folder.path().join("two").exists());
    }
}
