//! The page of keys: a list with the usage of each, and forms to issue, rotate and revoke.

use maud::{Markup, html};

use super::layout::{MenuPage, PortalReader, form_result, signed_in_page};
use crate::market_words;
use crate::menu::lock_mark;
use crate::moment::moment;
use parquote_access::{Key, ManagedKey, UNMETERED, Window, quota_of};
use parquote_catalogue::operation::{Market, Tier};
use parquote_state::KeyRow;

/// Lifetimes of a new key: the value of the form, its words, and the days; the default is marked in the form.
pub const LIFETIMES: [(&str, &str, Option<i64>); 4] = [
    ("90", "90 days", Some(90)),
    ("30", "30 days", Some(30)),
    ("365", "a year", Some(365)),
    ("none", "until it is revoked", None),
];

/// Times for which an old key stays valid after a rotation, the default first: the value of the form, its words, and the seconds. Scripts
/// that use the old key continue until their owner has replaced it.
pub const GRACES: [(&str, &str, i64); 5] = [
    ("24h", "for 24 hours", 86_400),
    ("0", "it stops at once", 0),
    ("1h", "for an hour", 3_600),
    ("3d", "for 3 days", 259_200),
    ("7d", "for 7 days", 604_800),
];

/// Seconds before its expiry from which on a key is marked.
const SOON_S: i64 = 14 * 86_400;

/// Content of the page of keys.
#[derive(Debug, Clone, Copy)]
pub struct KeysView<'a> {
    /// Key of the reader.
    pub key: &'a Key,
    /// Keys that the reader may see.
    pub keys: &'a [ManagedKey],
    /// Present time, in Unix seconds.
    pub now: i64,
    /// Error of the last form.
    pub problem: Option<&'a str>,
    /// Result of the last form.
    pub message: Option<&'a str>,
}

/// Builds the page of keys.
pub fn keys_page(reader: &PortalReader, view: KeysView<'_>) -> Markup {
    let content = html! {
        (form_result(view.message, view.problem))
        div.scroll tabindex="0" role="group" aria-label="Keys" { table {
            thead { tr {
                th scope="col" { "Key" } th scope="col" { "Label" } th scope="col" { "Owner" } th scope="col" { "Tier" }
                th scope="col" { "Made" } th scope="col" { "Last used" } th scope="col" { "Expires" }
                th.n scope="col" { "Today" } th.n scope="col" { "This hour" } th scope="col" { "" }
            } }
            tbody { @for key in view.keys { (line(&view, key)) } }
        } }
        @if view.key.parent.is_none() { (issue(view.key)) }
        (reach(reader))
    };
    signed_in_page(reader, Some(MenuPage::Keys), "API keys", &content)
}

/// Says which pages the reader's key opens, and which tier the others need.
fn reach(reader: &PortalReader) -> Markup {
    html! {
        h2 #reach { "What this key reaches" }
        @for (market, entries) in Market::ALL.into_iter().zip(&reader.menus) {
            @let open = entries.iter().filter(|entry| entry.lock.is_none()).count();
            h3 { (market_words::name(market)) ": " (open) " of " (entries.len()) " pages with the tier " (reader.tier) }
            ul.reach {
                @for entry in entries {
                    li { a href=(entry.href) { (entry.title) } @if let Some(tier) = entry.lock { (lock_mark(tier)) " " span.soft aria-hidden="true" { (tier) } } }
                }
            }
        }
    }
}

fn line(view: &KeysView<'_>, key: &ManagedKey) -> Markup {
    let row = &key.row;
    let [day, hour] = usage_texts(key, view.now);
    html! {
        tr {
            td { (row.id) " " code { (row.hint) "…" } @if row.id == view.key.id { " " b { "(this one)" } } }
            td { (row.note) }
            td { (row.owner) }
            td {
                (row.tier)
                @if row.is_admin { " " b { "admin" } }
                @if let Some(parent) = row.parent { " " span.soft { "with key " (parent) } }
            }
            td.time { (moment(row.created_at)) }
            td.time { (key.counter.map_or_else(|| "never".to_owned(), |counter| moment(counter.last_used_at))) }
            td.time { (expiry_text(row, view.now)) }
            td.n { (day) }
            td.n { (hour) }
            td.act { @if key.is_managed && row.works(view.now) {
                @if row.hint.starts_with("pq_") { (rotate_form(row)) }
                (revoke(row))
            } }
        }
    }
}

