//! Applies the previous set's plain files to the newly derived tables: a user's file takes precedence over raw files. Tables that read the
//! changed ones are derived again; the derived version is restored when the plain file is deleted.

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
    pub covered: BTreeMap<String, SetTable>,
    /// The plain files that the set has taken in or ignored.
    pub inbox: BTreeMap<String, FileVersion>,
    /// The staging folder of the tables that were derived again.
    pub folder: Option<Staging>,
}

/// Applies the previous set's plain files that still exist to derived tables. If their dependants cannot be derived again, none is applied
/// and they count as new, so that the intake of plain files reports the error.
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
        let over = tables.entry(table.clone()).or_default();
        covered.entry(table.clone()).or_insert_with(|| over.clone());
        over.replace_part(file.clone());
    }
    let mut published = TablesToPublish { tables, new, covered, inbox, folder: None };
    if plain.is_empty() {
        return Ok(published);
    }
    let paths = |tables: &BTreeMap<String, SetTable>| {
        paths_of_files(tables, &published.new, |table, hash| home.file(market, table, hash))
    };
    let names: BTreeSet<String> = published.covered.keys().cloned().collect();
    let (before, now) = (paths(&derived), paths(&published.tables));
    let of = ReplacedSet { previous: before, now, supplied_tables: names.clone(), plain_tables: names };
    let folder = home.stage(market)?;
    match derive_dependants(catalogue, market, of, folder.path()).await {
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

/// Returns the paths of tables' files: new files are in the staging folder, all others in the set.
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

/// Returns the path, table and file of a plain file that was taken in. A set of an earlier program does not record the covered tables; then
/// only files of tables that are not derived are recognized.
fn plain_file(
    path: &str,
    before: &Set,
    derived: &BTreeMap<String, SetTable>,
) -> Option<(String, String, SetFile)> {
    let PlainFilePart { table, part } = PlainFilePart::at(path)?;
    let file = before.tables.get(&table)?.files.iter().find(|file| file.part == part)?;
    let is_made = derived.contains_key(&table);
    let is_plain = match before.covered.get(&table) {
        // The first derivation over plain files derives those tables itself.
        Some(_) if is_made && before.is_plain() => false,
        Some(beneath) => !beneath.files.contains(file),
        None => !is_made,
    };
    is_plain.then(|| (path.to_owned(), table, file.clone()))
}
