//! An open state: a SQLite file or a PostgreSQL database.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::OpenFlags;

use super::backup::{self, BackupReport};
use super::database::{
    self, Connection, DatabaseError, PostgresConnection, PostgresServer, Transaction, params,
};
use super::error::StateError;
use super::file_identity::{FileIdentity, with_ending};
use super::location::{StateLocation, StateTarget};
use super::schema;

/// Time to wait for the write lock of another process, whose writes take milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Suffix of SQLite's write-ahead log.
const LOG_SUFFIX: &str = "-wal";

/// An open state. Its methods return errors of the database, and other errors where they name them.
#[derive(Debug)]
pub struct Store {
    pub(super) connection: Connection,
    location: StateLocation,
    /// Identities of the opened file and its write-ahead log; `None` for a database on a server.
    identities: [Option<FileIdentity>; 2],
}

impl Store {
    /// Opens the state. A missing file is created, readable by this user only; an empty database gets its tables.
    ///
    /// # Errors
    /// The file cannot be created, is not a state file, is of another version, or is locked; the server cannot be reached, or the
    /// database has other tables.
    pub fn open(location: impl Into<StateLocation>) -> Result<Self, StateError> {
        let location = location.into();
        let path = match &location.0 {
            StateTarget::File(path) => path,
            StateTarget::Server(server) => {
                return Self::open_server(server, schema::create_or_check_postgres);
            }
            StateTarget::Invalid(reason) => return Err(StateError::Location(reason.clone())),
        };
        create_file(path).map_err(|source| StateError::Make { path: path.to_owned(), source })?;
        let mut connection = rusqlite::Connection::open(path).map_err(StateError::at_path(path))?;
        schema::refuse_foreign(&connection, path)?;
        configure(&connection).map_err(StateError::at_path(path))?;
        schema::create_or_check(&mut connection, path)?;
        Ok(Self::from_connection(connection, path))
    }

