//! What can go wrong between a derivation and its workers.

use std::path::PathBuf;

use parquote_set::SetError;

/// Why workers cannot be started or used.
#[derive(Debug, thiserror::Error)]
pub enum WorkersError {
    /// A file of a key or a certificate cannot be used.
    #[error("{}: {why}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong with it, and what it should be.
        why: String,
    },
    /// An address is no address of a worker.
    #[error("`{address}` is no address of a worker: {why}; write HOST:PORT, such as 10.0.0.2:7700")]
    Address {
        /// As it was given.
        address: String,
        /// What is wrong with it.
        why: String,
    },
    /// The key would be sent in clear text over a network.
    #[error(
        "`{address}` is not on this machine, and a key is not sent in clear text over a network: give --tls-ca, --tls-cert and --tls-key, \
         or --clear-text where the network itself encrypts"
    )]
    ClearText {
        /// Where.
        address: String,
    },
    /// A worker does not answer, or does not want to.
    #[error("the worker at {address} cannot be used: {why}")]
    Unusable {
        /// Where.
        address: String,
        /// Why.
        why: String,
    },
    /// A worker is another program.
    #[error(
        "the worker at {address} runs other code ({theirs}) than this program ({ours}): their figures might differ; start the same build there"
    )]
    OtherCode {
        /// Where.
        address: String,
        /// What runs there.
        theirs: String,
        /// What runs here.
        ours: String,
    },
    /// The place through which files pass cannot be used.
    #[error(transparent)]
    Transfer(#[from] SetError),
    /// A SELECT cannot be answered.
    #[error("the SELECT cannot be answered: {0}")]
    Select(String),
    /// The server of a worker cannot run.
    #[error("the worker cannot serve: {0}")]
    Serve(String),
}
