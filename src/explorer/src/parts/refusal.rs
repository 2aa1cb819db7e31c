//! Message for a reader if an operation refused: its text, and possible next steps.

use maud::{Markup, html};

use crate::request::{PageRequest, segment};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_engine::Snapshot;

/// Shows a refusal on a page.
pub(crate) fn refusal(request: &PageRequest, snapshot: &Snapshot, refused: &ClientError) -> Markup {
    let asked = match &request.symbol {
        Some(symbol) => Some(symbol.as_str()),
        None => request.get("symbols").and_then(|list| list.split(',').next_back()),
    };
    let is_lost = refused.kind == ErrorKind::NotFound;
    let unknown =
        asked.filter(|symbol| is_lost && snapshot.has_symbol(request.market, symbol) == Some(false));
    html! {
        div.refusal {
            p { b { (refusal_words(refused.kind)) } " " (sentence(&refused.message)) }
            @if let Some(symbol) = unknown {
                p.onward {
                    @for near in snapshot.meant(request.market, symbol) {
                        a href=(request.elsewhere(&format!("company/{}", segment(&near)))) { (near) } " "
                    }
                    a href=(request.elsewhere(&format!("search?q={}", segment(symbol)))) { "Search for " (symbol) }
                }
            }
            @if let Some(seconds) = refused.after_s() { p { "It may be asked again in " (seconds) " s." } }
        }
    }
}

/// Shows that one part of an answered page has no data, such as the report of an unfinished run.
pub(crate) fn absence(refused: &ClientError) -> Markup {
    html! { p.none { (sentence(&refused.message)) } }
}

/// Returns the kind of refusal in a few words.
pub(crate) const fn refusal_words(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::BadRequest => "That cannot be asked.",
        ErrorKind::Unauthorized => "Sign in.",
        ErrorKind::Forbidden => "This key does not reach that.",
        ErrorKind::NotFound => "There is no such thing.",
        ErrorKind::NoData => "This server has no such data.",
        ErrorKind::Gone => "That is not kept any more.",
        ErrorKind::MethodNotAllowed => "That is not done here.",
        ErrorKind::TooManyRequests => "The allowance is used up.",
        ErrorKind::Unavailable | ErrorKind::Overrun => "That cannot be answered now.",
        ErrorKind::Internal => "The server failed on this.",
    }
}

/// Returns a message with a capital letter and a full stop.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>()).unwrap_or_default();
    let stop = if message.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}
