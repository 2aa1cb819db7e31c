//! The page of sets. For each market it has the served set, the refused data with reasons, the available sets with forms to go back to one,
//! and the rows that the last derivation refused.

use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::layout::{MenuPage, PortalReader, form_result, signed_in_page};
use crate::market_words;
use crate::moment::{date, moment};
use parquote_refresh::{DerivationCounts, Finding, ListedSet, MarketSets};

/// Content of the page of sets.
#[derive(Debug, Clone, Copy)]
pub struct SetsView<'a> {
    /// Sets of each market.
    pub markets: &'a [MarketSets],
    /// Present steps of loading, fetching and deriving; `None` if nothing is in progress.
    pub progress: Option<&'a str>,
    /// Error of the last form.
    pub problem: Option<&'a str>,
    /// Result of the last form.
    pub message: Option<&'a str>,
}

/// Builds the page of sets.
pub fn sets_page(reader: &PortalReader, view: SetsView<'_>) -> Markup {
    let content = html! {
        (form_result(view.message, view.problem))
        (in_progress(view.progress))
        @for market in view.markets { (sets_of_market(market)) }
    };
    signed_in_page(reader, Some(MenuPage::Sets), "Sets of tables", &content)
}

/// Shows the present steps; the page reloads while there are any.
pub(super) fn in_progress(progress: Option<&str>) -> Markup {
    html! {
        @if let Some(progress) = progress {
            p role="status" { b { "In progress: " } (progress) ". " span.soft { "This page follows by itself." } }
        }
    }
}

fn time(at: DateTime<Utc>) -> String {
    moment(at.timestamp())
}

fn sets_of_market(market: &MarketSets) -> Markup {
    let status = &market.status;
    let served = market.sets.iter().find(|listed| Some(listed.set.number) == status.set);
    html! {
        h2 { (market_words::name(market.market)) }
        @match (served, status.set) {
            (Some(listed), _) => p {
                "Set " b { (listed.set.number) } " is served"
                @if let Some(day) = listed.set.as_of { ", with sessions to " b { (date(day)) } }
                ". It was published " (time(listed.set.published.at))
                @if let Some(at) = status.served_at { " and is served since " (time(at)) }
                "."
            },
            (None, Some(number)) => p { "Set " b { (number) } " is served; its manifest was deleted or cannot be read." },
            (None, None) => p { "Nothing is served." },
        }
        @if let Some(trouble) = &status.trouble { p.problem { "The data cannot be looked at: " (trouble) } }
        (findings("Refused, so that it is not served", status.refused.iter(), true))
        (findings("Damaged files", status.damaged.values(), true))
        (findings("Warnings about the served set", status.warnings.iter(), false))
        @for error in &market.unreadable { p.problem { (error) } }
        (sets_table(market))
        @if let Some(counts) = &market.derivation { (derivation(counts)) }
    }
}

fn findings<'a>(title: &str, findings: impl ExactSizeIterator<Item = &'a Finding>, is_open: bool) -> Markup {
    let count = findings.len();
    html! {
        @if count > 0 {
            details open[is_open] {
                summary { (title) ": " (count) }
                @for text in Finding::describe(findings) { pre.finding { (text) } }
            }
        }
    }
}

fn sets_table(market: &MarketSets) -> Markup {
    html! {
        @if !market.sets.is_empty() {
            div.scroll tabindex="0" role="group" aria-label={ "Sets of " (market_words::name(market.market)) } { table {
                thead { tr {
                    th scope="col" { "Set" } th scope="col" { "To" } th scope="col" { "Published" } th scope="col" { "From" }
                    th.n scope="col" { "Tables" } th.n scope="col" { "Rows" } th.n scope="col" { "MB" }
                    th scope="col" { "Check" } th scope="col" { "" }
                } }
                tbody { @for (position, listed) in market.sets.iter().enumerate() { (set_row(market, position, listed)) } }
            } }
        }
    }
}

fn set_row(market: &MarketSets, position: usize, listed: &ListedSet) -> Markup {
    const MB: f64 = 1e6;
    let set = &listed.set;
    let rows: u64 = set.tables.values().map(|table| table.rows).sum();
    let before = market.sets.get(position + 1).map(|before| before.set.number);
    let newest = market.sets.first().map(|newest| &newest.set);
    html! {
        tr {
            td { (set.number) @if market.status.set == Some(set.number) { " " b { "(served)" } } }
            td.time { @if let Some(day) = set.as_of { (date(day)) } }
            td.time { (time(set.published.at)) }
            td { (set.published.origin) }
            td.n { (set.tables.len()) }
            td.n { (rows) }
            td.n { (format!("{:.1}", set.bytes() as f64 / MB)) }
            td { (listed.verdict()) }
            td {
                @if let Some(before) = before {
                    a href={ "/portal/sets/changes?market=" (market.market) "&before=" (before) "&after=" (set.number) } { "Changes since set " (before) }
                }
                @if let Some(newest) = newest.filter(|newest| newest.id != set.id && !listed.is_refused()) {
                    (way_back(market, listed, newest.number))
                }
            }
        }
    }
}

/// Builds the form that publishes an earlier set again, which a first click reveals.
fn way_back(market: &MarketSets, listed: &ListedSet, newest: u64) -> Markup {
    let number = listed.set.number;
    html! {
        details {
            summary aria-label={ "Go back to set " (number) } { "Go back" }
            form method="post" action="/portal/sets/rollback" {
                input type="hidden" name="market" value=(market.market);
                input type="hidden" name="to" value=(number);
                input type="hidden" name="newest" value=(newest);
                p.soft {
                    "The content of set " (number) " is published again, as set " (newest + 1)
                    ", and served after its check. No set is deleted by this; set " (newest) " stays in the list."
                }
                button.danger { "Go back to set " (number) }
            }
        }
    }
}

fn derivation(counts: &DerivationCounts) -> Markup {
    let refused: u64 = counts.refused.values().sum();
    let read: u64 = counts.formats.values().map(|format| format.read).sum();
    html! {
        details {
            summary { "Last derivation: " (refused) " of " (read) " raw rows refused" }
            @if let Some(at) = counts.at { p.soft { "Derived " (time(at)) "." } }
            @if refused > 0 {
                div.scroll tabindex="0" role="group" aria-label="Refused rows" { table {
                    thead { tr { th scope="col" { "Reason" } th.n scope="col" { "Rows" } } }
                    tbody { @for (reason, rows) in &counts.refused { tr { td { (reason) } td.n { (rows) } } } }
                } }
                p.soft { "Each of these rows, with file, line and reason: " code { (counts.refused_file.display().to_string()) } }
            }
            div.scroll tabindex="0" role="group" aria-label="Raw files" { table {
                thead { tr {
                    th scope="col" { "Raw files" } th.n scope="col" { "Files" } th.n scope="col" { "Rows" }
                    th.n scope="col" { "Used" } th.n scope="col" { "Refused" } th.n scope="col" { "Contradicting" }
                } }
                tbody { @for (name, format) in &counts.formats { tr {
                    td { (name) } td.n { (format.files) } td.n { (format.read) }
                    td.n { (format.kept) } td.n { (format.refused) } td.n { (format.differing) }
                } } }
            } }
        }
    }
}
