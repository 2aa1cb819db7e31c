//! What is asked of the explorer: a page of a market, a symbol, and the pairs of a query; and the addresses of the same page with
//! something else asked.

use percent_encoding::utf8_percent_encode;
use url::form_urlencoded::Serializer;

use super::own_things::OwnThings;
use super::spec::{PageSpec, SYMBOL};
use crate::operation::Market;
use crate::picture::sheet::RESERVED;

/// The parameter of pages that follow a run: `off` keeps them from it.
pub(super) const REFRESH: &str = "refresh";

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) struct PageRequest {
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
    pub(crate) fn new(
        (market, page): (Market, &'static PageSpec),
        symbol: Option<String>,
        came: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (name, value) in came {
            let value = value.trim();
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
        Self { market, page, symbol, pairs, own: None, is_guest: false }
    }

    /// The value of a parameter of the page.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
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
    pub(crate) fn address(&self) -> String {
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
    pub(crate) fn elsewhere(&self, path: &str) -> String {
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
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}
