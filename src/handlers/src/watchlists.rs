//! The lists, screens, drawings, notes and counts of owners, with a connection of their own to the state file.

use std::sync::{Arc, Mutex, PoisonError};

use super::handler::HandlerCall;
use super::screen_members::{SavedScreen, is_recorded};
use parquote_access::{Clock, RandomToken};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;
use parquote_state::{SaveError, SavedItemKey, SavedItemKind, SavedItemRow, StateError, Store};

/// Maximum number of lists of an owner, both markets together.
pub(super) const MOST_LISTS: u32 = 30;
/// Maximum number of symbols of a list.
pub(super) const MOST_SYMBOLS: usize = 200;
/// Maximum number of screens of an owner, both markets together.
pub(super) const MOST_SCREENS: u32 = 50;
/// Maximum number of ledgers of an owner, of screens, committees and presets, both markets together. They are never removed.
const MOST_LEDGERS: u32 = 200;
/// Maximum number of stocks on whose charts an owner has drawings, both markets together.
const MOST_DRAWN_STOCKS: u32 = 500;
/// Maximum number of counts of back-tests of an owner: one for each market.
const MOST_COUNTS: u32 = 2;
/// Maximum number of stocks on which an owner has notes, both markets together.
const MOST_NOTES: u32 = 300;

/// Name of the list that a call without a list name changes.
pub const DEFAULT_LIST: &str = "Starred";

/// Prefix of the token of a shared list, where a name of a list is expected.
pub const SHARED_PREFIX: char = '~';

/// The watchlists, screens and notes of an owner in a market.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct SavedItems {
    /// Watchlists, each as (name, symbols).
    pub lists: Vec<(String, Vec<String>)>,
    /// Saved screens, each as (name, page below the market).
    pub screens: Vec<(String, String)>,
    /// Names of the screens whose picks are recorded.
    pub recorded: Vec<String>,
    /// Notes, each as (symbol, text).
    pub notes: Vec<(String, String)>,
}

impl SavedItems {
    /// Returns true if the owner has a watchlist of this name, regardless of case.
    pub fn has_list(&self, name: &str) -> bool {
        self.lists.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// Returns the owner's note on a stock; `None` if there is none.
    pub fn note(&self, symbol: &str) -> Option<&str> {
        let note = self.notes.iter().find(|(known, _)| known.eq_ignore_ascii_case(symbol));
        note.map(|(_, text)| text.as_str())
    }

    /// Returns the names of the watchlists to which symbols can be added: the default list, which may not exist yet, and the owner's lists.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let starred = Some(DEFAULT_LIST).filter(|_| !self.has_list(DEFAULT_LIST));
        starred.into_iter().chain(self.lists.iter().map(|(name, _)| name.as_str()))
    }
}

/// The store of the saved items of all owners.
#[derive(Clone)]
pub struct SavedItemStore {
    store: Arc<Mutex<Store>>,
    clock: Clock,
}

