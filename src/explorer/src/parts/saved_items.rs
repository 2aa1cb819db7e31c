//! Watchlists, one watchlist with its actions, saved screens, and the note on a company. Each change, also of drawings, is a separate form,
//! sent to the page of watchlists with the address of the page to return to.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::cell::{CellContext, cell};
use crate::links;
use crate::moment::dates_in;
use crate::page_rows::{PageRow, PageRows, text};
use crate::part_view::PartView;
use crate::request::{PageRequest, address, segment};
use crate::undo::{UndoForm, screen_argument};
use parquote_handlers::{DEFAULT_LIST, SHARED_PREFIX, SavedItems};

// Operations of several forms.
const ADD: &str = "lists/add";
const DELETE: &str = "lists/delete";
const REMOVE: &str = "lists/remove";
const SHARE: &str = "lists/share";
const NOTE: &str = "notes/set";

/// Maximum length of a name.
const LONGEST_NAME: &str = "40";
/// Maximum length of a note.
const LONGEST_NOTE: &str = "2000";

/// Returns the address to which a change is sent; with `back`, the reader returns to the page of the form.
pub(super) fn target(request: &PageRequest, operation: &str, back: bool) -> String {
    let here = back.then(|| request.address());
    let pairs = [("operation", operation)].into_iter().chain(here.as_deref().map(|here| ("back", here)));
    address(&request.market_address("lists"), pairs)
}

/// Builds a button that is a form; `about` is for screen readers only.
pub(super) fn button(target: &str, fields: &[(&str, &str)], label: &str, about: &str) -> Markup {
    html! {
        form.inline method="post" action=(target) {
            @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
            button.small { (label) @if !about.is_empty() { span.quiet { " " (about) } } }
        }
    }
}

/// Builds the form that takes back a change, and returns to the page.
pub(crate) fn undo(request: &PageRequest, undo: &UndoForm) -> Markup {
    let fields: Vec<(&str, &str)> =
        undo.arguments.iter().map(|(name, value)| (*name, value.as_str())).collect();
    html! { div.undo { (button(&target(request, undo.operation, true), &fields, "Undo", "")) } }
}

/// Builds the button that deletes a list, which a first click reveals.
fn deletion(request: &PageRequest, name: &str) -> Markup {
    html! {
        details {
            summary { "Delete" span.quiet { " " (name) } }
            (button(&target(request, DELETE, false), &[("name", name)], "Delete the list", name))
        }
    }
}

/// Shows all watchlists, and a form for a new one.
pub(super) fn watchlists(view: PartView<'_>) -> Markup {
    /// Maximum number of symbols shown per list.
    const MOST_SHOWN: usize = 8;
    let (request, lists) = (view.request, view.rows.rows_within("lists"));
    html! {
        @if lists.rows.is_empty() {
            p.none { "There is no list yet. A star on the page of a company begins one, and so do ticks in a table or the form below." }
        } @else {
            div.scroll tabindex="0" role="group" aria-label="Lists" {
                table {
                    thead { tr { th scope="col" { "List" } th.n scope="col" { "Stocks" } th scope="col" { "Symbols" } th scope="col" { "Changed" } th scope="col" { "Shared" } th scope="col" { span.quiet { "Delete" } } } }
                    tbody {
                        @for row in &lists.rows {
                            @let name = text(row, "name");
                            @let symbols: Vec<&str> = row.get("symbols").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
                            tr {
                                th scope="row" { a href=(request.market_address(&format!("list?list={}", segment(name)))) { (name) } }
                                td.n { (symbols.len()) }
                                td {
                                    @for symbol in symbols.iter().take(MOST_SHOWN) { a href=(request.market_address(&links::company(symbol))) { (symbol) } " " }
                                    @if symbols.len() > MOST_SHOWN { "and " (symbols.len() - MOST_SHOWN) " more" }
                                }
                                td { (moment(&lists, row, "changed_at", request)) }
                                td { @if row.get("is_shared") == Some(&Json::Bool(true)) { "yes" } @else { "no" } }
                                td { (deletion(request, name)) }
                            }
                        }
                    }
                }
            }
        }
        @if request.reader.is_guest { p.none { a href="/login" { "Sign in" } " with a key to keep lists." } } @else {
        form.controls.action method="post" action=(target(request, "lists/set", false)) aria-label="New list" {
            div.field { label for="new-name" { "Name of a new list *" } input id="new-name" name="name" required maxlength=(LONGEST_NAME) autocomplete="off"; }
            div.field.wide { label for="new-symbols" { "Symbols or names, with commas between" } textarea id="new-symbols" name="symbols" rows="2" maxlength="4000" autocomplete="off" spellcheck="false" data-symbols="list" {} }
            div.field { button { "Make the list" } }
        }
        }
    }
}

