//! Uploads a set of a folder to an object store: first the missing files, then the manifest under the next number.
//!
//! A store that confirms a write and loses the object is detected: the files are listed again before the manifest is written, and the
//! manifest's existence is checked afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::Utc;
use object_store::{ObjectStore, ObjectStoreExt as _, PutMode, WriteMultipart};

use super::blocks::block_hashes;
use super::bucket::Bucket;
use super::error::SetError;
use super::home::Home;
use super::layout::FILES;
use super::manifest::{Publication, Set, SetFile, publisher_name};
use super::retention::Retention;
use parquote_catalogue::operation::Market;

/// Bytes of one part of a multipart upload.
const PART_BYTES: usize = 8 << 20;

/// Uploads a file, in parts if it is large.
///
/// # Errors
/// A file that cannot be read, or a store that fails.
pub(super) async fn put_file(
    store: &dyn ObjectStore,
    from: &Path,
    to: &object_store::path::Path,
    failed: impl Fn(object_store::Error) -> SetError + Send + Sync,
) -> Result<(), SetError> {
    let read_error = SetError::file(from, "read");
    let bytes = std::fs::metadata(from).map_err(&read_error)?.len();
    if bytes <= PART_BYTES as u64 {
        let read = std::fs::read(from).map_err(&read_error)?;
        return store.put(to, read.into()).await.map(drop).map_err(failed);
    }
    let mut file = std::fs::File::open(from).map_err(&read_error)?;
    let upload = store.put_multipart(to).await.map_err(&failed)?;
    let mut upload = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
    let mut part = vec![0; PART_BYTES];
    loop {
        let read = std::io::Read::read(&mut file, &mut part).map_err(&read_error)?;
        if read == 0 {
            break;
        }
        upload.wait_for_capacity(2).await.map_err(&failed)?;
        upload.write(part.get(..read).unwrap_or_default());
    }
    upload.finish().await.map(drop).map_err(failed)
}

impl Bucket {
    /// Publishes a set of a folder in the store. Existing files are not uploaded again; if the newest set has the same content and all its
    /// files exist, that set is returned and nothing is published.
    ///
    /// # Errors
    /// Another publisher that took the number first, a store that fails or loses a write, a file that cannot be read.
    pub async fn upload(&self, home: &Home, market: Market, set: &Set) -> Result<Set, SetError> {
        let number = self.numbers(market).await?.last().copied().unwrap_or_default();
        let newest = match self.find(market, number).await {
            // An unreadable manifest is skipped; the new set takes the number after it.
            Err(SetError::Manifest { .. }) => None,
            found => found?,
        };
        let missing = self.missing_files(market, set).await?;
        if let Some(newest) = newest.as_ref().filter(|newest| missing.is_empty() && newest.id == set.id) {
            return Ok(newest.clone());
        }
        for (table, file) in &missing {
            let object = self.file_path(market, table, file);
            let path = home.file_path(market, table, &file.hash);
            put_file(&*self.store, &path, &object, self.store_error()).await?;
        }
        if !missing.is_empty()
            && let Some((table, file)) = self.missing_files(market, set).await?.first()
        {
            return Err(self.missing_object_error(&self.file_path(market, table, file)));
        }
        let published = Publication { at: Utc::now(), by: publisher_name(), ..set.published.clone() };
        let covered = BTreeMap::new();
        let mut set = Set { number: number + 1, published, covered, ..set.clone() };
        hash_blocks(&mut set, home, newest.as_ref())?;
        self.create_manifest(market, &set).await?;
        Ok(set)
    }

