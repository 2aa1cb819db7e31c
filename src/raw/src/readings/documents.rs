//! Documents, read from the rows of the table `documents`.

use chrono::NaiveDate;

use crate::user_tables::cell::{UserCell, UserRow};
use crate::user_tables::file::UserTable;

#[derive(Debug)]
pub(super) struct SuppliedDocument<'a> {
    pub(super) symbol: &'a str,
    pub(super) published_on: NaiveDate,
    pub(super) kind: &'a str,
    pub(super) period_end: Option<NaiveDate>,
    pub(super) title: Option<&'a str>,
    hash: &'a str,
    url: Option<&'a str>,
    /// Text of each paragraph, in their order.
    pub(super) paragraphs: Vec<&'a str>,
}

impl SuppliedDocument<'_> {
    /// Returns the URL of the document, or else its hash; for a `paragraph`, counted from 0, with the number of the paragraph.
    pub(super) fn address(&self, paragraph: Option<usize>) -> String {
        let document = self.url.map_or_else(|| format!("document {}", self.hash), str::to_owned);
        paragraph.map_or_else(|| document.clone(), |at| format!("{document}#p{}", at + 1))
    }
}

/// Returns the documents in the rows of their table, which are in the order of its key.
pub(super) fn documents<'a>(table: &UserTable, rows: &'a [UserRow]) -> Vec<SuppliedDocument<'a>> {
    let position = |name: &str| table.columns.iter().position(|column| column.name == name);
    let positions =
        ["symbol", "document_hash", "document_kind", "document_title", "document_url", "paragraph_text"]
            .map(position);
    let dates = ["published_on", "period_end"].map(position);
    let mut found: Vec<SuppliedDocument<'a>> = Vec::new();
    for row in rows {
        let [symbol, hash, kind, title, url, text] = positions.map(|position| text_in(row, position));
        let [published_on, period_end] = dates.map(|position| date_in(row, position));
        let (Some(symbol), Some(hash), Some(kind), Some(text)) = (symbol, hash, kind, text) else { continue };
        let Some(published_on) = published_on else { continue };
        let is_open = |it: &&mut SuppliedDocument<'_>| {
            (it.symbol, it.published_on, it.hash) == (symbol, published_on, hash)
        };
        if let Some(open) = found.last_mut().filter(is_open) {
            open.paragraphs.push(text);
        } else {
            let paragraphs = vec![text];
            found.push(SuppliedDocument {
                symbol,
                published_on,
                kind,
                period_end,
                title,
                hash,
                url,
                paragraphs,
            });
        }
    }
    found
}

fn text_in(row: &UserRow, position: Option<usize>) -> Option<&str> {
    match row.0.get(position?)? {
        UserCell::Text(text) => Some(text),
        _ => None,
    }
}

fn date_in(row: &UserRow, position: Option<usize>) -> Option<NaiveDate> {
    match row.0.get(position?)? {
        UserCell::Date(date) => Some(*date),
        _ => None,
    }
}
