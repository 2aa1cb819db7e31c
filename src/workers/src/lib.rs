//! Several machines: workers that run units of a derivation, or parts of the plan of a SELECT, for somebody who has their key.
//!
//! A worker keeps no state. It takes files from a transfer store beside the data, runs what it is handed, and leaves what it made there.
//! The engine that carries plans and rows over the network is `datafusion-distributed`, and no other room knows it. A plan may read any
//! file that a worker may read, so a key is asked for before anything else. Whoever asks and whoever works must be the same code: their
//! figures are equal to the last bit, and another version is refused.
//!
//! What a worker loses is asked for again: what is done is noted in the transfer store, workers that do not answer are left out, and the
//! rest is handed to the others.

mod error;
mod key;
mod tls;
mod version;
mod calling;

// Where units run.
mod desk;
mod kept_inputs;
mod units_plan;
mod connections;
mod read_only;
mod server;

// Who asks for them.
mod channels;
mod fleet;
mod submission;
mod select;

pub use error::WorkersError;
pub use fleet::Fleet;
pub use key::WorkerKey;
pub use server::{WorkerSettings, serve};
pub use tls::WorkerTls;
