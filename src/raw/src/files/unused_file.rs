//! Explanations for files of no format: a page or message that a server sent instead of the file, or the columns it lacks to be of a
//! similar format.

use std::io::{self, Read};

use crate::formats;
use crate::user_tables::file::UserTables;
use parquote_encodings::text::file_head::FileHead;

/// Extensions of files that should have rows.
const ENDINGS: [&str; 9] = ["csv", "tsv", "txt", "dat", "json", "ndjson", "parquet", "xlsx", "xml"];

/// Bytes that are searched for a page or a message.
const SEARCHED_BYTES: u64 = 2048;

/// Words of messages that servers send instead of a file.
const MESSAGES: [&str; 14] = [
    "<error>", "accessdenied", "access denied", "\"error\"", "\"error message\"", "\"detail\"",
    "\"message\"", "\"information\"", "\"note\"", "rate limit", "too many requests", "exceeded the daily",
    "forbidden", "not found",
];

/// Explains why a file is of no format; `None` without an explanation. `head` is `Some` for a file with a header.
pub(super) fn explain(
    name: &str,
    head: Option<&FileHead<'_>>,
    tables: &UserTables,
    reader: &mut dyn Read,
) -> io::Result<Option<String>> {
    let ending = name.trim_end_matches(".gz").rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if !ENDINGS.contains(&ending.as_str()) {
        return Ok(None);
    }
    let mut start = Vec::new();
    reader.take(SEARCHED_BYTES).read_to_end(&mut start)?;
    let text = String::from_utf8_lossy(&start);
    let lower = text.trim_start().to_ascii_lowercase();
    if lower.starts_with("<!doctype html") || lower.starts_with("<html") || lower.contains("<head>") {
        let title = text_between(&text, &lower, "<title>", "</title>").unwrap_or("without a title");
        return Ok(Some(format!(
            "it is a web page ({title}), as servers send in place of a file: fetch it again"
        )));
    }
    let is_short = (start.len() as u64) < SEARCHED_BYTES;
    if is_short && MESSAGES.iter().any(|word| lower.contains(word)) {
        let excerpt: String =
            text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect();
        return Ok(Some(format!("it is the message of a server, not its file: `{excerpt}`; fetch it again")));
    }
    let misspelt = || {
        let table = tables.misspelt_table(name)?;
        Some(format!("no table has the name of the file; did you mean `{table}`? rename it"))
    };
    Ok(head.and_then(formats::most_similar).or_else(misspelt))
}

/// Returns the text between two marks, which are searched in `lower`, the text in lower case.
fn text_between<'t>(text: &'t str, lower: &str, from: &str, to: &str) -> Option<&'t str> {
    let start = lower.find(from)? + from.len();
    let end = lower.get(start..)?.find(to)? + start;
    // Leading blanks were cut from the lower-case text.
    text.trim_start().get(start..end).map(str::trim)
}
