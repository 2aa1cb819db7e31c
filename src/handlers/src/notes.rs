//! Operations on the notes of an owner: one text for each stock, which only keys of the owner can read.

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value as Json, json};

use super::handler::{Handler, HandlerCall};
use super::lists::row_of_stock;
use super::watchlists::{SavedItemStore, key_of_name};
use parquote_catalogue::error::ClientError;
use parquote_state::{SavedItemKind, SavedItemRow};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoteVerb {
    List,
    Set,
}

/// The operations, each by its name after `run:`.
pub(super) const NOTE_OPERATIONS: [(&str, NoteVerb); 2] =
    [("notes", NoteVerb::List), ("note_set", NoteVerb::Set)];

pub(super) struct NoteOperation {
    pub items: SavedItemStore,
    pub verb: NoteVerb,
}

impl NoteOperation {
    async fn list(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let rows = self.items.all(&call.owner.name, SavedItemKind::Note, call.market).await?;
        let note = |row: &SavedItemRow| {
            let symbol =
                call.snapshot.present_symbol(call.market, &row.name).unwrap_or_else(|| row.name.clone());
            json!({"symbol": symbol, "text": row.content, "made_at": row.made_at, "changed_at": row.changed_at})
        };
        let notes: Vec<Json> = rows.iter().map(note).collect();
        Ok(json!({"count": notes.len(), "notes": notes}))
    }

    /// Saves the note on a stock. An empty text removes the note.
    async fn set(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let symbol = call.text("symbol").unwrap_or_default();
        let text = call.text("text").map(plain_lines).unwrap_or_default();
        let characters = text.chars().count();
        let stored = row_of_stock(&self.items, call, SavedItemKind::Note).await?;
        let name = stored.as_ref().map_or_else(|| symbol.to_owned(), |row| row.name.clone());
        let key = key_of_name(call, SavedItemKind::Note, name);
        if !text.is_empty() {
            self.items.change_item(key, move |_| Ok(text)).await?;
        } else if stored.is_some() {
            self.items.remove(key).await?;
        }
        let characters = (characters > 0).then_some(characters);
        Ok(json!({"symbol": symbol, "market": call.market.word(), "characters": characters}))
    }
}

#[async_trait]
impl Handler for NoteOperation {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let answer = match self.verb {
            NoteVerb::List => self.list(call).await,
            NoteVerb::Set => self.set(call).await,
        };
        Ok(call.ordered(answer?))
    }

    fn waits_for_io(&self) -> bool {
        true
    }
}

/// Removes all control characters except line feeds and tabs, and marks that change the direction of writing. Marks that join letters
/// remain, as some scripts need them.
fn plain_lines(text: &str) -> String {
    let changes_direction =
        |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_plain =
        |letter: &char| matches!(letter, '\n' | '\t') || !letter.is_control() && !changes_direction(*letter);
    let text: String = text.chars().filter(is_plain).collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_tabs_of_a_note_stay_and_other_control_characters_do_not() {
        assert_eq!(plain_lines("one\r\ntwo\tहिंदी 🙂\u{0}\u{1b}[31m\n"), "one\ntwo\tहिंदी 🙂[31m");
        assert_eq!(plain_lines("\u{7}\r\n"), "");
        assert_eq!(plain_lines("a\u{202e}b\u{2067}c क्\u{200d}ष"), "abc क्\u{200d}ष");
    }
}
