//! The menu: the sections of a market, and the tabs of the page's section. A page that the reader's tier may not see has a lock.

use std::sync::Arc;

use maud::{Markup, html};

use super::icon::{self, icon};
use super::pages::{ExplorerPages, needed_tier};
use super::request::{PageRequest, segment};
use super::spec::{PageSpec, SYMBOL, Section};
use parquote_catalogue::operation::{Market, Tier};
use parquote_engine::Snapshot;

/// The sections in their order: each with the short name, which phones show, and the rest of its full name.
const SECTIONS: [(Section, &str, &str); 6] = [
    (Section::Today, "Today", ""),
    (Section::Screen, "Screen", ""),
    (Section::Lists, "Lists", ""),
    (Section::Market, "Market", ""),
    (Section::Events, "Calendar", " & events"),
    (Section::Research, "Research", ""),
];

/// A tab of a section or of the portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuEntry {
    /// Section; `None` for a page of the portal.
    pub section: Option<Section>,
    /// Title of its page.
    pub title: String,
    /// Address of its page.
    pub href: String,
    /// The tier that the page needs, if the reader's tier may not see it.
    pub lock: Option<Tier>,
}

/// Returns the tabs of all sections of a market, with locks for a reader of this tier.
pub fn menu_entries(
    pages: &ExplorerPages,
    snapshot: &Snapshot,
    market: Market,
    tier: Tier,
) -> Vec<MenuEntry> {
    let entry = |page: &Arc<PageSpec>| MenuEntry {
        section: page.section,
        title: page.title_in(market).to_owned(),
        href: page.route(market),
        lock: lock(page, snapshot, market, tier),
    };
    pages.in_menu(snapshot, market).map(entry).collect()
}

/// Returns the tier that a page needs, if the reader's tier may not see it.
fn lock(page: &PageSpec, snapshot: &Snapshot, market: Market, tier: Tier) -> Option<Tier> {
    needed_tier(page, snapshot, market).filter(|needed| !tier.reaches(*needed))
}

/// Returns the tier that the page of an address below the market needs, if the reader's tier may not see it.
pub fn lock_at(
    pages: &ExplorerPages,
    snapshot: &Snapshot,
    market: Market,
    tier: Tier,
    address: &str,
) -> Option<Tier> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let (page, _) = pages.page_at(market, path)?;
    lock(page, snapshot, market, tier)
}

/// Returns the tabs of a page: the pages about the same subject, or else those of its section.
pub(super) fn tabs(request: &PageRequest, snapshot: &Snapshot, entries: &[MenuEntry]) -> Vec<MenuEntry> {
    let section = request.page.section;
    if section.is_none() {
        return Vec::new();
    }
    let symbol = segment(request.symbol.as_deref().unwrap_or_default());
    let subject_tabs = request.pages.subject_tabs(&request.page, snapshot, request.market).into_iter();
    let subject_tabs = subject_tabs.map(|(path, label)| MenuEntry {
        section,
        title: label.to_owned(),
        href: request.market_address(&path.replace(SYMBOL, &symbol)),
        lock: request
            .pages
            .find(path)
            .and_then(|page| lock(page, snapshot, request.market, request.reader.tier)),
    });
    let subject_tabs: Vec<MenuEntry> = subject_tabs.collect();
    if subject_tabs.is_empty() {
        entries.iter().filter(|entry| entry.section == section).cloned().collect()
    } else {
        subject_tabs
    }
}

/// Returns the tab to which a section leads: the first without a lock, or else the first.
pub(super) fn first_tab(entries: &[MenuEntry], section: Section) -> Option<&MenuEntry> {
    let tabs = || entries.iter().filter(|entry| entry.section == Some(section));
    tabs().find(|entry| entry.lock.is_none()).or_else(|| tabs().next())
}

/// Shows the sections. On phones they are at the lower edge, and the palette of the search is beside them.
pub(super) fn section_row(entries: &[MenuEntry], present: Option<Section>) -> Markup {
    html! {
        nav.sections aria-label="Sections" {
            @for (section, name, rest) in SECTIONS {
                @if let Some(first) = first_tab(entries, section) {
                    a.beyond[section == Section::Research] href=(first.href) title=[first.lock.map(needs)] aria-current=[(present == Some(section)).then_some("true")] {
                        (icon(icon::for_section(section)))
                        (name) @if !rest.is_empty() { span.rest { (rest) } }
                        @if let Some(tier) = first.lock { (lock_mark(tier)) }
                    }
                }
            }
            a.palette href="#palette" { (icon(icon::SEARCH)) "Search" }
        }
    }
}

/// Shows tabs. The tab of the present path is marked, or else the tab of the page above it.
pub(super) fn tab_row(tabs: &[MenuEntry], label: &str, present: &str) -> Markup {
    let is_tab = tabs.iter().any(|tab| tab.href == present);
    let is_above = |tab: &MenuEntry| {
        // The page of a market is above all others.
        let below = present.strip_prefix(tab.href.as_str()).filter(|_| tab.href.matches('/').count() > 1);
        !is_tab && below.is_some_and(|below| below.starts_with('/'))
    };
    let current =
        |tab: &MenuEntry| if tab.href == present { Some("page") } else { is_above(tab).then_some("true") };
    html! {
        @if !tabs.is_empty() {
            nav.tabs aria-label=(label) {
                @for tab in tabs {
                    a href=(tab.href) title=[tab.lock.map(needs)] aria-current=[current(tab)] {
                        (tab.title) @if let Some(tier) = tab.lock { (lock_mark(tier)) }
                    }
                }
            }
        }
    }
}

/// Shows a lock; its tier is in the title of the link around it, and in hidden text for screen readers.
pub(super) fn lock_mark(tier: Tier) -> Markup {
    html! { span.lock { (icon(icon::LOCK)) span.quiet { ", " (needs(tier)) } } }
}

/// Says which key opens a locked page.
pub(super) fn needs(tier: Tier) -> String {
    format!("needs a key of the tier {}", tier.word())
}
