//! Errors of the state.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::database::{self, DatabaseError, PostgresServer};

/// An error of the state.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The file or its folder cannot be created.
    #[error("the state file {} cannot be created; choose another place with --state", path.display())]
    Make {
        /// Path of the state file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The file is not a state file.
    #[error("{} is not a state file of Parquote; choose another file with --state", .0.display())]
    Foreign(PathBuf),
    /// A newer Parquote wrote the file.
    #[error(
        "the state file {} has version {found}, this Parquote knows version {known}; use the Parquote that wrote it, or a newer one", path.display()
    )]
    Newer {
        /// Path of the state file.
        path: PathBuf,
        /// Version of the file.
        found: i64,
        /// Version that this binary writes.
        known: i64,
    },
    /// A version before the first release created the state.
    #[error(
        "{0} was made by a development version of Parquote, and no release reads it; start with a new state: move it away or name another place with --state, then issue keys again"
    )]
    Development(String),
    /// The file does not exist or is empty, or the database has no tables.
    #[error("there is no state {0}; name it with --state")]
    Absent(String),
    /// The open file is no longer at its path.
    #[error(
        "the state file {} was moved away or replaced while it was open; known keys go on working, and nothing is written until a state file of this version is there", .0.display()
    )]
    Moved(PathBuf),
    /// The file was replaced, but the write-ahead log of the old file is still there.
    #[error(
        "the state file {} was replaced, but {} belongs to the previous file; move it and the -shm file away, then the new file is used", path.display(), log.display()
    )]
    StrayLog {
        /// Path of the state file.
        path: PathBuf,
        /// Path of the old file's write-ahead log.
        log: PathBuf,
    },
    /// A copy cannot be written, or the target exists.
    #[error("the copy {} cannot be written; no file may exist there, and the disk needs room for it", path.display())]
    Copy {
        /// Path of the copy.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A copy failed its integrity check: the file itself is damaged.
    #[error("the copy {} is not sound ({found}) and was removed: the state file is damaged; restore an earlier copy", path.display())]
    Unsound {
        /// Path of the copy.
        path: PathBuf,
        /// The first fault that SQLite found.
        found: String,
    },
    /// Another program has locked the file.
    #[error("the state file {} is locked by another program; stop that program, or choose another file with --state", .0.display())]
    Locked(PathBuf),
    /// Another error of SQLite.
    #[error("the state file {} failed", path.display())]
    Sqlite {
        /// Path of the state file.
        path: PathBuf,
        /// The error of SQLite.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// `--state` has no valid location; the reason, without a password.
    #[error(
        "--state is wrong: {0}; it is a file, sqlite://FILE, or postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE"
    )]
    Location(String),
    /// PostgreSQL cannot be reached or refuses the login.
    #[error(
        "the state in PostgreSQL at {server} cannot be reached; check that it runs there, the host, the port, the user, the password and the name of the database in --state, and sslmode: disable where the server has no TLS"
    )]
    Unreachable {
        /// The user, host, port and database.
        server: String,
        /// The error of the connection or login.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The certificate of PostgreSQL is not trusted.
    #[error(
        "PostgreSQL at {server} has a certificate that is not trusted; connect to the host that the certificate names, and add the file of the authority's certificates to --state, as ?sslrootcert=FILE"
    )]
    Untrusted {
        /// The user, host, port and database.
        server: String,
        /// The error of TLS.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file of root certificates cannot be read.
    #[error("sslrootcert in --state names {}, which is no PEM file of certificates that can be read here", file.display())]
    RootCertificate {
        /// Path of the certificate file.
        file: PathBuf,
        /// The error of reading or parsing the file.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database has tables of another program.
    #[error(
        "the database {0} has tables of another program; name an empty database with --state, or an empty schema of it (?options=-c%20search_path=NAME)"
    )]
    ForeignDatabase(String),
    /// A newer Parquote created the tables.
    #[error(
        "the state in PostgreSQL at {server} has version {found}, this Parquote knows version {known}; use the Parquote that wrote it, or a newer one"
    )]
    NewerDatabase {
        /// The user, host, port and database.
        server: String,
        /// Version of the tables.
        found: i64,
        /// Version that this binary writes.
        known: i64,
    },
    /// Another program held the write lock for too long.
    #[error(
        "the state in PostgreSQL at {0} is locked by another program for more than five seconds; look for it in pg_stat_activity"
    )]
    LockedDatabase(String),
    /// Another error of PostgreSQL.
    #[error("the state in PostgreSQL at {server} failed")]
    Postgres {
        /// The user, host, port and database.
        server: String,
        /// The error of PostgreSQL.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A server uses the state to copy.
    #[error("a server uses {0}; stop it first. The state forgets a killed server after half a minute")]
    Counting(String),
    /// The target of a copy has rows.
    #[error("{location} has {rows} rows in {table}; a state is copied only to a place that has no rows")]
    NotEmpty {
        /// The target.
        location: String,
        /// A table with rows.
        table: &'static str,
        /// Number of rows in it.
        rows: i64,
    },
    /// A file copy was requested of a state in PostgreSQL.
    #[error(
        "{0} is no file; use pg_dump and pg_restore, or `parquote state copy` to move the state into a file"
    )]
    NoFile(String),
}

impl StateError {
    /// Describes a file that does not exist or is empty.
    pub(super) fn absent(path: &Path) -> Self {
        Self::Absent(format!("file {}", path.display()))
    }

    /// Maps a SQLite error to the variant with the matching advice.
    pub(super) fn at_path<E: Into<DatabaseError>>(path: &Path) -> impl Fn(E) -> Self + Copy + '_ {
        move |error| {
            let path = path.to_owned();
            match error.into() {
                DatabaseError::Sqlite(source) => match source.sqlite_error_code() {
                    Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked(path),
                    Some(ErrorCode::NotADatabase) => Self::Foreign(path),
                    _ => Self::Sqlite { path, source: source.into() },
                },
                source => Self::Sqlite { path, source: source.into() },
            }
        }
    }

    /// Maps a PostgreSQL error to the variant with the matching advice.
    pub(super) fn at_server(server: &PostgresServer) -> impl Fn(DatabaseError) -> Self + Copy + '_ {
        move |error| {
            let server = server.to_string();
            match error {
                DatabaseError::Unreachable(source) => Self::Unreachable { server, source },
                DatabaseError::Untrusted(source) => Self::Untrusted { server, source: source.into() },
                DatabaseError::RootCertificate { file, source } => Self::RootCertificate { file, source },
                DatabaseError::Version { found, known } => Self::NewerDatabase { server, found, known },
                DatabaseError::Postgres(source) if database::is_lock_timeout(&source) => {
                    Self::LockedDatabase(server)
                }
                source => Self::Postgres { server, source: source.into() },
            }
        }
    }
}
