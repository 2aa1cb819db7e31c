//! The page that shows a new key, once.

use maud::{Markup, html};

use super::layout::{PortalReader, signed_in_page};
use crate::moment::moment;
use parquote_access::IssuedKey;

/// Builds the page of a new key; no other page has its secret.
pub fn issued_page(reader: &PortalReader, title: &str, issued: &IssuedKey) -> Markup {
    let stored = &issued.stored;
    let content = html! {
        p.good role="status" { "This is the only time that the key is shown. Keep it where secrets are kept." }
        label for="secret" { "Key " (issued.id) @if !stored.note.is_empty() { ", " (stored.note) } }
        output.secret #secret { (issued.secret.reveal()) }
        dl {
            dt.soft { "Owner and tier" } dd { (stored.owner) ", " (stored.tier) }
            dt.soft { "Works until" } dd { (stored.expires_at.map_or_else(|| "it is revoked".to_owned(), moment)) }
            @if stored.parent.is_some() {
                dt.soft { "Allowance" }
                dd { "It shares the allowance of the key that it was issued with, and is revoked with it." }
            }
        }
        p {
            "For a chat model, give your client the address " code { "/mcp/chat" } " of this server with this key; "
            code { "/mcp" } " lists a tool for each operation. "
            a href="/v1/docs/guides/in-a-chat" { "In a chat" } " says how."
        }
        p { a href="/portal" { "Back to all keys" } }
    };
    signed_in_page(reader, None, title, &content)
}