impl SavedItemStore {
    /// Builds the store over a state file. `clock` returns the times of creation and change.
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { store: Arc::new(Mutex::new(store)), clock }
    }

    /// Returns an owner's items of a kind in a market, sorted by name.
    pub(super) async fn all(
        &self,
        owner: &str,
        kind: SavedItemKind,
        market: Market,
    ) -> Result<Vec<SavedItemRow>, ClientError> {
        let owner = owner.to_owned();
        self.blocking(move |store| store.saved_items(&owner, kind, market.word())).await
    }

    /// Returns the screens of all owners in a market, each with its owner.
    pub(super) async fn screens_of_all(
        &self,
        market: Market,
    ) -> Result<Vec<(String, SavedItemRow)>, ClientError> {
        self.blocking(move |store| store.saved_items_of_all(SavedItemKind::Screen, market.word())).await
    }

    /// Returns the present time, in Unix seconds.
    pub(super) fn now(&self) -> i64 {
        (self.clock)()
    }

    /// Returns an owner's lists in a market, each with its symbols, screens, each with its page, and notes, each with its text.
    ///
    /// # Errors
    /// Status 503 if the state file cannot be read.
    pub async fn saved_items(&self, owner: &str, market: Market) -> Result<SavedItems, ClientError> {
        let owner = owner.to_owned();
        let read = move |store: &mut Store| {
            let of = |store: &Store, kind| store.saved_items(&owner, kind, market.word());
            let (lists, screens) = (of(store, SavedItemKind::List)?, of(store, SavedItemKind::Screen)?);
            Ok((lists, screens, of(store, SavedItemKind::Note)?))
        };
        let (lists, screens, notes) = self.blocking(read).await?;
        let lists = lists.iter().map(|row| (row.name.clone(), symbols_of(row)));
        let recorded =
            screens.iter().filter(|row| is_recorded(&row.content)).map(|row| row.name.clone()).collect();
        let screens = screens.into_iter().map(|row| (row.name, SavedScreen::parse(&row.content).page));
        let notes = notes.into_iter().map(|row| (row.name, row.content));
        Ok(SavedItems {
            lists: lists.collect(),
            screens: screens.collect(),
            recorded,
            notes: notes.collect(),
        })
    }

    /// Returns the symbols of lists of an owner, each once, as they were stored. A name that begins with `~` is the token of a list that
    /// another owner shares.
    ///
    /// # Errors
    /// Status 404 for an unknown list, with the names of the existing lists.
    pub async fn symbols(
        &self,
        owner: &str,
        market: Market,
        names: &[String],
    ) -> Result<Vec<String>, ClientError> {
        let (of, names) = (owner.to_owned(), names.to_vec());
        let found: Result<Vec<SavedItemRow>, (String, Vec<SavedItemRow>)> = self
            .blocking(move |store| {
                let own = store.saved_items(&of, SavedItemKind::List, market.word())?;
                let mut found = Vec::with_capacity(names.len());
                for name in names {
                    let row = match name.strip_prefix(SHARED_PREFIX) {
                        Some(text) => {
                            let hash = RandomToken::hash_of(text).map(hex);
                            let shared = hash.map(|hash| store.shared_list(&hash)).transpose()?.flatten();
                            shared.filter(|row| row.market == market.word())
                        }
                        None => own.iter().find(|row| row.name.eq_ignore_ascii_case(name.trim())).cloned(),
                    };
                    match row {
                        Some(row) => found.push(row),
                        None => return Ok(Err((name, own))),
                    }
                }
                Ok(Ok(found))
            })
            .await?;
        let rows = found.map_err(|(name, own)| no_list(&name, market, &own))?;
        let mut symbols: Vec<String> = Vec::new();
        for symbol in rows.iter().flat_map(symbols_of) {
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
        }
        Ok(symbols)
    }

    /// Returns the page of an owner's saved screen.
    ///
    /// # Errors
    /// Status 404 for an unknown screen, with the names of the existing screens.
    pub(super) async fn page_of_screen(
        &self,
        owner: &str,
        market: Market,
        name: &str,
    ) -> Result<String, ClientError> {
        let own = self.all(owner, SavedItemKind::Screen, market).await?;
        let found = own.iter().find(|row| row.name.eq_ignore_ascii_case(name.trim()));
        let page = found.map(|row| SavedScreen::parse(&row.content).page);
        page.ok_or_else(|| unknown_item(name, &format!("screen of {market}"), &own))
    }

    /// Creates or changes an item. `change` gets the content before, if there is one, and returns the new content.
    pub(super) async fn change_item(
        &self,
        key: SavedItemKey,
        change: impl FnOnce(Option<&str>) -> Result<String, ClientError> + Send + 'static,
    ) -> Result<SavedItemRow, ClientError> {
        const MAKE_ROOM: &str = "delete one, then make another";
        let now = self.now();
        let (most, things, remedy) = match key.kind {
            SavedItemKind::List => (MOST_LISTS, "lists", MAKE_ROOM),
            SavedItemKind::Screen => (MOST_SCREENS, "screens", MAKE_ROOM),
            SavedItemKind::Drawings => (MOST_DRAWN_STOCKS, "stocks with drawings", MAKE_ROOM),
            SavedItemKind::Note => (MOST_NOTES, "notes", MAKE_ROOM),
            SavedItemKind::Backtests => (MOST_COUNTS, "counts of back-tests", MAKE_ROOM),
            SavedItemKind::Ledger => {
                (MOST_LEDGERS, "ledgers of screens", "save the screen under the name of one")
            }
        };
        let changed = self.blocking(move |store| store.change_saved_item(&key, most, now, change)).await?;
        changed.map_err(|unkept| match unkept {
            SaveError::Refused(refused) => refused,
            SaveError::Full(most) => {
                let message = format!("you keep {most} {things}, which is the most; {remedy}");
                ClientError::new(ErrorKind::BadRequest, message)
            }
        })
    }

    /// Shares a list under a new token and returns the token, which is not returned again; or ends sharing and returns `None`.
    pub(super) async fn share_list(
        &self,
        key: SavedItemKey,
        is_shared: bool,
    ) -> Result<Option<String>, ClientError> {
        let made = is_shared.then(RandomToken::generate).transpose();
        let token = made.map_err(|error| {
            ClientError::from_cause(ErrorKind::Internal, "the server has no random numbers now", error)
        })?;
        let share = token.as_ref().map(|token| hex(token.hash()));
        let (named, market) = (key.clone(), key.market.clone());
        if self.blocking(move |store| store.share_saved_item(&key, share.as_deref())).await? {
            return Ok(token.map(|token| format!("{SHARED_PREFIX}{}", token.reveal())));
        }
        Err(self.missing_item(&named, &market).await)
    }

    pub(super) async fn remove(&self, key: SavedItemKey) -> Result<(), ClientError> {
        let (named, market) = (key.clone(), key.market.clone());
        if self.blocking(move |store| store.remove_saved_item(&key)).await? {
            return Ok(());
        }
        Err(self.missing_item(&named, &market).await)
    }

    async fn missing_item(&self, key: &SavedItemKey, market: &str) -> ClientError {
        let Ok(market) = market.parse::<Market>() else { return unknown_item(&key.name, "", &[]) };
        let own = self.all(&key.owner, key.kind, market).await.unwrap_or_default();
        match key.kind {
            SavedItemKind::List => no_list(&key.name, market, &own),
            SavedItemKind::Screen => unknown_item(&key.name, &format!("screen of {market}"), &own),
            SavedItemKind::Drawings => unknown_item(&key.name, &format!("drawings of {market}"), &own),
            SavedItemKind::Note => unknown_item(&key.name, &format!("note of {market}"), &own),
            SavedItemKind::Backtests => {
                unknown_item(&key.name, &format!("count of back-tests of {market}"), &own)
            }
            SavedItemKind::Ledger => unknown_item(&key.name, &format!("ledger of {market}"), &own),
        }
    }

    /// Runs `work` on the state file, on a thread that may block.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, ClientError> {
        let store = Arc::clone(&self.store);
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
            let message = "what you keep cannot be read or changed now; the fault is logged";
            ClientError::from_cause(ErrorKind::Unavailable, message, error)
        };
        let done = tokio::task::spawn_blocking(move || {
            // Every change is one transaction, so that a panic in another thread leaves no incomplete change.
            let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
            store.reopen_if_replaced()?;
            work(&mut store)
        });
        done.await.map_err(|error| failed(error.into()))?.map_err(|error| failed(error.into()))
    }
}

