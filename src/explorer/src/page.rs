//! A declared page with the answers of its operations, as one document.

use maud::{Markup, html};

use super::column_title::title;
use super::icon::{LINK, icon};
use super::layout::{PageLayout, document};
use super::links::{fill_address, fill_words};
use super::menu::needs;
use super::moment::dates_in;
use super::page_rows::{PageRows, PartOutcome};
use super::pages::ExplorerPages;
use super::part_view::PartView;
use super::parts::{self, PanelCall};
use super::plan::{self, PartCall, call_of};
use super::refreshed;
use super::request::{PageReader, PageRequest};
use super::spec::{PageColumn, PageSpec, PartSpec};
use super::undo::UndoForm;
use super::view_spec::{ActionSpec, View};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Catalogue, Market, Param, Tier};
use parquote_engine::Snapshot;
use parquote_handlers::SHARED_PREFIX;

/// Input of a page.
pub struct PageContent<'a> {
    /// Request for the page.
    pub request: &'a PageRequest,
    /// All operations.
    pub catalogue: &'a Catalogue,
    /// Snapshot that answered the calls.
    pub snapshot: &'a Snapshot,
    /// Calls of its parts with their outcomes, in the order of the parts.
    pub calls: &'a [(PartCall, PartOutcome)],
    /// Error of the form that was sent from the page; `None` without one.
    pub refused: Option<&'a ClientError>,
    /// Result of the form that led here; `None` without one.
    pub form_answer: Option<&'a FormAnswer>,
}

/// Result of a form.
#[derive(Debug)]
pub struct FormAnswer {
    /// Label of its button; may be empty.
    pub label: String,
    /// Rows of the operation's answer.
    pub rows: PageRows,
    /// The answer as a sentence; if empty, the fields of `rows` are shown.
    pub words: String,
    /// A link beside the sentence: label and address below the market; without a label, an address of this server to be copied.
    pub link: Option<(String, String)>,
    /// The form that takes the change back; `None` if that is not possible.
    pub undo: Option<UndoForm>,
}

impl FormAnswer {
    /// Builds the result of a form from the rows of its operation.
    pub fn new(action: &ActionSpec, rows: PageRows) -> Self {
        let row = rows.rows.first().cloned().unwrap_or_default();
        let words =
            action.messages.iter().map(|pattern| fill_words(pattern, &row)).find(|words| !words.is_empty());
        // A pattern that begins with a value is an address already, which needs no encoding.
        let address = |pattern: &str| {
            let is_value = pattern.starts_with('{');
            let whole = || Some(fill_words(pattern, &row)).filter(|address| !address.is_empty());
            if is_value { whole() } else { fill_address(pattern, &row) }
        };
        let link = action.open.as_ref().and_then(|(label, pattern)| Some((label.clone(), address(pattern)?)));
        Self { label: action.label.clone(), words: words.unwrap_or_default(), link, undo: None, rows }
    }

    /// Replaces the link to a page that the reader's tier may not see by a sentence with the tier that it needs, and a link to the page
    /// of the form.
    pub fn replace_link(&mut self, needed: Tier, form: &PageSpec, market: Market) {
        self.words = format!("{} The page with it {}.", self.words, needs(needed));
        self.link = Some((form.title_in(market).to_owned(), form.path.clone()));
    }
}

/// Returns false for a page of a symbol that the market does not have.
fn has_symbol(content: &PageContent<'_>) -> bool {
    let PageRequest { market, symbol, .. } = content.request;
    symbol.as_deref().is_none_or(|symbol| content.snapshot.has_symbol(*market, symbol) != Some(false))
}

/// Builds the HTML document of a declared page.
pub fn page(content: &PageContent<'_>) -> String {
    let request = content.request;
    let (heading, has_symbol) = (heading(content), has_symbol(content));
    // Of a symbol that the market does not have, all parts would say the same.
    let shown_parts = if has_symbol {
        request.page.parts.as_slice()
    } else {
        request.page.parts.get(..1).unwrap_or_default()
    };
    let main = html! {
        @if let Some(refused) = content.refused { (parts::refusal(request, content.snapshot, refused)) }
        h1 { (heading) }
        (view_tools(!content.calls.is_empty()))
        (printed_parameters(request))
        @if has_symbol { (parts::star(request)) }
        @if !request.page.lead.is_empty() { p.lead { (request.page.lead_in(request.market)) } }
        @if let Some(tour) = request.reader.tour { (parts::tour(request, tour)) }
        (parts::saved_screens(request))
        (refreshed::switch(request, content.calls))
        @if let Some(answer) = content.form_answer { (answer_of_form(content, answer)) }
        @for (position, part) in shown_parts.iter().enumerate() { (part_markup(content, position, part)) }
        (unreached_parts(content))
        (parts::request_panel(request, &content.calls.iter().map(panel_call).collect::<Vec<_>>()))
    };
    let layout = PageLayout {
        market: request.market,
        request: Some(request),
        pages: &request.pages,
        title: &heading,
        snapshot: content.snapshot,
        reader: &request.reader,
    };
    document(&layout, &main).into_string()
}

