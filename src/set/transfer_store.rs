//! Files that pass between a derivation and its workers: content-named, in a hidden folder of a root, and in no set.
//!
//! A *note* says what somebody made, under a name that both sides know. Whoever puts both puts the files first, so that a note never
//! names a file that is not there. What nobody took away is swept after a day.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use chrono::{TimeDelta, Utc};
use futures::TryStreamExt as _;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt as _};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

use super::bucket::store_of;
use super::error::SetError;
use super::stored_file::hash_of;
use super::upload::put_file;
use crate::operation::Market;

/// The folder in a root. A name that begins with a dot is no market and no table.
const TRANSFER: &str = ".transfer";
/// How long the files of a derivation that was killed stay.
const KEPT: TimeDelta = TimeDelta::days(1);

/// A file by its content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Blob {
    /// BLAKE3 of its bytes, hexadecimal.
    pub hash: String,
    /// Its length.
    pub bytes: u64,
}

/// The place through which files pass.
#[derive(Debug, Clone)]
pub struct TransferStore {
    shown: Arc<str>,
    store: Arc<dyn ObjectStore>,
    base: ObjectPath,
    /// What was put or seen here, and whether it is there; it is taken away by [`TransferStore::forget`].
    ours: Arc<Mutex<HashMap<ObjectPath, Arc<OnceCell<()>>>>>,
}

impl TransferStore {
    /// The transfer store of a folder or an object store.
    ///
    /// # Errors
    /// A URL that is not understood, or a folder that cannot be made.
    pub fn open(root: &str) -> Result<Self, SetError> {
        let failed = |source| SetError::Store { root: root.to_owned(), source };
        let folder = root.strip_prefix("file://").unwrap_or(root);
        let (store, base): (Arc<dyn ObjectStore>, ObjectPath) = if folder.contains("://") {
            store_of(root)?
        } else {
            fs::create_dir_all(folder).map_err(SetError::file(Path::new(folder), "made"))?;
            (Arc::new(LocalFileSystem::new_with_prefix(folder).map_err(failed)?), ObjectPath::default())
        };
        Ok(Self { shown: root.into(), store, base: base.join(TRANSFER), ours: Arc::default() })
    }

    /// The place for the files of one market, without memory of what was put there before.
    #[must_use]
    pub fn of(&self, market: Market) -> Self {
        Self { base: self.base.clone().join(market.word()), ours: Arc::default(), ..self.clone() }
    }

    fn failed(&self) -> impl Fn(object_store::Error) -> SetError {
        let root = self.shown.to_string();
        move |source| SetError::Store { root: root.clone(), source }
    }

    fn blob(&self, hash: &str) -> ObjectPath {
        self.base.clone().join(hash)
    }

    fn note(&self, name: &str) -> ObjectPath {
        self.base.clone().join(format!("{name}.json"))
    }

    fn remember(&self, object: &ObjectPath) -> Arc<OnceCell<()>> {
        let mut ours = self.ours.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(ours.entry(object.clone()).or_default())
    }

    /// Puts a file here, unless it is here.
    ///
    /// # Errors
    /// A file that cannot be read, or a store that fails.
    pub async fn put(&self, path: &Path) -> Result<Blob, SetError> {
        let bytes = fs::metadata(path).map_err(SetError::file(path, "read"))?.len();
        let blob = Blob { hash: hash_of(path)?, bytes };
        let object = self.blob(&blob.hash);
        // Several may put one file at once: the others wait for the first.
        let put = self.remember(&object);
        put.get_or_try_init(|| async {
            match self.store.head(&object).await {
                Ok(there) if there.size == bytes => Ok(()),
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {
                    put_file(&*self.store, path, &object, self.failed()).await
                }
                Err(error) => Err(self.failed()(error)),
            }
        })
        .await?;
        Ok(blob)
    }

    /// Brings a file to a path.
    ///
    /// # Errors
    /// A store that fails or lacks it, bytes that are not those of its name, or a path that cannot be written.
    pub async fn get(&self, blob: &Blob, to: &Path) -> Result<(), SetError> {
        let object = self.blob(&blob.hash);
        self.remember(&object);
        let written = SetError::file(to, "written");
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(&written)?;
        }
        let folder = to.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(&written)?;
        let mut hasher = blake3::Hasher::new();
        let mut pieces = self.store.get(&object).await.map_err(self.failed())?.into_stream();
        while let Some(piece) = pieces.try_next().await.map_err(self.failed())? {
            hasher.update(&piece);
            file.write_all(&piece).map_err(&written)?;
        }
        if hasher.finalize().to_hex().as_str() != blob.hash {
            let source = format!("the bytes of {object} are not those of its name").into();
            return Err(self.failed()(object_store::Error::Generic { store: "transfer", source }));
        }
        file.persist(to).map_err(|error| written(error.error))?;
        Ok(())
    }

    /// Leaves a note under a name.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn put_note(&self, name: &str, text: Vec<u8>) -> Result<(), SetError> {
        let object = self.note(name);
        self.remember(&object);
        self.store.put(&object, text.into()).await.map(drop).map_err(self.failed())
    }

    /// The note of a name; `None` where nobody left one.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn find_note(&self, name: &str) -> Result<Option<Bytes>, SetError> {
        let object = self.note(name);
        self.remember(&object);
        match self.store.get(&object).await {
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            reply => {
                let read = async { reply?.bytes().await };
                read.await.map(Some).map_err(self.failed())
            }
        }
    }

    /// Takes away what was put or brought through this store, and what others left here for more than a day.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn forget(&self) -> Result<(), SetError> {
        let ours = std::mem::take(&mut *self.ours.lock().unwrap_or_else(PoisonError::into_inner));
        let before = Utc::now() - KEPT;
        let there: Vec<_> = self.store.list(Some(&self.base)).try_collect().await.map_err(self.failed())?;
        for object in there {
            if ours.contains_key(&object.location) || object.last_modified < before {
                match self.store.delete(&object.location).await {
                    Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                    Err(error) => return Err(self.failed()(error)),
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
        let blob = here.put(&path("one")).await.unwrap();
        assert_eq!(blob.bytes, 9);
        assert_eq!(here.put(&path("one")).await.unwrap(), blob);
        there.get(&blob, &path("below/two")).await.unwrap();
        assert_eq!(fs::read_to_string(path("below/two")).unwrap(), "some rows");
        assert!(there.find_note("unit").await.unwrap().is_none());
        here.put_note("unit", b"done".to_vec()).await.unwrap();
        assert_eq!(there.find_note("unit").await.unwrap().unwrap(), "done");
        here.forget().await.unwrap();
        assert!(there.find_note("unit").await.unwrap().is_none());
        assert!(there.get(&blob, &path("three")).await.is_err());
    }

    #[tokio::test]
    async fn bytes_of_another_content_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().display().to_string();
        let transfer = TransferStore::open(&root).unwrap();
        fs::write(folder.path().join("one"), "some rows").unwrap();
        let blob = transfer.put(&folder.path().join("one")).await.unwrap();
        fs::write(folder.path().join(TRANSFER).join(&blob.hash), "same rows").unwrap();
        let refused = transfer.get(&blob, &folder.path().join("two")).await.unwrap_err();
        let SetError::Store { source, .. } = refused else { panic!("{refused}") };
        assert!(source.to_string().contains("not those of its name"), "{source}");
        assert!(!folder.path().join("two").exists());
    }
}
