//! Data that is too long for an answer: rows at the ends of its lists are omitted until the rest fits.

use std::cmp::Reverse;

use serde_json::{Map, Value as Json};

use parquote_engine::Extent;

/// Bytes reserved for the note about omitted rows.
pub(super) const NOTE_BYTES: usize = 320;

/// Limits on the length of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerLength<'a> {
    /// Range of the matching rows that the answer contains, if it is a list of them.
    pub extent: Option<Extent>,
    /// Symbols that the caller named: their rows are omitted last.
    pub named_symbols: &'a [String],
    /// Longest answer with rows, in bytes; more rows are omitted.
    pub bytes: usize,
    /// Longest answer at all, in bytes.
    pub most: usize,
}

/// Number of rows left of a list in an answer that was too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShortenedList {
    /// Field name of the list in the data; empty if the list is the data.
    name: String,
    pub(super) rows_left: usize,
    /// Number of rows before the omission.
    pub(super) total: usize,
    /// Named symbols whose rows were omitted.
    pub(super) symbols_left_out: Vec<String>,
}

impl ShortenedList {
    pub(super) fn words(&self) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!(" of `{}`", self.name) };
        format!("{} of {} rows{name}", self.rows_left, self.total)
    }
}

/// Omits rows at the ends of lists until the rest fits. The largest list loses rows first, and a list of stocks that the caller named loses
/// rows last.
pub(super) fn omit_rows(data: &mut Json, bytes: usize, measure: AnswerLength<'_>) -> Vec<ShortenedList> {
    let mut length = data.to_string().len();
    if length <= bytes {
        return Vec::new();
    }
    let symbols: usize = measure.named_symbols.iter().map(|symbol| symbol.len() + 2).sum();
    let bytes = bytes.saturating_sub(NOTE_BYTES + symbols);
    let lists = match &mut *data {
        Json::Object(fields) if measure.extent.is_none() => lists_of(fields, measure.named_symbols),
        data => {
            return rows_of(data)
                .map(|rows| omit_rows_of_list(rows, "", &mut length, bytes))
                .into_iter()
                .collect();
        }
    };
    let mut cut = Vec::new();
    for list in lists {
        if length <= bytes {
            break;
        }
        let Some(rows) = data.get_mut(&list.name).and_then(rows_of) else { continue };
        let symbols = if list.is_of_named_stocks { symbols_of(rows) } else { Vec::new() };
        let mut shortened = omit_rows_of_list(rows, &list.name, &mut length, bytes);
        shortened.symbols_left_out = symbols.into_iter().skip(shortened.rows_left).collect();
        cut.push(shortened);
    }
    cut.retain(|list| list.rows_left < list.total);
    cut
}

/// Omits rows of a list until the whole answer is short enough. At least one row stays, so that paging always advances.
fn omit_rows_of_list(rows: &mut Vec<Json>, name: &str, length: &mut usize, bytes: usize) -> ShortenedList {
    let total = rows.len();
    while rows.len() > 1 && *length > bytes {
        let row = rows.pop().map_or(0, |row| row.to_string().len() + 1);
        *length -= row;
    }
    ShortenedList { name: name.to_owned(), rows_left: rows.len(), total, symbols_left_out: Vec::new() }
}

struct ListInAnswer {
    name: String,
    /// True if its rows are the stocks that the caller named.
    is_of_named_stocks: bool,
}

/// Returns the lists of an answer in the order in which they are cut.
fn lists_of(fields: &mut Map<String, Json>, named_symbols: &[String]) -> Vec<ListInAnswer> {
    let mut lists: Vec<(usize, ListInAnswer)> = Vec::new();
    for (name, value) in fields {
        let size = value.to_string().len();
        let Some(rows) = rows_of(value) else { continue };
        let symbols = symbols_of(rows);
        let is_of_named_stocks =
            symbols.len() == rows.len() && symbols.iter().all(|symbol| named_symbols.contains(symbol));
        lists.push((size, ListInAnswer { name: name.clone(), is_of_named_stocks }));
    }
    lists.sort_by_key(|(size, list)| (list.is_of_named_stocks, Reverse(*size)));
    lists.into_iter().map(|(_, list)| list).collect()
}

fn symbols_of(rows: &[Json]) -> Vec<String> {
    rows.iter().filter_map(|row| Some(row.get("symbol")?.as_str()?.to_owned())).collect()
}

/// Returns the rows of an answer: the data itself if it is a list, its `rows` or `stocks`, or else its longest list.
pub(super) fn rows_of(data: &mut Json) -> Option<&mut Vec<Json>> {
    let field = match &*data {
        Json::Array(_) => return data.as_array_mut(),
        Json::Object(fields) => field_of_rows(fields)?,
        _ => return None,
    };
    rows_of(data.get_mut(&field)?)
}

fn field_of_rows(fields: &Map<String, Json>) -> Option<String> {
    const ROWS: [&str; 2] = ["rows", "stocks"];
    let usual = ROWS
        .into_iter()
        .find(|name| fields.get(*name).is_some_and(|rows| rows.is_array() || rows.is_object()));
    let longest = || {
        let lists = fields.iter().filter_map(|(name, value)| Some((name, value.as_array()?.len())));
        lists.max_by_key(|(_, length)| *length).map(|(name, _)| name.clone())
    };
    usual.map(str::to_owned).or_else(longest)
}
