//! A request to the explorer: a page of a market, a symbol, and the pairs of a query; and addresses of the same page with other parameters.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::NaiveDate;
use percent_encoding::utf8_percent_encode;
use url::form_urlencoded::Serializer;

use super::pages::ExplorerPages;
use super::spec::{ORDER, PageSpec, PartSpec, SYMBOL};
use super::stock_tables::{CHARTS, VIEW};
use parquote_catalogue::operation::{Market, Tier};
use parquote_handlers::SavedItems;
use parquote_picture::sheet::RESERVED;
use parquote_surface::asset::ColourScheme;

/// The parameter with the sentence of the page that has the form. It never becomes part of an address; if the form sends another sentence,
/// the parameters that depended on this one are dropped.
pub(super) const SAID: &str = "said";

/// The parameter with which a form chooses columns for later visits, too. It never becomes part of an address.
pub(super) const CHOOSE_PARAM: &str = "choose";

/// The parameter that names columns.
pub const FIELDS: &str = "fields";

/// The parameter that explains why a stock is in a list or not.
pub const EXPLAIN: &str = "explain";

/// The parameter with a sentence.
pub(super) const QUERY: &str = "query";

/// Prefix of the parameters with which a form replaces figures of a sentence, each before the position of its condition. They never become
/// part of an address: all of them are in `figures` there.
pub const FIGURE: &str = "figure.";

/// The parameter with figures that replace those of a sentence: positions of conditions, each with a colon and the figure.
const FIGURES: &str = "figures";

/// Parameters that depend on a sentence: the positions of its conditions that are left out, its replaced figures, and the order, which a
/// sentence may contain.
const SENTENCE_PARAMS: [&str; 5] = ["without", FIGURES, "sort_by", "sort_dir", ORDER];

/// A request for a page.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// Market of the page.
    pub market: Market,
    /// Declaration of the page.
    pub page: Arc<PageSpec>,
    /// All pages, for links.
    pub pages: Arc<ExplorerPages>,
    /// Symbol in the path; `None` if the page has none.
    pub symbol: Option<String>,
    /// Pairs of the query; no value is empty, and no name is repeated.
    pub pairs: Vec<(String, String)>,
    /// True if the reader chose the columns for later visits, too.
    pub chooses_columns: bool,
    /// Reader of the page.
    pub reader: PageReader,
}

/// Properties and choices of the reader on which a page depends.
#[derive(Debug, Clone)]
pub struct PageReader {
    /// Watchlists, screens and notes of the reader in this market; `None` for readers who save nothing.
    pub saved: Option<SavedItems>,
    /// True if the reader is a guest, who changes nothing.
    pub is_guest: bool,
    /// State of the tour; `None` on a page without one.
    pub tour: Option<Tour>,
    /// Tier of the reader.
    pub tier: Tier,
    /// Colours that the reader chose.
    pub scheme: ColourScheme,
    /// Past day that the reader chose; `None` for the newest data.
    pub day: Option<NaiveDate>,
    /// Days of which there is a set, newest first.
    pub days: Vec<NaiveDate>,
    /// Origin of the server as the reader reached it, such as `https://api.example.com`; `None` if it is unknown.
    pub origin: Option<String>,
}

impl Default for PageReader {
    /// Returns a reader of the highest tier who saved nothing.
    fn default() -> Self {
        let scheme = ColourScheme::default();
        let (day, days) = (None, Vec::new());
        Self { saved: None, is_guest: false, tour: None, tier: Tier::ApiMax, scheme, day, days, origin: None }
    }
}

/// The tour on the first page of the demo market.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tour {
    /// Its steps are shown.
    Shown,
    /// The reader has hidden it.
    Hidden,
}

/// A page in a market.
#[derive(Debug, Clone)]
pub struct MarketPage {
    /// Market of the page.
    pub market: Market,
    /// Declaration of the page.
    pub page: Arc<PageSpec>,
    /// All pages, for links.
    pub pages: Arc<ExplorerPages>,
}

