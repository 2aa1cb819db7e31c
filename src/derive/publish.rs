//! Tables that were made in a staging folder become the next set of their market.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use super::error::DeriveError;
use super::laid_over::{LaidOver, laid_over};
use super::partition::KEY;
use super::published::noted;
use crate::engine::market_tables::served;
use crate::operation::{Catalogue, Market};
use crate::raw::map_in_order;
use crate::set::{
    Draft, Home, Inbox, NewFile, Retention, Set, SetFile, SetOrigin, SetTable, Staging, hash_of,
};

/// How a set is published.
#[derive(Debug, Clone, Copy, Default)]
pub struct Publishing {
    /// Which earlier sets stay.
    pub keep: Retention,
    /// Whether tables are left out that only derivation reads.
    pub lean: bool,
}

/// A file in the staging folder.
pub(super) struct Staged {
    pub table: String,
    pub part: Option<String>,
    pub path: PathBuf,
    /// Where it is a link to a file of the set before: that file's hash.
    known: Option<String>,
}

/// Publishes what lies in a staging folder, unless the set before holds just that; the set that is the newest then comes back.
///
/// # Errors
/// Somebody else who published meanwhile, or a disk that fails. Nothing is published then.
pub(super) async fn publish(
    home: &Home,
    (catalogue, market): (&Catalogue, Market),
    staging: &Staging,
    as_of: Option<NaiveDate>,
    how: &Publishing,
) -> Result<Set, DeriveError> {
    let (before, follows) = (home.newest(market)?, home.newest_number(market)?);
    let mut staged = staged(staging.path())?;
    if how.lean {
        let served = served(catalogue, market)?;
        staged.retain(|file| served.contains(&file.table));
    }
    if let Some(before) = &before {
        know_links(home, market, before, &mut staged);
    }
    let (tables, new) = described(catalogue, market, staged)?;
    let inbox = Inbox::of_folder(home.root()).scan(market).await?;
    let laid = match &before {
        Some(before) => laid_over((catalogue, market), home, before, &inbox, (tables, new)).await?,
        // Plain files that lie there already are what was published before there were sets.
        None => LaidOver { tables, new, covered: BTreeMap::new(), inbox, made: None },
    };
    let LaidOver { tables, new, covered, inbox, made: _made } = laid;
    let is_same = |set: &Set| set.id == Set::id_of(&tables) && set.inbox == inbox && set.covered == covered;
    if let Some(before) = before.filter(is_same) {
        return Ok(before);
    }
    let (origin, forced, first_at) = (SetOrigin::Derived, false, None);
    let draft = Draft { market, as_of, origin, forced, first_at, follows, tables, inbox, covered };
    let set = home.publish(draft, &new, staging)?;
    if let Err(error) = home.sweep(market, &how.keep) {
        tracing::warn!(%market, %error, "sets that are not kept could not be swept");
    }
    Ok(set)
}

/// The Parquet files of a staging folder, by table and part.
pub(super) fn staged(folder: &Path) -> Result<Vec<Staged>, DeriveError> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        let Some(table) = stem(&path) else { continue };
        if path.is_dir() {
            let below = entries(&path)?.into_iter().filter(|path| is_parquet(path));
            files.extend(below.map(|path| Staged {
                table: table.clone(),
                part: stem(&path),
                path,
                known: None,
            }));
        } else if is_parquet(&path) {
            files.push(Staged { table, part: None, path, known: None });
        }
    }
    files.sort_by(|a, b| (&a.table, &a.part).cmp(&(&b.table, &b.part)));
    Ok(files)
}

/// The Parquet files in a folder, which need not exist, in the order of their names.
pub(super) fn files_of(folder: &Path) -> Result<Vec<PathBuf>, DeriveError> {
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

/// Finds the staged files that are links to files of the set before, whose hashes are known.
fn know_links(home: &Home, market: Market, before: &Set, staged: &mut [Staged]) {
    let known: BTreeMap<(u64, u64), &str> = before
        .files()
        .filter_map(|(table, file)| Some((node(&home.file(market, table, &file.hash))?, &*file.hash)))
        .collect();
    for file in staged {
        file.known = node(&file.path).and_then(|node| known.get(&node)).map(|hash| (*hash).to_owned());
    }
}

/// What two names of one file have in common, if the system can say it.
fn node(path: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let stat = fs::metadata(path).ok()?;
        Some((stat.dev(), stat.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// What the manifest says of the staged files, and those that are new.
pub(super) fn described(
    catalogue: &Catalogue,
    market: Market,
    staged: Vec<Staged>,
) -> Result<(BTreeMap<String, SetTable>, Vec<NewFile>), DeriveError> {
    let described = map_in_order(staged, |file| -> Result<(Staged, SetFile), DeriveError> {
        let unread = |source| DeriveError::Write { path: file.path.clone(), source };
        let bytes = fs::metadata(&file.path).map_err(unread)?.len();
        let Some(([fingerprint], rows)) = noted(&file.path, [KEY]) else {
            return Err(unread(std::io::Error::other("it is no Parquet file")));
        };
        let hash = match &file.known {
            Some(hash) => hash.clone(),
            None => hash_of(&file.path)?,
        };
        let described =
            SetFile { part: file.part.clone(), bytes, rows, fingerprint, ..SetFile::named(&hash) };
        Ok((file, described))
    });
    let mut tables: BTreeMap<String, SetTable> = BTreeMap::new();
    let mut new = Vec::new();
    for described in described {
        let (file, described) = described?;
        if file.known.is_none() {
            new.push(NewFile { table: file.table.clone(), hash: described.hash.clone(), path: file.path });
        }
        let table = tables.entry(file.table).or_insert_with_key(|name| SetTable {
            rows: 0,
            formula: catalogue.table(market, name).and_then(|table| table.formula.clone()),
            files: Vec::new(),
        });
        table.rows += described.rows;
        table.files.push(described);
    }
    Ok((tables, new))
}
