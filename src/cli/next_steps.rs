//! The last lines that a server prints at its start: how to connect a chat, to serve real data, and to find help.

use super::output::say;
use crate::call::is_invented;
use crate::engine::Snapshot;
use crate::operation::Market;

/// Prints the next steps.
pub(super) fn print(snapshot: &Snapshot, url: &str) {
    say!(
        "  chat: claude mcp add --transport http parquote {url}/mcp/chat --header \"Authorization: Bearer <API_KEY>\""
    );
    say!("        other apps: {url}/v1/docs/guides/language-models");
    if Market::ALL.iter().any(|market| is_invented(snapshot, *market)) {
        say!("  demo: this market is fictional; for real data, in this order:");
        say!("        parquote fetch india --since 2026-01-01");
        say!("        parquote derive --raw raw --data data/mine");
        say!("        parquote serve --data data/mine");
    }
    say!(
        "  help: `parquote doctor` says what is wrong here, `parquote doctor {url}` what keeps an app from connecting"
    );
}
