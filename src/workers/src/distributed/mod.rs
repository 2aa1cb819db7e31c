//! Workers and those who ask them, over `datafusion-distributed`.

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
pub use server::serve;
pub use tls::WorkerTls;