    /// Returns the files of a set that are missing in the store or have another length there.
    async fn missing_files<'a>(
        &self,
        market: Market,
        set: &'a Set,
    ) -> Result<Vec<(&'a str, &'a SetFile)>, SetError> {
        let objects = self.list(self.market_path(market).join(FILES)).await?;
        let sizes: BTreeMap<String, u64> =
            objects.into_iter().map(|object| (object.location.to_string(), object.size)).collect();
        let is_complete = |(table, file): &(&str, &SetFile)| {
            sizes.get(self.file_path(market, table, file).as_ref()) == Some(&file.bytes)
        };
        Ok(set.files().filter(|file| !is_complete(file)).collect())
    }

    fn missing_object_error(&self, object: &object_store::path::Path) -> SetError {
        SetError::LostWrite { root: self.location().to_owned(), object: object.to_string() }
    }

    async fn create_manifest(&self, market: Market, set: &Set) -> Result<(), SetError> {
        let path = self.manifest_path(market, set.number);
        let manifest_error =
            |why: serde_json::Error| SetError::Manifest { name: path.to_string(), why: why.to_string() };
        let text = serde_json::to_vec_pretty(set).map_err(manifest_error)?;
        match self.store.put_opts(&path, text.into(), PutMode::Create.into()).await {
            Ok(_) if self.has(market, set.number).await? => Ok(()),
            Ok(_) => Err(self.missing_object_error(&path)),
            Err(object_store::Error::AlreadyExists { .. }) => {
                let existing = self.find(market, set.number).await.ok().flatten();
                // If the reply to a first attempt was lost, the retry finds the manifest of that attempt.
                if existing.as_ref() == Some(set) {
                    return Ok(());
                }
                let by = existing.map_or_else(|| "unknown".to_owned(), |existing| existing.published.by);
                Err(SetError::NumberTaken { market, number: set.number, by })
            }
            Err(error) => Err(self.store_error()(error)),
        }
    }

    /// Publishes the content of an earlier set again.
    ///
    /// # Errors
    /// A set that is not available, another publisher that took the number first, a store that fails.
    pub async fn roll_back(&self, market: Market, to: u64) -> Result<Set, SetError> {
        let retained = self.numbers(market).await?;
        let Some(earlier) = self.find(market, to).await? else {
            return Err(SetError::NoSuchSet { market, number: to, retained });
        };
        if let Some(number) = retained.last()
            && let Ok(Some(newest)) = self.find(market, *number).await
            && newest.id == earlier.id
        {
            return Ok(newest);
        }
        let origin = super::manifest::SetOrigin::RolledBack { to };
        let published = Publication {
            at: Utc::now(),
            by: publisher_name(),
            origin,
            forced: earlier.published.forced,
            first_at: Some(earlier.published.content_at()),
        };
        let number = retained.last().copied().unwrap_or_default() + 1;
        let set = Set { number, published, ..earlier };
        self.create_manifest(market, &set).await?;
        Ok(set)
    }

    /// Deletes sets that retention does not require, and files that no set lists and that are at least 24 hours old.
    ///
    /// # Errors
    /// A store that fails; the rest is deleted by the next sweep.
    pub async fn sweep(&self, market: Market, keep: &Retention) -> Result<(), SetError> {
        /// A publisher uploads files before the manifest that lists them, so younger files may be of a set that is being uploaded.
        const IN_PROGRESS_HOURS: i64 = 24;
        let now = Utc::now();
        let (mut sets, mut unsound) = (Vec::new(), None);
        for number in self.numbers(market).await?.into_iter().rev() {
            match self.find(market, number).await {
                Ok(set) => sets.extend(set),
                Err(error @ SetError::Manifest { .. }) => unsound = Some(error),
                Err(error) => return Err(error),
            }
        }
        let numbers = keep.sets_to_retain(&sets, now);
        let (retained, expired): (Vec<Set>, Vec<Set>) =
            sets.into_iter().partition(|set| numbers.contains(&set.number));
        if expired.is_empty() {
            return Ok(());
        }
        for set in &expired {
            self.store.delete(&self.manifest_path(market, set.number)).await.map_err(self.store_error())?;
        }
        // The files of an unreadable manifest, such as a manifest of a later program version, are unknown.
        if let Some(error) = unsound {
            tracing::warn!(%market, %error, "no file of a set is deleted as long as that manifest is there");
            return Ok(());
        }
        let files = retained.iter().flat_map(Set::files);
        let retained: BTreeSet<String> =
            files.map(|(table, file)| self.file_path(market, table, file).to_string()).collect();
        for object in self.list(self.market_path(market).join(FILES)).await? {
            let is_old = (now - object.last_modified).num_hours() >= IN_PROGRESS_HOURS;
            if is_old && !retained.contains(&object.location.to_string()) {
                self.store.delete(&object.location).await.map_err(self.store_error())?;
            }
        }
        Ok(())
    }
}

/// Sets the block hashes of a set's files; those of files in the previous set are reused.
fn hash_blocks(set: &mut Set, home: &Home, before: Option<&Set>) -> Result<(), SetError> {
    let previous: BTreeMap<&str, &SetFile> =
        before.iter().flat_map(|set| set.files()).map(|(_, file)| (file.hash.as_str(), file)).collect();
    let market = set.market;
    for (table, file) in
        set.tables.iter_mut().flat_map(|(name, table)| table.files.iter_mut().map(move |file| (name, file)))
    {
        let path = home.file_path(market, table, &file.hash);
        let hashed = previous.get(file.hash.as_str()).filter(|file| !file.mib_hashes.is_empty());
        file.mib_hashes = hashed
            .map_or_else(|| block_hashes(&path), |file| Ok(file.mib_hashes.clone()))
            .map_err(SetError::file(&path, "read"))?;
    }
    Ok(())
}
