//! Keys and certificates of workers in a build without the feature: none can be read.

use std::path::Path;

use parquote_catalogue::features::missing_feature;

/// The feature is missing.
#[derive(Debug, thiserror::Error)]
#[error("{}", missing_feature("work on other machines", "workers"))]
pub struct WorkersError;

/// A key that cannot be read here.
#[derive(Debug, Clone)]
pub enum WorkerKey {}

impl WorkerKey {
    /// Returns the error.
    pub fn read(_: &Path) -> Result<Self, WorkersError> {
        Err(WorkersError)
    }
}

/// Certificates that cannot be read here.
#[derive(Debug, Clone)]
pub enum WorkerTls {}

impl WorkerTls {
    /// Returns the error.
    pub fn read(_: &Path, _: &Path, _: &Path) -> Result<Self, WorkersError> {
        Err(WorkersError)
    }
}
