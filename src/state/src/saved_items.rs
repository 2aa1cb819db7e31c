//! Watchlists and screens that owners saved under a name, and the ledgers of screens; the lines that owners drew on the chart of a stock,
//! and their note on it, under its symbol; and marks of the back-tests that they ran. All contents are opaque here.

use super::database::{self, Optional as _, Row, Transaction, params, read_row};
use super::error::StateError;
use super::store::Store;

parquote_catalogue::word_enum! {
    /// Kind of a saved item.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SavedItemKind {
        /// A watchlist.
        List = "list",
        /// A screen.
        Screen = "screen",
        /// The drawings on the chart of a stock. Without any, the item does not count against the limit.
        Drawings = "drawings",
        /// The note on a stock.
        Note = "note",
        /// Marks of the back-tests that the owner ran, by which they are counted.
        Backtests = "backtests",
        /// The ledger of a screen, under the name of the screen.
        Ledger = "ledger",
    }
    fn word "Returns the kind in the database.";
}

/// Identity of a saved item; its name is case-insensitive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedItemKey {
    /// Name of the owner.
    pub owner: String,
    /// Kind of the item.
    pub kind: SavedItemKind,
    /// Name of the item's market.
    pub market: String,
    /// Name of the item.
    pub name: String,
}

/// A stored item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedItemRow {
    /// Name of the item's market.
    pub market: String,
    /// Name of the item, in the case of the first write.
    pub name: String,
    /// Content of the item.
    pub content: String,
    /// True if others can read it through a share link, of which only a hash is stored.
    pub is_shared: bool,
    /// Creation time, in Unix seconds.
    pub made_at: i64,
    /// Time of the last change, in Unix seconds.
    pub changed_at: i64,
}

/// Reason why nothing was changed.
#[derive(Debug, PartialEq, Eq)]
pub enum SaveError<E> {
    /// The owner has reached this limit of items of the kind.
    Full(u32),
    /// The caller's `change` returned this error.
    Refused(E),
}

/// Start of the stored content of drawings after all of them were removed; a number follows it.
pub const ALL_REMOVED: &str = "last ";

impl SavedItemKind {
    /// Returns true if an item with this content counts against the owner's limit.
    fn counts(self, content: &str) -> bool {
        self != Self::Drawings || !content.starts_with(ALL_REMOVED)
    }
}

/// Selects an item by its key; `?4` is the name in lower case.
const BY_KEY: &str = "owner = ?1 AND kind = ?2 AND market = ?3 AND lower(name) = ?4";

impl Store {
    /// Returns an owner's items of a kind in a market, by name.
    pub fn saved_items(
        &self,
        owner: &str,
        kind: SavedItemKind,
        market: &str,
    ) -> Result<Vec<SavedItemRow>, StateError> {
        const SQL: &str =
            "SELECT * FROM kept WHERE owner = ?1 AND kind = ?2 AND market = ?3 ORDER BY lower(name)";
        self.connection
            .rows(SQL, params![owner, kind.word(), market], read_saved_item)
            .map_err(self.error_mapper())
    }

    /// Returns the items of a kind in a market, each with its owner, by owner and name.
    pub fn saved_items_of_all(
        &self,
        kind: SavedItemKind,
        market: &str,
    ) -> Result<Vec<(String, SavedItemRow)>, StateError> {
        const SQL: &str = "SELECT * FROM kept WHERE kind = ?1 AND market = ?2 ORDER BY owner, lower(name)";
        let read = |row: &Row<'_>| Ok((row.get("owner")?, read_saved_item(row)?));
        self.connection.rows(SQL, params![kind.word(), market], read).map_err(self.error_mapper())
    }

    /// Returns the watchlist whose share token has the hash `share`; `None` if there is none.
    pub fn shared_list(&self, share: &str) -> Result<Option<SavedItemRow>, StateError> {
        const SQL: &str = "SELECT * FROM kept WHERE share = ?1 AND kind = 'list'";
        let list = self.connection.query_row(SQL, [share], read_saved_item).optional();
        list.map_err(self.error_mapper())
    }