    /// Opens an existing state, and creates none.
    ///
    /// # Errors
    /// Those of [`Store::open`], and [`StateError::Absent`].
    pub fn open_existing(location: impl Into<StateLocation>) -> Result<Self, StateError> {
        let location = location.into();
        let path = match &location.0 {
            StateTarget::File(path) => path,
            StateTarget::Server(server) => return Self::open_server(server, schema::check_postgres),
            StateTarget::Invalid(reason) => return Err(StateError::Location(reason.clone())),
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = rusqlite::Connection::open_with_flags(path, flags).map_err(|error| {
            if path.exists() { StateError::at_path(path)(error) } else { StateError::absent(path) }
        })?;
        schema::check(&connection, path)?;
        configure(&connection).map_err(StateError::at_path(path))?;
        Ok(Self::from_connection(connection, path))
    }

    /// Connects to a server, and checks or creates its tables.
    fn open_server(
        server: &PostgresServer,
        prepare: fn(&Connection, &PostgresServer) -> Result<(), StateError>,
    ) -> Result<Self, StateError> {
        let connection = PostgresConnection::open(server).map_err(StateError::at_server(server))?;
        let mut connection = Connection::Postgres(Box::new(connection));
        prepare(&connection, server)?;
        if let Connection::Postgres(connection) = &mut connection {
            connection.expect_version(schema::VERSION);
        }
        let store = Self {
            connection,
            location: StateLocation(StateTarget::Server(Box::new(server.clone()))),
            identities: [None; 2],
        };
        // Measures the clock of the database before any time is compared.
        store.version_of_others()?;
        Ok(store)
    }

    fn from_connection(connection: rusqlite::Connection, path: &Path) -> Self {
        let identities = [path, &with_ending(path, LOG_SUFFIX)].map(FileIdentity::from_path);
        Self {
            connection: Connection::Sqlite(connection),
            location: StateLocation::from_file(path),
            identities,
        }
    }

    /// Checks that the open file is still at its path: a file that was moved away must not be written.
    pub(super) fn check(&self) -> Result<(), StateError> {
        let Some(path) = self.location.file() else { return Ok(()) };
        let [identity, _] = self.identities;
        if FileIdentity::from_path(path) == identity {
            return Ok(());
        }
        Err(StateError::Moved(path.to_owned()))
    }

    /// Opens the file at the path if it is another file than the open one; returns true if it did.
    ///
    /// # Errors
    /// The file is missing, has a stray write-ahead log, or has another version.
    pub fn reopen_if_replaced(&mut self) -> Result<bool, StateError> {
        let Err(moved) = self.check() else { return Ok(false) };
        let Some(path) = self.location.file().filter(|path| path.exists()) else { return Err(moved) };
        // With the write-ahead log of the old file, SQLite would read a mixture of both.
        let ([_, log_identity], log) = (self.identities, with_ending(path, LOG_SUFFIX));
        if log_identity.is_some() && FileIdentity::from_path(&log) == log_identity {
            return Err(StateError::StrayLog { path: path.to_owned(), log });
        }
        *self = Self::open_existing(&self.location)?;
        Ok(true)
    }

    /// Copies the file to a new one.
    ///
    /// # Errors
    /// The target exists or cannot be written, the disk is full, or the copy fails its check: no file is left then. A database on a server
    /// is refused; it has its own tools.
    pub fn back_up(&self, to: &Path) -> Result<BackupReport, StateError> {
        self.check()?;
        match (&self.connection, self.location.file()) {
            (Connection::Sqlite(connection), Some(path)) => backup::copy(connection, path, to),
            _ => Err(StateError::NoFile(self.location.to_string())),
        }
    }

    /// Returns its location.
    pub fn location(&self) -> &StateLocation {
        &self.location
    }

    /// Returns true if servers on other machines may use it too.
    pub fn is_on_a_server(&self) -> bool {
        self.location.file().is_none()
    }

    /// Returns a number that differs after another connection has committed a change that servers must read.
    pub fn version_of_others(&self) -> Result<i64, StateError> {
        // Read with the time, in the same round trip.
        const NEWEST: &str = "SELECT (SELECT coalesce(max(number), 0) FROM changes),
                              CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
        let newest_change = || match &self.connection {
            Connection::Sqlite(connection) => {
                Ok(connection.pragma_query_value(None, "data_version", |row| row.get(0))?)
            }
            Connection::Postgres(_) => {
                let sent_at = (Instant::now(), SystemTime::now());
                let read_newest = |row: &database::Row<'_>| Ok((row.get(0)?, row.get(1)?));
                let (newest, time_ms) = self.connection.query_row(NEWEST, params![], read_newest)?;
                PostgresConnection::note_clock(sent_at, time_ms);
                Ok(newest)
            }
        };
        newest_change().map_err(self.error_mapper())
    }

    /// Maps an error of the database to the variant with the matching advice.
    pub(super) fn error_mapper(&self) -> impl Fn(DatabaseError) -> StateError + '_ {
        |error| match &self.location.0 {
            StateTarget::Server(server) => StateError::at_server(server)(error),
            StateTarget::File(path) => StateError::at_path(path)(error),
            StateTarget::Invalid(reason) => StateError::Location(reason.clone()),
        }
    }

    /// Runs changes in one transaction.
    pub(super) fn write<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> database::Result<T>,
    ) -> Result<T, StateError> {
        self.check()?;
        self.connection.write(change).map_err(self.error_mapper())
    }
}

/// Sets the pragmas of a connection.
fn configure(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // The capacity exceeds the number of statements in this crate.
    connection.set_prepared_statement_cache_capacity(256);
    // The write-ahead log admits readers during a write. The pragma returns the mode in effect: a file system without shared memory stays
    // in the old one, which is slower and equally safe.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Deleted and replaced data is overwritten with zeros.
    connection.pragma_update(None, "secure_delete", true)
}

/// Creates the folder and an empty file: SQLite would create it world-readable.
fn create_file(path: &Path) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

impl Store {
    /// Sets a SQLite pragma on this connection, with which tests simulate a full disk or a read-only file. Does nothing on PostgreSQL.
    ///
    /// # Errors
    /// Those of SQLite.
    #[doc(hidden)]
    pub fn set_pragma(&self, name: &str, value: i64) -> rusqlite::Result<()> {
        let Connection::Sqlite(connection) = &self.connection else { return Ok(()) };
        match connection.pragma_update_and_check(None, name, value, |_| Ok(())) {
            // Some pragmas return no row when set.
            Err(rusqlite::Error::QueryReturnedNoRows) => Ok(()),
            set => set,
        }
    }
}

#[cfg(test)]
impl Store {
    pub(crate) fn sqlite(&self) -> &rusqlite::Connection {
        match &self.connection {
            Connection::Sqlite(connection) => connection,
            Connection::Postgres(_) => panic!("the state is in no file"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(path: &Path) -> String {
        Store::open(path).unwrap_err().to_string()
    }

    #[test]
    fn a_file_is_made_for_its_user_alone_and_opens_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/state.db");
        drop(Store::open(&path).unwrap());
        drop(Store::open(&path).unwrap());
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions()) & 0o77,
            0
        );
    }

