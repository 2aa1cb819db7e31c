//! Operations that create, change, share and remove an owner's symbol lists and screens. Their figures come from other operations, which
//! read tables and take the name of a list.

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value as Json, json};

use super::handler::{Handler, HandlerCall};
use super::watchlists::{MOST_SYMBOLS, SavedItemStore, checked_name, split, symbols_of};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_state::{SavedItemKey, SavedItemKind, SavedItemRow};

/// Default list of symbols sent without a list name.
const STARRED: &str = "Starred";

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
    pub verb: ListVerb,
}

impl ListOperation {
    async fn all(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let rows = self.lists.all(&call.owner.name, SavedItemKind::List, call.market).await?;
        let shown: Vec<Json> = rows
            .iter()
            .map(|row| {
                let mut shown = list(row);
                super::handler::set_field(&mut shown, "is_shared", json!(row.is_shared));
                shown
            })
            .collect();
        Ok(json!({"count": shown.len(), "lists": shown}))
    }

    /// Changes the symbols of a list. Symbols that left the market are removed, and former symbols are replaced by the current ones.
    async fn changed(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let (verb, asked) = (self.verb, call.list("symbols").to_vec());
        let place = place(call, SavedItemKind::List)?;
        let (snapshot, market, name) =
            (std::sync::Arc::clone(call.snapshot), call.market, place.name.clone());
        let row = self
            .lists
            .change(place, move |before| {
                let kept = before.map(split).unwrap_or_default().into_iter();
                let kept = kept.map(|symbol| snapshot.renamed(market, &symbol).unwrap_or(symbol));
                let kept: Vec<String> =
                    kept.filter(|symbol| snapshot.has_symbol(market, symbol) != Some(false)).collect();
                let symbols = match (verb, before) {
                    (ListVerb::Remove, None) => {
                        let message = format!("you keep no list of {market} under the name `{name}`");
                        return Err(ClientError::new(ErrorKind::NotFound, message));
                    }
                    (ListVerb::Remove, Some(_)) => without(kept, &asked),
                    (ListVerb::Add, _) => {
                        let new = without(asked, &kept);
                        kept.into_iter().chain(new).collect()
                    }
                    _ => asked,
                };
                if symbols.len() > MOST_SYMBOLS {
                    let message = format!(
                        "`symbols`: the list would have {} symbols, and at most {MOST_SYMBOLS} are kept; make another list",
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
        let place = place(call, kind)?;
        let name = place.name.clone();
        self.lists.remove(place).await?;
        Ok(json!({"name": name, "market": call.market.word(), "removed": true}))
    }

    async fn share(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let place = place(call, SavedItemKind::List)?;
        let name = place.name.clone();
        let share = self.lists.share(place, !call.is_set("revoke")).await?;
        let page = share.as_ref().map(|share| format!("/{}/list?list={share}", call.market));
        Ok(json!({"name": name, "market": call.market.word(), "share": share, "page": page}))
    }

    async fn screens(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let rows = self.lists.all(&call.owner.name, SavedItemKind::Screen, call.market).await?;
        let shown: Vec<Json> = rows.iter().map(screen).collect();
        Ok(json!({"count": shown.len(), "screens": shown}))
    }

    async fn save_screen(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let content = match (call.text("query"), call.text("words")) {
            (Some(query), None) => {
                let query = query.trim().trim_start_matches('?');
                let is_query =
                    query.bytes().all(|byte| byte.is_ascii_graphic() && !b"#\"<>\\`".contains(&byte));
                if !is_query || query.is_empty() {
                    let message = "`query`: it is the part of the screener's address behind the ?, such as min_rs=80&stage=2";
                    return Err(ClientError::new(ErrorKind::BadRequest, message));
                }
                format!("screener?{query}")
            }
            (None, Some(words)) => {
                let words: String = url::form_urlencoded::byte_serialize(words.trim().as_bytes()).collect();
                format!("ask?query={words}")
            }
            _ => {
                let message = "give `query`, the part of the screener's address behind the ?, or `words`, a sentence; not both";
                return Err(ClientError::new(ErrorKind::BadRequest, message));
            }
        };
        let row = self.lists.change(place(call, SavedItemKind::Screen)?, move |_| Ok(content)).await?;
        Ok(screen(&row))
    }
}

#[async_trait]
impl Handler for ListOperation {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let answer = match self.verb {
            ListVerb::List => self.all(call).await,
            ListVerb::Set | ListVerb::Add | ListVerb::Remove => self.changed(call).await,
            ListVerb::Delete => self.delete(call, SavedItemKind::List).await,
            ListVerb::Share => self.share(call).await,
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

fn place(call: &HandlerCall<'_>, kind: SavedItemKind) -> Result<SavedItemKey, ClientError> {
    Ok(SavedItemKey {
        owner: call.owner.name.as_ref().to_owned(),
        kind,
        market: call.market.word().to_owned(),
        name: checked_name(call.text("name").unwrap_or(STARRED))?,
    })
}

fn list(row: &SavedItemRow) -> Json {
    let symbols = symbols_of(row);
    json!({
        "name": row.name, "market": row.market, "count": symbols.len(), "symbols": symbols,
        "made_at": row.made_at, "changed_at": row.changed_at,
    })
}

fn screen(row: &SavedItemRow) -> Json {
    json!({"name": row.name, "market": row.market, "page": row.content, "made_at": row.made_at})
}

fn without(symbols: Vec<String>, others: &[String]) -> Vec<String> {
    symbols.into_iter().filter(|symbol| !others.contains(symbol)).collect()
}
