//! Operations that create, change, share and remove an owner's symbol lists and screens. Their figures come from other operations, which
//! read tables and take the name of a list.

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value as Json, json};

use super::handler::{Handler, HandlerCall, set_field};
use super::screen_members::{MOST_MEMBERS, SavedScreen, ScreenMembers};
use super::screen_words::{ListedStocks, ScreenWords};
use super::screener_call::ScreenerCall;
use super::watchlists::{
    DEFAULT_LIST, MOST_SYMBOLS, SavedItemStore, checked_name, split_symbols, symbols_of,
};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_state::{SavedItemKey, SavedItemKind, SavedItemRow};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListVerb {
    List,
    Set,
    Add,
    Remove,
    Delete,
    Share,
    Screens,
    SaveScreen,
    RemoveScreen,
}

/// Operations by the name after `run:`.
pub(super) const LIST_OPERATIONS: [(&str, ListVerb); 9] = [
    ("lists", ListVerb::List),
    ("list_set", ListVerb::Set),
    ("list_add", ListVerb::Add),
    ("list_remove", ListVerb::Remove),
    ("list_delete", ListVerb::Delete),
    ("list_share", ListVerb::Share),
    ("screens", ListVerb::Screens),
    ("screen_save", ListVerb::SaveScreen),
    ("screen_remove", ListVerb::RemoveScreen),
];

pub(super) struct ListOperation {
    pub lists: SavedItemStore,
    /// The screener, which runs saved screens.
    pub screens: ScreenWords,
    pub verb: ListVerb,
}

impl ListOperation {
    async fn all(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let rows = self.lists.all(&call.owner.name, SavedItemKind::List, call.market).await?;
        let shown: Vec<Json> = rows
            .iter()
            .map(|row| {
                let mut shown = list(row);
                set_field(&mut shown, "is_shared", json!(row.is_shared));
                shown
            })
            .collect();
        Ok(json!({"count": shown.len(), "lists": shown}))
    }

    /// Changes the symbols of a list. Symbols that left the market are removed, and former symbols are replaced by the current ones.
    async fn change_list(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let (verb, requested) = (self.verb, call.list("symbols").to_vec());
        let saved_key = item_key(call, SavedItemKind::List)?;
        let (snapshot, market, name) =
            (std::sync::Arc::clone(call.snapshot), call.market, saved_key.name.clone());
        let row = self
            .lists
            .change_item(saved_key, move |before| {
                let retained = before.map(split_symbols).unwrap_or_default().into_iter();
                let retained = retained.map(|symbol| snapshot.present_symbol(market, &symbol).unwrap_or(symbol));
                let retained: Vec<String> =
                    retained.filter(|symbol| snapshot.has_symbol(market, symbol) != Some(false)).collect();
                let symbols = match (verb, before) {
                    (ListVerb::Remove, None) => {
                        let message = format!("you keep no list of {market} under the name `{name}`");
                        return Err(ClientError::new(ErrorKind::NotFound, message));
                    }
                    (ListVerb::Remove, Some(_)) => symbols_except(retained, &requested),
                    (ListVerb::Add, _) => {
                        let new = symbols_except(requested, &retained);
                        retained.into_iter().chain(new).collect()
                    }
                    _ => requested,
                };
                if symbols.len() > MOST_SYMBOLS {
                    let message = format!(
                        "`symbols`: the list would have {} symbols, and at most {MOST_SYMBOLS} are stored; make another list",
                        symbols.len()
                    );
                    return Err(ClientError::new(ErrorKind::BadRequest, message));
                }
                Ok(symbols.join(","))
            })
            .await?;
        Ok(list(&row))
    }

    async fn delete(&self, call: &HandlerCall<'_>, kind: SavedItemKind) -> Result<Json, ClientError> {
        let saved_key = item_key(call, kind)?;
        let name = saved_key.name.clone();
        self.lists.remove(saved_key).await?;
        Ok(json!({"name": name, "market": call.market.word(), "removed": true}))
    }

    async fn share_list(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let saved_key = item_key(call, SavedItemKind::List)?;
        let name = saved_key.name.clone();
        let share = self.lists.share_list(saved_key, !call.is_set("revoke")).await?;
        let page = share.as_ref().map(|share| format!("/{}/list?list={share}", call.market));
        Ok(json!({"name": name, "market": call.market.word(), "share": share, "page": page}))
    }

    async fn screens(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let rows = self.lists.all(&call.owner.name, SavedItemKind::Screen, call.market).await?;
        let mut shown = Vec::with_capacity(rows.len());
        for row in &rows {
            let mut fields = screen_json(row);
            for name in ["screen_count", "since_session", "entered_symbols", "left_symbols"] {
                set_field(&mut fields, name, Json::Null);
            }
            if call.is_set("changes") {
                self.add_changes(call, row, &mut fields).await?;
            }
            shown.push(fields);
        }
        Ok(json!({"count": shown.len(), "screens": shown}))
    }

