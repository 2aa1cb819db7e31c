//! A page of the registry with the answers of its operations, as one document.

use maud::{Markup, html};

use super::layout::{PageLayout, document};
use super::page_rows::{PageRows, PartOutcome};
use super::part_view::PartView;
use super::parts::{self, PanelCall};
use super::plan::{PartCall, asked};
use super::refreshed;
use super::registry;
use super::request::{PageRequest, segment};
use super::spec::{PageSpec, PartSpec, Placement, SYMBOL};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_engine::Snapshot;

/// Everything that a page is made from.
pub struct PageContent<'a> {
    /// What was asked.
    pub request: &'a PageRequest,
    /// All operations.
    pub catalogue: &'a Catalogue,
    /// The data that answered.
    pub snapshot: &'a Snapshot,
    /// The calls of its parts and what they came to, in the order of the parts.
    pub calls: &'a [(PartCall, PartOutcome)],
    /// What went wrong with a change that was asked of the page.
    pub refused: Option<&'a ClientError>,
    /// What a form came to that led here.
    pub told: Option<&'a FormAnswer>,
}

/// What a form came to.
#[derive(Debug)]
pub struct FormAnswer {
    /// What its button says.
    pub label: &'static str,
    /// The answer.
    pub rows: PageRows,
}

/// The page.
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
        page: Some(request.page),
        title: &heading,
        symbol: request.symbol.as_deref(),
        search: request.get("q").unwrap_or_default(),
        is_guest: request.is_guest,
        snapshot: content.snapshot,
    };
    document(&layout, &main).into_string()
}

/// A page that says that there is none.
pub fn lost(market: Market, snapshot: &Snapshot, path: &str) -> String {
    let known: Vec<&PageSpec> =
        registry::pages().filter(|page| page.is_in(market) && !page.has_symbol()).collect();
    let near = parquote_catalogue::operation::nearest(path, known.iter().map(|page| page.path));
    let main = html! {
        h1 { "There is no such page" }
        p {
            "Nothing lies at " code { "/" (market) "/" (path) } ". "
            @if let Some(page) = known.iter().find(|page| Some(page.path) == near) {
                "Did you mean " a href=(page.route(market)) { (page.title) } "?"
            }
        }
        p { "All pages are in the menu; a company is found by the search above." }
    };
    let layout = PageLayout {
        market,
        page: None,
        title: "There is no such page",
        symbol: None,
        search: "",
        is_guest: false,
        snapshot,
    };
    document(&layout, &main).into_string()
}

/// A page that says why nothing was asked, such as a query that cannot be read.
pub fn problem_page(market: Market, snapshot: &Snapshot, kind: ErrorKind, words: &str) -> String {
    let title = parts::refusal_words(kind);
    let main = html! { h1 { (title) } div.refusal { p { (words) } } };
    let layout =
        PageLayout { market, page: None, title, symbol: None, search: "", is_guest: false, snapshot };
    document(&layout, &main).into_string()
}

/// What a form came to, above the parts.
fn answer_of_form(content: &PageContent<'_>, told: &FormAnswer) -> Markup {
    let parts = content.request.page.parts;
    let view = parts.first().and_then(|part| {
        let (_, operation) = asked(content.catalogue, content.request, part)?;
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

/// What the page is about: of a symbol its company, if that is known.
fn heading(content: &PageContent<'_>) -> String {
    let request = content.request;
    let Some(symbol) = &request.symbol else {
        let list = request.get("list").filter(|_| request.page.path == "list");
        return match list {
            Some(shared) if shared.starts_with('~') => "A shared list".to_owned(),
            Some(list) => list.to_owned(),
            None => request.page.title.to_owned(),
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
    let shown = request
        .page
        .tabs
        .iter()
        .filter(|(path, _)| registry::find(path).is_some_and(|page| page.is_in(request.market)));
    html! {
        @if !request.page.tabs.is_empty() {
            nav.tabs aria-label="Pages of the same" {
                @for (path, label) in shown {
                    a href=(request.elsewhere(&path.replace(SYMBOL, &symbol))) aria-current=[(*path == request.page.path).then_some("page")] { (label) }
                }
            }
        }
    }
}

fn part_markup(content: &PageContent<'_>, place: usize, part: &'static PartSpec) -> Markup {
    let Some((_, operation)) = asked(content.catalogue, content.request, part) else { return html! {} };
    // What other parts show is no part of its own.
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
    if part.stands(Placement::WhereKnown) && rows.rows.is_empty() && refused.iter().all(is_quiet) {
        return html! {};
    }
    html! {
        section.part.wide-column[part.stands(Placement::Wide)].narrow-column[part.stands(Placement::Narrow)] id=(part.id) aria-labelledby=[(!part.title.is_empty()).then(|| format!("{}-title", part.id))] {
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

/// How many parts were left out because the key does not reach them, and what the first of them needs.
fn unreached(content: &PageContent<'_>) -> Markup {
    let parts = content.request.page.parts;
    let left_out = content.calls.iter().filter_map(|(call, outcome)| match outcome {
        PartOutcome::Refused(refused)
            if refused.kind == ErrorKind::Forbidden
                && parts.get(call.part).is_some_and(|part| part.stands(Placement::WhereKnown)) =>
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

/// Whether an earlier part of the page was refused for the same reason.
fn is_told_before(content: &PageContent<'_>, place: usize, refused: &ClientError) -> bool {
    content.calls.iter().filter(|(call, _)| call.part < place).any(
        |(_, outcome)| matches!(outcome, PartOutcome::Refused(before) if before.message == refused.message),
    )
}

/// Whether a part stands beside the one that decides what the page is, and that one is answered.
fn is_beside(content: &PageContent<'_>, place: usize) -> bool {
    let deciding = content.request.page.deciding_part(content.request.market);
    let is_answer = |(call, outcome): &(PartCall, PartOutcome)| {
        Some(call.part) == deciding && matches!(outcome, PartOutcome::Answered(_))
    };
    deciding != Some(place) && content.calls.iter().any(is_answer)
}

/// The way to share the view: its address says all of it.
fn share() -> Markup {
    html! { p.share { button type="button" data-copy-address hidden { "Copy the link to this view" } } }
}
