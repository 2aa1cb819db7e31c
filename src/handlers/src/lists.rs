//! Operations that create, change, share and remove an owner's symbol lists and screens. Other operations, which have the name of a list as
//! a parameter, return figures of its stocks.

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value as Json, json};

use super::handler::{Handler, HandlerCall, set_field};
use super::screen_ledger::{followed_stocks, record};
use super::screen_members::{SavedScreen, ScreenMembers};
use super::screen_words::{ListedStocks, ScreenWords};
use super::watchlists::{
    DEFAULT_LIST, MOST_SYMBOLS, SavedItemStore, checked_name, key_of_name, split_symbols, symbols_of,
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

/// The operations, each by its name after `run:`.
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
        let lists: Vec<Json> = rows
            .iter()
            .map(|row| {
                let mut fields = list_json(row);
                set_field(&mut fields, "is_shared", json!(row.is_shared));
                fields
            })
            .collect();
        Ok(json!({"count": lists.len(), "lists": lists}))
    }

    /// Changes the symbols of a list. Symbols that have left the market are removed, and current symbols replace former ones.
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
        Ok(list_json(&row))
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
        let mut screens = Vec::with_capacity(rows.len());
        for row in &rows {
            let mut fields = screen_json(row);
            for name in ["screen_count", "since_session", "entered_symbols", "left_symbols"] {
                set_field(&mut fields, name, Json::Null);
            }
            if call.is_set("changes") {
                self.add_changes(call, row, &mut fields).await?;
            }
            screens.push(fields);
        }
        Ok(json!({"count": screens.len(), "screens": screens}))
    }

    /// Runs a saved screen and stores its stocks. Adds the stocks that entered and left since the run before to `fields`.
    async fn add_changes(
        &self,
        call: &HandlerCall<'_>,
        row: &SavedItemRow,
        fields: &mut Json,
    ) -> Result<(), ClientError> {
        let saved = SavedScreen::parse(&row.content);
        let Some(session) = call.snapshot.as_of(call.market) else { return Ok(()) };
        let followed = followed_stocks(call, &self.lists, &self.screens, &saved.page).await?;
        let Ok(ListedStocks { symbols, .. }) = followed else { return Ok(()) };
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
        let key = item_key(call, SavedItemKind::Screen)?;
        let rows = self.lists.all(&call.owner.name, SavedItemKind::Screen, call.market).await?;
        let known = rows.iter().find(|row| row.name.eq_ignore_ascii_case(&key.name));
        let known = known.map(|row| SavedScreen::parse(&row.content));
        // Other conditions are recorded under the tier of the key that saves them.
        let is_changed = known.is_some_and(|known| known.recorded_by.is_some() && known.page != content);
        // `None` leaves the mark as it is.
        let mark = match call.text("ledger") {
            Some(word) => Some((word == "on").then_some(call.owner.tier)),
            None => is_changed.then_some(Some(call.owner.tier)),
        };
        if matches!(mark, Some(Some(_)))
            && let Err(reason) = record(call, &self.lists, &self.screens, &key.name, &content).await?
        {
            let message = format!(
                "`ledger`: a screen is recorded if it is understood, lists at most 500 stocks, and the key reaches the screener; with \
                 ledger=off it is saved and not recorded. {reason}"
            );
            return Err(ClientError::new(ErrorKind::BadRequest, message));
        }
        let changed = move |before: Option<&str>| -> Result<String, ClientError> {
            let known = before.map(SavedScreen::parse);
            let recorded_by = mark.unwrap_or_else(|| known.as_ref().and_then(|known| known.recorded_by));
            // The same page saved again is followed from where it was.
            let same = known.filter(|known| known.page == content);
            let screen = same.unwrap_or_else(|| SavedScreen::parse(&content));
            Ok(screen.recorded_by(recorded_by).content())
        };
        let row = self.lists.change_item(key, changed).await?;
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

    fn waits_for_io(&self) -> bool {
        true
    }
}

/// Returns the key of the saved item that a call names.
fn item_key(call: &HandlerCall<'_>, kind: SavedItemKind) -> Result<SavedItemKey, ClientError> {
    let name = checked_name(call.text("name").unwrap_or(DEFAULT_LIST))?;
    Ok(key_of_name(call, kind, name))
}

/// Returns the owner's item of a kind for the stock of a call, which is stored under the symbol or a former symbol of the stock.
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

fn list_json(row: &SavedItemRow) -> Json {
    let symbols = symbols_of(row);
    json!({
        "name": row.name, "market": row.market, "count": symbols.len(), "symbols": symbols,
        "made_at": row.made_at, "changed_at": row.changed_at,
    })
}

fn screen_json(row: &SavedItemRow) -> Json {
    let SavedScreen { page, recorded_by, .. } = SavedScreen::parse(&row.content);
    json!({
        "name": row.name, "market": row.market, "page": page, "made_at": row.made_at,
        "is_recorded": recorded_by.is_some(),
    })
}

fn symbols_except(symbols: Vec<String>, others: &[String]) -> Vec<String> {
    symbols.into_iter().filter(|symbol| !others.contains(symbol)).collect()
}
