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
    /// There is no file.
    #[error("there is no state file {}; name it with --state", path.display())]
    Absent {
        /// The file.
        path: PathBuf,
    },
    /// The file that is open no longer lies at its path.
    #[error(
        "the state file {} was moved away or replaced while it was open; known keys go on working, and nothing is written until a state file of this version lies there", path.display()
    )]
    Moved {
        /// Where it lay.
        path: PathBuf,
    },
    /// The file was replaced, and what SQLite wrote beside the old one still lies there.
    #[error(
        "the state file {} was replaced, but {} belongs to the one before; move it and the -shm file away with that, then the new file is taken up", path.display(), log.display()
    )]
    StrayLog {
        /// The file.
        path: PathBuf,
        /// The write-ahead log of the one before.
        log: PathBuf,
    },
    /// The file was replaced by one of an older version.
    #[error(
        "the state file {} was replaced by one of version {found}; start Parquote again, which brings it to version {known}", path.display()
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The version of this binary.
        known: i64,
    },
    /// A copy cannot be written, or its place is taken.
    #[error("the copy {} cannot be written; no file may lie there, and the disk needs room for it", path.display())]
    Copy {
        /// The copy.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A copy is damaged, as the file itself is.
    #[error("the copy {} is not sound ({found}) and was removed: the state file is damaged; restore an earlier copy", path.display())]
    Unsound {
        /// The copy.
        path: PathBuf,
        /// What SQLite found.
        found: String,
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
