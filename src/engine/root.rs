//! Where a snapshot lies: a folder, or an object store whose tables are spooled to a folder while they are served.
//!
//! Layout: `<root>/<market>/<table>.parquet`, or `<root>/<market>/<table>/*.parquet` where a table has several files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use futures::TryStreamExt;
use object_store::ObjectStoreExt as _;
use tempfile::TempDir;

use super::error::EngineError;
use crate::operation::Market;

/// The files of each table of a market.
pub(super) type TableFiles = BTreeMap<String, Vec<PathBuf>>;

/// A readable root.
#[derive(Debug)]
pub(super) struct Root {
    folder: PathBuf,
    /// Keeps spooled files until the snapshot is gone.
    _spool: Option<TempDir>,
}

impl Root {
    /// Opens a folder, or fetches the tables of an object store's URL.
    pub(super) async fn open(root: &str) -> Result<Self, EngineError> {
        if !root.contains("://") {
            return Ok(Self { folder: PathBuf::from(root), _spool: None });
        }
        let spool = TempDir::with_prefix("parquote-")
            .map_err(|source| EngineError::Root { root: root.to_owned(), source })?;
        fetch(root, spool.path()).await?;
        Ok(Self { folder: spool.path().to_owned(), _spool: Some(spool) })
    }

    /// The files of each table of a market; empty where the market has no folder.
    pub(super) fn tables(&self, market: Market) -> Result<TableFiles, EngineError> {
        let folder = self.folder.join(market.word());
        let at = |path: &Path| {
            let path = path.to_owned();
            move |source| EngineError::File { path, source }
        };
        let mut tables = TableFiles::new();
        if !folder.is_dir() {
            return Ok(tables);
        }
        for path in entries(&folder).map_err(at(&folder))? {
            if path.is_dir() {
                let files: Vec<PathBuf> =
                    entries(&path).map_err(at(&path))?.into_iter().filter(|file| is_parquet(file)).collect();
                if let (Some(name), false) = (stem(&path), files.is_empty()) {
                    tables.entry(name).or_default().extend(files);
                }
            } else if is_parquet(&path)
                && let Some(name) = stem(&path)
            {
                tables.entry(name).or_default().push(path);
            }
        }
        Ok(tables)
    }

    /// What tells one published set of a market from the next, if the system can say it.
    pub(super) fn generation(&self, market: Market) -> Option<u64> {
        #[cfg(unix)]
        {
            let stat = fs::metadata(self.folder.join(market.word())).ok()?;
            Some(std::os::unix::fs::MetadataExt::ino(&stat))
        }
        #[cfg(not(unix))]
        {
            let _ = market;
            None
        }
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| !stem(path).is_none_or(|stem| stem.starts_with('.')));
    paths.sort();
    Ok(paths)
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "parquet")
}

fn stem(path: &Path) -> Option<String> {
    Some(path.file_stem()?.to_str()?.to_owned())
}

/// Fetches every Parquet file below the two market folders of a store.
async fn fetch(root: &str, spool: &Path) -> Result<(), EngineError> {
    let failed = |source: object_store::Error| EngineError::Store { root: root.to_owned(), source };
    let other = |source: Box<dyn std::error::Error + Send + Sync>| {
        failed(object_store::Error::Generic { store: "url", source })
    };
    let url = url::Url::parse(root).map_err(|error| other(error.into()))?;
    let (store, base) = object_store::parse_url_opts(&url, std::env::vars()).map_err(failed)?;
    for market in Market::ALL {
        let folder = base.clone().join(market.word());
        let objects: Vec<_> = store.list(Some(&folder)).try_collect().await.map_err(failed)?;
        for object in objects {
            let Some(parts) = object.location.prefix_match(&folder) else { continue };
            let relative: PathBuf = parts.map(|part| part.as_ref().to_owned()).collect();
            if !is_parquet(&relative) {
                continue;
            }
            let target = spool.join(market.word()).join(relative);
            let bytes = store.get(&object.location).await.map_err(failed)?.into_stream();
            save(&target, bytes).await.map_err(|source| match source {
                SaveError::Store(source) => failed(source),
                SaveError::File(source) => EngineError::File { path: target.clone(), source },
            })?;
        }
    }
    Ok(())
}

enum SaveError {
    Store(object_store::Error),
    File(io::Error),
}

async fn save(
    target: &Path,
    mut bytes: impl futures::Stream<Item = object_store::Result<bytes::Bytes>> + Unpin,
) -> Result<(), SaveError> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).map_err(SaveError::File)?;
    }
    let mut file = fs::File::create(target).map_err(SaveError::File)?;
    while let Some(chunk) = bytes.try_next().await.map_err(SaveError::Store)? {
        file.write_all(&chunk).map_err(SaveError::File)?;
    }
    Ok(())
}
