//! Watchlists, one watchlist with its actions, and saved screens. Each change is a separate form, sent to the page of watchlists with the
//! address of the page to return to.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::cell::{CellContext, cell};
use crate::page_rows::{PageRow, PageRows, text};
use crate::part_view::PartView;
use crate::reader_items::{STARRED, SavedNames};
use crate::request::{PageRequest, address, segment};

/// Prefix of a shared list's token.
const SHARED: char = '~';

/// Maximum length of a name.
const LONGEST_NAME: &str = "40";

/// Returns the target of a change; with `back`, it returns to the page of the form.
fn target(request: &PageRequest, operation: &str, back: bool) -> String {
    let here = back.then(|| request.address());
    let pairs = [("operation", operation)].into_iter().chain(here.as_deref().map(|here| ("back", here)));
    address(&request.elsewhere("lists"), pairs)
}

/// Builds a button that is a form; `about` is for screen readers only.
fn button(target: &str, fields: &[(&str, &str)], label: &str, about: &str) -> Markup {
    html! {
        form.inline method="post" action=(target) {
            @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
            button.small { (label) @if !about.is_empty() { span.quiet { " " (about) } } }
        }
    }
}

/// Shows all watchlists, and a form for a new one.
pub(super) fn own_lists(view: PartView<'_>) -> Markup {
    /// Maximum number of symbols shown per list.
    const SHOWN: usize = 8;
    let (request, lists) = (view.request, view.rows.within("lists"));
    html! {
        @if lists.rows.is_empty() {
            p.none { "There is no list yet. A star on the page of a company begins one, and so do ticks in a table or the form below." }
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Lists" {
                table {
                    thead { tr { th scope="col" { "List" } th.n scope="col" { "Stocks" } th scope="col" { "Symbols" } th scope="col" { "Changed" } th scope="col" { "Shared" } th scope="col" { span.quiet { "Delete" } } } }
                    tbody {
                        @for row in &lists.rows {
                            @let name = text(row, "name");
                            @let symbols: Vec<&str> = row.get("symbols").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
                            tr {
                                th scope="row" { a href=(list_page(request, name)) { (name) } }
                                td.n { (symbols.len()) }
                                td {
                                    @for symbol in symbols.iter().take(SHOWN) { a href=(request.elsewhere(&format!("company/{}", segment(symbol)))) { (symbol) } " " }
                                    @if symbols.len() > SHOWN { "and " (symbols.len() - SHOWN) " more" }
                                }
                                td { (moment(&lists, row, "changed_at", request)) }
                                td { @if row.get("is_shared") == Some(&Json::Bool(true)) { "yes" } @else { "no" } }
                                td { (button(&target(request, "lists/delete", false), &[("name", name)], "Delete", name)) }
                            }
                        }
                    }
                }
            }
        }
        @if request.is_guest { p.none { a href="/login" { "Sign in" } " with a key to keep lists." } } @else {
        form.controls.action method="post" action=(target(request, "lists/set", false)) aria-label="New list" {
            div.field { label for="new-name" { "Name of a new list *" } input id="new-name" name="name" required maxlength=(LONGEST_NAME) autocomplete="off"; }
            div.field.wide { label for="new-symbols" { "Symbols, with commas between" } textarea id="new-symbols" name="symbols" rows="2" maxlength="4000" autocomplete="off" spellcheck="false" {} }
            div.field { button { "Make the list" } }
        }
        }
    }
}

/// Returns the address of a watchlist's page.
fn list_page(request: &PageRequest, name: &str) -> String {
    request.elsewhere(&format!("list?list={}", segment(name)))
}

fn moment(rows: &PageRows, row: &PageRow, name: &str, request: &PageRequest) -> String {
    let value = row.get(name).cloned().unwrap_or_default();
    cell(&value, rows.column(name), request.market, CellContext::Table).text
}

/// Shows the actions on one watchlist, above its rows.
pub(super) fn own_list(view: PartView<'_>) -> Markup {
    let request = view.request;
    let Some(name) = request.get("list") else {
        return html! { p { a href=(request.elsewhere("lists")) { "Choose a list" } } };
    };
    let universe = |page: &str| request.elsewhere(&format!("{page}list={}", segment(name)));
    let is_own = request.own.as_ref().is_some_and(|own| own.has_list(name));
    html! {
        p.onward {
            a href=(universe("screener?")) { "Screen within it" } " "
            a href=(universe("scans?")) { "Scans within it" } " "
            a href=(request.elsewhere("lists")) { "All lists" }
        }
        @if name.starts_with(SHARED) { p.none { "Somebody shares this list. It can be read, not changed." } }
        @if is_own {
            details.about {
                summary { "Add, share or delete" }
                form.controls.action method="post" action=(target(request, "lists/add", true)) aria-label="Add to this list" {
                    input type="hidden" name="name" value=(name);
                    div.field { label for="add-symbols" { "Symbols, with commas between *" } input id="add-symbols" name="symbols" required maxlength="4000" autocomplete="off" spellcheck="false"; }
                    div.field { button { "Add to the list" } }
                }
                p {
                    (button(&target(request, "lists/share", false), &[("name", name)], "Make an address for others", ""))
                    (button(&target(request, "lists/share", true), &[("name", name), ("revoke", "true")], "Take the address away", ""))
                    (button(&target(request, "lists/delete", false), &[("name", name)], "Delete the list", ""))
                }
                p.none { "Whoever has the address and a key of this server reads the list, and cannot change it. It is shown once, after it was made. A new address makes the one before invalid." }
            }
        }
    }
}

