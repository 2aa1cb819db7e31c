//! How SQL runs.

pub mod functions;
mod result_column;
mod snapshot;

pub use result_column::ResultColumn;
pub use snapshot::Snapshot;
