//! Cache of unit inputs: most units of a derivation read the same small tables.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use parquote_set::{Blob, SetError, TransferStore};

/// A folder of input files, each named by its hash; its size in bytes is limited.
#[derive(Debug)]
pub(super) struct InputCache {
    folder: PathBuf,
    most_bytes: u64,
    /// The cached files, oldest first.
    cached: Mutex<VecDeque<Blob>>,
}

impl InputCache {
    pub(super) fn new(folder: PathBuf, most_bytes: u64) -> Self {
        Self { folder, most_bytes, cached: Mutex::default() }
    }

    /// Puts a file at a path, from the cache or the transfer store. The path stays valid after the cached file is evicted.
    ///
    /// # Errors
    /// The store fails or lacks the file, or the path cannot be written.
    pub(super) async fn put_file_at(
        &self,
        blob: &Blob,
        transfer: &TransferStore,
        to: &Path,
    ) -> Result<(), SetError> {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(write_error(folder))?;
        }
        let cached = self.folder.join(&blob.hash);
        if fs::hard_link(&cached, to).is_ok() {
            return Ok(());
        }
        transfer.get(blob, to).await?;
        if fs::hard_link(to, &cached).is_ok() {
            self.add(blob);
        }
        Ok(())
    }

    fn add(&self, blob: &Blob) {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        cached.push_back(blob.clone());
        let mut bytes: u64 = cached.iter().map(|blob| blob.bytes).sum();
        while bytes > self.most_bytes
            && let Some(oldest) = cached.pop_front()
        {
            bytes -= oldest.bytes;
            if let Err(error) = fs::remove_file(self.folder.join(&oldest.hash)) {
                tracing::warn!(file = %oldest.hash, %error, "a cached input could not be removed");
            }
        }
    }
}

fn write_error(path: &Path) -> impl Fn(io::Error) -> SetError {
    let path = path.to_owned();
    move |source| SetError::File { path: path.clone(), done: "written", source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_inputs_are_evicted_and_the_files_made_of_them_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let transfer = TransferStore::open(&path("data").display().to_string()).unwrap();
        fs::create_dir_all(path("cache")).unwrap();
        let cache = InputCache::new(path("cache"), 10);
        let mut blobs = Vec::new();
        for text in ["first", "second", "third"] {
            fs::write(path(text), text).unwrap();
            blobs.push(transfer.store_file(&path(text)).await.unwrap());
        }
        for (number, blob) in blobs.iter().enumerate() {
            cache.put_file_at(blob, &transfer, &path(&format!("run/{number}"))).await.unwrap();
        }
        let is_cached = |number: usize| path("cache").join(&blobs[number].hash).exists();
        assert_eq!(
            [is_cached(0), is_cached(1), is_cached(2)],
            [false, false, true],
            "11 bytes are more than 10"
        );
        assert_eq!(fs::read_to_string(path("run/0")).unwrap(), "first");
        transfer.forget().await.unwrap();
        cache.put_file_at(&blobs[2], &transfer, &path("again")).await.unwrap();
        assert_eq!(fs::read_to_string(path("again")).unwrap(), "third");
        assert!(cache.put_file_at(&blobs[0], &transfer, &path("gone")).await.is_err());
    }
}