/// Returns the symbols of a stored list.
pub(super) fn symbols_of(row: &SavedItemRow) -> Vec<String> {
    split_symbols(&row.content)
}

/// Splits the content of a list into symbols.
pub(super) fn split_symbols(content: &str) -> Vec<String> {
    content.split(',').filter(|symbol| !symbol.is_empty()).map(str::to_owned).collect()
}

/// Formats a hash as stored, in hexadecimal.
fn hex(hash: [u8; 32]) -> String {
    blake3::Hash::from_bytes(hash).to_hex().to_string()
}

/// Returns the stored form of a name: one line, without characters that separate names or mark shared lists.
///
/// # Errors
/// Status 400 for a name with other characters.
pub(super) fn checked_name(name: &str) -> Result<String, ClientError> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_fine = |letter: char| letter.is_alphanumeric() || " -_.&+()'/%".contains(letter);
    if name.is_empty() || !name.chars().all(is_fine) {
        let message = "`name`: a name has letters, digits, spaces and the signs - _ . & + ( ) ' / %, and no comma; call it otherwise";
        return Err(ClientError::new(ErrorKind::BadRequest, message));
    }
    Ok(name)
}

fn no_list(name: &str, market: Market, own: &[SavedItemRow]) -> ClientError {
    if name.starts_with(SHARED_PREFIX) {
        let message = format!(
            "`list`: no list of {market} is shared under this address; ask the sender for a new address"
        );
        return ClientError::new(ErrorKind::NotFound, message);
    }
    unknown_item(name, &format!("list of {market}"), own)
}

pub(super) fn unknown_item(name: &str, thing: &str, own: &[SavedItemRow]) -> ClientError {
    let names: Vec<&str> = own.iter().map(|row| row.name.as_str()).collect();
    let known = if names.is_empty() {
        "there is none yet".to_owned()
    } else {
        format!("yours are {}", names.join(", "))
    };
    let name: String = name.chars().take(40).collect();
    ClientError::new(ErrorKind::NotFound, format!("you keep no {thing} under the name `{name}`; {known}"))
}

/// Returns the key of the owner's item of a kind with a name.
pub(super) fn key_of_name(call: &HandlerCall<'_>, kind: SavedItemKind, name: String) -> SavedItemKey {
    let (owner, market) = (call.owner.name.as_ref().to_owned(), call.market.word().to_owned());
    SavedItemKey { owner, kind, market, name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_of_plain_signs() {
        assert_eq!(checked_name("  Swing   ideas (Q3) ").unwrap(), "Swing ideas (Q3)");
        assert_eq!(checked_name("गति & RS>").map_err(|error| error.kind), Err(ErrorKind::BadRequest));
        for name in ["", " ", "a,b", "~x", "a\u{0}b", "a\u{202e}b", "<b>", "a\"b", "`x`"] {
            assert!(checked_name(name).is_err(), "{name}");
        }
    }
}
