//! The input of a market's last refresh: a fingerprint over the raw files, including those that the user added.
//!
//! The fingerprint is over names, sizes and modification times, not content. A file with only a new modification time costs one
//! derivation without changes.

use std::collections::BTreeMap;
use std::fs;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::error::FetchError;
use super::folders::{Folders, walk, write_record};
use parquote_catalogue::operation::Market;

/// The fingerprints of the last refresh, by market.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshRecord(BTreeMap<Market, String>);

impl RefreshRecord {
    /// Reads the record; a missing or unreadable record counts as empty.
    pub fn read(folders: &Folders) -> Self {
        let text = fs::read(folders.refresh_record_path()).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Returns true if the market was last refreshed from this input.
    pub fn matches(&self, market: Market, fingerprint: &str) -> bool {
        self.0.get(&market).is_some_and(|recorded| recorded == fingerprint)
    }

    /// Records the input of a market's refresh.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn store(
        &mut self,
        folders: &Folders,
        market: Market,
        fingerprint: String,
    ) -> Result<(), FetchError> {
        folders.create_folders()?;
        self.0.insert(market, fingerprint);
        write_record(&folders.refresh_record_path(), &self.0)
    }
}

/// Computes a fingerprint over the raw files of a market and `how`, the identity of the derivation.
///
/// # Errors
/// The folder cannot be read.
pub fn raw_fingerprint(folders: &Folders, market: Market, how: &str) -> Result<String, FetchError> {
    let folder = folders.raw().join(market.word());
    let mut files = Vec::new();
    if folder.is_dir() {
        // The path, the bytes, and the modification time in nanoseconds since 1970.
        walk(&folder, &mut |path, metadata| {
            let metadata = metadata?;
            let changed = metadata.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
            files.push((path.to_string_lossy().into_owned(), metadata.len(), changed));
            Ok(())
        })
        .map_err(FetchError::of_file("cannot read", folder))?;
    }
    files.sort();
    let mut hasher = blake3::Hasher::new();
    hasher.update(how.as_bytes());
    for (name, bytes, changed) in files {
        hasher
            .update(name.as_bytes())
            .update(b"\0")
            .update(&bytes.to_le_bytes())
            .update(&changed.to_le_bytes());
    }
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_and_another_derivation_change_the_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::new(folder.path());
        let print = |how: &str| raw_fingerprint(&folders, Market::India, how).unwrap();
        let empty = print("a");
        fs::create_dir_all(folder.path().join("india/x")).unwrap();
        fs::write(folder.path().join("india/x/a.csv"), "x").unwrap();
        let one = print("a");
        assert!(empty != one && one == print("a") && one != print("b"));
        fs::write(folder.path().join("india/x/a.csv"), "xy").unwrap();
        assert_ne!(one, print("a"));
        let one_more = print("a");
        let mut record = RefreshRecord::read(&folders);
        record.store(&folders, Market::India, one.clone()).unwrap();
        let record = RefreshRecord::read(&folders);
        assert!(record.matches(Market::India, &one) && !record.matches(Market::Us, &one));
        assert_eq!(print("a"), print("a"), "what is the fetcher's own is no raw file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), folder.path().join("india/x/around")).unwrap();
        assert_eq!(print("a"), one_more, "a circle of links has no file of its own");
    }
}
