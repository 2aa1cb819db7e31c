//! Copies of the state file with all committed data, taken while others read and write it. A copy is readable by its user only and never
//! overwrites another file.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::error::StateError;

/// A copy that passed its check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupReport {
    /// Schema version of the file and its copy.
    pub version: i64,
    /// Size of the copy, in bytes.
    pub bytes: u64,
    /// Number of rows of each table, by name.
    pub rows: Vec<(String, i64)>,
}

/// Copies an open file from `path` to `to`.
pub(super) fn copy(connection: &Connection, path: &Path, to: &Path) -> Result<BackupReport, StateError> {
    let failed = |source| StateError::Copy { path: to.to_owned(), source };
    let to_absolute = std::path::absolute(to).map_err(failed)?;
    let Some(name) = to_absolute.to_str() else {
        return Err(failed(io::Error::new(io::ErrorKind::InvalidFilename, "the name is not UTF-8")));
    };
    // SQLite would create a world-readable file; it fills an empty one.
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(to).map_err(failed)?;
    let result = connection
        .execute("VACUUM INTO ?1", [name])
        .map_err(StateError::at_path(path))
        .and_then(|_| make_durable(&to_absolute).map_err(failed))
        .and_then(|()| check_copy(to));
    if result.is_err() {
        // Best effort: the incomplete file is useless either way.
        let _ = fs::remove_file(to);
    }
    result
}

/// Syncs a file and its directory entry to the disk.
fn make_durable(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()?;
    #[cfg(unix)]
    File::open(path.parent().unwrap_or(Path::new("/")))?.sync_all()?;
    Ok(())
}

/// Checks the integrity of a copy and counts its rows.
fn check_copy(path: &Path) -> Result<BackupReport, StateError> {
    const TABLES: &str =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let read_copy = || -> rusqlite::Result<_> {
        let copy = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let integrity: String = copy.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        let version = copy.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let mut counts = Vec::new();
        let mut tables = copy.prepare(TABLES)?;
        for name in tables.query_map([], |row| row.get::<_, String>(0))? {
            let name = name?;
            let count = copy.query_row(&format!("SELECT count(*) FROM \"{name}\""), [], |row| row.get(0))?;
            counts.push((name, count));
        }
        Ok((integrity, version, counts))
    };
    let (integrity, version, rows) = read_copy().map_err(StateError::at_path(path))?;
    if integrity != "ok" {
        return Err(StateError::Unsound { path: PathBuf::from(path), found: integrity });
    }
    let bytes = fs::metadata(path).map_or(0, |file| file.len());
    Ok(BackupReport { version, bytes, rows })
}