    /// Runs a saved screen, adds the stocks that entered and left to its fields, and stores its stocks.
    async fn add_changes(
        &self,
        call: &HandlerCall<'_>,
        row: &SavedItemRow,
        fields: &mut Json,
    ) -> Result<(), ClientError> {
        let saved = SavedScreen::parse(&row.content);
        let Some(session) = call.snapshot.as_of(call.market) else { return Ok(()) };
        let Some(symbols) = self.members(call, &saved.page).await? else { return Ok(()) };
        let now = ScreenMembers { session, symbols };
        set_field(fields, "screen_count", json!(now.symbols.len()));
        let current = |symbol: &str| call.snapshot.present_symbol(call.market, symbol);
        if let Some(changes) = saved.changes(&now, current) {
            set_field(fields, "since_session", json!(changes.since.to_string()));
            set_field(fields, "entered_symbols", json!(changes.entered));
            set_field(fields, "left_symbols", json!(changes.left));
        }
        let (before, after) = (row.content.clone(), saved.with_run(now).content());
        if before == after {
            return Ok(());
        }
        let key = key_of_name(call, SavedItemKind::Screen, row.name.clone());
        let stored = self.lists.change_item(key, move |present| match present {
            Some(present) if present == before => Ok(after),
            _ => Err(ClientError::new(ErrorKind::NotFound, "the screen was changed or removed meanwhile")),
        });
        match stored.await {
            Err(error) if error.kind != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the stocks that a saved page lists now; `None` if the key may not call the screener, if the market's tables are missing,
    /// or if the screen cannot be followed: it is not understood any more, or lists too many.
    async fn members(&self, call: &HandlerCall<'_>, page: &str) -> Result<Option<Vec<String>>, ClientError> {
        let listed = async {
            let screen = ScreenerCall::from_page(call, &self.lists, page).await?;
            screen.listed(&self.screens, call, call.snapshot, MOST_MEMBERS).await
        };
        match listed.await {
            Ok(ListedStocks { symbols, total, unread: None }) if total <= MOST_MEMBERS => Ok(Some(symbols)),
            Err(error) if error.kind.status() >= 500 => Err(error),
            _ => Ok(None),
        }
    }

    async fn save_screen(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let content = match (call.text("query"), call.text("words")) {
            (Some(query), None) => {
                let query = query.trim().trim_start_matches('?');
                let is_query =
                    query.bytes().all(|byte| byte.is_ascii_graphic() && !b"#\"<>\\`".contains(&byte));
                if !is_query || query.is_empty() {
                    let message = "`query`: it is the part of the screener's address after the ?, such as min_rs=80&stage=2";
                    return Err(ClientError::new(ErrorKind::BadRequest, message));
                }
                format!("screener?{query}")
            }
            (None, Some(words)) => {
                let words: String = url::form_urlencoded::byte_serialize(words.trim().as_bytes()).collect();
                format!("ask?query={words}")
            }
            _ => {
                let message = "give `query`, the part of the screener's address after the ?, or `words`, a sentence; not both";
                return Err(ClientError::new(ErrorKind::BadRequest, message));
            }
        };
        // The same page saved again is followed from where it was.
        let changed = move |before: Option<&str>| match before {
            Some(before) if SavedScreen::parse(before).page == content => Ok(before.to_owned()),
            _ => Ok(content),
        };
        let row = self.lists.change_item(item_key(call, SavedItemKind::Screen)?, changed).await?;
        Ok(screen_json(&row))
    }
}

#[async_trait]
impl Handler for ListOperation {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let answer = match self.verb {
            ListVerb::List => self.all(call).await,
            ListVerb::Set | ListVerb::Add | ListVerb::Remove => self.change_list(call).await,
            ListVerb::Delete => self.delete(call, SavedItemKind::List).await,
            ListVerb::Share => self.share_list(call).await,
            ListVerb::Screens => self.screens(call).await,
            ListVerb::SaveScreen => self.save_screen(call).await,
            ListVerb::RemoveScreen => self.delete(call, SavedItemKind::Screen).await,
        };
        Ok(call.ordered(answer?))
    }

    fn waits_for_others(&self) -> bool {
        true
    }
}

/// Returns the key of the item that a call names.
fn item_key(call: &HandlerCall<'_>, kind: SavedItemKind) -> Result<SavedItemKey, ClientError> {
    let name = checked_name(call.text("name").unwrap_or(DEFAULT_LIST))?;
    Ok(key_of_name(call, kind, name))
}

pub(super) fn key_of_name(call: &HandlerCall<'_>, kind: SavedItemKind, name: String) -> SavedItemKey {
    let (owner, market) = (call.owner.name.as_ref().to_owned(), call.market.word().to_owned());
    SavedItemKey { owner, kind, market, name }
}

/// Returns the owner's item of a kind on the stock of a call, under its symbol or a former one.
pub(super) async fn row_of_stock(
    items: &SavedItemStore,
    call: &HandlerCall<'_>,
    kind: SavedItemKind,
) -> Result<Option<SavedItemRow>, ClientError> {
    let rows = items.all(&call.owner.name, kind, call.market).await?;
    let symbol = call.text("symbol").unwrap_or_default();
    let is_of_stock = |row: &SavedItemRow| {
        row.name == symbol
            || call.snapshot.present_symbol(call.market, &row.name).is_some_and(|now| now == symbol)
    };
    Ok(rows.into_iter().find(is_of_stock))
}

fn list(row: &SavedItemRow) -> Json {
    let symbols = symbols_of(row);
    json!({
        "name": row.name, "market": row.market, "count": symbols.len(), "symbols": symbols,
        "made_at": row.made_at, "changed_at": row.changed_at,
    })
}

fn screen_json(row: &SavedItemRow) -> Json {
    let page = SavedScreen::parse(&row.content).page;
    json!({"name": row.name, "market": row.market, "page": page, "made_at": row.made_at})
}

fn symbols_except(symbols: Vec<String>, others: &[String]) -> Vec<String> {
    symbols.into_iter().filter(|symbol| !others.contains(symbol)).collect()
}