impl PageRequest {
    /// Normalises the pairs of a query: empty fields of a form are dropped, values of one name become one list.
    pub fn new(
        market_page: &MarketPage,
        symbol: Option<String>,
        query: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let mut pairs: Vec<(String, String)> = Vec::new();
        let mut replaced = Vec::new();
        let (mut earlier_sentence, mut chooses_columns) = (None, false);
        for (name, value) in query {
            let value = value.trim();
            if name == SAID {
                earlier_sentence = Some(value.to_owned());
                continue;
            }
            if let Some(position) = name.strip_prefix(FIGURE) {
                replaced.push((position.to_owned(), value.to_owned()));
                continue;
            }
            chooses_columns |= name == CHOOSE_PARAM;
            if value.is_empty() || name == CHOOSE_PARAM {
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
        replace_figures(&mut pairs, &replaced);
        let sentence = pairs.iter().find(|(name, _)| name == QUERY).map(|(_, sentence)| sentence.as_str());
        if earlier_sentence.is_some_and(|earlier_sentence| earlier_sentence != sentence.unwrap_or_default()) {
            pairs.retain(|(name, _)| !SENTENCE_PARAMS.contains(&name.as_str()));
        }
        let MarketPage { market, page, pages } = market_page.clone();
        Self { market, page, pages, symbol, pairs, chooses_columns, reader: PageReader::default() }
    }

    /// Returns true if the stocks of a part are shown as small charts.
    pub(crate) fn shows_charts(&self, part: &PartSpec) -> bool {
        part.has_stock_table() && self.get(VIEW) == Some(CHARTS)
    }

    /// Returns the value of a parameter of the page.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the values of a parameter with a list, each once; empty without the parameter.
    pub(crate) fn list<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.items(name).filter_map(|(item, is_repeated)| (!is_repeated).then_some(item))
    }

    /// Returns the items of a parameter with a list, each with true if it equals an earlier item but for capitals.
    pub(crate) fn items<'a>(&'a self, name: &str) -> impl Iterator<Item = (&'a str, bool)> {
        let mut seen = HashSet::new();
        let items = self.get(name).unwrap_or_default().split(',').map(str::trim);
        items.filter(|item| !item.is_empty()).map(move |item| (item, !seen.insert(item.to_uppercase())))
    }

    /// Returns the path of the page, with the symbol.
    pub fn path(&self) -> String {
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
    pub fn address_with(&self, changes: &[(&str, Option<&str>)]) -> String {
        let pairs = self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let others = pairs.filter(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        let added = changes.iter().filter_map(|(name, value)| value.map(|value| (*name, value)));
        address(&self.path(), others.chain(added))
    }

    /// Returns the address of another page of this market; `path` is below the market and already encoded.
    pub fn market_address(&self, path: &str) -> String {
        if path.is_empty() { format!("/{}", self.market) } else { format!("/{}/{path}", self.market) }
    }
}

/// Replaces figures of a sentence, each named by the position of its condition; with an empty value, the sentence's own figure applies
/// again.
fn replace_figures(pairs: &mut Vec<(String, String)>, replaced: &[(String, String)]) {
    if replaced.is_empty() {
        return;
    }
    let before = pairs.iter().find(|(name, _)| name == FIGURES).map_or("", |(_, list)| list.as_str());
    let is_replaced = |figure: &str| {
        replaced.iter().any(|(position, _)| figure.split(':').next() == Some(position.as_str()))
    };
    let rest = before.split(',').filter(|figure| !figure.is_empty() && !is_replaced(figure));
    let new = replaced.iter().filter(|(_, value)| !value.is_empty());
    let new = new.map(|(position, value)| format!("{position}:{value}"));
    let all: Vec<String> = rest.map(str::to_owned).chain(new).collect();
    pairs.retain(|(name, _)| name != FIGURES);
    if !all.is_empty() {
        pairs.push((FIGURES.to_owned(), all.join(",")));
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

    #[test]
    fn figures_of_a_form_are_one_parameter_of_the_address() {
        let pages = Arc::new(ExplorerPages::from_catalogue(&Catalogue::with_overlay(&[]).unwrap()).unwrap());
        let page = Arc::clone(pages.find("screener").unwrap());
        let screener = MarketPage { market: Market::India, page, pages };
        let address = |query: &str| {
            let pairs = url::form_urlencoded::parse(query.as_bytes()).into_owned();
            PageRequest::new(&screener, None, pairs).address()
        };
        for (query, expected) in [
            ("query=a&figure.2=30", "query=a&figures=2%3A30"),
            ("query=a&figures=1:5,2:20&figure.2=30", "query=a&figures=1%3A5%2C2%3A30"),
            ("query=a&figures=12:5&figure.1=-3", "query=a&figures=12%3A5%2C1%3A-3"),
            ("query=a&figures=2:20&figure.2=", "query=a"),
            ("query=b&said=a&figures=2:20", "query=b"),
        ] {
            assert_eq!(address(query), format!("/india/screener?{expected}"), "{query}");
        }
    }
}
