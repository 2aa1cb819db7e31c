//! Errors that stop a whole run. A problem with one file is an [`super::FetchOutcome`], not an error.

use std::io;
use std::path::PathBuf;

/// Why nothing could be planned or fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A declaration has a mistake.
    #[error("sources/{file}: {why}")]
    Declaration {
        /// The file below the folder of sources.
        file: String,
        /// What is wrong, with its line or key.
        why: String,
    },
    /// A source is named that does not exist.
    #[error("there is no source `{name}`{hint}; `parquote fetch --list` names all sources")]
    UnknownSource {
        /// As it was named.
        name: String,
        /// The nearest known name, or where the names are, in words.
        hint: String,
    },
    /// A folder or file of the fetcher's own cannot be read or written.
    #[error("{what} {}", path.display())]
    Files {
        /// What failed, as `cannot write`.
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
    /// The plan is large and nobody agreed to it.
    #[error(
        "the plan has {requests} requests; more than {most} need your agreement: --yes gives it, --since and --source make the plan \
         smaller, --limit ends the run after some of it"
    )]
    NotAgreed {
        /// Requests of the plan.
        requests: usize,
        /// As many are made without asking.
        most: usize,
    },
    /// The contact for the SEC is none.
    #[error(
        "`{0}` is not a contact; the SEC requires a name and an email address, such as `Asha Rao asha@firm.in`"
    )]
    Contact(String),
    /// No HTTP client could be made.
    #[error("the HTTP client cannot be made: {0}")]
    Client(String),
    /// Companies are named by symbols, and the list that says their numbers is not there.
    #[error(
        "`{0}` is no CIK, and no company_tickers.json that has it is under raw/us; fetch the source company_tickers first"
    )]
    UnknownCompany(String),
}

impl FetchError {
    /// An error of a file, for `map_err`.
    pub(crate) fn of_file(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Files { what, path, source }
    }
}
