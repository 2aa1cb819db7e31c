//! Message for a reader if an operation refused: its text, and possible next steps.

use maud::{Markup, html};

use crate::column_title::capitalise;
use crate::moment::dates_in;
use crate::request::{PageRequest, segment};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_engine::Snapshot;

/// Shows a refusal on a page.
pub(crate) fn refusal(request: &PageRequest, snapshot: &Snapshot, refused: &ClientError) -> Markup {
    let requested = match &request.symbol {
        Some(symbol) => Some(symbol.as_str()),
        None => request.get("symbols").and_then(|list| list.split(',').next_back()),
    };
    let is_not_found = refused.kind == ErrorKind::NotFound;
    let unknown =
        requested.filter(|symbol| is_not_found && snapshot.has_symbol(request.market, symbol) == Some(false));
    html! {
        div.refusal {
            p { b { (refusal_words(refused.kind)) } " " (sentence(&refused.message)) }
            @if let Some(symbol) = unknown {
                p.onward {
                    @for similar in snapshot.likely_symbols(request.market, symbol) {
                        a href=(request.market_address(&format!("company/{}", segment(&similar)))) { (similar) } " "
                    }
                    a href=(request.market_address(&format!("search?q={}", segment(symbol)))) { "Search for " (symbol) }
                }
            }
            @if let Some(seconds) = refused.after_s() { p { "Try again in " (seconds) " s." } }
        }
    }
}

/// Shows that one part of an answered page has no data, such as the report of an unfinished run, without the name of the operation.
pub(crate) fn absence(refused: &ClientError) -> Markup {
    let after_name =
        refused.message.strip_prefix("this snapshot has nothing of ").and_then(|words| words.split_once(' '));
    let words = after_name.map(|(_, words)| format!("there is nothing here {words}"));
    html! { p.none { (dates_in(&sentence(words.as_ref().unwrap_or(&refused.message)))) } }
}

/// Returns the kind of refusal in a few words.
pub(crate) const fn refusal_words(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::BadRequest => "This request is not possible.",
        ErrorKind::Unauthorized => "Sign in.",
        ErrorKind::Forbidden => "This key does not reach that.",
        ErrorKind::NotFound => "Not found.",
        ErrorKind::NoData => "This server has no such data.",
        ErrorKind::Gone => "That is no longer available.",
        ErrorKind::MethodNotAllowed => "That is not done here.",
        ErrorKind::TooManyRequests => "The allowance is used up.",
        ErrorKind::Unavailable | ErrorKind::Overrun => "That cannot be answered now.",
        ErrorKind::Internal => "The server failed on this.",
    }
}

/// Returns a message with a capital letter and a full stop.
fn sentence(message: &str) -> String {
    let stop = if message.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{}{stop}", capitalise(message))
}
