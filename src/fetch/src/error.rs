//! Errors that stop a whole run. A problem with one file is an [`super::FetchOutcome`], not an error.

use std::io;
use std::path::PathBuf;

/// The reason why nothing could be planned or fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A declaration has a mistake.
    #[error("sources/{file}: {why}")]
    Declaration {
        /// Path below the sources folder.
        file: String,
        /// The mistake, with its line or key.
        why: String,
    },
    /// A named source does not exist.
    #[error("there is no source `{name}`{hint}; `parquote fetch --list` names all sources")]
    UnknownSource {
        /// The name that the caller wrote.
        name: String,
        /// A suggestion of the nearest name, in brackets; empty without one.
        hint: String,
    },
    /// A file or folder of the fetcher cannot be read or written.
    #[error("{what} {}", path.display())]
    Files {
        /// The failed operation, such as `cannot write`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// Another process fetches into the same folder.
    #[error("another process fetches into this folder: {0}")]
    Busy(String),
    /// The plan is large and was not confirmed.
    #[error(
        "the plan has {requests} requests; more than {most} need your agreement: --yes gives it, --since and --source make the plan \
         smaller, --limit ends the run after some of it"
    )]
    NotAgreed {
        /// Number of requests in the plan.
        requests: usize,
        /// Number of requests that need no confirmation.
        most: usize,
    },
    /// The contact for the SEC is invalid.
    #[error(
        "`{0}` is not a contact; the SEC requires a name and an email address, such as `Asha Rao asha@firm.in`"
    )]
    Contact(String),
    /// The HTTP client could not be created.
    #[error("the HTTP client cannot be made: {0}")]
    Client(String),
    /// A company is named by a symbol, and no company list with its CIK is on disk.
    #[error(
        "`{0}` is not a CIK, and no company_tickers.json under raw/us has this symbol; fetch the source company_tickers first"
    )]
    UnknownCompany(String),
}

impl FetchError {
    /// Returns a function that adds the failed operation and the path to an I/O error.
    pub(crate) fn of_file(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Files { what, path, source }
    }
}
