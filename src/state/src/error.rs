//! The errors of the state file, one variant for each thing that can fail.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::database::{self, DatabaseError, PostgresServer};

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
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// What `--state` says is no place of a state.
    #[error(
        "--state is wrong: {reason}; it is a file, sqlite://FILE, or postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE"
    )]
    Location {
        /// Why.
        reason: String,
    },
    /// PostgreSQL is not there, or lets nobody in.
    #[error(
        "the state in PostgreSQL at {server} cannot be reached; check that it runs there, the host, the port, the user, the password and the name of the database in --state, and sslmode: disable where the server has no TLS"
    )]
    Unreachable {
        /// The user, host, port and database.
        server: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// PostgreSQL does not prove that it is the one.
    #[error(
        "PostgreSQL at {server} has a certificate that is not trusted; connect to the host that the certificate names, and name the file of the certificates that sign it in --state, as ?sslrootcert=FILE"
    )]
    Untrusted {
        /// The user, host, port and database.
        server: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The certificates that sign PostgreSQL's cannot be read.
    #[error("sslrootcert in --state names {}, which is no PEM file of certificates that can be read here", file.display())]
    RootCertificate {
        /// The file.
        file: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database has tables of others.
    #[error(
        "the database {server} has tables of another program; name an empty database with --state, or an empty schema of it (?options=-c%20search_path=NAME)"
    )]
    ForeignDatabase {
        /// The user, host, port and database.
        server: String,
    },
    /// A newer Parquote made the tables.
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
    /// Another program writes for too long.
    #[error(
        "the state in PostgreSQL at {server} is locked by another program for more than five seconds; look for it in pg_stat_activity"
    )]
    LockedDatabase {
        /// The user, host, port and database.
        server: String,
    },
    /// PostgreSQL reports anything else.
    #[error("the state in PostgreSQL at {server} failed")]
    Postgres {
        /// The user, host, port and database.
        server: String,
        /// What.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A server uses the state that is to be copied.
    #[error("a server uses {location}; stop it first. One that was killed is forgotten after half a minute")]
    Counting {
        /// The state.
        location: String,
    },
    /// There is a state where a copy is to be.
    #[error("{location} has {rows} rows in {table}; a state is only copied to where there is none")]
    NotEmpty {
        /// The place.
        location: String,
        /// A table with rows.
        table: &'static str,
        /// How many.
        rows: i64,
    },
    /// A copy of a file is asked for, and there is none.
    #[error(
        "{server} is no file; use pg_dump and pg_restore, or `parquote state copy` to move the state into a file"
    )]
    NoFile {
        /// The user, host, port and database.
        server: String,
    },
}

impl StateError {
    /// Turns what SQLite reports about a file into the variant that says what to do.
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

    /// The same for PostgreSQL.
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
