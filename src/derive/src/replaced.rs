//! Derives the dependants of replaced tables again, so that the set stays consistent. The replaced tables stay as they are, and so do
//! tables that read none of them. A file rewritten with the same rows does not count as replaced.
//!
//! It publishes nothing: the caller does, after the set has passed its checks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::bars::GivenBars;
use super::build::Build;
use super::error::DeriveError;
use super::order::{dependants, order};
use super::published::{self, PublishedSet, SetPaths};
use super::row_fingerprint;
use super::sources::{self, BARS, SESSIONS};
use super::staged_files::{list_staged_files, manifest_entries};
use parquote_catalogue::operation::{Catalogue, Market, Table};
use parquote_engine::tables_read::served;
use parquote_raw::SilentProgress;
use parquote_set::{NewFile, SetTable};

/// The result of deriving some tables again.
#[derive(Debug, Default)]
pub struct RederivedTables {
    /// The manifest entries of the tables.
    pub tables: BTreeMap<String, SetTable>,
    /// Their files, in the staging folder.
    pub new: Vec<NewFile>,
}

/// A set in which plain files replaced some tables.
#[derive(Debug)]
pub struct ReplacedSet {
    /// The files of the previous set.
    pub previous: SetPaths,
    /// The files of the new set.
    pub now: SetPaths,
    /// The tables of newly arrived files: they are not derived again.
    pub supplied_tables: BTreeSet<String>,
    /// All tables that have a plain file, old or new: its author decides how current it is.
    pub plain_tables: BTreeSet<String>,
}

/// Derives, in an empty folder, the tables that read tables with changed rows.
///
/// # Errors
/// A dependant can be made only while raw files are read, a table's SQL fails, or a folder cannot be written.
pub async fn derive_dependants(
    catalogue: &Catalogue,
    market: Market,
    of: ReplacedSet,
    folder: &Path,
) -> Result<RederivedTables, DeriveError> {
    let ReplacedSet { previous: before, now, supplied_tables: supplied, plain_tables: plain } = of;
    let replaced = changed_tables(catalogue, market, &before, &now)?;
    let set = PublishedSet::of_files(market, now);
    let (again, passed) = dependants(catalogue, market, &replaced, &supplied)?;
    let source = |name| sources::table(catalogue, market, name).filter(|table| set.has_table(table));
    let (Some(bars), Some(sessions)) = (source(BARS), source(SESSIONS)) else {
        return Ok(RederivedTables::default());
    };
    let is_made = |table: &Table| again.iter().chain(&passed).any(|made| made.name == table.name);
    let there: Vec<&Table> = catalogue
        .tables_in(market)
        .filter(|table| !table.is_view() && !is_made(table) && set.has_table(table))
        .collect();
    let made: BTreeSet<String> = there.iter().map(|table| table.name.clone()).collect();
    let can_be = order(catalogue, market, &made, Some(bars))?.reads;
    let names: Vec<String> =
        again.iter().map(|table| table.name.clone()).filter(|name| can_be.contains_key(name)).collect();
    let served = served(catalogue, market)?;
    // Bars and sessions are checked while raw files are read, a symbol pass makes its tables together, and a set may lack another input of
    // a table.
    let of_raw_files = [bars, sessions].into_iter().chain(passed.iter().copied());
    let is_of_raw_files = of_raw_files.into_iter().any(|table| replaced.contains(&table.name));
    let is_left = |table: &&&Table| {
        let is_not_made = is_of_raw_files || !names.contains(&table.name);
        is_not_made && served.contains(&table.name) && set.has_table(table) && !plain.contains(&table.name)
    };
    let left: Vec<String> = again.iter().filter(is_left).map(|table| table.name.clone()).collect();
    if !left.is_empty() {
        return Err(DeriveError::OfRawFiles { tables: replaced.into_iter().collect(), dependants: left });
    }
    if names.is_empty() || is_of_raw_files {
        return Ok(RederivedTables::default());
    }
    let Some(days) = set.read_single_file(sessions) else { return Ok(RederivedTables::default()) };
    let days = published::parse_sessions(&days?).map_err(DeriveError::row_error(SESSIONS))?;
    let had: BTreeSet<String> = before.keys().map(|(table, _)| table.clone()).collect();
    let mut build = Build::begin(catalogue, market, folder, days)
        .with_previous_set(Some(set.clone()), false)
        .only_tables(&names);
    build.published_tables(&set, &there)?;
    build.derive_tables(GivenBars::Published(set.long(bars)?), &SilentProgress).await?;
    let mut files = list_staged_files(folder)?;
    files.retain(|file| {
        names.contains(&file.table) && (served.contains(&file.table) || had.contains(&file.table))
    });
    let (tables, new) = manifest_entries(catalogue, market, files)?;
    Ok(RederivedTables { tables, new })
}

/// Returns the tables whose rows changed. A different file may have the same rows.
fn changed_tables(
    catalogue: &Catalogue,
    market: Market,
    before: &SetPaths,
    now: &SetPaths,
) -> Result<BTreeSet<String>, DeriveError> {
    let rows = |table: &Table, path: &Path| -> Result<String, DeriveError> {
        let rows =
            PublishedSet::rows_of(path, table, market).and_then(|rows| row_fingerprint::of_cells(&rows));
        rows.map_err(DeriveError::row_error(&table.name))
    };
    let mut replaced = BTreeSet::new();
    for key in now.keys().chain(before.keys()) {
        let Some(table) = catalogue.table(market, &key.0).filter(|table| !replaced.contains(&table.name))
        else {
            continue;
        };
        let is_same = match (before.get(key), now.get(key)) {
            (Some(before), Some(now)) => before == now || rows(table, before)? == rows(table, now)?,
            _ => false,
        };
        if !is_same {
            replaced.insert(table.name.clone());
        }
    }
    Ok(replaced)
}
