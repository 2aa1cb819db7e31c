//! What is asked of the explorer: a page of a market, a symbol, and the pairs of a query; and the addresses of the same page with
//! something else asked.

use percent_encoding::utf8_percent_encode;
use url::form_urlencoded::Serializer;

use super::own_things::OwnThings;
use super::spec::{PageSpec, SYMBOL};
use parquote_catalogue::operation::Market;
use parquote_picture::sheet::RESERVED;

/// The parameter of pages that follow a run: `off` keeps them from it.
pub(super) const REFRESH: &str = "refresh";

/// The sentence that a form was shown with. It is no part of an address: where another sentence is sent, what hung on this one is not
/// asked any more.
pub(super) const SAID: &str = "said";

/// The parameter with a sentence.
pub(super) const QUERY: &str = "query";

/// What hangs on a sentence: the places of its conditions that are left out, and the order, which a sentence may say itself.
const OF_SENTENCE: [&str; 3] = ["without", "sort_by", "sort_dir"];

/// What is asked.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The market.
    pub market: Market,
    /// The page.
    pub page: &'static PageSpec,
    /// The symbol in its path.
    pub symbol: Option<String>,
    /// The pairs of its query, none of them empty or repeated.
    pub pairs: Vec<(String, String)>,
    /// What the reader keeps in this market; none for readers who keep nothing here.
    pub own: Option<OwnThings>,
    /// Whether the reader is a guest, who changes nothing.
    pub is_guest: bool,
}

impl PageRequest {
    /// Takes the pairs as they came. What a form leaves empty is not asked; values of one name are one list.
    pub fn new(
        (market, page): (Market, &'static PageSpec),
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
        Self { market, page, symbol, pairs, own: None, is_guest: false }
    }

    /// The value of a parameter of the page.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Its path.
    pub(crate) fn path(&self) -> String {
        let path = self.page.route(self.market);
        match &self.symbol {
            Some(symbol) => path.replace(SYMBOL, &segment(symbol)),
            None => path,
        }
    }

    /// Its address: the one that reproduces the view.
    pub fn address(&self) -> String {
        address(&self.path(), self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }

    /// The address of the same page with some parameters as they are given here; `None` leaves one out.
    pub(crate) fn with(&self, changes: &[(&str, Option<&str>)]) -> String {
        let kept = self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let kept = kept.filter(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        let added = changes.iter().filter_map(|(name, value)| value.map(|value| (*name, value)));
        address(&self.path(), kept.chain(added))
    }

    /// The address of another page of this market; `path` lies below it and is encoded already.
    pub fn elsewhere(&self, path: &str) -> String {
        if path.is_empty() { format!("/{}", self.market) } else { format!("/{}/{path}", self.market) }
    }
}

/// A path with a query.
pub(crate) fn address<'a>(path: &str, pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let query = query(pairs);
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// A query.
pub(crate) fn query<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// A text as a segment of a path, or as a value in a query.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn another_sentence_forgets_what_was_left_out_and_the_order() {
        let screener = registry::find("screener").unwrap();
        let address = |query: &str| {
            let pairs = url::form_urlencoded::parse(query.as_bytes()).into_owned();
            PageRequest::new((Market::India, screener), None, pairs).address()
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
