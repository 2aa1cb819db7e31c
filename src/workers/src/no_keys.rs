//! Worker keys and certificates in a build without the feature `distributed`: reading one always fails.

use std::path::Path;

use parquote_catalogue::features::missing_feature;

/// The feature is missing.
#[derive(Debug, thiserror::Error)]
#[error("{}", missing_feature("work on other machines", "workers"))]
pub struct WorkersError;

/// The key type of such a build; it has no values.
#[derive(Debug, Clone)]
pub enum WorkerKey {}

impl WorkerKey {
    /// Always fails: the feature is missing.
    pub fn read(_: &Path) -> Result<Self, WorkersError> {
        Err(WorkersError)
    }
}

/// The certificates type of such a build; it has no values.
#[derive(Debug, Clone)]
pub enum WorkerTls {}

impl WorkerTls {
    /// Always fails: the feature is missing.
    pub fn read(_: &Path, _: &Path, _: &Path) -> Result<Self, WorkersError> {
        Err(WorkersError)
    }
}
