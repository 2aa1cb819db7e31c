//! The page with the log of actions on keys and sessions.

use maud::{Markup, html};

use super::layout::{MenuPage, PortalReader, signed_in_page};
use crate::moment::moment;
use parquote_state::ActivityRow;

/// Builds the page of the log, with a table row for each line.
pub fn activity_page(reader: &PortalReader, lines: &[ActivityRow]) -> Markup {
    let content = html! {
        @if lines.is_empty() { p { "Nothing was done yet." } }
        div.scroll tabindex="0" role="group" aria-label="Actions" { table {
            thead { tr {
                th scope="col" { "When" } th scope="col" { "Owner" } th scope="col" { "What" }
                th scope="col" { "Key" } th scope="col" { "By" } th scope="col" { "" }
            } }
            tbody { @for line in lines { tr {
                td.time { (moment(line.at)) }
                td { (line.owner) }
                td { (line.what) }
                td { @if let Some(id) = line.key_id { (id) } }
                td { @match line.actor { Some(id) => { "key " (id) }, None => "command line" } }
                td.soft { (line.detail) }
            } } }
        } }
    };
    signed_in_page(reader, Some(MenuPage::Log), "What was done", &content)
}
