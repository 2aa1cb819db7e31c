//! Watchlists and screens that owners saved under a name. Symbols, markets and screens are opaque here.

use super::database::{self, Optional as _, Row, Transaction, params};
use super::error::StateError;
use super::store::Store;

/// Kind of a saved item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SavedItemKind {
    /// A watchlist.
    List,
    /// A screen.
    Screen,
}

/// Identity of a saved item; its name is case-insensitive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedItemKey {
    /// The owner.
    pub owner: String,
    /// The kind.
    pub kind: SavedItemKind,
    /// Name of its market.
    pub market: String,
    /// Its name.
    pub name: String,
}

/// A stored item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedItemRow {
    /// Name of its market.
    pub market: String,
    /// Its name, in the case of the first write.
    pub name: String,
    /// Its content.
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
    /// `change` refused with this error.
    Refused(E),
}

impl SavedItemKind {
    const fn word(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Screen => "screen",
        }
    }
}

/// `?4` is the name in lower case.
const PLACE: &str = "owner = ?1 AND kind = ?2 AND market = ?3 AND lower(name) = ?4";

impl Store {
    /// Returns an owner's items of a kind in a market, by name.
    ///
    /// # Errors
    /// Database errors.
    pub fn kept(
        &self,
        owner: &str,
        kind: SavedItemKind,
        market: &str,
    ) -> Result<Vec<SavedItemRow>, StateError> {
        const SQL: &str =
            "SELECT * FROM kept WHERE owner = ?1 AND kind = ?2 AND market = ?3 ORDER BY lower(name)";
        self.connection.rows(SQL, params![owner, kind.word(), market], kept_row).map_err(self.failed())
    }

    /// Returns the watchlist whose share token has this hash.
    ///
    /// # Errors
    /// Database errors.
    pub fn shared_list(&self, share: &str) -> Result<Option<SavedItemRow>, StateError> {
        const SQL: &str = "SELECT * FROM kept WHERE share = ?1 AND kind = 'list'";
        let found = self.connection.query_row(SQL, [share], kept_row).optional();
        found.map_err(self.failed())
    }

    /// Creates or changes an item: `change` takes the present content, if any, and returns the new one. An owner has at most `most` items
    /// of a kind, over both markets.
    ///
    /// # Errors
    /// Database errors.
    pub fn change_kept<E>(
        &mut self,
        place: &SavedItemKey,
        most: u32,
        now: i64,
        change: impl FnOnce(Option<&str>) -> Result<String, E>,
    ) -> Result<Result<SavedItemRow, SaveError<E>>, StateError> {
        const COUNT: &str = "SELECT count(*) FROM kept WHERE owner = ?1 AND kind = ?2";
        const INSERT: &str = "INSERT INTO kept (owner, kind, market, name, content, made_at, changed_at)
                              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) RETURNING *";
        let update = format!("UPDATE kept SET content = ?5, changed_at = ?6 WHERE {PLACE} RETURNING *");
        self.write(|transaction| {
            let before = content(transaction, place)?;
            if before.is_none() {
                let count: u32 =
                    transaction
                        .query_row(COUNT, params![place.owner, place.kind.word()], |row| row.get(0))?;
                if count >= most {
                    return Ok(Err(SaveError::Full(most)));
                }
            }
            let after = match change(before.as_deref()) {
                Ok(after) => after,
                Err(refused) => return Ok(Err(SaveError::Refused(refused))),
            };
            let SavedItemKey { owner, kind, market, name } = place;
            let (sql, name) = match before {
                Some(_) => (update.as_str(), name.to_ascii_lowercase()),
                None => (INSERT, name.clone()),
            };
            transaction
                .query_row(sql, params![owner, kind.word(), market, name, after, now], kept_row)
                .map(Ok)
        })
    }

    /// Sets or removes the hash of a watchlist's share token. Returns `false` if there is no such item.
    ///
    /// # Errors
    /// Database errors.
    pub fn share_kept(&mut self, place: &SavedItemKey, share: Option<&str>) -> Result<bool, StateError> {
        let sql = format!("UPDATE kept SET share = ?5 WHERE {PLACE}");
        self.write(|transaction| {
            let SavedItemKey { owner, kind, market, name } = place;
            Ok(transaction
                .execute(&sql, params![owner, kind.word(), market, name.to_ascii_lowercase(), share])?
                == 1)
        })
    }

    /// Removes an item. Returns `false` if there was none.
    ///
    /// # Errors
    /// Database errors.
    pub fn remove_kept(&mut self, place: &SavedItemKey) -> Result<bool, StateError> {
        let sql = format!("DELETE FROM kept WHERE {PLACE}");
        self.write(|transaction| {
            let SavedItemKey { owner, kind, market, name } = place;
            Ok(transaction.execute(&sql, params![owner, kind.word(), market, name.to_ascii_lowercase()])?
                == 1)
        })
    }
}

