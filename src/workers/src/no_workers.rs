//! The public items of a build without the feature `distributed`: each function returns the error that names the feature.

#![expect(clippy::unused_async, reason = "their namesakes wait")]

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_derive::{MadeUnit, UnitError, UnitRunner, WorkUnit};
use parquote_set::{Blob, Root};
use tokio::net::TcpListener;

use super::no_keys::{WorkerKey, WorkerTls, WorkersError};
use super::worker_settings::WorkerSettings;

/// Always fails: the feature is missing.
pub async fn serve(
    _: Arc<Catalogue>,
    _: TcpListener,
    _: WorkerSettings,
    _: impl Future<Output = ()> + Send,
) -> Result<(), WorkersError> {
    Err(WorkersError)
}

/// The workers type of such a build; it has no values.
#[derive(Debug, Clone)]
pub enum Fleet {}

impl Fleet {
    /// Always fails: the feature is missing.
    pub async fn connect_all(
        _: &Catalogue,
        _: &str,
        _: &[String],
        _: WorkerKey,
        _: (Option<WorkerTls>, bool),
    ) -> Result<Self, WorkersError> {
        Err(WorkersError)
    }

    /// Returns the same workers, for a market.
    #[must_use]
    pub fn for_market(&self, _: Market) -> Self {
        match *self {}
    }

    /// Returns the rows of a SELECT.
    pub async fn select(
        &self,
        _: &Catalogue,
        _: &Root,
        _: Market,
        _: &str,
    ) -> Result<Vec<RecordBatch>, WorkersError> {
        match *self {}
    }

    /// Removes the files that passed between workers.
    pub async fn remove_transfer_files(&self) {
        match *self {}
    }
}

#[async_trait]
impl UnitRunner for Fleet {
    fn unit_bars(&self, _: usize) -> usize {
        match *self {}
    }

    async fn store_file(&self, _: &Path) -> Result<Blob, UnitError> {
        match *self {}
    }

    async fn download(&self, _: &Blob, _: &Path) -> Result<(), UnitError> {
        match *self {}
    }

    async fn run(&self, _: Vec<WorkUnit>) -> Result<Vec<MadeUnit>, UnitError> {
        match *self {}
    }
}
