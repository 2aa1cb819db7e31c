//! The manifest of a set: the files of each table, the date of the last session, and the publisher and time of publication.
//!
//! The id is a hash over the content alone: two sets with the same files have the same id, under any number and from any publisher.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use super::error::SetError;
use super::plain_file::FileVersion;
use super::stored_file::{StoredFile, TableFiles};
use parquote_catalogue::operation::Market;

/// Version of the manifest format.
pub(super) const FORMAT: u32 = 1;

/// A published set of one market's tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Set {
    /// Version of the manifest format.
    pub format: u32,
    /// The market.
    pub market: Market,
    /// The number, from 1.
    pub number: u64,
    /// A hash over the names of tables and parts and the hashes of files, 16 hexadecimal digits.
    pub id: String,
    /// Date of the last session in the tables; `None` without sessions.
    pub as_of: Option<NaiveDate>,
    /// Publisher, time and origin.
    pub published: Publication,
    /// The tables by name.
    pub tables: BTreeMap<String, SetTable>,
    /// The plain files of the inbox that this set contains or ignores, by path below the market's folder.
    pub inbox: BTreeMap<String, FileVersion>,
    /// Derived tables that plain files replace; without files if there is no derived table. A derived table is restored when its
    /// plain files are removed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub covered: BTreeMap<String, SetTable>,
}

/// Publisher, time and origin of a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Publication {
    /// Time of publication.
    pub at: DateTime<Utc>,
    /// Program, process and machine of the publisher.
    pub by: String,
    /// Origin of the set.
    pub origin: SetOrigin,
    /// True if the set was published in spite of errors.
    pub forced: bool,
    /// Time when its content was first published, if an earlier set had the same content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_at: Option<DateTime<Utc>>,
}

impl Publication {
    /// Returns the time when the content was first published, which a rollback to an earlier set does not change.
    pub fn content_at(&self) -> DateTime<Utc> {
        self.first_at.unwrap_or(self.at)
    }
}

/// The origin of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetOrigin {
    /// Derived from raw files.
    Derived,
    /// Built from plain files.
    Inbox,
    /// A rollback: the content of an earlier set, published again.
    RolledBack {
        /// The number of the earlier set.
        to: u64,
    },
}

/// The files of one table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetTable {
    /// Number of rows in all files.
    pub rows: u64,
    /// Name and version of the formulas of its computed columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The files, by part.
    pub files: Vec<SetFile>,
}

/// A file of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetFile {
    /// The part of the table, such as a calendar year; `None` if the table is one file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// BLAKE3 of its bytes, hexadecimal.
    pub hash: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its number of rows.
    pub rows: u64,
    /// Fingerprint of its inputs, which derivation stores in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Hash of each MiB of its bytes, for readers that read blocks from an object store. Empty for sets of a folder, also after another
    /// program copied the folder to a store.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mib_hashes: Vec<String>,
}

impl Set {
    /// Computes the id of these tables.
    pub fn id_of(tables: &BTreeMap<String, SetTable>) -> String {
        const DIGITS: usize = 16;
        let mut hasher = blake3::Hasher::new();
        for (name, table) in tables {
            for file in &table.files {
                let part = file.part.as_deref().unwrap_or_default();
                hasher.update(format!("{name}\n{part}\n{}\n", file.hash).as_bytes());
            }
        }
        hasher.finalize().to_hex().chars().take(DIGITS).collect()
    }

    /// Checks format, market, number and id of the manifest.
    ///
    /// # Errors
    /// The mismatch, in words.
    pub(super) fn check(&self, market: Market, number: u64) -> Result<(), String> {
        check_format(self.format)?;
        if self.market != market || self.number != number {
            return Err(format!("it says that it is set {} of {}", self.number, self.market));
        }
        if self.id != Self::id_of(&self.tables) {
            return Err("its id is not that of its files".to_owned());
        }
        Ok(())
    }

    /// Returns every file with its table.
    pub fn files(&self) -> impl Iterator<Item = (&str, &SetFile)> {
        self.tables.iter().flat_map(|(name, table)| table.files.iter().map(move |file| (name.as_str(), file)))
    }

    /// Returns the files as derived: for a table that plain files replace, its derived files if there are any.
    pub fn derived_files(&self) -> impl Iterator<Item = (&str, &SetFile)> {
        let derived = |(name, table)| {
            let derived = self.covered.get(name).filter(|derived| !derived.files.is_empty());
            (name, derived.unwrap_or(table))
        };
        let tables = self.tables.iter().map(derived);
        tables.flat_map(|(name, table)| table.files.iter().map(move |file| (name.as_str(), file)))
    }

    /// Returns true if all tables are plain files and none replaces a derived table.
    pub fn is_plain(&self) -> bool {
        let is_plain = |name| self.covered.get(name).is_some_and(|derived| derived.files.is_empty());
        self.tables.keys().all(is_plain)
    }

    /// Returns every file that must not be deleted: served files, and derived files that plain files replace.
    pub fn retained_files(&self) -> impl Iterator<Item = (&str, &SetFile)> {
        let covered = self.covered.iter();
        self.files().chain(
            covered.flat_map(|(name, table)| table.files.iter().map(move |file| (name.as_str(), file))),
        )
    }

    /// Returns the files by table; `stored` locates a file of a table.
    pub(super) fn files_by_table(&self, stored: impl Fn(&str, &SetFile) -> StoredFile) -> TableFiles {
        let located = self.tables.iter().map(|(name, table)| {
            let files = table.files.iter().map(|file| stored(name, file));
            (name.clone(), files.collect())
        });
        located.collect()
    }