fn content(transaction: &Transaction<'_>, place: &SavedItemKey) -> database::Result<Option<String>> {
    let sql = format!("SELECT content FROM kept WHERE {PLACE}");
    let SavedItemKey { owner, kind, market, name } = place;
    transaction
        .query_row(&sql, params![owner, kind.word(), market, name.to_ascii_lowercase()], |row| row.get(0))
        .optional()
}

fn kept_row(row: &Row<'_>) -> database::Result<SavedItemRow> {
    Ok(SavedItemRow {
        market: row.get("market")?,
        name: row.get("name")?,
        content: row.get("content")?,
        is_shared: row.get::<_, Option<String>>("share")?.is_some(),
        made_at: row.get("made_at")?,
        changed_at: row.get("changed_at")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("state.db")).unwrap();
        (folder, store)
    }

    fn place(owner: &str, name: &str) -> SavedItemKey {
        SavedItemKey {
            owner: owner.to_owned(),
            kind: SavedItemKind::List,
            market: "india".to_owned(),
            name: name.to_owned(),
        }
    }

    fn save_content(
        store: &mut Store,
        place: &SavedItemKey,
        content: &str,
        now: i64,
    ) -> Result<SavedItemRow, SaveError<&'static str>> {
        store.change_kept(place, 2, now, |_| Ok(content.to_owned())).unwrap()
    }

    #[test]
    fn a_thing_is_of_its_owner_and_of_a_name_whatever_its_capitals() {
        let (_folder, mut store) = store();
        save_content(&mut store, &place("a", "Swing"), "A,B", 1).unwrap();
        save_content(&mut store, &place("b", "swing"), "C", 2).unwrap();
        let changed = save_content(&mut store, &place("a", "SWING"), "A", 3).unwrap();
        assert_eq!((changed.name.as_str(), changed.made_at, changed.changed_at), ("Swing", 1, 3));
        let of = |store: &Store, owner: &str| store.kept(owner, SavedItemKind::List, "india").unwrap();
        assert_eq!((of(&store, "a").len(), of(&store, "b")[0].content.as_str()), (1, "C"));
        assert!(store.kept("a", SavedItemKind::List, "us").unwrap().is_empty());
        assert!(store.kept("a", SavedItemKind::Screen, "india").unwrap().is_empty());
        assert!(!store.remove_kept(&place("c", "swing")).unwrap());
        assert!(store.remove_kept(&place("a", "swing")).unwrap());
        assert!(of(&store, "a").is_empty() && of(&store, "b").len() == 1);
    }

    #[test]
    fn one_more_than_an_owner_may_have_and_a_change_that_is_refused_leave_all_as_it_was() {
        let (_folder, mut store) = store();
        for name in ["one", "two"] {
            save_content(&mut store, &place("a", name), "A", 1).unwrap();
        }
        assert_eq!(save_content(&mut store, &place("a", "three"), "A", 1), Err(SaveError::Full(2)));
        save_content(&mut store, &place("a", "two"), "B", 1).unwrap();
        let refused = store.change_kept(&place("a", "one"), 2, 5, |before| {
            assert_eq!(before, Some("A"));
            Err("no")
        });
        assert_eq!(refused.unwrap(), Err(SaveError::Refused("no")));
        let kept = store.kept("a", SavedItemKind::List, "india").unwrap();
        assert_eq!(kept.iter().map(|row| row.content.as_str()).collect::<Vec<_>>(), ["A", "B"]);
    }

    #[test]
    fn a_list_is_read_by_its_text_until_that_is_taken_away() {
        let (_folder, mut store) = store();
        let at = place("a", "one");
        assert!(!store.share_kept(&at, Some("t")).unwrap());
        save_content(&mut store, &at, "A", 1).unwrap();
        assert!(store.share_kept(&at, Some("t")).unwrap());
        assert_eq!(store.shared_list("t").unwrap().unwrap().content, "A");
        assert!(store.share_kept(&at, None).unwrap());
        assert_eq!(store.shared_list("t").unwrap(), None);
    }
}
