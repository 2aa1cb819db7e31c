//! Publishes the tables of a staging folder as the market's next set.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use chrono::NaiveDate;

use super::error::DeriveError;
use super::plain_files::{TablesToPublish, apply_plain_files};
use super::staged_files::{StagedFile, list_staged_files, manifest_entries};
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_engine::tables_read::served_tables;
use parquote_set::{Draft, Home, Inbox, Retention, Set, SetOrigin, Staging};

/// Options of publishing a set.
#[derive(Debug, Clone, Copy, Default)]
pub struct Publishing {
    /// Rule for the deletion of earlier sets.
    pub keep: Retention,
    /// True to leave out tables that only a derivation reads.
    pub lean: bool,
    /// True to begin a ledger of the scans if there is none.
    pub begin_ledger: bool,
}

/// Publishes the tables of a staging folder, unless the newest set has the same tables. Returns the newest set.
///
/// # Errors
/// Another process published a set in the meantime, or a file cannot be read or written. Then nothing is published.
pub(super) async fn publish(
    home: &Home,
    catalogue: &Catalogue,
    market: Market,
    staging: &Staging,
    as_of: Option<NaiveDate>,
    publishing: &Publishing,
) -> Result<Set, DeriveError> {
    let (before, follows) = (home.newest(market)?, home.newest_number(market)?);
    let mut staged = list_staged_files(staging.path())?;
    if publishing.lean {
        let served = served_tables(catalogue, market)?;
        staged.retain(|file| served.contains(&file.table));
    }
    if let Some(before) = &before {
        reuse_known_hashes(home, market, before, &mut staged);
    }
    let (tables, new) = manifest_entries(catalogue, market, staged)?;
    let inbox = Inbox::of_folder(home.root()).scan(market).await?;
    let published = match &before {
        Some(before) => apply_plain_files(catalogue, market, home, before, &inbox, tables, new).await?,
        // Without a previous set, existing plain files were the served data, which this set replaces.
        None => TablesToPublish { tables, new, covered: BTreeMap::new(), inbox, folder: None },
    };
    let TablesToPublish { tables, new, covered, inbox, folder: _made } = published;
    let is_same = |set: &Set| set.id == Set::id_of(&tables) && set.inbox == inbox && set.covered == covered;
    if let Some(before) = before.filter(is_same) {
        return Ok(before);
    }
    let (origin, forced, first_at) = (SetOrigin::Derived, false, None);
    let draft = Draft { market, as_of, origin, forced, first_at, follows, tables, inbox, covered };
    let set = home.publish(draft, &new, staging)?;
    if let Err(error) = home.sweep(market, &publishing.keep) {
        tracing::warn!(%market, %error, "sets that are not retained could not be deleted");
    }
    Ok(set)
}

/// Sets the hashes of staged files that are links to files of the previous set.
fn reuse_known_hashes(home: &Home, market: Market, before: &Set, staged: &mut [StagedFile]) {
    let known: BTreeMap<(u64, u64), &str> = before
        .files()
        .filter_map(|(table, file)| {
            Some((device_and_inode(&home.file_path(market, table, &file.hash))?, &*file.hash))
        })
        .collect();
    for file in staged {
        file.known_hash =
            device_and_inode(&file.path).and_then(|node| known.get(&node)).map(|hash| (*hash).to_owned());
    }
}

/// Returns the device and inode of a file, which hard links to the same file share; `None` on systems without inodes.
fn device_and_inode(path: &Path) -> Option<(u64, u64)> {
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