    #[test]
    fn a_newer_file_is_refused_with_both_versions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let store = Store::open(&path).unwrap();
        store.sqlite().pragma_update(None, "user_version", 99).unwrap();
        drop(store);
        let message = error(&path);
        assert!(message.contains("version 99") && message.contains("knows version 1"), "{message}");
    }

    #[test]
    fn a_file_of_others_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("notes.txt");
        fs::write(&text, "these are notes and no database, whatever the name of the file says").unwrap();
        assert!(error(&text).contains("is not a state file"));
        let database = folder.path().join("other.db");
        rusqlite::Connection::open(&database).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
        assert!(error(&database).contains("is not a state file"));
        assert!(error(&folder.path().join("notes.txt/state.db")).contains("--state"));
    }

    #[test]
    fn an_empty_file_is_no_state_yet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        fs::write(&path, "").unwrap();
        let message = Store::open_existing(&path).unwrap_err().to_string();
        assert!(message.contains("there is no state file"), "{message}");
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
        drop(Store::open(&path).unwrap());
        assert!(Store::open_existing(&path).unwrap().keys().unwrap().is_empty());
    }

    #[test]
    fn a_locked_file_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut store = Store::open(&path).unwrap();
        let holder = rusqlite::Connection::open(&path).unwrap();
        holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
        store.sqlite().busy_timeout(Duration::ZERO).unwrap();
        let message = store.revoke_key(1, 0).unwrap_err().to_string();
        assert!(message.contains("locked by another program"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_moved_away_is_not_written_and_its_successor_is_taken_up() {
        let folder = tempfile::tempdir().unwrap();
        let (path, away) = (folder.path().join("state.db"), folder.path().join("away.db"));
        let mut store = Store::open(&path).unwrap();
        store.insert_key(&crate::NewKey::of_test(1)).unwrap();
        assert!(!store.reopen_if_replaced().unwrap());
        store.back_up(&folder.path().join("copy.db")).unwrap();
        fs::rename(&path, &away).unwrap();
        for refused in [store.revoke_key(1, 5).unwrap_err(), store.reopen_if_replaced().unwrap_err()] {
            assert!(refused.to_string().contains("moved away"), "{refused}");
        }
        assert_eq!(store.keys().unwrap().len(), 1);
        fs::copy(folder.path().join("copy.db"), &path).unwrap();
        let stray = store.reopen_if_replaced().unwrap_err().to_string();
        assert!(stray.contains("state.db-wal"), "{stray}");
        for ending in ["-wal", "-shm"] {
            fs::rename(with_ending(&path, ending), with_ending(&away, ending)).unwrap();
        }
        assert!(store.reopen_if_replaced().unwrap());
        assert!(store.revoke_key(1, 5).unwrap());
        // A file that is not a state file is not taken up.
        for ending in ["", "-wal", "-shm"] {
            fs::remove_file(with_ending(&path, ending)).unwrap();
        }
        fs::write(&path, "notes that are long enough to be read as a database by a program that opens them")
            .unwrap();
        assert!(matches!(store.reopen_if_replaced().unwrap_err(), StateError::Foreign(_)));
    }

    #[test]
    fn a_backup_has_all_that_is_committed_and_takes_no_place_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("state.db"), folder.path().join("copy.db"));
        let mut store = Store::open(&path).unwrap();
        for byte in 1..=3 {
            store.insert_key(&crate::NewKey::of_test(byte)).unwrap();
        }
        // The commits are in the log only.
        assert!(fs::metadata(with_ending(&path, "-wal")).unwrap().len() > 0);
        let made = store.back_up(&copy).unwrap();
        assert_eq!(made.version, schema::VERSION);
        assert!(made.rows.contains(&("keys".to_owned(), 3)), "{made:?}");
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&copy).unwrap().permissions()) & 0o777,
            0o600
        );
        assert_eq!(Store::open(&copy).unwrap().keys().unwrap(), store.keys().unwrap());
        let taken = store.back_up(&copy).unwrap_err().to_string();
        assert!(taken.contains("copy.db"), "{taken}");
        assert!(store.back_up(&folder.path().join("no/such/folder.db")).is_err());
    }
}
