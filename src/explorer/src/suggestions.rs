//! Suggestions while a reader types into the search: companies of both markets, the reader's watchlists and screens, pages, and actions.

use super::market_words;
use super::menu::{menu_entries, needs};
use super::pages::ExplorerPages;
use super::request::segment;
use parquote_catalogue::operation::{Market, Tier};
use parquote_engine::{FoundCompany, Snapshot};
use parquote_handlers::SavedItems;

/// One suggestion.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Suggestion {
    /// Label.
    pub label: String,
    /// Detail that distinguishes it from others.
    pub detail: String,
    /// Target.
    pub href: String,
}

/// Context of the search.
#[derive(Debug, Clone, Copy)]
pub struct SearchContext<'a> {
    /// Market of the page.
    pub market: Market,
    /// All pages.
    pub pages: &'a ExplorerPages,
    /// Company of the page.
    pub symbol: Option<&'a str>,
    /// Watchlists and screens of the reader in this market.
    pub own: Option<&'a SavedItems>,
    /// Tier of the reader.
    pub tier: Tier,
}

/// Maximum number of suggestions.
const MOST_SUGGESTIONS: usize = 20;

/// Returns suggestions for a text, best first; for an empty text the reader's watchlists, screens, and pages.
pub fn suggestions(snapshot: &Snapshot, context: SearchContext<'_>, text: &str) -> Vec<Suggestion> {
    let text = text.trim();
    let (here, others) = companies(snapshot, context.market, text);
    let first = here.first().filter(|_| !text.is_empty()).map(|company| company.symbol.clone());
    let of_market = |market: Market| move |company: FoundCompany| company_hit(market, company);
    let hits = here.into_iter().map(of_market(context.market));
    let others =
        others.into_iter().flat_map(|(market, companies)| companies.into_iter().map(of_market(market)));
    let actions = first.map(|symbol| actions(context, &symbol)).unwrap_or_default();
    hits.chain(others)
        .chain(saved_suggestions(context, text))
        .chain(actions)
        .chain(pages(snapshot, context, text))
        .take(MOST_SUGGESTIONS)
        .collect()
}

/// Returns the companies of a market for a field that takes symbols, best first.
pub fn company_suggestions(snapshot: &Snapshot, market: Market, text: &str) -> Vec<Suggestion> {
    let (here, _) = companies(snapshot, market, text.trim());
    here.into_iter().map(|company| company_hit(market, company)).collect()
}

/// Returns the company that a text certainly means: by its symbol, or as the only one found.
pub fn only_company(snapshot: &Snapshot, market: Market, text: &str) -> Option<String> {
    let mut found = snapshot.companies(market, text, 2).into_iter();
    let first = found.next()?;
    (first.is_exact || found.next().is_none()).then_some(first.symbol)
}

/// Returns companies of a market and of the others; if none matches, those with similar names.
pub(super) fn companies(
    snapshot: &Snapshot,
    market: Market,
    text: &str,
) -> (Vec<FoundCompany>, Vec<(Market, Vec<FoundCompany>)>) {
    const MOST_SHOWN: usize = 8;
    const MOST_OF_OTHER_MARKET: usize = 4;
    if text.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let other = Market::ALL.into_iter().filter(|other| *other != market);
    let here = snapshot.companies(market, text, MOST_SHOWN);
    let others: Vec<_> =
        other.clone().map(|other| (other, snapshot.companies(other, text, MOST_OF_OTHER_MARKET))).collect();
    if !here.is_empty() || others.iter().any(|(_, found)| !found.is_empty()) {
        return (here, others);
    }
    let others = other.map(|other| (other, snapshot.near_companies(other, text, MOST_OF_OTHER_MARKET)));
    (snapshot.near_companies(market, text, MOST_OF_OTHER_MARKET), others.collect())
}

fn company_hit(market: Market, company: FoundCompany) -> Suggestion {
    let name = company.name.unwrap_or_default();
    let href = format!("/{market}/company/{}", segment(&company.symbol));
    Suggestion { label: company.symbol, detail: format!("{name} · {}", market_words::name(market)), href }
}

fn saved_suggestions(context: SearchContext<'_>, text: &str) -> Vec<Suggestion> {
    const MOST_OF_KIND: usize = 4;
    let Some(own) = context.own else { return Vec::new() };
    let market = context.market;
    let lists =
        own.lists.iter().filter(|(name, _)| has(name, text)).take(MOST_OF_KIND).map(|(name, symbols)| {
            Suggestion {
                label: name.clone(),
                detail: format!("list of {}", symbols.len()),
                href: format!("/{market}/list?list={}", segment(name)),
            }
        });
    let screens =
        own.screens.iter().filter(|(name, _)| has(name, text)).take(MOST_OF_KIND).map(|(name, page)| {
            Suggestion {
                label: name.clone(),
                detail: "saved screen".to_owned(),
                href: format!("/{market}/{page}"),
            }
        });
    lists.chain(screens).collect()
}

fn actions(context: SearchContext<'_>, symbol: &str) -> Vec<Suggestion> {
    let market = context.market;
    let action = |label: String, path: String| Suggestion {
        label,
        detail: "action".to_owned(),
        href: format!("/{market}/{path}"),
    };
    let beside = context.symbol.filter(|present| *present != symbol);
    let compare = beside.map(|present| {
        let symbols = format!("{},{}", segment(present), segment(symbol));
        action(format!("Compare {present} with {symbol}"), format!("compare?symbols={symbols}"))
    });
    let symbol_in_query = segment(symbol);
    let ask =
        action(format!("Ask the committee about {symbol}"), format!("committee?symbol={symbol_in_query}"));
    compare.into_iter().chain([ask]).collect()
}

fn pages(snapshot: &Snapshot, context: SearchContext<'_>, text: &str) -> Vec<Suggestion> {
    const MOST_OF_KIND: usize = 6;
    let entries = menu_entries(context.pages, snapshot, context.market, context.tier);
    let shown = if text.is_empty() { MOST_SUGGESTIONS } else { MOST_OF_KIND };
    let detail = |lock: Option<Tier>| {
        lock.map_or_else(|| "page".to_owned(), |tier| format!("page · 🔒 {}", needs(tier)))
    };
    let found = entries.into_iter().filter(|entry| has(&entry.title, text)).take(shown);
    found
        .map(|entry| Suggestion { label: entry.title, detail: detail(entry.lock), href: entry.href })
        .collect()
}

/// Returns true if a name has a word that begins like the text.
fn has(name: &str, text: &str) -> bool {
    let (name, text) = (name.to_lowercase(), text.to_lowercase());
    name.starts_with(&text) || name.split_whitespace().any(|word| word.starts_with(&text))
}
