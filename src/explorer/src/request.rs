//! A request to the explorer: a page of a market, a symbol, and the pairs of a query; and addresses of the same page with other parameters.

use std::sync::Arc;

use percent_encoding::utf8_percent_encode;
use url::form_urlencoded::Serializer;

use super::pages::ExplorerPages;
use super::reader_items::SavedNames;
use super::spec::{PageSpec, SYMBOL};
use parquote_catalogue::operation::Market;
use parquote_picture::sheet::RESERVED;

/// The parameter of pages that follow a run: `off` stops their reloading.
pub(super) const REFRESH: &str = "refresh";

/// The sentence that a form was shown with. It never becomes part of an address: if another sentence is sent, the parameters that depended
/// on this one are dropped.
pub(super) const SAID: &str = "said";

/// The parameter with a sentence.
pub(super) const QUERY: &str = "query";

/// Parameters that depend on a sentence: the positions of its conditions that are left out, and the order, which a sentence may contain.
const OF_SENTENCE: [&str; 3] = ["without", "sort_by", "sort_dir"];

/// A request for a page.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// Market.
    pub market: Market,
    /// Page.
    pub page: Arc<PageSpec>,
    /// All pages, for links.
    pub pages: Arc<ExplorerPages>,
    /// Symbol in its path.
    pub symbol: Option<String>,
    /// Pairs of its query, none of them empty or repeated.
    pub pairs: Vec<(String, String)>,
    /// Watchlists and screens of the reader in this market; `None` for readers who save nothing.
    pub own: Option<SavedNames>,
    /// True if the reader is a guest, who changes nothing.
    pub is_guest: bool,
}

/// A page in a market.
#[derive(Debug, Clone)]
pub struct MarketPage {
    /// Market.
    pub market: Market,
    /// Page.
    pub page: Arc<PageSpec>,
    /// All pages, for links.
    pub pages: Arc<ExplorerPages>,
}

impl PageRequest {
    /// Normalises the pairs of a query: empty fields of a form are dropped, values of one name become one list.
    pub fn new(
        place: &MarketPage,
        symbol: Option<String>,
        came: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let mut pairs: Vec<(String, String)> = Vec::new();
        let mut said = None;
        for (name, value) in came {
            let value = value.trim();
            if name == SAID {
                said = Some(value.to_owned());
                continue;
            }
            if value.is_empty() {
                continue;
            }
            match pairs.iter_mut().find(|(known, _)| *known == name) {
                Some((_, list)) => {
                    list.push(',');
                    list.push_str(value);
                }
                None => pairs.push((name, value.to_owned())),
            }
        }
        let sentence = pairs.iter().find(|(name, _)| name == QUERY).map(|(_, sentence)| sentence.as_str());
        if said.is_some_and(|said| said != sentence.unwrap_or_default()) {
            pairs.retain(|(name, _)| !OF_SENTENCE.contains(&name.as_str()));
        }
        let MarketPage { market, page, pages } = place.clone();
        Self { market, page, pages, symbol, pairs, own: None, is_guest: false }
    }

    /// Returns the value of a parameter of the page.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns its path.
    pub(crate) fn path(&self) -> String {
        let path = self.page.route(self.market);
        match &self.symbol {
            Some(symbol) => path.replace(SYMBOL, &segment(symbol)),
            None => path,
        }
    }

    /// Returns the address that reproduces the view.
    pub fn address(&self) -> String {
        address(&self.path(), self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }

    /// Returns the address of the same page with some parameters changed; `None` leaves one out.
    pub(crate) fn with(&self, changes: &[(&str, Option<&str>)]) -> String {
        let kept = self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let kept = kept.filter(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        let added = changes.iter().filter_map(|(name, value)| value.map(|value| (*name, value)));
        address(&self.path(), kept.chain(added))
    }

    /// Returns the address of another page of this market; `path` is below the market and already encoded.
    pub fn elsewhere(&self, path: &str) -> String {
        if path.is_empty() { format!("/{}", self.market) } else { format!("/{}/{path}", self.market) }
    }
}

/// Builds an address from a path and a query.
pub(crate) fn address<'a>(path: &str, pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let query = query(pairs);
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Encodes a query.
pub(crate) fn query<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// Encodes a text as a segment of a path, or as a value in a query.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquote_catalogue::operation::Catalogue;

    #[test]
    fn another_sentence_forgets_what_was_left_out_and_the_order() {
        let pages = Arc::new(ExplorerPages::from_catalogue(&Catalogue::with_overlay(&[]).unwrap()).unwrap());
        let page = Arc::clone(pages.find("screener").unwrap());
        let screener = MarketPage { market: Market::India, page, pages };
        let address = |query: &str| {
            let pairs = url::form_urlencoded::parse(query.as_bytes()).into_owned();
            PageRequest::new(&screener, None, pairs).address()
        };
        let rest = "without=2&sort_by=roe&sort_dir=asc&cap=mid";
        let kept = |query: &str| address(&format!("query={query}&{rest}"));
        assert_eq!(kept("a"), format!("/india/screener?query=a&{rest}"));
        assert_eq!(kept("a&said=a"), format!("/india/screener?query=a&{rest}"));
        assert_eq!(kept("b&said=a"), "/india/screener?query=b&cap=mid");
        assert_eq!(kept("b&said="), "/india/screener?query=b&cap=mid");
        assert_eq!(address("said=a&without=2&cap=mid"), "/india/screener?cap=mid");
        assert_eq!(address("said=&sort_by=roe"), "/india/screener?sort_by=roe");
    }
}