/// Converts a call of the page for the panel of requests.
fn panel_call((call, outcome): &(PartCall, PartOutcome)) -> PanelCall<'_> {
    let counts = match outcome {
        PartOutcome::Answered(_) => true,
        PartOutcome::Refused(refused) => refused.kind.counts(),
    };
    PanelCall { operation: &call.operation, pairs: &call.pairs, counts }
}

/// Builds the page for an unknown path.
pub fn unknown_page(
    pages: &ExplorerPages,
    market: Market,
    snapshot: &Snapshot,
    path: &str,
    reader: &PageReader,
) -> String {
    let candidates: Vec<_> = pages.in_market(market).filter(|page| !page.has_symbol()).collect();
    let nearest =
        parquote_catalogue::operation::nearest(path, candidates.iter().map(|page| page.path.as_str()));
    let main = html! {
        h1 { "There is no such page" }
        p {
            "There is no page at " code { "/" (market) "/" (path) } ". "
            @if let Some(page) = candidates.iter().find(|page| Some(page.path.as_str()) == nearest) {
                "Did you mean " a href=(page.route(market)) { (page.title_in(market)) } "?"
            }
        }
        p { "All pages are in the menu; a company is found by the search above." }
    };
    let layout =
        PageLayout { market, request: None, pages, title: "There is no such page", snapshot, reader };
    document(&layout, &main).into_string()
}

/// Builds the page for a request that could not be answered, such as an unreadable query.
pub fn problem_page(
    pages: &ExplorerPages,
    market: Market,
    snapshot: &Snapshot,
    refused: &ClientError,
    reader: &PageReader,
) -> String {
    let title = parts::refusal_words(refused.kind);
    let main = html! { h1 { (title) } div.refusal { p { (refused.message) } } };
    let layout = PageLayout { market, request: None, pages, title, snapshot, reader };
    document(&layout, &main).into_string()
}

/// Shows the result of a form, above the parts.
fn answer_of_form(content: &PageContent<'_>, answer: &FormAnswer) -> Markup {
    let parts = &content.request.page.parts;
    let view = parts.first().and_then(|part| {
        let (_, operation) = call_of(content.catalogue, content.request, part)?;
        Some((part, operation))
    });
    html! {
        @if let Some((part, operation)) = &view {
            section.part.form-answer role="status" aria-label="Result" {
                @if !answer.label.is_empty() { h2 { (answer.label) } }
                @if !answer.words.is_empty() {
                    p {
                        (answer.words)
                        @if let Some((label, path)) = answer.link.as_ref().filter(|(label, _)| !label.is_empty()) {
                            " " a href=(content.request.market_address(path)) { (label) }
                        }
                    }
                    @if let Some(undo) = &answer.undo { (parts::undo(content.request, undo)) }
                    @if let Some((_, path)) = answer.link.as_ref().filter(|(label, _)| label.is_empty()) {
                        div.command {
                            pre tabindex="0" { code { (content.request.reader.origin.as_deref().unwrap_or_default()) (path) } }
                            button type="button" data-copy hidden { "Copy" }
                        }
                    }
                } @else { (parts::facts(PartView {
                    request: content.request,
                    part,
                    operation,
                    rows: &answer.rows,
                    calls: content.calls,
                    catalogue: content.catalogue,
                    snapshot: content.snapshot,
                }, &[])) }
            }
        }
    }
}

/// Returns the heading of the page: the company of its symbol, else the subject that its query names, else its title.
fn heading(content: &PageContent<'_>) -> String {
    let request = content.request;
    let Some(symbol) = &request.symbol else {
        return match request.page.titled_by.as_deref().and_then(|name| request.get(name)) {
            Some(shared) if shared.starts_with(SHARED_PREFIX) => "A shared list".to_owned(),
            Some(name) => name.to_owned(),
            None => request.page.title_in(request.market).to_owned(),
        };
    };
    let first = content.calls.first().and_then(|(_, outcome)| match outcome {
        PartOutcome::Answered(rows) => rows.rows.first(),
        PartOutcome::Refused(_) => None,
    });
    let name = first.and_then(|row| row.get("company_name")).and_then(serde_json::Value::as_str);
    let subject = name.map_or_else(|| symbol.clone(), |name| format!("{name} ({symbol})"));
    if request.page.title.is_empty() { subject } else { format!("{subject}: {}", request.page.title) }
}

