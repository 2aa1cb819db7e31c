//! Workers and their clients, over `datafusion-distributed`.

mod error;
mod key;
mod tls;
mod version;
mod calling;

// Worker.
mod executor;
mod input_cache;
mod units_plan;
mod connections;
mod read_only;
mod server;

// Client.
mod channels;
mod fleet;
mod submission;
mod select;

pub use error::WorkersError;
pub use fleet::Fleet;
pub use key::WorkerKey;
pub use server::serve;
pub use tls::WorkerTls;
