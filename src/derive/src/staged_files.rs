//! The files of tables in a staging folder, and their manifest entries.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::DeriveError;
use super::partition::KEY;
use super::published::read_metadata;
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_raw::map_in_order;
use parquote_set::{NewFile, SetFile, SetTable, hash_of};

/// A file in the staging folder.
pub(super) struct StagedFile {
    pub table: String,
    pub part: Option<String>,
    pub path: PathBuf,
    /// The hash of the file, if it is a link to a file of the previous set.
    pub known_hash: Option<String>,
}

/// Lists the Parquet files of a staging folder, by table and part.
pub(super) fn list_staged_files(folder: &Path) -> Result<Vec<StagedFile>, DeriveError> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        let Some(table) = stem(&path) else { continue };
        if path.is_dir() {
            let below = entries(&path)?.into_iter().filter(|path| is_parquet(path));
            files.extend(below.map(|path| StagedFile {
                table: table.clone(),
                part: stem(&path),
                path,
                known_hash: None,
            }));
        } else if is_parquet(&path) {
            files.push(StagedFile { table, part: None, path, known_hash: None });
        }
    }
    files.sort_by(|a, b| (&a.table, &a.part).cmp(&(&b.table, &b.part)));
    Ok(files)
}

/// Lists the Parquet files in a folder by name; empty if there is no such folder.
pub(super) fn parquet_files_in(folder: &Path) -> Result<Vec<PathBuf>, DeriveError> {
    let entries = if folder.exists() { entries(folder)? } else { Vec::new() };
    let mut files: Vec<PathBuf> = entries.into_iter().filter(|path| is_parquet(path)).collect();
    files.sort();
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, DeriveError> {
    let failed = |source| DeriveError::Write { path: folder.to_owned(), source };
    fs::read_dir(folder).map_err(failed)?.map(|entry| Ok(entry.map_err(failed)?.path())).collect()
}

fn stem(path: &Path) -> Option<String> {
    Some(path.file_stem()?.to_str()?.to_owned())
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "parquet")
}

/// Returns the manifest entries of the staged files, and the files that the previous set does not have.
pub(super) fn manifest_entries(
    catalogue: &Catalogue,
    market: Market,
    staged: Vec<StagedFile>,
) -> Result<(BTreeMap<String, SetTable>, Vec<NewFile>), DeriveError> {
    let set_files = map_in_order(staged, |file| -> Result<(StagedFile, SetFile), DeriveError> {
        let read_error = |source| DeriveError::Write { path: file.path.clone(), source };
        let bytes = fs::metadata(&file.path).map_err(read_error)?.len();
        let Some(([fingerprint], rows)) = read_metadata(&file.path, [KEY]) else {
            return Err(read_error(std::io::Error::other("it is not a Parquet file")));
        };
        let hash = match &file.known_hash {
            Some(hash) => hash.clone(),
            None => hash_of(&file.path)?,
        };
        let set_file = SetFile { part: file.part.clone(), bytes, rows, fingerprint, ..SetFile::named(&hash) };
        Ok((file, set_file))
    });
    let mut tables: BTreeMap<String, SetTable> = BTreeMap::new();
    let mut new = Vec::new();
    for staged in set_files {
        let (file, set_file) = staged?;
        if file.known_hash.is_none() {
            new.push(NewFile { table: file.table.clone(), hash: set_file.hash.clone(), path: file.path });
        }
        let table = tables.entry(file.table).or_insert_with_key(|name| SetTable {
            rows: 0,
            formula: catalogue.table(market, name).and_then(|table| table.formula.clone()),
            files: Vec::new(),
        });
        table.rows += set_file.rows;
        table.files.push(set_file);
    }
    Ok((tables, new))
}
