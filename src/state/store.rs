//! An open state file.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Row};

use super::error::StateError;
use super::migrations;

/// How long to wait for another program's write, which takes milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// An open state file.
#[derive(Debug)]
pub struct Store {
    pub(super) connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens a file and brings it to the newest version; one that does not exist is made, for this user's eyes only.
    ///
    /// # Errors
    /// A file that cannot be made, is not a state file, is newer than this binary, or is locked by another program.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        make(path).map_err(|source| StateError::Make { path: path.to_owned(), source })?;
        let failed = StateError::at(path);
        let mut connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
        // The log lets readers and one writer work at once. The answer is the mode that there is: a file system without
        // shared memory keeps the old one, which is slower and just as safe.
        connection
            .pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))
            .and_then(|()| connection.pragma_update(None, "synchronous", "full"))
            .and_then(|()| connection.pragma_update(None, "foreign_keys", true))
            // What is deleted or replaced is overwritten with zeros, not left in free pages.
            .and_then(|()| connection.pragma_update(None, "secure_delete", true))
            .map_err(failed)?;
        migrations::run(&mut connection, path)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A number that changes when another program, or another connection, has committed something.
    ///
    /// # Errors
    /// What SQLite reports.
    pub fn version_of_others(&self) -> Result<i64, StateError> {
        self.connection
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(StateError::at(&self.path))
    }
}

/// The rows that a statement gives.
pub(super) fn rows<T>(
    connection: &Connection,
    sql: &str,
    params: impl rusqlite::Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare(sql)?.query_map(params, read)?.collect()
}

/// Makes the folder and the empty file before SQLite does, which would let everyone read it.
fn make(path: &Path) -> io::Result<()> {
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
        store.connection.pragma_update(None, "user_version", 99).unwrap();
        drop(store);
        let message = error(&path);
        assert!(message.contains("version 99") && message.contains("up to 6"), "{message}");
    }

    #[test]
    fn a_file_of_others_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("notes.txt");
        fs::write(&text, "these are notes and no database, whatever the name of the file says").unwrap();
        assert!(error(&text).contains("is not a state file"));
        let database = folder.path().join("other.db");
        Connection::open(&database).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
        assert!(error(&database).contains("is not a state file"));
        assert!(error(&folder.path().join("notes.txt/state.db")).contains("--state"));
    }

    #[test]
    fn a_locked_file_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut store = Store::open(&path).unwrap();
        let holder = Connection::open(&path).unwrap();
        holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
        store.connection.busy_timeout(Duration::ZERO).unwrap();
        let message = store.revoke_key(1, 0).unwrap_err().to_string();
        assert!(message.contains("locked by another program"), "{message}");
    }
}
