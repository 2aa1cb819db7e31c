//! The page of signed-in browsers.

use maud::{Markup, html};

use super::layout::{MenuPage, PortalReader, form_result, signed_in_page};
use crate::moment::moment;
use parquote_access::ManagedSession;

/// Builds the page of sessions; `message` is the result of the last form.
pub fn sessions_page(reader: &PortalReader, sessions: &[ManagedSession], message: Option<&str>) -> Markup {
    let content = html! {
        (form_result(message, None))
        p.soft { "A session ends after 24 hours without use, after 7 days at most, and with its key." }
        div.scroll tabindex="0" role="group" aria-label="Sessions" { table {
            thead { tr {
                th scope="col" { "Key" } th scope="col" { "Owner" } th scope="col" { "Browser" }
                th scope="col" { "Signed in" } th scope="col" { "Last used" } th scope="col" { "" }
            } }
            tbody { @for session in sessions { tr {
                td { code { (session.hint) "…" } }
                td { (session.owner) }
                td.browser title=(session.row.browser) { @if session.is_own { b { "(this one)" } " " } (session.row.browser) }
                td.time { (moment(session.row.made_at)) }
                td.time { (moment(session.row.last_used_at)) }
                td.act {
                    form method="post" action="/portal/sessions/end" {
                        input type="hidden" name="number" value=(session.row.number);
                        button.danger aria-label={ "End session " (session.row.number) } { "End" }
                    }
                }
            } } }
        } }
    };
    signed_in_page(reader, Some(MenuPage::Sessions), "Sessions", &content)
}