/// Returns the usage of the day and of the hour, with the limits.
fn usage_texts(key: &ManagedKey, now: i64) -> [String; 2] {
    let (window, counted) = (Window::from_unix(now), key.counter.map(|counter| counter.usage));
    let day = counted.filter(|counted| counted.day == window.day).map_or(0, |counted| counted.day_used);
    let hour = counted.filter(|counted| counted.hour == window.hour).map_or(0, |counted| counted.hour_used);
    let quota = key.row.tier.parse::<Tier>().ok().map(|tier| quota_of(&key.row, tier));
    let text = |used: i64, limit: Option<u32>| match limit {
        None | Some(UNMETERED) => used.to_string(),
        Some(limit) => format!("{used} of {limit}"),
    };
    [text(day, quota.map(|quota| quota.day)), text(hour, quota.map(|quota| quota.hour))]
}

fn expiry_text(row: &KeyRow, now: i64) -> Markup {
    match (row.revoked_at, row.expires_at) {
        (Some(at), _) => html! { span.bad { "revoked " (moment(at)) } },
        (None, None) => html! { "never" },
        (None, Some(at)) if at <= now => html! { span.bad { "expired " (moment(at)) } },
        (None, Some(at)) if at - now < SOON_S => html! { b.bad { "soon: " (moment(at)) } },
        (None, Some(at)) => html! { (moment(at)) },
    }
}

/// Asks for the key again before a secret is created: a stolen session cannot create one.
fn repeated_key_field(id: &str) -> Markup {
    html! {
        // Password managers need a user name to store a key; this one is not sent.
        input type="text" value="API key" autocomplete="username" hidden;
        label for=(id) { "Your key again" }
        input id=(id) type="password" name="again" autocomplete="current-password" spellcheck="false" required;
    }
}

fn rotate_form(row: &KeyRow) -> Markup {
    let id = row.id;
    html! {
        details {
            summary aria-label={ "Rotate key " (id) } { "Rotate" }
            form method="post" action="/portal/keys/rotate" {
                input type="hidden" name="id" value=(id);
                label for={ "grace-" (id) } { "The old key works on" }
                select id={ "grace-" (id) } name="grace" {
                    @for (value, words, _) in GRACES { option value=(value) { (words) } }
                }
                (repeated_key_field(&format!("rotate-{id}")))
                button { "Issue the new key" }
            }
        }
    }
}

fn revoke(row: &KeyRow) -> Markup {
    html! {
        details {
            summary aria-label={ "Revoke key " (row.id) } { "Revoke" }
            form method="post" action="/portal/keys/revoke" {
                input type="hidden" name="id" value=(row.id);
                p { "It stops at once and permanently, and so do the keys that were issued with it." }
                button.danger { "Revoke key " (row.id) }
            }
        }
    }
}

fn issue(key: &Key) -> Markup {
    let tiers = Tier::ALL.into_iter().filter(|tier| key.is_admin || key.tier.reaches(*tier));
    html! {
        h2 #issue { "Issue a key" }
        form.card method="post" action="/portal/keys/issue" aria-labelledby="issue" {
            @if !key.is_admin {
                p.soft { "It shares the allowance of this key, expires no later, and is revoked with it." }
            }
            div.fields {
                div {
                    label for="label" { "Label" }
                    input #label name="label" maxlength="80" autocomplete="off" placeholder="what it is for";
                }
                @if key.is_admin {
                    div {
                        label for="owner" { "Owner" }
                        input #owner name="owner" maxlength="80" autocomplete="off" value=(key.owner) required;
                    }
                }
                div {
                    label for="tier" { "Tier" }
                    select #tier name="tier" {
                        @for tier in tiers {
                            // The first tier has the least access, and is the default.
                            option value=(tier.word()) { (tier) ", " (tier.quota().day) " a day" }
                        }
                    }
                }
                div {
                    label for="lifetime" { "Works for" }
                    select #lifetime name="lifetime" {
                        @for (value, words, _) in LIFETIMES { option value=(value) { (words) } }
                    }
                }
                div { (repeated_key_field("again")) }
            }
            label.check {
                input type="checkbox" name="account" value="yes"; "It may save and remove my keys of model providers"
            }
            @if key.is_admin {
                label.check { input type="checkbox" name="admin" value="yes"; "It may manage the keys of all owners" }
            }
            button { "Issue" }
        }
    }
}
