//! Distributed execution: workers run units of a derivation, or parts of a SELECT's plan, for clients that have their key.
//!
//! A worker is stateless. It fetches files from a transfer store next to the data, runs what it receives, and uploads the results there.
//! Only this crate knows the engine that carries plans and rows over the network, `datafusion-distributed`. A plan may read any file that
//! the worker may read, so the key is checked first. Client and worker must run the same code, so that derived figures are equal to the
//! last bit; other versions are rejected.
//!
//! Lost work is submitted again: results are recorded in the transfer store, unreachable workers are left out, and the others get the rest.
//!
//! All of it needs the feature `distributed`. A build without the feature has the same public items; their functions return an error
//! that names the feature.

mod worker_settings;

#[cfg(not(feature = "distributed"))]
mod no_keys;
#[cfg(not(feature = "distributed"))]
mod no_workers;
#[cfg(feature = "distributed")]
mod distributed;

#[cfg(feature = "distributed")]
pub use distributed::{Fleet, WorkerKey, WorkerTls, WorkersError, serve};
#[cfg(not(feature = "distributed"))]
pub use no_keys::{WorkerKey, WorkerTls, WorkersError};
#[cfg(not(feature = "distributed"))]
pub use no_workers::{Fleet, serve};
pub use worker_settings::WorkerSettings;
