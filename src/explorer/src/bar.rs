//! The bar of every page of the explorer and the portal: markets, sections, search and account; below it the tabs and the age of the data.

use chrono::NaiveDate;
use maud::{Markup, html};

use super::age::DataAge;
use super::market_words;
use super::menu::{MenuEntry, first_tab, section_row, tab_row};
use super::moment::date;
use super::spec::Section;
use parquote_catalogue::operation::Market;
use parquote_surface::asset::ColourScheme;

/// Content of the bar.
pub(crate) struct TopBar<'a> {
    /// Market of the sections and of the search.
    pub market: Market,
    /// Each market with its address.
    pub markets: [(Market, String); 2],
    /// True for a page of `market`, false for one of the portal.
    pub is_of_market: bool,
    /// Tabs of all sections.
    pub entries: &'a [MenuEntry],
    /// Section of the page; `None` outside of the menu.
    pub section: Option<Section>,
    /// Tabs of the page.
    pub tabs: &'a [MenuEntry],
    /// Path of the page.
    pub path: &'a str,
    /// Age of the data: of the page's market, or of both in the portal.
    pub ages: &'a [DataAge],
    /// Text in the search box.
    pub search: &'a str,
    /// Choices of the reader.
    pub reader: BarReader<'a>,
}

/// Choices of the reader that the bar shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BarReader<'a> {
    /// True if the reader has no key.
    pub is_guest: bool,
    /// Colours that the reader chose.
    pub scheme: ColourScheme,
    /// Past day that the reader chose; `None` for the newest data.
    pub day: Option<NaiveDate>,
    /// Days of which there is a set, newest first.
    pub days: &'a [NaiveDate],
    /// Address to which the reader returns after a choice of colours or of a day.
    pub back: &'a str,
}

/// Shows the bar.
pub(crate) fn top_bar(bar: &TopBar<'_>) -> Markup {
    html! {
        header.top {
            div.bar {
                a.brand href={ "/" (bar.market) } { b { "Parquote" } }
                nav.markets aria-label="Market" {
                    @for (market, address) in &bar.markets {
                        a href=(address) aria-current=[(bar.is_of_market && *market == bar.market).then_some("true")] { (market_words::name(*market)) }
                    }
                }
                (section_row(bar.entries, bar.section))
                form.search method="get" action={ "/" (bar.market) "/search" } role="search" {
                    input #palette type="search" name="q" value=(bar.search) aria-label="Search companies" placeholder="Company, page or action" autocomplete="off" spellcheck="false" aria-keyshortcuts="/ Control+K" data-search;
                    button { "Search" }
                    ul.suggestions #suggestions aria-label="Suggestions" hidden {}
                }
                (account(bar))
            }
            div.below {
                (tab_row(bar.tabs, "Pages of this section", bar.path))
                @for age in bar.ages {
                    span.dated { @if bar.ages.len() > 1 { (market_words::name(age.market)) " " } (age) }
                }
                (past_days(bar))
            }
        }
    }
}

/// Shows the choice of a past day, if there are sets of several days, and a mark if the page shows a past day. Pages of saved items always
/// show the newest data, and so does a choice of a day after it.
fn past_days(bar: &TopBar<'_>) -> Markup {
    let BarReader { day, days, back, .. } = bar.reader;
    let served_day = day.map(|day| days.iter().find(|served| **served <= day).copied().unwrap_or(day));
    let older_days = days.iter().skip(1).copied();
    let older_days = older_days.chain(served_day.filter(|day| !days.contains(day)));
    let is_past =
        day.is_some() && bar.ages.iter().any(|age| days.first().is_some_and(|day| age.as_of < *day));
    html! {
        @if days.len() > 1 || day.is_some() {
            form.day method="get" action={ "/" (bar.market) "/day" } {
                input type="hidden" name="back" value=(back);
                select name="day" aria-label="Day whose data the pages show" {
                    option value="" { "newest" }
                    @for older in older_days { option value=(older) selected[Some(older) == served_day] { (date(older)) } }
                }
                button.plain { "Show" }
                @if is_past { span.late { "past day" } }
            }
        }
    }
}

fn account(bar: &TopBar<'_>) -> Markup {
    let BarReader { is_guest, scheme, back, .. } = bar.reader;
    html! {
        div.account {
            @if is_guest { a href="/login" { "Sign in" } } @else { a href="/portal" { "Keys" } }
            details.more {
                summary { "More" }
                nav aria-label="Account" {
                    @if let Some(research) = first_tab(bar.entries, Section::Research) { a.beyond href=(research.href) { "Research" } }
                    a href="/v1/docs" { "Manual and API" }
                    form.scheme method="post" action="/colours" aria-label="Colours" {
                        input type="hidden" name="back" value=(back);
                        @for choice in ColourScheme::ALL {
                            button.plain name="scheme" value=(choice.word()) aria-pressed=(choice == scheme) { (choice.label()) }
                        }
                    }
                    @if !is_guest { form method="post" action="/logout" { button.plain { "Sign out" } } }
                }
            }
        }
    }
}
