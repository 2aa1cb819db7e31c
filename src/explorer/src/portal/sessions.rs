//! The page of signed-in browsers.

use maud::{Markup, html};

use super::layout::{MenuPage, PortalReader, signed_in};
use super::moment::moment;
use parquote_access::ManagedSession;

/// Builds the page.
pub fn sessions_page(reader: &PortalReader, sessions: &[ManagedSession], told: Option<&str>) -> Markup {
    let content = html! {
        @if let Some(told) = told { p role="status" { b { (told) } } }
        p.soft { "A session ends after 24 hours without use, after 7 days at most, and with its key." }
        div.scroll { table {
            thead { tr {
                th scope="col" { "Key" } th scope="col" { "Owner" } th scope="col" { "Browser" }
                th scope="col" { "Signed in" } th scope="col" { "Last used" } th scope="col" { "" }
            } }
            tbody { @for session in sessions { tr {
                td { code { (session.hint) "…" } }
                td { (session.owner) }
                td { (session.row.browser) @if session.is_own { " " b { "(this one)" } } }
                td { (moment(session.row.made_at)) }
                td { (moment(session.row.last_used_at)) }
                td {
                    form method="post" action="/portal/sessions/end" {
                        input type="hidden" name="number" value=(session.row.number);
                        button.danger aria-label={ "End session " (session.row.number) } { "End" }
                    }
                }
            } } }
        } }
    };
    signed_in(reader, Some(MenuPage::Sessions), "Sessions", &content)
}
