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
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The file is not a state file.
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
    /// The file does not exist.
    #[error("there is no state file {}; name it with --state", path.display())]
    Absent {
        /// The file.
        path: PathBuf,
    },
    /// The open file is no longer at its path.
    #[error(
        "the state file {} was moved away or replaced while it was open; known keys go on working, and nothing is written until a state file of this version lies there", path.display()
    )]
    Moved {
        /// Path where it was opened.
        path: PathBuf,
    },
    /// The file was replaced, but the write-ahead log of the old file is still there.
    #[error(
        "the state file {} was replaced, but {} belongs to the one before; move it and the -shm file away with that, then the new file is taken up", path.display(), log.display()
    )]
    StrayLog {
        /// The file.
        path: PathBuf,
        /// The write-ahead log of the old file.
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
    /// A copy cannot be written, or the target exists.
    #[error("the copy {} cannot be written; no file may lie there, and the disk needs room for it", path.display())]
    Copy {
        /// The copy.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// A copy failed its integrity check: the file itself is damaged.
    #[error("the copy {} is not sound ({found}) and was removed: the state file is damaged; restore an earlier copy", path.display())]
    Unsound {
        /// The copy.
        path: PathBuf,
        /// The first fault that SQLite found.
        found: String,
    },
    /// Another program has locked the file.
    #[error("the state file {} is locked by another program; stop that program, or choose another file with --state", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// Another error of SQLite.
    #[error("the state file {} failed", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// `--state` has no valid location.
    #[error(
        "--state is wrong: {reason}; it is a file, sqlite://FILE, or postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE"
    )]
    Location {
        /// The reason, without a password.
        reason: String,
    },
    /// PostgreSQL cannot be reached or refuses the login.
    #[error(
        "the state in PostgreSQL at {server} cannot be reached; check that it runs there, the host, the port, the user, the password and the name of the database in --state, and sslmode: disable where the server has no TLS"
    )]
    Unreachable {
        /// The user, host, port and database.
        server: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The certificate of PostgreSQL is not trusted.
    #[error(
        "PostgreSQL at {server} has a certificate that is not trusted; connect to the host that the certificate names, and name the file of the certificates that sign it in --state, as ?sslrootcert=FILE"
    )]
    Untrusted {
        /// The user, host, port and database.
        server: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file of root certificates cannot be read.
    #[error("sslrootcert in --state names {}, which is no PEM file of certificates that can be read here", file.display())]
    RootCertificate {
        /// The file.
        file: PathBuf,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database has tables of another program.
    #[error(
        "the database {server} has tables of another program; name an empty database with --state, or an empty schema of it (?options=-c%20search_path=NAME)"
    )]
    ForeignDatabase {
        /// The user, host, port and database.
        server: String,
    },
    /// A newer Parquote created the tables.
    #[error(
        "the state in PostgreSQL at {server} has version {found}, this Parquote knows versions up to {known}; use the Parquote that wrote it, or a newer one"
    )]
    NewerDatabase {
        /// The user, host, port and database.
        server: String,
        /// Their version.
        found: i64,
        /// The newest version this binary knows.
        known: i64,
    },
    /// Another program held the write lock for too long.
    #[error(
        "the state in PostgreSQL at {server} is locked by another program for more than five seconds; look for it in pg_stat_activity"
    )]
    LockedDatabase {
        /// The user, host, port and database.
        server: String,
    },
    /// Another error of PostgreSQL.
    #[error("the state in PostgreSQL at {server} failed")]
    Postgres {
        /// The user, host, port and database.
        server: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A server uses the state to copy.
    #[error("a server uses {location}; stop it first. One that was killed is forgotten after half a minute")]
    Counting {
        /// The state.
        location: String,
    },
    /// The target of a copy has rows.
    #[error("{location} has {rows} rows in {table}; a state is only copied to where there is none")]
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
        "{server} is no file; use pg_dump and pg_restore, or `parquote state copy` to move the state into a file"
    )]
    NoFile {
        /// The user, host, port and database.
        server: String,
    },
}

impl StateError {
    /// Maps a SQLite error to the variant with the matching advice.
    pub(super) fn at<E: Into<DatabaseError>>(path: &Path) -> impl Fn(E) -> Self + Copy + '_ {
        move |error| {
            let path = path.to_owned();
            match error.into() {
                DatabaseError::Sqlite(source) => match source.sqlite_error_code() {
                    Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
                    Some(ErrorCode::NotADatabase) => Self::Foreign { path },
                    _ => Self::Sqlite { path, source: source.into() },
                },
                source => Self::Sqlite { path, source: source.into() },
            }
        }
    }

    /// Maps a PostgreSQL error in the same way.
    pub(super) fn at_server(server: &PostgresServer) -> impl Fn(DatabaseError) -> Self + Copy + '_ {
        move |error| {
            let server = server.to_string();
            match error {
                DatabaseError::Unreachable(source) => Self::Unreachable { server, source },
                DatabaseError::Untrusted(source) => Self::Untrusted { server, source: source.into() },
                DatabaseError::RootCertificate { file, source } => Self::RootCertificate { file, source },
                DatabaseError::Version { found, known } => Self::NewerDatabase { server, found, known },
                DatabaseError::Postgres(source) if database::is_lock_timeout(&source) => {
                    Self::LockedDatabase { server }
                }
                source => Self::Postgres { server, source: source.into() },
            }
        }
    }
}
