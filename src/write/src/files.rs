//! Files that are written whole and durably, so that a kill leaves the old content or the new one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::WriteError;

/// Reads a file; `None` if it is missing.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, WriteError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(WriteError::file(path, "read")(error)),
    }
}

/// Returns the names of the files in a folder; empty if the folder is missing.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>, WriteError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(WriteError::file(folder, "read"))?,
    };
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let names: io::Result<Vec<String>> = entries.map(|entry| entry.map(name)).collect();
    names.map_err(WriteError::file(folder, "read"))
}

/// Deletes a file; a missing file is not an error.
pub(crate) fn delete(path: &Path) -> Result<(), WriteError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(WriteError::file(path, "deleted")(error))
        }
        _ => Ok(()),
    }
}

/// Reads a JSON file; `None` if it is missing.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, WriteError> {
    let Some(bytes) = read(path)? else { return Ok(None) };
    let parsed = serde_json::from_slice(&bytes);
    parsed.map(Some).map_err(|source| WriteError::Damaged { path: path.to_owned(), source })
}

/// Writes a file and creates its folder: the bytes go to the file `unfinished` on the same disk, which is then renamed.
pub(crate) fn write(path: &Path, unfinished: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_durably(path, unfinished, bytes).map_err(WriteError::file(path, "written"))
}

/// Writes a value as a JSON file and creates its folder.
pub(crate) fn write_json(path: &Path, unfinished: &Path, value: &impl Serialize) -> Result<(), WriteError> {
    let text = serde_json::to_vec_pretty(value).map_err(io::Error::other);
    let text = text.map_err(WriteError::file(path, "written"))?;
    write(path, unfinished, &text)
}

fn write_durably(path: &Path, unfinished: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let mut file = File::create(unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(unfinished, path)?;
    sync_folder(folder)
}

/// Makes the names in a folder durable.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems cannot open folders; names become durable with the files.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
const fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
