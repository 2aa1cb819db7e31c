//! A declared page with the answers of its operations, as one document.

use maud::{Markup, html};

use super::layout::{PageLayout, document};
use super::page_rows::{PageRows, PartOutcome};
use super::pages::ExplorerPages;
use super::part_view::PartView;
use super::parts::{self, PanelCall};
use super::plan::{PartCall, call_of};
use super::refreshed;
use super::request::{PageRequest, segment};
use super::spec::{PageColumn, PartSpec, SYMBOL};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_engine::Snapshot;

/// Input of a page.
pub struct PageContent<'a> {
    /// Request.
    pub request: &'a PageRequest,
    /// All operations.
    pub catalogue: &'a Catalogue,
    /// Data that was read.
    pub snapshot: &'a Snapshot,
    /// Calls of its parts with their outcomes, in the order of the parts.
    pub calls: &'a [(PartCall, PartOutcome)],
    /// Error of a change requested on the page.
    pub refused: Option<&'a ClientError>,
    /// Result of the form that led here.
    pub told: Option<&'a FormAnswer>,
}

/// Result of a form.
#[derive(Debug)]
pub struct FormAnswer {
    /// Label of its button.
    pub label: String,
    /// Answer.
    pub rows: PageRows,
}

/// Builds the page.
pub fn page(content: &PageContent<'_>) -> String {
    let request = content.request;
    let heading = heading(content);
    let main = html! {
        @if let Some(refused) = content.refused { (parts::refusal(request, content.snapshot, refused)) }
        h1 { (heading) }
        (parts::star(request))
        @if !request.page.lead.is_empty() { p.lead { (request.page.lead) } }
        (tabs(request))
        (parts::saved_screens(request))
        (refreshed::switch(request, content.calls))
        @if let Some(told) = content.told { (answer_of_form(content, told)) }
        @for (place, part) in request.page.parts.iter().enumerate() { (part_markup(content, place, part)) }
        (unreached(content))
        (share())
        (parts::request_panel(&content.calls.iter().map(|(call, _)| PanelCall { operation: &call.operation, pairs: &call.pairs }).collect::<Vec<_>>()))
    };
    let layout = PageLayout {
        market: request.market,
        page: Some(&request.page),
        pages: &request.pages,
        title: &heading,
        symbol: request.symbol.as_deref(),
        search: request.get("q").unwrap_or_default(),
        is_guest: request.is_guest,
        snapshot: content.snapshot,
    };
    document(&layout, &main).into_string()
}

/// Builds the page for an unknown path.
pub fn lost(pages: &ExplorerPages, market: Market, snapshot: &Snapshot, path: &str) -> String {
    let known: Vec<_> = pages.in_market(market).filter(|page| !page.has_symbol()).collect();
    let near = parquote_catalogue::operation::nearest(path, known.iter().map(|page| page.path.as_str()));
    let main = html! {
        h1 { "There is no such page" }
        p {
            "Nothing lies at " code { "/" (market) "/" (path) } ". "
            @if let Some(page) = known.iter().find(|page| Some(page.path.as_str()) == near) {
                "Did you mean " a href=(page.route(market)) { (page.title) } "?"
            }
        }
        p { "All pages are in the menu; a company is found by the search above." }
    };
    let layout = PageLayout {
        market,
        page: None,
        pages,
        title: "There is no such page",
        symbol: None,
        search: "",
        is_guest: false,
        snapshot,
    };
    document(&layout, &main).into_string()
}

/// Builds the page for a request that could not be answered, such as an unreadable query.
pub fn problem_page(
    pages: &ExplorerPages,
    market: Market,
    snapshot: &Snapshot,
    kind: ErrorKind,
    words: &str,
) -> String {
    let title = parts::refusal_words(kind);
    let main = html! { h1 { (title) } div.refusal { p { (words) } } };
    let layout =
        PageLayout { market, page: None, pages, title, symbol: None, search: "", is_guest: false, snapshot };
    document(&layout, &main).into_string()
}

/// Shows the result of a form, above the parts.
fn answer_of_form(content: &PageContent<'_>, told: &FormAnswer) -> Markup {
    let parts = &content.request.page.parts;
    let view = parts.first().and_then(|part| {
        let (_, operation) = call_of(content.catalogue, content.request, part)?;
        Some((part, operation))
    });
    html! {
        @if let Some((part, operation)) = &view {
            section.part.told role="status" aria-label="What came of it" {
                h2 { (told.label) }
                (parts::facts(PartView {
                    request: content.request,
                    part,
                    operation,
                    rows: &told.rows,
                    calls: content.calls,
                    catalogue: content.catalogue,
                    snapshot: content.snapshot,
                }, &[]))
            }
        }
    }
}

