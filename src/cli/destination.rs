//! Destinations of derived sets: a folder, or an object store, for which sets are built in the cache.

use std::path::{Path, PathBuf};

use clap::Args;

use super::publish;
use crate::config::RetentionArgs;
use crate::derive::{DerivedMarket, Publishing};
use crate::set::{Home, Root};

/// Destination and retention of sets.
#[derive(Debug, Clone, Args)]
pub(super) struct Destination {
    /// The place to publish the sets: a folder, as DIR/india and DIR/us, or the URL of an object store.
    #[arg(long, value_name = "DIR|URL")]
    data: String,
    /// The folder in which sets for an object store are made; files that are there are reused.
    #[arg(long, value_name = "DIR", env = "PARQUOTE_CACHE", default_value = "state/cache")]
    cache: PathBuf,
    #[command(flatten)]
    keeping: RetentionArgs,
}

impl Destination {
    pub(super) fn publishing(&self) -> Publishing {
        Publishing { keep: self.keeping.keep(), ..Publishing::default() }
    }

    /// Returns the destination of past sets, which are all retained.
    pub(super) fn past(&self) -> Self {
        let data = format!("{}/past", self.data.trim_end_matches('/'));
        Self { data, cache: self.cache.clone(), keeping: RetentionArgs::everything() }
    }

    pub(super) fn root(&self) -> &str {
        &self.data
    }

    fn url(&self) -> Option<&str> {
        self.data.contains("://").then_some(self.data.as_str())
    }

    /// Returns the root of the sets at the destination.
    ///
    /// # Errors
    /// The URL of an unsupported store.
    pub(super) fn sets(&self) -> anyhow::Result<Root> {
        Ok(match self.url() {
            Some(url) => Root::Bucket(publish::store(url)?),
            None => Root::folder(&self.data),
        })
    }

    /// Refuses the URL of an unsupported store before anything is derived.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        self.url().map_or(Ok(()), |url| publish::store(url).map(drop))
    }

    /// Returns the folder in which sets are built: the data folder, or one in the cache for an object store.
    pub(super) fn folder(&self) -> PathBuf {
        self.url().map_or_else(|| PathBuf::from(&self.data), |url| self.cache_folder("derived", url))
    }

    /// Returns the cache folder of a URL.
    pub(super) fn cache_folder(&self, kind: &str, url: &str) -> PathBuf {
        const HASH_DIGITS: usize = 16;
        let hash = blake3::hash(url.as_bytes()).to_hex();
        self.cache.join(kind).join(hash.get(..HASH_DIGITS).unwrap_or_default())
    }

    /// Uploads a derived set to the object store, if there is one.
    pub(super) async fn upload(&self, data: &Path, derived: &DerivedMarket) -> anyhow::Result<()> {
        let Some(url) = self.url() else { return Ok(()) };
        let (bucket, home) = (publish::store(url)?, Home::new(data));
        publish::publish_into(&bucket, &home, derived.market, &derived.set, &self.keeping).await
    }
}
