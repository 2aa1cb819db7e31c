//! The names of this crate in a build without the feature: each function returns the error that names it.

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

/// Returns the error.
pub async fn serve(
    _: Arc<Catalogue>,
    _: TcpListener,
    _: WorkerSettings,
    _: impl Future<Output = ()> + Send,
) -> Result<(), WorkersError> {
    Err(WorkersError)
}

/// Workers, of whom there are none.
#[derive(Debug, Clone)]
pub enum Fleet {}

impl Fleet {
    /// Returns the error.
    pub async fn meet(
        _: &Catalogue,
        _: &str,
        _: &[String],
        _: WorkerKey,
        _: (Option<WorkerTls>, bool),
    ) -> Result<Self, WorkersError> {
        Err(WorkersError)
    }

    /// The same for one market.
    #[must_use]
    pub fn of(&self, _: Market) -> Self {
        match *self {}
    }

    /// The rows of a SELECT.
    pub async fn select(
        &self,
        _: &Catalogue,
        _: &Root,
        _: Market,
        _: &str,
    ) -> Result<Vec<RecordBatch>, WorkersError> {
        match *self {}
    }

    /// Takes away what passed between workers.
    pub async fn tidy(&self) {
        match *self {}
    }
}

#[async_trait]
impl UnitRunner for Fleet {
    fn unit_bars(&self, _: usize) -> usize {
        match *self {}
    }

    async fn put(&self, _: &Path) -> Result<Blob, UnitError> {
        match *self {}
    }

    async fn get(&self, _: &Blob, _: &Path) -> Result<(), UnitError> {
        match *self {}
    }

    async fn run(&self, _: Vec<WorkUnit>) -> Result<Vec<MadeUnit>, UnitError> {
        match *self {}
    }
}
