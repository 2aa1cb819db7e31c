//! The errors of the state file, one variant for each thing that can fail.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// An error of the state file.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The file, or the folder it lies in, cannot be made.
    #[error("the state file {} cannot be created; choose another place with --state", path.display())]
    Make {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file is something else.
    #[error("{} is not a state file of Parquote; choose another file with --state", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A newer Parquote wrote the file.
    #[error(
        "the state file {} has version {found}, this Parquote knows versions up to {known}; use the Parquote that wrote it, or a newer one", path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version this binary knows.
        known: i64,
    },
    /// Another program holds the file.
    #[error("the state file {} is locked by another program; stop that program, or choose another file with --state", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// SQLite reports anything else.
    #[error("the state file {} failed", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What.
        #[source]
        source: rusqlite::Error,
    },
}

impl StateError {
    /// Turns what SQLite reports about a file into the variant that says what to do.
    pub(super) fn at(path: &Path) -> impl Fn(rusqlite::Error) -> Self + Copy + '_ {
        move |source| {
            let path = path.to_owned();
            match source.sqlite_error_code() {
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
                Some(ErrorCode::NotADatabase) => Self::Foreign { path },
                _ => Self::Sqlite { path, source },
            }
        }
    }
}
