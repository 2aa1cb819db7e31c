//! Suggestions while a reader types into the search: companies of both markets, the reader's watchlists and screens, sectors, indices,
//! pages, and actions.

use super::market_words;
use super::menu::{MenuEntry, menu_entries, needs};
use super::pages::ExplorerPages;
use super::request::segment;
use parquote_catalogue::operation::{Market, Tier};
use parquote_engine::{FoundCompany, Snapshot};
use parquote_handlers::SavedItems;

/// One suggestion.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Suggestion {
    /// Text of the link.
    pub label: String,
    /// Detail that distinguishes it from others.
    pub detail: String,
    /// Address, from the root of the server.
    pub href: String,
}

/// Context of the search.
#[derive(Debug, Clone, Copy)]
pub struct SearchContext<'a> {
    /// Market of the page.
    pub market: Market,
    /// All pages.
    pub pages: &'a ExplorerPages,
    /// Symbol of the page's company; `None` on other pages.
    pub symbol: Option<&'a str>,
    /// Watchlists and screens of the reader in this market; `None` if the reader saves nothing.
    pub saved: Option<&'a SavedItems>,
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
        .chain(places(snapshot, context, text))
        .take(MOST_SUGGESTIONS)
        .collect()
}

/// Returns the sectors, indices and pages that a text means, and the screen of several words.
pub(super) fn places(snapshot: &Snapshot, context: SearchContext<'_>, text: &str) -> Vec<Suggestion> {
    let groups = groups(snapshot, context.market, text).into_iter();
    groups.chain(pages(snapshot, context, text)).chain(screen_of(context.market, text)).collect()
}

/// Returns the companies of a market for a field that takes symbols, best first.
pub fn company_suggestions(snapshot: &Snapshot, market: Market, text: &str) -> Vec<Suggestion> {
    let (here, _) = companies(snapshot, market, text.trim());
    here.into_iter().map(|company| company_hit(market, company)).collect()
}

/// Returns the symbol of the company that a text means: the exact match, or the only match; `None` for several or no matches.
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
    let Some(saved) = context.saved else { return Vec::new() };
    let market = context.market;
    let lists = saved.lists.iter().filter(|(name, _)| has_word(name, text)).take(MOST_OF_KIND).map(
        |(name, symbols)| Suggestion {
            label: name.clone(),
            detail: format!("list of {}", symbols.len()),
            href: format!("/{market}/list?list={}", segment(name)),
        },
    );
    let screens = saved.screens.iter().filter(|(name, _)| has_word(name, text)).take(MOST_OF_KIND).map(
        |(name, page)| Suggestion {
            label: name.clone(),
            detail: "saved screen".to_owned(),
            href: format!("/{market}/{page}"),
        },
    );
    lists.chain(screens).collect()
}

/// Suggests the sectors and indices that have a word which begins like the text.
fn groups(snapshot: &Snapshot, market: Market, text: &str) -> Vec<Suggestion> {
    const MOST_OF_KIND: usize = 4;
    /// Table, detail, and the beginning of the address.
    const KINDS: [(&str, &str, &str); 2] =
        [("sectors", "sector", "screener?sector="), ("index_lists", "index", "indices?index=")];
    let of_kind = |(table, detail, path): (&str, &str, &str)| {
        let names = snapshot.values(market, table).into_iter().filter(|name| has_word(name, text));
        let hit = |name: String| {
            let href = format!("/{market}/{path}{}", segment(&name));
            Suggestion { label: name, detail: detail.to_owned(), href }
        };
        names.take(MOST_OF_KIND).map(hit).collect::<Vec<_>>()
    };
    if text.is_empty() { Vec::new() } else { KINDS.into_iter().flat_map(of_kind).collect() }
}

/// Suggests several words as the sentence of a screen.
fn screen_of(market: Market, text: &str) -> Option<Suggestion> {
    text.contains(char::is_whitespace).then(|| Suggestion {
        label: format!("Screen for “{text}”"),
        detail: "action".to_owned(),
        href: format!("/{market}/screener?query={}", segment(text)),
    })
}

fn actions(context: SearchContext<'_>, symbol: &str) -> Vec<Suggestion> {
    let market = context.market;
    let action = |label: String, path: String| Suggestion {
        label,
        detail: "action".to_owned(),
        href: format!("/{market}/{path}"),
    };
    let compared = context.symbol.filter(|present| *present != symbol);
    let compare = compared.map(|present| {
        let symbols = format!("{},{}", segment(present), segment(symbol));
        action(format!("Compare {present} with {symbol}"), format!("compare?symbols={symbols}"))
    });
    let symbol_in_query = segment(symbol);
    let ask =
        action(format!("Ask the committee about {symbol}"), format!("committee?symbol={symbol_in_query}"));
    compare.into_iter().chain([ask]).collect()
}

/// Suggests pages by their titles, then by what they say of themselves.
fn pages(snapshot: &Snapshot, context: SearchContext<'_>, text: &str) -> Vec<Suggestion> {
    const MOST_OF_KIND: usize = 6;
    /// Shorter words are in many sentences.
    const SHORTEST_WORD: usize = 4;
    let entries = menu_entries(context.pages, snapshot, context.market, context.tier);
    let most = if text.is_empty() { MOST_SUGGESTIONS } else { MOST_OF_KIND };
    let detail = |lock: Option<Tier>| {
        lock.map_or_else(|| "page".to_owned(), |tier| format!("page · 🔒 {}", needs(tier)))
    };
    let is_about = |entry: &MenuEntry| {
        let path = entry.href.strip_prefix(&format!("/{}/", context.market)).unwrap_or_default();
        let page = context.pages.find(path).filter(|_| text.len() >= SHORTEST_WORD);
        page.is_some_and(|page| has_word(page.lead_in(context.market), text))
    };
    let (titled, others): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| has_word(&entry.title, text));
    let matching = titled.into_iter().chain(others.into_iter().filter(is_about)).take(most);
    matching
        .map(|entry| Suggestion { label: entry.title, detail: detail(entry.lock), href: entry.href })
        .collect()
}

/// Returns true if a name has a word that begins like the text.
fn has_word(name: &str, text: &str) -> bool {
    let (name, text) = (name.to_lowercase(), text.to_lowercase());
    name.starts_with(&text) || name.split_whitespace().any(|word| word.starts_with(&text))
}
