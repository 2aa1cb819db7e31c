//! Several machines: workers that run units of a derivation, or parts of the plan of a SELECT, for somebody who has their key.
//!
//! A worker keeps no state. It takes files from a transfer store beside the data, runs what it is handed, and leaves what it made there.
//! The engine that carries plans and rows over the network is `datafusion-distributed`, and no other room knows it. A plan may read any
//! file that a worker may read, so a key is asked for before anything else. Whoever asks and whoever works must be the same code: their
//! figures are equal to the last bit, and another version is refused.
//!
//! What a worker loses is asked for again: what is done is noted in the transfer store, workers that do not answer are left out, and the
//! rest is handed to the others.
//!
//! All of it needs the feature `distributed`. A build without it has the same names, and their functions return an error that says so.

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