    /// Creates or changes an item: `change` takes the present content, `None` for a new item, and returns the new content. An owner has at
    /// most `most` items of a kind, over both markets.
    pub fn change_saved_item<E>(
        &mut self,
        key: &SavedItemKey,
        most: u32,
        now: i64,
        change: impl FnOnce(Option<&str>) -> Result<String, E>,
    ) -> Result<Result<SavedItemRow, SaveError<E>>, StateError> {
        const COUNT: &str = "SELECT count(*) FROM kept WHERE owner = ?1 AND kind = ?2
                             AND NOT (kind = 'drawings' AND substr(content, 1, 5) = 'last ')";
        const INSERT: &str = "INSERT INTO kept (owner, kind, market, name, content, made_at, changed_at)
                              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) RETURNING *";
        let update = format!("UPDATE kept SET content = ?5, changed_at = ?6 WHERE {BY_KEY} RETURNING *");
        self.write(|transaction| {
            let before = stored_content(transaction, key)?;
            let after = match change(before.as_deref()) {
                Ok(after) => after,
                Err(refused) => return Ok(Err(SaveError::Refused(refused))),
            };
            let SavedItemKey { owner, kind, market, name } = key;
            let word = kind.word();
            if kind.counts(&after) && !before.as_deref().is_some_and(|before| kind.counts(before)) {
                let count: u32 = transaction.query_row(COUNT, params![owner, word], |row| row.get(0))?;
                if count >= most {
                    return Ok(Err(SaveError::Full(most)));
                }
            }
            let (sql, name) = match before {
                Some(_) => (update.as_str(), name.to_ascii_lowercase()),
                None => (INSERT, name.clone()),
            };
            let values = params![owner, word, market, name, after, now];
            transaction.query_row(sql, values, read_saved_item).map(Ok)
        })
    }

    /// Sets or removes the hash of a watchlist's share token. Returns `false` if there is no such item.
    pub fn share_saved_item(&mut self, key: &SavedItemKey, share: Option<&str>) -> Result<bool, StateError> {
        let sql = format!("UPDATE kept SET share = ?5 WHERE {BY_KEY}");
        self.write(|transaction| {
            let SavedItemKey { owner, kind, market, name } = key;
            Ok(transaction
                .execute(&sql, params![owner, kind.word(), market, name.to_ascii_lowercase(), share])?
                == 1)
        })
    }

    /// Removes an item. Returns `false` if there was none.
    pub fn remove_saved_item(&mut self, key: &SavedItemKey) -> Result<bool, StateError> {
        self.write(|transaction| Ok(delete(transaction, key)? == 1))
    }
}

fn delete(transaction: &Transaction<'_>, key: &SavedItemKey) -> database::Result<usize> {
    let sql = format!("DELETE FROM kept WHERE {BY_KEY}");
    let SavedItemKey { owner, kind, market, name } = key;
    transaction.execute(&sql, params![owner, kind.word(), market, name.to_ascii_lowercase()])
}

fn stored_content(transaction: &Transaction<'_>, key: &SavedItemKey) -> database::Result<Option<String>> {
    let sql = format!("SELECT content FROM kept WHERE {BY_KEY}");
    let SavedItemKey { owner, kind, market, name } = key;
    transaction
        .query_row(&sql, params![owner, kind.word(), market, name.to_ascii_lowercase()], |row| row.get(0))
        .optional()
}

