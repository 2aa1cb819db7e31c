//! The page of sources: the newest file of each source of raw files, the requests that a fetch would send, and the commands that bring
//! official data into this server.

use chrono::NaiveDate;
use maud::{Markup, html};

use super::layout::{MenuPage, PortalReader, form_result, signed_in_page};
use super::sets::in_progress;
use crate::market_words;
use crate::moment::date;
use parquote_catalogue::operation::Market;

/// State of a source.
#[derive(Debug, Clone)]
pub struct SourceLine {
    /// Market of its files.
    pub market: Market,
    /// Name of the source.
    pub name: String,
    /// Description of its files.
    pub files: String,
    /// The newest day with a file; `None` without files.
    pub newest: Option<NaiveDate>,
    /// Number of missing days.
    pub missing: usize,
    /// Outcome and time of its last request; empty if there was none.
    pub last: String,
    /// True if it gets no requests; the needs in [`SourcesView`] say why.
    pub is_lacking: bool,
}

/// The requests of a plan to one host.
#[derive(Debug, Clone)]
pub struct PlanLine {
    /// The host, in words.
    pub host: String,
    /// Number of requests.
    pub requests: usize,
    /// Size of the files, in words.
    pub size: String,
}

/// Terms of a host that are not accepted yet.
#[derive(Debug, Clone)]
pub struct TermsLine {
    /// Name of the host group, as `fetch --accept-terms` takes it.
    pub group: String,
    /// The host, in words.
    pub host: String,
    /// Address of its terms.
    pub terms: String,
    /// Summary of the terms, in a sentence.
    pub summary: String,
}

/// Content of the page of sources.
#[derive(Debug, Clone, Default)]
pub struct SourcesView {
    /// State of each source.
    pub sources: Vec<SourceLine>,
    /// Requests that a fetch of both markets would send, by host.
    pub plan: Vec<PlanLine>,
    /// Requests, bytes and minutes of the whole plan, in words.
    pub size: String,
    /// Terms to accept before their hosts get requests.
    pub terms: Vec<TermsLine>,
    /// Actions for sources that get no requests, in words.
    pub needs: Vec<String>,
    /// Commands in their order, each with its purpose.
    pub commands: Vec<(&'static str, String)>,
    /// True if this server fetches and derives by itself.
    pub is_automatic: bool,
}

/// Builds the page; `progress` has the present steps, `message` the result of the last form or its error.
pub fn sources_page(
    reader: &PortalReader,
    view: &SourcesView,
    progress: Option<&str>,
    message: Result<Option<&str>, &str>,
) -> Markup {
    let content = html! {
        (form_result(message.ok().flatten(), message.err()))
        (in_progress(progress))
        p {
            @if view.is_automatic { "This server fetches new files and derives new sets by itself; the steps appear here while they run." }
            @else { "This server fetches nothing by itself. The commands below bring official files, and a server with " code { "--refresh" } " repeats them when files are due." }
        }
        h2 { "Use your own data" }
        @if view.plan.is_empty() { p { "Nothing has to be requested now." } } @else {
            p { "A fetch would send " (view.size) "." }
            (plan_table(&view.plan))
        }
        @for line in &view.terms { (terms_form(line)) }
        @if !view.needs.is_empty() {
            p { "Before that:" }
            ul { @for need in &view.needs { li { (need) } } }
        }
        ol { @for (purpose, command) in &view.commands { li { (purpose) ": " code.secret { (command) } } } }
        p { "Files of your own, formats and tables: " a href="/v1/docs/guides/your-own-data" { "your own data" } "." }
        @for market in Market::ALL {
            (source_table(market, &view.sources))
        }
    };
    signed_in_page(reader, Some(MenuPage::Sources), "Sources of raw files", &content)
}

/// Builds the form that accepts the terms of a host, which gets no request before.
fn terms_form(line: &TermsLine) -> Markup {
    html! {
        form.card method="post" action="/portal/sources/agree" {
            input type="hidden" name="group" value=(line.group);
            p { b { (line.host) } " gets requests only after you agreed to " a href=(line.terms) rel="noreferrer" { "its terms" } ". In short: " (line.summary) "." }
            label.check { input type="checkbox" name="agreed" value="yes" required; "I have read these terms and agree to them" }
            button { "Agree to the terms of " (line.group) }
        }
    }
}

fn plan_table(plan: &[PlanLine]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Plan" { table {
            thead { tr { th scope="col" { "Host" } th.n scope="col" { "Requests" } th.n scope="col" { "About" } } }
            tbody { @for line in plan { tr { td { (line.host) } td.n { (line.requests) } td.n { (line.size) } } } }
        } }
    }
}

fn source_table(market: Market, sources: &[SourceLine]) -> Markup {
    let sources = sources.iter().filter(|source| source.market == market);
    html! {
        h2 { "Sources of " (market_words::name(market)) }
        div.scroll tabindex="0" role="group" aria-label={ "Sources of " (market_words::name(market)) } { table {
            thead { tr {
                th scope="col" { "Source" } th scope="col" { "Last day" } th.n scope="col" { "Missing days" }
                th scope="col" { "Last request" } th scope="col" { "Files" }
            } }
            tbody { @for source in sources { tr {
                td { (source.name) }
                td.time { @match source.newest { Some(day) => (date(day)), None => "none" } }
                td.n { (source.missing) }
                td { @if !source.last.is_empty() { (source.last) } @else if source.is_lacking { "needs consent, contact, key or names" } @else { "never" } }
                td.soft { (source.files) }
            } } }
        } }
    }
}
