//! Suggestions while a reader types into the search: companies of both markets, the reader's watchlists and screens, pages, and actions.

use super::market_words;
use super::pages::ExplorerPages;
use super::reader_items::SavedNames;
use super::request::segment;
use parquote_catalogue::operation::Market;
use parquote_engine::{FoundCompany, Snapshot};

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
    pub own: Option<&'a SavedNames>,
}

/// Maximum number of suggestions.
const MOST: usize = 20;

/// Returns suggestions for a text, best first; for an empty text the reader's watchlists, screens, and pages.
pub fn suggestions(snapshot: &Snapshot, place: SearchContext<'_>, text: &str) -> Vec<Suggestion> {
    let text = text.trim();
    let (here, others) = companies(snapshot, place.market, text);
    let first = here.first().filter(|_| !text.is_empty()).map(|company| company.symbol.clone());
    let of_market = |market: Market| move |company: FoundCompany| company_hit(market, company);
    let hits = here.into_iter().map(of_market(place.market));
    let others =
        others.into_iter().flat_map(|(market, companies)| companies.into_iter().map(of_market(market)));
    let actions = first.map(|symbol| actions(place, &symbol)).unwrap_or_default();
    hits.chain(others)
        .chain(kept(place, text))
        .chain(actions)
        .chain(pages(place.pages, place.market, text))
        .take(MOST)
        .collect()
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
    const HERE: usize = 8;
    const ELSEWHERE: usize = 4;
    if text.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let other = Market::ALL.into_iter().filter(|other| *other != market);
    let here = snapshot.companies(market, text, HERE);
    let others: Vec<_> =
        other.clone().map(|other| (other, snapshot.companies(other, text, ELSEWHERE))).collect();
    if !here.is_empty() || others.iter().any(|(_, found)| !found.is_empty()) {
        return (here, others);
    }
    let others = other.map(|other| (other, snapshot.near_companies(other, text, ELSEWHERE)));
    (snapshot.near_companies(market, text, ELSEWHERE), others.collect())
}

fn company_hit(market: Market, company: FoundCompany) -> Suggestion {
    let name = company.name.unwrap_or_default();
    let href = format!("/{market}/company/{}", segment(&company.symbol));
    Suggestion { label: company.symbol, detail: format!("{name} · {}", market_words::name(market)), href }
}

fn kept(place: SearchContext<'_>, text: &str) -> Vec<Suggestion> {
    const SHOWN: usize = 4;
    let Some(own) = place.own else { return Vec::new() };
    let market = place.market;
    let lists =
        own.lists.iter().filter(|(name, _)| has(name, text)).take(SHOWN).map(|(name, symbols)| Suggestion {
            label: name.clone(),
            detail: format!("list of {}", symbols.len()),
            href: format!("/{market}/list?list={}", segment(name)),
        });
    let screens =
        own.screens.iter().filter(|(name, _)| has(name, text)).take(SHOWN).map(|(name, page)| Suggestion {
            label: name.clone(),
            detail: "saved screen".to_owned(),
            href: format!("/{market}/{page}"),
        });
    lists.chain(screens).collect()
}

fn actions(place: SearchContext<'_>, symbol: &str) -> Vec<Suggestion> {
    let market = place.market;
    let action = |label: String, path: String| Suggestion {
        label,
        detail: "action".to_owned(),
        href: format!("/{market}/{path}"),
    };
    let beside = place.symbol.filter(|present| *present != symbol);
    let compare = beside.map(|present| {
        let symbols = format!("{},{}", segment(present), segment(symbol));
        action(format!("Compare {present} with {symbol}"), format!("compare?symbols={symbols}"))
    });
    let symbol_in_query = segment(symbol);
    let ask =
        action(format!("Ask the committee about {symbol}"), format!("committee?symbol={symbol_in_query}"));
    compare.into_iter().chain([ask]).collect()
}

fn pages(pages: &ExplorerPages, market: Market, text: &str) -> Vec<Suggestion> {
    const SHOWN: usize = 6;
    let of_menu = pages.in_market(market).filter(|page| page.menu.is_some());
    let shown = if text.is_empty() { MOST } else { SHOWN };
    of_menu
        .filter(|page| has(&page.title, text))
        .take(shown)
        .map(|page| Suggestion {
            label: page.title.clone(),
            detail: "page".to_owned(),
            href: page.route(market),
        })
        .collect()
}

/// Returns true if a name has a word that begins like the text.
fn has(name: &str, text: &str) -> bool {
    let (name, text) = (name.to_lowercase(), text.to_lowercase());
    name.starts_with(&text) || name.split_whitespace().any(|word| word.starts_with(&text))
}