/// Returns the heading of the page: for a symbol its company, if known.
fn heading(content: &PageContent<'_>) -> String {
    let request = content.request;
    let Some(symbol) = &request.symbol else {
        let list = request.get("list").filter(|_| request.page.path == "list");
        return match list {
            Some(shared) if shared.starts_with('~') => "A shared list".to_owned(),
            Some(list) => list.to_owned(),
            None => request.page.title.clone(),
        };
    };
    let first = content.calls.first().and_then(|(_, outcome)| match outcome {
        PartOutcome::Answered(rows) => rows.rows.first(),
        PartOutcome::Refused(_) => None,
    });
    let name = first.and_then(|row| row.get("company_name")).and_then(serde_json::Value::as_str);
    let of = name.map_or_else(|| symbol.clone(), |name| format!("{name} ({symbol})"));
    if request.page.title.is_empty() { of } else { format!("{of}: {}", request.page.title) }
}

fn tabs(request: &PageRequest) -> Markup {
    let symbol = segment(request.symbol.as_deref().unwrap_or_default());
    let tabs = request.pages.tabs(&request.page, request.market);
    html! {
        @if !tabs.is_empty() {
            nav.tabs aria-label="Pages of the same" {
                @for (path, label) in tabs {
                    a href=(request.elsewhere(&path.replace(SYMBOL, &symbol))) aria-current=[(*path == request.page.path).then_some("page")] { (label) }
                }
            }
        }
    }
}

fn part_markup(content: &PageContent<'_>, place: usize, part: &PartSpec) -> Markup {
    let Some((_, operation)) = call_of(content.catalogue, content.request, part) else { return html! {} };
    // A part that other parts show has no section.
    if part.views.is_empty() {
        return html! {};
    }
    let own: Vec<&(PartCall, PartOutcome)> =
        content.calls.iter().filter(|(call, _)| call.part == place).collect();
    let answered = own.iter().filter_map(|(_, outcome)| match outcome {
        PartOutcome::Answered(rows) => Some(rows),
        PartOutcome::Refused(_) => None,
    });
    let refused: Vec<&ClientError> = own
        .iter()
        .filter_map(|(_, outcome)| match outcome {
            PartOutcome::Answered(_) => None,
            PartOutcome::Refused(refused) => Some(refused),
        })
        .collect();
    let rows = PageRows::joined(answered);
    let view = PartView {
        request: content.request,
        part,
        operation: &operation,
        rows: &rows,
        calls: content.calls,
        catalogue: content.catalogue,
        snapshot: content.snapshot,
    };
    let is_asked = !own.is_empty();
    let is_answered = is_asked && refused.len() < own.len();
    let is_quiet = |refused: &&ClientError| {
        matches!(refused.kind, ErrorKind::NotFound | ErrorKind::NoData | ErrorKind::Forbidden)
    };
    if part.is_optional && rows.rows.is_empty() && refused.iter().all(is_quiet) {
        return html! {};
    }
    html! {
        section.part.wide-column[part.column == Some(PageColumn::Wide)].narrow-column[part.column == Some(PageColumn::Narrow)] id=(part.id) aria-labelledby=[(!part.title.is_empty()).then(|| format!("{}-title", part.id))] {
            @if !part.title.is_empty() { h2 id={ (part.id) "-title" } { (part.title) } }
            @for refused in refused {
                @if is_told_before(content, place, refused) { p.none { "As above." } }
                @else if refused.kind.status() == 404 && is_beside(content, place) { (parts::absence(refused)) }
                @else { (parts::refusal(content.request, content.snapshot, refused)) }
            }
            @if is_answered { (parts::answered(view)) } @else { (parts::unanswered(view)) }
            @if !is_asked { p.none { "Nothing is asked yet." } }
        }
    }
}

/// Shows the number of parts left out because the key does not reach them, and the tier that the first of them needs.
fn unreached(content: &PageContent<'_>) -> Markup {
    let parts = &content.request.page.parts;
    let left_out = content.calls.iter().filter_map(|(call, outcome)| match outcome {
        PartOutcome::Refused(refused)
            if refused.kind == ErrorKind::Forbidden
                && parts.get(call.part).is_some_and(|part| part.is_optional) =>
        {
            Some(refused)
        }
        _ => None,
    });
    let left_out: Vec<&ClientError> = left_out.collect();
    html! {
        @if let Some(first) = left_out.first() {
            div.part {
                p.none { (left_out.len()) @if left_out.len() == 1 { " part" } @else { " parts" } " of this page " @if left_out.len() == 1 { "is" } @else { "are" } " not shown for this key." }
                (parts::absence(first))
            }
        }
    }
}

/// Returns true if an earlier part of the page was refused for the same reason.
fn is_told_before(content: &PageContent<'_>, place: usize, refused: &ClientError) -> bool {
    content.calls.iter().filter(|(call, _)| call.part < place).any(
        |(_, outcome)| matches!(outcome, PartOutcome::Refused(before) if before.message == refused.message),
    )
}

/// Returns true if another part decides the status of the page, and that one is answered.
fn is_beside(content: &PageContent<'_>, place: usize) -> bool {
    let deciding = content.request.page.deciding_part(content.request.market);
    let is_answer = |(call, outcome): &(PartCall, PartOutcome)| {
        Some(call.part) == deciding && matches!(outcome, PartOutcome::Answered(_))
    };
    deciding != Some(place) && content.calls.iter().any(is_answer)
}

/// Button that copies the address, which reproduces the view.
fn share() -> Markup {
    html! { p.share { button type="button" data-copy-address hidden { "Copy the link to this view" } } }
}
