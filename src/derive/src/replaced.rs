//! Derives the tables that read replaced tables again, so that the set stays consistent. The replaced tables themselves do not change, and
//! neither do tables that read none of them. A file that was rewritten with the same rows does not count as replaced.
//!
//! The caller publishes the result after the set has passed its checks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::bars::InputBars;
use super::build::Build;
use super::error::DeriveError;
use super::order::{dependants, order};
use super::published::{self, PublishedSet, SetPaths};
use super::row_fingerprint;
use super::sources::{self, BARS, SESSIONS};
use super::staged_files::{list_staged_files, manifest_entries};
use parquote_catalogue::operation::{Catalogue, Market, Table};
use parquote_engine::tables_read::served_tables;
use parquote_raw::SilentProgress;
use parquote_set::{NewFile, SetTable};

/// The result of deriving some tables again.
#[derive(Debug, Default)]
pub struct RederivedTables {
    /// The manifest entries of the tables.
    pub tables: BTreeMap<String, SetTable>,
    /// Their files in the staging folder.
    pub new: Vec<NewFile>,
}

/// A set in which plain files replaced some tables.
#[derive(Debug)]
pub struct ReplacedSet {
    /// Paths of the files of the previous set.
    pub previous: SetPaths,
    /// Paths of the files of the new set.
    pub now: SetPaths,
    /// Names of the tables of newly arrived files, which are not derived again.
    pub supplied_tables: BTreeSet<String>,
    /// Names of all tables with an old or new plain file. Such a table may be outdated, as the author of its file decides its contents.
    pub plain_tables: BTreeSet<String>,
}

/// Derives the tables that read tables with changed rows, in an empty folder.
///
/// # Errors
/// A dependant can be made only while raw files are read, a table's SQL fails, or a folder cannot be written.
pub async fn derive_dependants(
    catalogue: &Catalogue,
    market: Market,
    replaced_set: ReplacedSet,
    folder: &Path,
) -> Result<RederivedTables, DeriveError> {
    let ReplacedSet { previous: before, now, supplied_tables: supplied, plain_tables: plain } = replaced_set;
    let replaced = changed_tables(catalogue, market, &before, &now)?;
    let set = PublishedSet::of_files(market, now);
    let (rederived, recomputed) = dependants(catalogue, market, &replaced, &supplied)?;
    let source = |name| sources::table(catalogue, market, name).filter(|table| set.has_table(table));
    let (Some(bars), Some(sessions)) = (source(BARS), source(SESSIONS)) else {
        return Ok(RederivedTables::default());
    };
    let is_made = |table: &Table| rederived.iter().chain(&recomputed).any(|made| made.name == table.name);
    let unchanged: Vec<&Table> = catalogue
        .tables_in(market)
        .filter(|table| !table.is_view() && !is_made(table) && set.has_table(table))
        .collect();
    let made: BTreeSet<String> = unchanged.iter().map(|table| table.name.clone()).collect();
    let derivable = order(catalogue, market, &made, Some(bars))?.reads;
    let names: Vec<String> = rederived
        .iter()
        .map(|table| table.name.clone())
        .filter(|name| derivable.contains_key(name))
        .collect();
    let served = served_tables(catalogue, market)?;
    // A table cannot be derived again here if bars, sessions or a table of the same symbol pass changed, or if the set lacks another of its
    // inputs.
    let of_raw_files = [bars, sessions].into_iter().chain(recomputed.iter().copied());
    let is_of_raw_files = of_raw_files.into_iter().any(|table| replaced.contains(&table.name));
    let is_stale = |table: &&&Table| {
        let is_not_made = is_of_raw_files || !names.contains(&table.name);
        is_not_made && served.contains(&table.name) && set.has_table(table) && !plain.contains(&table.name)
    };
    let stale: Vec<String> = rederived.iter().filter(is_stale).map(|table| table.name.clone()).collect();
    if !stale.is_empty() {
        return Err(DeriveError::OfRawFiles { tables: replaced.into_iter().collect(), dependants: stale });
    }
    if names.is_empty() || is_of_raw_files {
        return Ok(RederivedTables::default());
    }
    let Some(days) = set.read_single_file(sessions) else { return Ok(RederivedTables::default()) };
    let days = published::parse_sessions(&days?).map_err(DeriveError::row_error(SESSIONS))?;
    let previous_names: BTreeSet<String> = before.keys().map(|(table, _)| table.clone()).collect();
    let mut build = Build::begin(catalogue, market, folder, days)
        .with_previous_set(Some(set.clone()), false)
        .only_tables(&names);
    build.published_tables(&set, &unchanged)?;
    build.derive_tables(InputBars::Published(set.long(bars)?), &SilentProgress).await?;
    let mut files = list_staged_files(folder)?;
    files.retain(|file| {
        names.contains(&file.table) && (served.contains(&file.table) || previous_names.contains(&file.table))
    });
    let (tables, new) = manifest_entries(catalogue, market, files)?;
    Ok(RederivedTables { tables, new })
}

/// Returns the names of the tables whose rows changed. Different files may have the same rows.
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
