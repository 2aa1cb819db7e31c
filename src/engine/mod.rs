//! How SQL runs.

pub mod functions;