fn moment(rows: &PageRows, row: &PageRow, name: &str, request: &PageRequest) -> String {
    let value = row.get(name).cloned().unwrap_or_default();
    cell(&value, rows.column(name), request.market, CellContext::Table).text
}

/// Shows the actions on one watchlist, above its rows.
pub(super) fn watchlist_actions(view: PartView<'_>) -> Markup {
    let request = view.request;
    let Some(name) = request.get("list") else {
        return html! { p { a href=(request.market_address("lists")) { "Choose a list" } } };
    };
    let universe = |page: &str| request.market_address(&format!("{page}list={}", segment(name)));
    let is_saved = request.reader.saved.as_ref().is_some_and(|saved| saved.has_list(name));
    html! {
        p.onward {
            a href=(universe("screener?")) { "Screen within it" } " "
            a href=(universe("scans?")) { "Scans within it" } " "
            a href=(universe("backtest?")) { "Back-test its stocks" } " "
            a href=(request.market_address("lists")) { "All lists" }
        }
        @if name.starts_with(SHARED_PREFIX) { p.none { "Somebody shares this list. It can be read, not changed." } }
        @if is_saved {
            details.about {
                summary { "Add, share or delete" }
                form.controls.action method="post" action=(target(request, ADD, true)) aria-label="Add to this list" {
                    input type="hidden" name="name" value=(name);
                    div.field { label for="add-symbols" { "Symbols or names, with commas between *" } input id="add-symbols" name="symbols" required maxlength="4000" autocomplete="off" spellcheck="false" data-symbols="list"; }
                    div.field { button { "Add to the list" } }
                }
                p {
                    (button(&target(request, SHARE, false), &[("name", name)], "Make an address for others", ""))
                    (button(&target(request, SHARE, true), &[("name", name), ("revoke", "true")], "Take the address away", ""))
                }
                (deletion(request, name))
                p.none { "Whoever has the address and a key of this server reads the list, and cannot change it. It is shown once, after it was made. A new address makes the one before invalid." }
            }
        }
    }
}