fn read_saved_item(row: &Row<'_>) -> database::Result<SavedItemRow> {
    read_row!(row => SavedItemRow:
        market, name, content, made_at, changed_at;
        is_shared: row.get::<_, Option<String>>("share")?.is_some()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("state.db")).unwrap();
        (folder, store)
    }

    fn key(owner: &str, name: &str) -> SavedItemKey {
        SavedItemKey {
            owner: owner.to_owned(),
            kind: SavedItemKind::List,
            market: "india".to_owned(),
            name: name.to_owned(),
        }
    }

    fn save_content(
        store: &mut Store,
        key: &SavedItemKey,
        content: &str,
        now: i64,
    ) -> Result<SavedItemRow, SaveError<&'static str>> {
        store.change_saved_item(key, 2, now, |_| Ok(content.to_owned())).unwrap()
    }

    #[test]
    fn a_thing_is_of_its_owner_and_of_a_name_whatever_its_capitals() {
        let (_folder, mut store) = store();
        save_content(&mut store, &key("a", "Swing"), "A,B", 1).unwrap();
        save_content(&mut store, &key("b", "swing"), "C", 2).unwrap();
        let changed = save_content(&mut store, &key("a", "SWING"), "A", 3).unwrap();
        assert_eq!((changed.name.as_str(), changed.made_at, changed.changed_at), ("Swing", 1, 3));
        let of = |store: &Store, owner: &str| store.saved_items(owner, SavedItemKind::List, "india").unwrap();
        assert_eq!((of(&store, "a").len(), of(&store, "b")[0].content.as_str()), (1, "C"));
        assert!(store.saved_items("a", SavedItemKind::List, "us").unwrap().is_empty());
        assert!(store.saved_items("a", SavedItemKind::Screen, "india").unwrap().is_empty());
        assert!(!store.remove_saved_item(&key("c", "swing")).unwrap());
        assert!(store.remove_saved_item(&key("a", "swing")).unwrap());
        assert!(of(&store, "a").is_empty() && of(&store, "b").len() == 1);
        save_content(&mut store, &key("a", "Other"), "D", 4).unwrap();
        let all = store.saved_items_of_all(SavedItemKind::List, "india").unwrap();
        let all: Vec<_> = all.iter().map(|(owner, row)| (owner.as_str(), row.content.as_str())).collect();
        assert_eq!(all, [("a", "D"), ("b", "C")]);
    }

    #[test]
    fn one_more_than_an_owner_may_have_and_a_change_that_is_refused_leave_all_as_it_was() {
        let (_folder, mut store) = store();
        for name in ["one", "two"] {
            save_content(&mut store, &key("a", name), "A", 1).unwrap();
        }
        assert_eq!(save_content(&mut store, &key("a", "three"), "A", 1), Err(SaveError::Full(2)));
        save_content(&mut store, &key("a", "two"), "B", 1).unwrap();
        let refused = store.change_saved_item(&key("a", "one"), 2, 5, |before| {
            assert_eq!(before, Some("A"));
            Err("no")
        });
        assert_eq!(refused.unwrap(), Err(SaveError::Refused("no")));
        let kept = store.saved_items("a", SavedItemKind::List, "india").unwrap();
        assert_eq!(kept.iter().map(|row| row.content.as_str()).collect::<Vec<_>>(), ["A", "B"]);
    }

    #[test]
    fn a_stock_without_drawings_does_not_count() {
        let (_folder, mut store) = store();
        let of = |name: &str| SavedItemKey { kind: SavedItemKind::Drawings, ..key("a", name) };
        for name in ["A", "B"] {
            save_content(&mut store, &of(name), "1", 1).unwrap();
        }
        assert_eq!(save_content(&mut store, &of("C"), "1", 1), Err(SaveError::Full(2)));
        assert_eq!(save_content(&mut store, &of("A"), "last 1", 2).unwrap().content, "last 1");
        save_content(&mut store, &of("C"), "1", 3).unwrap();
        // It counts again with a new drawing, and is stored whatever the limit while it has none.
        assert_eq!(save_content(&mut store, &of("A"), "2", 4), Err(SaveError::Full(2)));
        save_content(&mut store, &of("A"), "last 1", 5).unwrap();
        let stored = store.saved_items("a", SavedItemKind::Drawings, "india").unwrap();
        assert_eq!(stored.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["A", "B", "C"]);
        // An empty list stays.
        save_content(&mut store, &key("a", "Mine"), "", 1).unwrap();
        assert_eq!(store.saved_items("a", SavedItemKind::List, "india").unwrap().len(), 1);
    }

    #[test]
    fn a_list_is_read_by_its_text_until_that_is_taken_away() {
        let (_folder, mut store) = store();
        let at = key("a", "one");
        assert!(!store.share_saved_item(&at, Some("t")).unwrap());
        save_content(&mut store, &at, "A", 1).unwrap();
        assert!(store.share_saved_item(&at, Some("t")).unwrap());
        assert_eq!(store.shared_list("t").unwrap().unwrap().content, "A");
        assert!(store.share_saved_item(&at, None).unwrap());
        assert_eq!(store.shared_list("t").unwrap(), None);
    }
}