    /// Total bytes of its files.
    pub fn bytes(&self) -> u64 {
        self.files().map(|(_, file)| file.bytes).sum()
    }
}

impl SetTable {
    /// Adds a file, which replaces the file of the same part.
    pub fn replace_part(&mut self, file: SetFile) {
        self.files.retain(|other| other.part != file.part);
        self.files.push(file);
        self.files.sort_by(|a, b| a.part.cmp(&b.part));
        self.rows = self.files.iter().map(|file| file.rows).sum();
    }

    /// Removes the file of a part, or replaces it by that of the derived table.
    pub fn remove_part(&mut self, part: Option<&str>, derived: Option<&Self>) {
        self.files.retain(|file| file.part.as_deref() != part);
        let file = derived.and_then(|table| table.files.iter().find(|file| file.part.as_deref() == part));
        self.files.extend(file.cloned());
        self.files.sort_by(|a, b| a.part.cmp(&b.part));
        self.rows = self.files.iter().map(|file| file.rows).sum();
    }
}

impl SetFile {
    /// Creates an entry with a hash, and default values for the rest.
    pub fn named(hash: &str) -> Self {
        Self { hash: hash.to_owned(), ..Self::default() }
    }

    /// Its name below the folder of its table.
    pub fn file_name(&self) -> String {
        format!("{}.parquet", self.hash)
    }
}

impl std::fmt::Display for SetOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Derived => f.write_str("derived"),
            Self::Inbox => f.write_str("plain files"),
            Self::RolledBack { to } => write!(f, "rolled back to set {to}"),
        }
    }
}

/// Names this program, process and machine, for the publisher of a manifest.
pub(super) fn publisher_name() -> String {
    // Only Linux has its host name in a file; elsewhere the host is omitted.
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let on = if host.is_empty() { String::new() } else { format!(" on {}", host.trim()) };
    format!("parquote {}, process {}{on}", env!("CARGO_PKG_VERSION"), std::process::id())
}

/// Parses and checks a manifest.
pub(super) fn parse_manifest(bytes: &[u8], name: &str, market: Market, number: u64) -> Result<Set, SetError> {
    /// The field that every format has; another format may lack all others.
    #[derive(Deserialize)]
    struct FormatField {
        format: u32,
    }
    let manifest_error = |why: String| SetError::Manifest { name: name.to_owned(), why };
    let json_error = |error: serde_json::Error| manifest_error(error.to_string());
    let head: FormatField = serde_json::from_slice(bytes).map_err(json_error)?;
    check_format(head.format).map_err(manifest_error)?;
    let set: Set = serde_json::from_slice(bytes).map_err(json_error)?;
    set.check(market, number).map_err(manifest_error)?;
    Ok(set)
}

fn check_format(found: u32) -> Result<(), String> {
    if found == FORMAT {
        return Ok(());
    }
    Err(format!(
        "its form is version {found}, this Parquote reads version {FORMAT}; take the Parquote that wrote it, or a newer one"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(hash: &str) -> SetTable {
        let file = SetFile { bytes: 1, rows: 1, fingerprint: Some("f".into()), ..SetFile::named(hash) };
        SetTable { rows: 1, formula: None, files: vec![file] }
    }

    #[test]
    fn the_id_is_that_of_the_content_alone() {
        let one = BTreeMap::from([("a".to_owned(), table("1")), ("b".to_owned(), table("2"))]);
        let mut other = one.clone();
        assert_eq!(Set::id_of(&one).len(), 16);
        other.get_mut("a").unwrap().files[0].fingerprint = None;
        assert_eq!(Set::id_of(&one), Set::id_of(&other));
        other.get_mut("a").unwrap().files[0].hash = "3".to_owned();
        assert_ne!(Set::id_of(&one), Set::id_of(&other));
    }

    /// A manifest as users have it on disk: later versions must read it.
    const WRITTEN: &str = r#"{"format": 1, "market": "india", "number": 7, "id": "ID", "as_of": "2026-10-30",
        "published": {"at": "2026-11-22T05:04:25.687597018Z", "by": "parquote 0.1.0, process 1", "origin": {"rolled_back": {"to": 3}},
        "forced": false}, "tables": {"stocks": {"rows": 9, "files": [{"hash": "797f", "bytes": 31548, "rows": 9}]}}, "inbox": {}}"#;

    #[test]
    fn a_manifest_reads_back_and_is_written_in_the_same_form() {
        let id = Set::id_of(&BTreeMap::from([("stocks".to_owned(), table("797f"))]));
        let text = WRITTEN.replace("ID", &id);
        let set = parse_manifest(text.as_bytes(), "7.json", Market::India, 7).unwrap();
        assert_eq!(set.published.origin, SetOrigin::RolledBack { to: 3 });
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_value(&set).unwrap(), read);
    }

    #[test]
    fn a_manifest_of_another_form_is_refused_by_its_version() {
        for newer in
            [WRITTEN.replace("\"format\": 1", "\"format\": 2"), "{\"format\":2,\"all\":\"else\"}".to_owned()]
        {
            let error = parse_manifest(newer.as_bytes(), "7.json", Market::India, 7).unwrap_err().to_string();
            assert!(
                error.contains("7.json") && error.contains("version 2, this Parquote reads version 1"),
                "{error}"
            );
        }
    }
}
