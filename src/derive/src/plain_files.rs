//! Applies the plain files of the previous set to newly derived tables, as the file of a user takes precedence over raw files. Tables that
//! read the changed tables are derived again. Once the plain file is deleted, the derived table is published again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::error::DeriveError;
use super::published::SetPaths;
use super::replaced::{RederivedTables, ReplacedSet, derive_dependants};
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_set::{FileVersion, Home, NewFile, PlainFilePart, Set, SetFile, SetTable, Staging};

/// The tables of a set about to be published.
pub(super) struct TablesToPublish {
    pub tables: BTreeMap<String, SetTable>,
    pub new: Vec<NewFile>,
    /// The derived versions of the tables that plain files replace.
    pub covered: BTreeMap<String, SetTable>,
    /// The versions of the plain files that the set has taken in or ignored, by path.
    pub inbox: BTreeMap<String, FileVersion>,
    /// The staging folder with the files of tables that were derived again; `None` if there are none.
    pub folder: Option<Staging>,
}

/// Applies the plain files of the previous set that still exist to derived tables. If the tables that read them cannot be derived again, no
/// plain file is applied. All of them then count as new, so that the intake of plain files reports the error.
///
/// # Errors
/// A folder cannot be written.
pub(super) async fn apply_plain_files(
    catalogue: &Catalogue,
    market: Market,
    home: &Home,
    before: &Set,
    now: &BTreeMap<String, FileVersion>,
    derived: BTreeMap<String, SetTable>,
    new: Vec<NewFile>,
) -> Result<TablesToPublish, DeriveError> {
    let inbox = before.inbox.iter().filter(|(path, _)| now.contains_key(*path));
    let inbox: BTreeMap<String, FileVersion> =
        inbox.map(|(path, seen)| (path.clone(), seen.clone())).collect();
    let plain: Vec<(String, String, SetFile)> =
        inbox.keys().filter_map(|path| plain_file(path, before, &derived)).collect();
    let (mut tables, mut covered) = (derived.clone(), BTreeMap::new());
    for (_, table, file) in &plain {
        let published_table = tables.entry(table.clone()).or_default();
        covered.entry(table.clone()).or_insert_with(|| published_table.clone());
        published_table.replace_part(file.clone());
    }
    let mut published = TablesToPublish { tables, new, covered, inbox, folder: None };
    if plain.is_empty() {
        return Ok(published);
    }
    let paths = |tables: &BTreeMap<String, SetTable>| {
        paths_of_files(tables, &published.new, |table, hash| home.file_path(market, table, hash))
    };
    let names: BTreeSet<String> = published.covered.keys().cloned().collect();
    let (before, now) = (paths(&derived), paths(&published.tables));
    let replaced_set =
        ReplacedSet { previous: before, now, supplied_tables: names.clone(), plain_tables: names };
    let folder = home.stage(market)?;
    match derive_dependants(catalogue, market, replaced_set, folder.path()).await {
        Ok(RederivedTables { tables, new }) => {
            published.tables.extend(tables);
            published.new.extend(new);
            published.folder = Some(folder);
        }
        Err(error) => {
            tracing::warn!(%market, %error, "plain files are not applied to the derived tables");
            published.inbox.retain(|path, _| plain.iter().all(|(plain, ..)| plain != path));
            (published.tables, published.covered) = (derived, BTreeMap::new());
        }
    }
    Ok(published)
}

/// Returns the paths of the files of tables. New files are in the staging folder, all others in the published set.
fn paths_of_files(
    tables: &BTreeMap<String, SetTable>,
    new: &[NewFile],
    of_set: impl Fn(&str, &str) -> PathBuf,
) -> SetPaths {
    let files = tables.iter().flat_map(|(name, table)| table.files.iter().map(move |file| (name, file)));
    let placed = files.map(|(table, file)| {
        let made = new.iter().find(|new| new.hash == file.hash && new.table == *table);
        let path = made.map_or_else(|| of_set(table, &file.hash), |new| new.path.clone());
        ((table.clone(), file.part.clone()), path)
    });
    placed.collect()
}

/// Returns the path, table and file of a plain file that the previous set has taken in; `None` for other files. A set of an earlier program
/// does not record the covered tables, so only files of tables that are not derived are recognized in it.
fn plain_file(
    path: &str,
    before: &Set,
    derived: &BTreeMap<String, SetTable>,
) -> Option<(String, String, SetFile)> {
    let PlainFilePart { table, part } = PlainFilePart::from_path(path)?;
    let file = before.tables.get(&table)?.files.iter().find(|file| file.part == part)?;
    let is_made = derived.contains_key(&table);
    let is_plain = match before.covered.get(&table) {
        // The first derivation after a set of plain files derives these tables itself.
        Some(_) if is_made && before.is_plain() => false,
        Some(derived_table) => !derived_table.files.contains(file),
        None => !is_made,
    };
    is_plain.then(|| (path.to_owned(), table, file.clone()))
}
