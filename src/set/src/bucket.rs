//! Sets in an object store: listed by their numbers, read in blocks, published by creating the next manifest.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::DateTime;
use futures::TryStreamExt as _;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _};
use tokio::runtime::Handle;

use super::blocks::{Blocks, RemoteFile, read_body};
use super::error::SetError;
use super::home::LARGEST_NUMBER;
use super::layout::{FILES, SETS};
use super::manifest::{Set, SetFile, parse_manifest};
use super::plain_file::{FileVersion, PlainFilePart};
use super::stored_file::{StoredFile, TableFiles};
use parquote_catalogue::operation::Market;

/// Time limit for a manifest or a listing over all attempts. The store client alone would retry for minutes.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum bytes of a manifest.
const MOST_MANIFEST_BYTES: u64 = 64 << 20;

/// An object store that holds sets, or plain files, of the markets.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// The user-supplied URL.
    user_url: Arc<str>,
    pub(super) store: Arc<dyn ObjectStore>,
    base: ObjectPath,
    blocks: Arc<Blocks>,
    runtime: Handle,
    timeout: Duration,
}

/// Opens the store of a URL and returns it with the path in it; credentials come from the standard environment variables.
///
/// # Errors
/// An unsupported URL.
pub(super) fn store_of(url: &str) -> Result<(Arc<dyn ObjectStore>, ObjectPath), SetError> {
    open_store(url, std::env::vars())
}

fn open_store(
    url: &str,
    options: impl IntoIterator<Item = (String, String)>,
) -> Result<(Arc<dyn ObjectStore>, ObjectPath), SetError> {
    let store_error = |source| SetError::Store { root: url.to_owned(), source };
    let url_error = |source: url::ParseError| {
        store_error(object_store::Error::Generic { store: "url", source: source.into() })
    };
    let parsed = url::Url::parse(url).map_err(url_error)?;
    let (store, base) = object_store::parse_url_opts(&parsed, options).map_err(store_error)?;
    Ok((store.into(), base))
}

impl Bucket {
    /// Opens the store of a URL; credentials come from the standard environment variables. Requests run on the current runtime of
    /// the caller.
    ///
    /// # Errors
    /// An unsupported URL.
    pub fn open(url: &str, blocks: Arc<Blocks>) -> Result<Self, SetError> {
        Ok(Self::from_store(store_of(url)?, url, blocks))
    }

    /// As [`Bucket::open`], with credentials and addresses from `options` instead of the environment, under the same names.
    ///
    /// # Errors
    /// As [`Bucket::open`].
    pub fn open_with(
        url: &str,
        options: impl IntoIterator<Item = (String, String)>,
        blocks: Arc<Blocks>,
    ) -> Result<Self, SetError> {
        Ok(Self::from_store(open_store(url, options)?, url, blocks))
    }

    fn from_store((store, base): (Arc<dyn ObjectStore>, ObjectPath), url: &str, blocks: Arc<Blocks>) -> Self {
        Self { user_url: url.into(), store, base, blocks, runtime: Handle::current(), timeout: TIMEOUT }
    }

    /// Returns a bucket of the same store whose sets are in a folder below this one.
    pub(super) fn below(&self, folder: &str) -> Self {
        let user_url = format!("{}/{folder}", self.user_url.trim_end_matches('/')).into();
        Self { user_url, base: self.base.clone().join(folder), ..self.clone() }
    }

    /// Sets the time limit for manifests and listings.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The user-supplied URL.
    pub fn location(&self) -> &str {
        &self.user_url
    }

    pub(super) fn store_error(&self) -> impl Fn(object_store::Error) -> SetError {
        let root = self.user_url.to_string();
        move |source| SetError::Store { root: root.clone(), source }
    }