/// Shows all saved screens.
pub(super) fn screen_table(view: PartView<'_>) -> Markup {
    let (request, screens) = (view.request, view.rows.rows_within("screens"));
    // Other pages show what changed; this one is where screens are managed.
    let is_managed = request.page.path == "lists";
    html! {
        @if screens.rows.is_empty() {
            p.none { "There is no saved screen yet. The screener saves one under a name." }
        } @else {
            div.scroll tabindex="0" role="group" aria-label="Saved screens" {
                table {
                    thead { tr { th scope="col" { "Screen" } th.n scope="col" { "Stocks" } th scope="col" { "Entered and left" } th scope="col" { "Conditions" } @if is_managed { th scope="col" { "Made" } th scope="col" { "Picks recorded" } th scope="col" { span.quiet { "Remove" } } } } }
                    tbody {
                        @for row in &screens.rows {
                            @let (name, page) = (text(row, "name"), text(row, "page"));
                            tr {
                                th scope="row" { a href=(request.market_address(page)) { (name) } }
                                td.n { @if let Some(count) = row.get("screen_count").and_then(Json::as_u64) { (count) } @else { "–" } }
                                td.long { (entered_and_left(request, row)) }
                                td.long { (query_words(page)) " · " a href=(request.market_address(&format!("backtest?saved={}", segment(name)))) { "Back-test" span.quiet { " " (name) } } }
                                @if is_managed {
                                    td { (moment(&screens, row, "made_at", request)) }
                                    td { (recording(request, row)) }
                                    td { (button(&target(request, "screens/remove", false), &[("name", name)], "Remove", name)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Builds the button that begins or ends the recording of a screen's picks: it saves the same screen again.
fn recording(request: &PageRequest, row: &PageRow) -> Markup {
    let (name, page) = (text(row, "name"), text(row, "page"));
    let (kind, screen) = screen_argument(page);
    let is_recorded = row.get("is_recorded") == Some(&Json::Bool(true));
    let (state, ledger, label) = if is_recorded { ("yes ", "off", "Stop") } else { ("no ", "on", "Record") };
    html! { (state) (button(&target(request, "screens/save", false), &[("name", name), (kind, &*screen), ("ledger", ledger)], label, name)) }
}

/// Shows the stocks that entered and left a saved screen since the session of its previous run.
fn entered_and_left(request: &PageRequest, row: &PageRow) -> Markup {
    /// Maximum number of symbols shown of each kind.
    const MOST_SHOWN: usize = 8;
    let symbols = |name: &str| -> Vec<&str> {
        row.get(name).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect()
    };
    let since = text(row, "since_session");
    let is_run = row.get("screen_count").is_some_and(|count| !count.is_null());
    let kinds = [("entered", symbols("entered_symbols")), ("left", symbols("left_symbols"))];
    html! {
        @if !is_run { "–" } @else if since.is_empty() { "known from the next session on" } @else {
            @for (kind, symbols) in &kinds {
                (symbols.len()) " " (kind) ": "
                @for symbol in symbols.iter().take(MOST_SHOWN) { a href=(request.market_address(&links::company(symbol))) { (symbol) } " " }
                @if symbols.len() > MOST_SHOWN { "and " (symbols.len() - MOST_SHOWN) " more " }
            }
            "since " (dates_in(since))
        }
    }
}

/// Describes the query of a saved page.
fn query_words(page: &str) -> String {
    let query = page.split_once('?').map_or("", |(_, query)| query);
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    let conditions = pairs.map(|(name, value)| {
        if name == "query" { value.into_owned() } else { format!("{} {value}", name.replace('_', " ")) }
    });
    conditions.collect::<Vec<_>>().join(", ")
}

/// Shows the note on a company and its star: the watchlists that have it, and those to which it can be added.
pub(crate) fn star(request: &PageRequest) -> Markup {
    let (Some(saved), Some(symbol)) = (&request.reader.saved, &request.symbol) else { return html! {} };
    let holds =
        |name: &str| saved.lists.iter().any(|(known, symbols)| known == name && symbols.contains(symbol));
    let (within, without): (Vec<&str>, Vec<&str>) = saved.names().partition(|name| holds(name));
    let add = |name: &str, label: &str| {
        button(&target(request, ADD, true), &[("symbols", symbol.as_str()), ("name", name)], label, symbol)
    };
    let note = saved.note(symbol);
    html! {
        @if let Some(text) = note { p.text.note { (text) } }
        div.star {
            @for name in within {
                (button(&target(request, REMOVE, true), &[("symbols", symbol.as_str()), ("name", name)], &format!("★ {name}"), &format!("{symbol}: take out")))
            }
            @if without.contains(&DEFAULT_LIST) { (add(DEFAULT_LIST, "☆ Star")) }
            @for name in without.iter().filter(|name| **name != DEFAULT_LIST) { (add(name, &format!("☆ {name}"))) }
            (note_form(request, symbol, note))
        }
    }
}

/// Builds the form of the reader's note on a company.
fn note_form(request: &PageRequest, symbol: &str, note: Option<&str>) -> Markup {
    html! {
        details {
            summary { @if note.is_some() { "Change the note" } @else { "Write a note" } }
            form.controls.action method="post" action=(target(request, NOTE, true)) aria-label="Note" {
                input type="hidden" name="symbol" value=(symbol);
                div.field.wide {
                    label for="note" { "Note on " (symbol) ", which only your keys show; without text it is deleted" }
                    textarea id="note" name="text" rows="4" maxlength=(LONGEST_NOTE) autocomplete="off" { (note.unwrap_or_default()) }
                }
                div.field { button { "Save the note" } }
            }
        }
    }
}

/// Shows a mark at a stock on which the reader wrote a note; its title is the beginning of the note.
pub(super) fn note_mark(request: &PageRequest, symbol: &str) -> Markup {
    /// Maximum number of characters of the title.
    const MOST_SHOWN: usize = 200;
    let note = request.reader.saved.as_ref().and_then(|saved| saved.note(symbol));
    html! {
        @if let Some(text) = note {
            " " span.noted role="img" aria-label="with a note" title=(text.chars().take(MOST_SHOWN).collect::<String>()) { "✎" }
        }
    }
}

/// Builds the tick box of a row.
pub(super) fn tick(view: PartView<'_>, symbol: &str) -> Markup {
    html! { input.tick type="checkbox" name="symbols" value=(symbol) form=(form_id(view)) aria-label={ "Tick " (symbol) }; }
}

/// Builds the tick box of all rows in view, which works with the script.
pub(super) fn tick_all() -> Markup {
    html! { input.tick-all type="checkbox" hidden aria-label="Tick all rows"; }
}

fn form_id(view: PartView<'_>) -> String {
    format!("{}-ticked", view.part.id)
}

/// Shows the actions on the ticked rows.
pub(super) fn ticked_actions(view: PartView<'_>) -> Markup {
    let request = view.request;
    let present = request.get("list").filter(|_| request.page.path == "list");
    let to_list = |saved: &SavedItems| -> Vec<String> {
        saved.names().filter(|name| Some(*name) != present).map(str::to_owned).collect()
    };
    html! {
        form.ticked id=(form_id(view)) method="get" action=(request.market_address("compare")) aria-label="With the ticked rows" {
            span { "Ticked rows:" }
            button.small { "Compare" }
            button.small formaction=(request.market_address("committee/scan")) { "Quick scan" }
            button.small formaction=(request.market_address("committee/risk")) { "Risk" }
            button.small formaction=(request.market_address("presets/start")) { "Ask a team" }
            @if let Some(saved) = &request.reader.saved {
                @for name in to_list(saved) {
                    button.small formmethod="post" formaction=(target(request, ADD, true)) name="name" value=(name) { "☆ " (name) }
                }
                @if let Some(name) = present.filter(|name| saved.has_list(name)) {
                    button.small formmethod="post" formaction=(target(request, REMOVE, true)) name="name" value=(name) { "Take out of " (name) }
                }
            }
            button.small type="button" data-untick hidden { "Clear the ticks" }
        }
    }
}

/// Links to the saved screens, and a form that saves the present one; empty on all pages but the screener.
pub(crate) fn saved_screens(request: &PageRequest) -> Markup {
    let Some(saved) = request.reader.saved.as_ref().filter(|_| request.page.path == "screener") else {
        return html! {};
    };
    let address = request.address();
    let query = address.split_once('?').map(|(_, query)| query);
    html! {
        @if !saved.screens.is_empty() || query.is_some() {
            div.saved {
                @if !saved.screens.is_empty() {
                    span { "Saved:" }
                    @for (name, page) in &saved.screens { a href=(request.market_address(page)) aria-current=[address.ends_with(&format!("/{page}")).then_some("page")] { (name) } }
                }
                @if let Some(sentence) = request.get("query") {
                    a href=(request.market_address(&format!("backtest?screen={}", segment(sentence)))) { "Back-test this sentence" }
                }
                @if let Some(query) = query {
                    form.inline method="post" action=(target(request, "screens/save", true)) aria-label="Save this screen" {
                        input type="hidden" name="query" value=(query);
                        input name="name" required maxlength=(LONGEST_NAME) placeholder="Name of this screen" aria-label="Name of this screen" autocomplete="off";
                        button.small { "Save" }
                    }
                }
            }
        }
    }
}