/// Shows all saved screens.
pub(super) fn own_screens(view: PartView<'_>) -> Markup {
    let (request, screens) = (view.request, view.rows.within("screens"));
    html! {
        @if screens.rows.is_empty() {
            p.none { "There is no saved screen yet. The screener saves one under a name." }
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Saved screens" {
                table {
                    thead { tr { th scope="col" { "Screen" } th scope="col" { "What it asks" } th scope="col" { "Made" } th scope="col" { span.quiet { "Remove" } } } }
                    tbody {
                        @for row in &screens.rows {
                            @let (name, page) = (text(row, "name"), text(row, "page"));
                            tr {
                                th scope="row" { a href=(request.elsewhere(page)) { (name) } }
                                td.long { (query_words(page)) }
                                td { (moment(&screens, row, "made_at", request)) }
                                td { (button(&target(request, "screens/remove", false), &[("name", name)], "Remove", name)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Describes the query of a saved page.
fn query_words(page: &str) -> String {
    let query = page.split_once('?').map_or("", |(_, query)| query);
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    let said = pairs.map(|(name, value)| {
        if name == "query" { value.into_owned() } else { format!("{} {value}", name.replace('_', " ")) }
    });
    said.collect::<Vec<_>>().join(", ")
}

/// Shows the star of a company: the watchlists that have it, and those to which it can be added.
pub(crate) fn star(request: &PageRequest) -> Markup {
    let (Some(own), Some(symbol)) = (&request.own, &request.symbol) else { return html! {} };
    let holds =
        |name: &str| own.lists.iter().any(|(known, symbols)| known == name && symbols.contains(symbol));
    let (within, without): (Vec<&str>, Vec<&str>) = own.names().partition(|name| holds(name));
    let add = |name: &str, label: &str| {
        button(
            &target(request, "lists/add", true),
            &[("symbols", symbol.as_str()), ("name", name)],
            label,
            symbol,
        )
    };
    html! {
        div.star {
            @for name in within {
                (button(&target(request, "lists/remove", true), &[("symbols", symbol.as_str()), ("name", name)], &format!("★ {name}"), &format!("{symbol}: take out")))
            }
            @if without.contains(&STARRED) { (add(STARRED, "☆ Star")) }
            @for name in without.iter().filter(|name| **name != STARRED) { (add(name, &format!("☆ {name}"))) }
        }
    }
}

/// Builds the tick box of a row.
pub(super) fn tick(view: PartView<'_>, symbol: &str) -> Markup {
    html! { input.tick type="checkbox" name="symbols" value=(symbol) form=(form_id(view)) aria-label={ "Tick " (symbol) }; }
}

fn form_id(view: PartView<'_>) -> String {
    format!("{}-ticked", view.part.id)
}

/// Shows the actions on the ticked rows.
pub(super) fn ticked(view: PartView<'_>) -> Markup {
    let request = view.request;
    let present = request.get("list").filter(|_| request.page.path == "list");
    let to_list = |own: &SavedNames| -> Vec<String> {
        own.names().filter(|name| Some(*name) != present).map(str::to_owned).collect()
    };
    html! {
        form.ticked id=(form_id(view)) method="get" action=(request.elsewhere("compare")) aria-label="With the ticked rows" {
            span { "Ticked rows:" }
            button.small { "Compare" }
            button.small formaction=(request.elsewhere("committee/scan")) { "Gates of the committee" }
            button.small formaction=(request.elsewhere("presets/start")) { "Ask a team" }
            @if let Some(own) = &request.own {
                @for name in to_list(own) {
                    button.small formmethod="post" formaction=(target(request, "lists/add", true)) name="name" value=(name) { "☆ " (name) }
                }
                @if let Some(name) = present.filter(|name| own.has_list(name)) {
                    button.small formmethod="post" formaction=(target(request, "lists/remove", true)) name="name" value=(name) { "Take out of " (name) }
                }
            }
        }
    }
}

/// Links to the saved screens, and a form that saves this one; only on the pages of screens.
pub(crate) fn saved_screens(request: &PageRequest) -> Markup {
    let (Some(own), true) = (&request.own, matches!(request.page.path.as_str(), "screener" | "ask")) else {
        return html! {};
    };
    let address = request.address();
    let what = match (request.page.path.as_str(), request.get("query"), address.split_once('?')) {
        ("ask", Some(words), _) => Some(("words", words)),
        ("screener", _, Some((_, query))) => Some(("query", query)),
        _ => None,
    };
    html! {
        @if !own.screens.is_empty() || what.is_some() {
            div.saved {
                @if !own.screens.is_empty() {
                    span { "Saved:" }
                    @for (name, page) in &own.screens { a href=(request.elsewhere(page)) aria-current=[address.ends_with(&format!("/{page}")).then_some("page")] { (name) } }
                }
                @if let Some((field, value)) = what {
                    form.inline method="post" action=(target(request, "screens/save", true)) aria-label="Save this screen" {
                        input type="hidden" name=(field) value=(value);
                        input name="name" required maxlength=(LONGEST_NAME) placeholder="Name of this screen" aria-label="Name of this screen" autocomplete="off";
                        button.small { "Save" }
                    }
                }
            }
        }
    }
}