    /// Runs a request on the runtime of the store, which drives the connections: a thread of that runtime that blocked on a request
    /// would deadlock.
    async fn on_runtime<T: Send + 'static>(
        &self,
        request: impl Future<Output = object_store::Result<T>> + Send + 'static,
    ) -> Result<T, SetError> {
        let outcome = self.runtime.spawn(request).await;
        let runtime_error = |source| object_store::Error::Generic { store: "runtime", source };
        outcome
            .map_err(|error| runtime_error(error.into()))
            .and_then(|result| result)
            .map_err(self.store_error())
    }

    /// As `on_runtime`, with the time limit of the bucket, for small replies.
    async fn on_runtime_in_time<T: Send + 'static>(
        &self,
        request: impl Future<Output = object_store::Result<T>> + Send + 'static,
    ) -> Result<T, SetError> {
        let timeout = self.timeout;
        let timeout_error = move |_| {
            let source = format!("it has not answered within {} s", timeout.as_secs_f64()).into();
            object_store::Error::Generic { store: "store", source }
        };
        self.on_runtime(async move { tokio::time::timeout(timeout, request).await.map_err(timeout_error)? })
            .await
    }

    /// Lists all objects below a folder.
    pub(super) async fn list(&self, folder: ObjectPath) -> Result<Vec<ObjectMeta>, SetError> {
        let store = Arc::clone(&self.store);
        self.on_runtime_in_time(async move { store.list(Some(&folder)).try_collect().await }).await
    }

    /// Returns the URL of an object by its full path.
    pub(super) fn url(&self, path: &str) -> Option<url::Url> {
        let mut url = url::Url::parse(&self.user_url).ok()?;
        url.set_path(path);
        Some(url)
    }

    pub(super) fn market_path(&self, market: Market) -> ObjectPath {
        self.base.clone().join(market.word())
    }

    pub(super) fn manifest_path(&self, market: Market, number: u64) -> ObjectPath {
        self.market_path(market).join(SETS).join(format!("{number}.json"))
    }

    pub(super) fn file_path(&self, market: Market, table: &str, file: &SetFile) -> ObjectPath {
        self.market_path(market).join(FILES).join(table).join(file.file_name())
    }

    /// Returns the numbers of the available sets, ascending.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn numbers(&self, market: Market) -> Result<Vec<u64>, SetError> {
        let folder = self.market_path(market).join(SETS);
        let objects = self.list(folder).await?;
        let number = |object: &ObjectMeta| object.location.filename()?.strip_suffix(".json")?.parse().ok();
        let mut numbers: Vec<u64> =
            objects.iter().filter_map(number).filter(|number| *number <= LARGEST_NUMBER).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Returns the number of failed fetches of files since the store was opened.
    pub fn failures(&self) -> u64 {
        self.blocks.failures()
    }

    /// Returns the text of the last failed fetch; empty if none has failed.
    pub(super) fn last_failure(&self) -> String {
        self.blocks.last_failure()
    }

    /// Returns true if the manifest of a set exists, without reading it.
    pub(super) async fn has(&self, market: Market, number: u64) -> Result<bool, SetError> {
        let (store, object) = (Arc::clone(&self.store), self.manifest_path(market, number));
        self.on_runtime_in_time(async move {
            match store.head(&object).await {
                Err(object_store::Error::NotFound { .. }) => Ok(false),
                reply => reply.map(|_| true),
            }
        })
        .await
    }

    /// Returns the set with a number; `None` if it does not exist.
    ///
    /// # Errors
    /// A store that fails, or an invalid manifest.
    pub async fn find(&self, market: Market, number: u64) -> Result<Option<Set>, SetError> {
        let path = self.manifest_path(market, number);
        let (store, object) = (Arc::clone(&self.store), path.clone());
        let fetched = self.on_runtime_in_time(async move {
            match store.get(&object).await {
                Err(object_store::Error::NotFound { .. }) => Ok(None),
                reply => read_body(reply?, MOST_MANIFEST_BYTES).await.map(Some),
            }
        });
        let bytes: Option<Bytes> = fetched.await?;
        bytes.map(|bytes| parse_manifest(&bytes, path.as_ref(), market, number)).transpose()
    }

    /// Returns the files of a set by table, to be read in blocks.
    pub fn files(&self, market: Market, set: &Set) -> TableFiles {
        let stored = |table: &str, file: &SetFile| {
            let path = self.file_path(market, table, file);
            let remote = self.remote(path, (&file.hash, file.bytes)).with_hashes(file.mib_hashes.clone());
            StoredFile::remote(remote)
        };
        set.files_by_table(stored)
    }

    fn remote(&self, path: ObjectPath, hash_and_bytes: (&str, u64)) -> RemoteFile {
        let (store, blocks) = (Arc::clone(&self.store), Arc::clone(&self.blocks));
        let location = format!("{} ({path})", self.user_url);
        RemoteFile::new(store, path, hash_and_bytes, blocks, (self.runtime.clone(), location))
    }

    /// Returns the plain files of a market, to be read in place. Their blocks are named by a hash of path, modification time and tag.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn plain_tables(&self, market: Market) -> Result<TableFiles, SetError> {
        let mut tables = TableFiles::new();
        for (path, version) in self.plain_files(market).await? {
            let Some(part) = PlainFilePart::from_path(&path) else { continue };
            let object = self.plain_path(market, &path);
            let hash =
                blake3::hash(format!("{object} {} {}", version.written, version.tag).as_bytes()).to_hex();
            let written = DateTime::from_timestamp_nanos(version.written.cast_signed());
            let file = StoredFile::remote(self.remote(object, (hash.as_str(), version.bytes)));
            tables.entry(part.table).or_default().push(file.written_at(written));
        }
        Ok(tables)
    }

    fn plain_path(&self, market: Market, path: &str) -> ObjectPath {
        let folder = self.market_path(market);
        path.split('/').fold(folder, object_store::path::Path::join)
    }

    /// Returns the plain files of a market, by path below its folder.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn plain_files(&self, market: Market) -> Result<BTreeMap<String, FileVersion>, SetError> {
        let folder = self.market_path(market);
        let objects = self.list(folder.clone()).await?;
        let version = |object: ObjectMeta| {
            let parts = object.location.prefix_match(&folder)?;
            let path = parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/");
            PlainFilePart::from_path(&path)?;
            let version = FileVersion {
                bytes: object.size,
                written: object.last_modified.timestamp_nanos_opt().unwrap_or_default().cast_unsigned(),
                tag: object.e_tag.or(object.version).unwrap_or_default(),
                hash: String::new(),
            };
            Some((path, version))
        };
        Ok(objects.into_iter().filter_map(version).collect())
    }

    /// Downloads a plain file to a local path.
    ///
    /// # Errors
    /// A store or a disk that fails.
    pub async fn copy_plain(&self, market: Market, path: &str, to: &Path) -> Result<(), SetError> {
        let (store, object) = (Arc::clone(&self.store), self.plain_path(market, path));
        let mut file = fs::File::create(to).map_err(SetError::file(to, "written"))?;
        self.on_runtime(async move {
            let mut bytes = store.get(&object).await?.into_stream();
            while let Some(chunk) = bytes.try_next().await? {
                let disk = |source: std::io::Error| object_store::Error::Generic {
                    store: "disk",
                    source: source.into(),
                };
                file.write_all(&chunk).map_err(disk)?;
            }
            Ok(())
        })
        .await
    }
}
