//! Errors between a derivation and its workers.

use std::path::PathBuf;

use parquote_set::SetError;

/// Error of starting or using workers.
#[derive(Debug, thiserror::Error)]
pub enum WorkersError {
    /// A key, a certificate or a working folder cannot be used.
    #[error("{}: {why}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The fault, and the expected content.
        why: String,
    },
    /// An invalid worker address.
    #[error("`{address}` is not the address of a worker: {why}; write HOST:PORT, such as 10.0.0.2:7700")]
    Address {
        /// The address as the user wrote it.
        address: String,
        /// The fault, in words.
        why: String,
    },
    /// The key would be sent in clear text over a network.
    #[error(
        "`{0}` is not on this machine, and a key is not sent in clear text over a network: give --tls-ca, --tls-cert and --tls-key, \
         or --clear-text where the network itself encrypts"
    )]
    ClearText(String),
    /// A worker cannot be reached, or rejects requests.
    #[error("the worker at {address} cannot be used: {why}")]
    Unusable {
        /// The address of the worker.
        address: String,
        /// The error of the connection or of the reply, in words.
        why: String,
    },
    /// A worker runs another build.
    #[error(
        "the worker at {address} runs other code ({theirs}) than this program ({ours}): their figures might differ; start the same build there"
    )]
    OtherCode {
        /// The address of the worker.
        address: String,
        /// The version that the worker reports.
        theirs: String,
        /// The version of this program.
        ours: String,
    },
    /// The transfer store cannot be used.
    #[error(transparent)]
    Transfer(#[from] SetError),
    /// A SELECT cannot be answered.
    #[error("the SELECT cannot be answered: {0}")]
    Select(String),
    /// The server of a worker cannot run.
    #[error("the worker cannot serve: {0}")]
    Serve(String),
}
