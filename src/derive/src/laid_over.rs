//! Plain files of the set before are laid over the tables that were derived now, as they were laid over those before: whoever drops a file of
//! a table knows better than the raw files. What reads these tables is made again; what lies beneath comes back when the file goes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::error::DeriveError;
use super::published::SetPaths;
use super::replaced::{Remade, ReplacedSet, derive_dependants};
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_set::{FileVersion, Home, NewFile, PlainFilePart, Set, SetFile, SetTable, Staging};

/// The tables of a set that is about to be published.
pub(super) struct LaidOver {
    pub tables: BTreeMap<String, SetTable>,
    pub new: Vec<NewFile>,
    pub covered: BTreeMap<String, SetTable>,
    /// The plain files that it has taken in or passed over.
    pub inbox: BTreeMap<String, FileVersion>,
    /// Where tables were made again.
    pub made: Option<Staging>,
}

/// Lays the plain files of the set before that still lie in their folder over derived tables. Where the tables that read them cannot be made
/// again, nothing is laid over them, and they count as new: whoever takes plain files in says what is wrong.
///
/// # Errors
/// A folder that cannot be written.
pub(super) async fn laid_over(
    (catalogue, market): (&Catalogue, Market),
    home: &Home,
    before: &Set,
    now: &BTreeMap<String, FileVersion>,
    (derived, new): (BTreeMap<String, SetTable>, Vec<NewFile>),
) -> Result<LaidOver, DeriveError> {
    let inbox = before.inbox.iter().filter(|(path, _)| now.contains_key(*path));
    let inbox: BTreeMap<String, FileVersion> =
        inbox.map(|(path, seen)| (path.clone(), seen.clone())).collect();
    let plain: Vec<(String, String, SetFile)> =
        inbox.keys().filter_map(|path| plain_file(path, before, &derived)).collect();
    let (mut tables, mut covered) = (derived.clone(), BTreeMap::new());
    for (_, table, file) in &plain {
        let over = tables.entry(table.clone()).or_default();
        covered.entry(table.clone()).or_insert_with(|| over.clone());
        over.put(file.clone());
    }
    let mut laid = LaidOver { tables, new, covered, inbox, made: None };
    if plain.is_empty() {
        return Ok(laid);
    }
    let paths = |tables: &BTreeMap<String, SetTable>| {
        paths(tables, &laid.new, |table, hash| home.file(market, table, hash))
    };
    let names: BTreeSet<String> = laid.covered.keys().cloned().collect();
    let (before, now) = (paths(&derived), paths(&laid.tables));
    let of = ReplacedSet { before, now, supplied: names.clone(), plain: names };
    let folder = home.stage(market)?;
    match derive_dependants(catalogue, market, of, folder.path()).await {
        Ok(Remade { tables, new }) => {
            laid.tables.extend(tables);
            laid.new.extend(new);
            laid.made = Some(folder);
        }
        Err(error) => {
            tracing::warn!(%market, %error, "plain files are not laid over the derived tables");
            laid.inbox.retain(|path, _| plain.iter().all(|(plain, ..)| plain != path));
            (laid.tables, laid.covered) = (derived, BTreeMap::new());
        }
    }
    Ok(laid)
}

/// Where the files of tables lie: new ones where they were made, others in their set.
fn paths(
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

/// The table and the file that a plain file was taken in as, with its path. Of a set of an earlier program, which does not note what lies
/// beneath, it is known only of tables that are not derived.
fn plain_file(
    path: &str,
    before: &Set,
    derived: &BTreeMap<String, SetTable>,
) -> Option<(String, String, SetFile)> {
    let PlainFilePart { table, part } = PlainFilePart::at(path)?;
    let file = before.tables.get(&table)?.files.iter().find(|file| file.part == part)?;
    let is_made = derived.contains_key(&table);
    let is_plain = match before.covered.get(&table) {
        // The first derivation over plain files makes what they were.
        Some(_) if is_made && before.is_plain() => false,
        Some(beneath) => !beneath.files.contains(file),
        None => !is_made,
    };
    is_plain.then(|| (path.to_owned(), table, file.clone()))
}