fn part_markup(content: &PageContent<'_>, position: usize, part: &PartSpec) -> Markup {
    let Some((_, operation)) = call_of(content.catalogue, content.request, part) else { return html! {} };
    // A part without views only supplies rows to other parts.
    if part.views.is_empty() {
        return html! {};
    }
    let calls: Vec<&(PartCall, PartOutcome)> =
        content.calls.iter().filter(|(call, _)| call.part == position).collect();
    let answered = calls.iter().filter_map(|(_, outcome)| match outcome {
        PartOutcome::Answered(rows) => Some(rows),
        PartOutcome::Refused(_) => None,
    });
    let refused: Vec<&ClientError> = calls
        .iter()
        .filter_map(|(_, outcome)| match outcome {
            PartOutcome::Answered(_) => None,
            PartOutcome::Refused(refused) => Some(refused),
        })
        .collect();
    let rows = PageRows::join(answered);
    let view = PartView {
        request: content.request,
        part,
        operation: &operation,
        rows: &rows,
        calls: content.calls,
        catalogue: content.catalogue,
        snapshot: content.snapshot,
    };
    let has_calls = !calls.is_empty();
    let is_answered = has_calls && refused.len() < calls.len();
    let is_quiet = |refused: &&ClientError| {
        matches!(refused.kind, ErrorKind::NotFound | ErrorKind::NoData | ErrorKind::Forbidden)
    };
    if part.is_optional && rows.rows.is_empty() && refused.iter().all(is_quiet) {
        return html! {};
    }
    let has_form = |part: &PartSpec| {
        let is_form = |view: &View| matches!(view, View::Controls | View::Action(_));
        part.call(content.request.market).is_some() && part.views.iter().any(is_form)
    };
    // The form that it waits for says that nothing is requested.
    let mut earlier = content.request.page.parts.iter().take(position);
    if !has_calls && !has_form(part) && earlier.any(has_form) {
        return html! {};
    }
    let takes_symbols = operation.params.iter().any(Param::is_symbols);
    html! {
        section.part.wide-column[part.column == Some(PageColumn::Wide)].narrow-column[part.column == Some(PageColumn::Narrow)] id=(part.id) aria-labelledby=[(!part.title.is_empty()).then(|| format!("{}-title", part.id))] {
            @if !part.title.is_empty() { h2 id={ (part.id) "-title" } { (part.title) } }
            @for refused in refused {
                @if repeats_earlier_refusal(content, position, refused) { p.none { "As above." } }
                @else if refused.kind.status() == 404 && is_beside(content, position) { (parts::absence(refused)) }
                @else { (parts::refusal(content.request, content.snapshot, refused)) }
            }
            @if is_answered { (parts::period_age(view)) (parts::show_answer(view)) (parts::coverage(view)) } @else { (parts::show_controls(view)) }
            @if !has_calls {
                p.none {
                    "Nothing is requested yet."
                    @if takes_symbols {
                        " Write symbols or names, or tick rows of a list such as " a href=(content.request.market_address("leaders")) { "Leaders" }
                        ": the buttons below it lead here."
                    }
                }
            }
        }
    }
}

/// Shows how many parts the key may not see, and the tier that the first of them needs.
fn unreached_parts(content: &PageContent<'_>) -> Markup {
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
fn repeats_earlier_refusal(content: &PageContent<'_>, position: usize, refused: &ClientError) -> bool {
    content.calls.iter().filter(|(call, _)| call.part < position).any(
        |(_, outcome)| matches!(outcome, PartOutcome::Refused(before) if before.message == refused.message),
    )
}

/// Returns true if another part of the page has an answer: the part that decides its status, or one about its stock.
fn is_beside(content: &PageContent<'_>, position: usize) -> bool {
    let deciding = content.request.page.deciding_part(content.request.market);
    let is_answer = |(call, outcome): &(PartCall, PartOutcome)| {
        Some(call.part) == deciding && matches!(outcome, PartOutcome::Answered(_))
    };
    if content.calls.iter().any(is_answer) {
        return deciding != Some(position);
    }
    plan::has_rows_of_stock(content.request, content.calls)
}

/// Shows a button that copies the address of the view, and a link to the requests behind the page.
fn view_tools(has_requests: bool) -> Markup {
    html! {
        p.view-tools {
            button type="button" data-copy-address hidden aria-label="Copy the link to this view" title="Copy the link to this view" { (icon(LINK)) }
            @if has_requests { a href="#requests" aria-label="The requests behind this page" title="The requests behind this page" { "</>" } }
        }
    }
}

/// Lists the parameters of the page for prints; on a screen, forms show them.
fn printed_parameters(request: &PageRequest) -> Markup {
    html! {
        @if !request.pairs.is_empty() {
            p.printed { @for (name, value) in &request.pairs { span { (title(name, None)) ": " (dates_in(value)) } " " } }
        }
    }
}
