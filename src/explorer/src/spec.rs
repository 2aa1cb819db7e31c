//! A page as its file under `queries/pages` declares it: its path, the operations that it calls, their arguments, and how each answer is
//! shown. [`ExplorerPages`](crate::pages::ExplorerPages) reads the files and looks up what they name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::view_spec::{ActionSpec, View};
use parquote_catalogue::operation::Market;

/// A page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageSpec {
    /// Its path below the market, from the path of its file: `screener`, `company/{symbol}`; empty for the first page of a market
    /// (`index.toml`).
    #[serde(skip)]
    pub path: String,
    /// Its name in the log: the same for all symbols.
    #[serde(skip, default = "no_name")]
    pub name: Arc<str>,
    /// Its heading and title; empty where the company of the page is the title.
    #[serde(default)]
    pub title: String,
    /// One sentence under the title.
    #[serde(default)]
    pub lead: String,
    /// Its title in the US, if it differs there.
    us_title: Option<String>,
    /// Its sentence in the US.
    us_lead: Option<String>,
    /// The parameter of the page whose value is its heading, in place of the title.
    pub(crate) titled_by: Option<String>,
    /// Its section of the menu; `None` for pages outside of the menu.
    pub(crate) section: Option<Section>,
    /// True if only links lead to it, and it is no tab of its section.
    #[serde(default, rename = "linked")]
    pub(crate) is_linked: bool,
    /// Its position among all pages; the lowest first.
    pub(crate) place: u32,
    /// Pages about the same subject, as path and label; they are its tabs in place of those of its section.
    #[serde(default)]
    pub(crate) tabs: Vec<(String, String)>,
    /// The page whose tabs it shows.
    pub(crate) tabs_of: Option<String>,
    /// The page with whose first part it begins.
    pub(crate) begins_as: Option<String>,
    /// The choices that its parts offer.
    #[serde(default)]
    pub(crate) choice: Vec<ChoiceSpec>,
    /// Its parts; the one that takes the query decides the status of the page, otherwise the first one.
    #[serde(rename = "part")]
    pub parts: Vec<PartSpec>,
}

fn no_name() -> Arc<str> {
    Arc::from("")
}

/// A section of the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// The last session.
    Today,
    /// Stocks by words, limits and scores.
    Screen,
    /// Lists of the reader, and stocks beside each other.
    Lists,
    /// The market as a whole.
    Market,
    /// Dated events.
    Events,
    /// Companies, and teams of agents.
    Research,
}

/// A part of a page: the answer of an operation, shown in one or several ways.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartSpec {
    /// Its id on the page.
    pub id: String,
    /// Its heading; empty for none.
    #[serde(default)]
    pub title: String,
    /// The operation of India, or of both markets; in the US the operation of the same name below `us/`, if it exists.
    pub(crate) operation: Option<String>,
    /// The operation of the US, where it has another name.
    pub(crate) us: Option<String>,
    /// The only market whose pages have the part; `None` for both.
    pub(crate) market: Option<String>,
    /// True if it takes the pairs of the page's query that no argument names.
    #[serde(default, rename = "query")]
    pub takes_query: bool,
    /// The parameter of the page with a list of symbols; the operation is called for each of them.
    pub each: Option<String>,
    /// The arguments of the operation: words, or a source as [`Argument`] reads it.
    #[serde(default)]
    pub(crate) arguments: BTreeMap<String, String>,
    /// Its arguments in the US, where they differ.
    pub(crate) us_arguments: Option<BTreeMap<String, String>>,
    /// Its column on a screen with room for two; `None` for the full width.
    pub(crate) column: Option<PageColumn>,
    /// True if the part is left out where the key may not see it, where the server lacks its data, and where it has no rows.
    #[serde(default, rename = "optional")]
    pub(crate) is_optional: bool,
    /// True if the part is about what the reader saved: guests, who save nothing, do not see it.
    #[serde(default, rename = "saved")]
    pub(crate) is_of_reader: bool,
    /// The parameter of the page without which the part is left out.
    pub(crate) with: Option<String>,
    /// The parameter of the page with which the part is left out.
    pub(crate) without: Option<String>,
    /// Its views, in their order.
    #[serde(default)]
    pub(crate) views: Vec<View>,
    /// Its calls, in the order of [`Market::ALL`].
    #[serde(skip)]
    pub(crate) calls: [Option<CallSpec>; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PageColumn {
    /// The wider one.
    Wide,
    /// The narrower one.
    Narrow,
}

/// An operation with the sources of its arguments.
#[derive(Debug, Clone)]
pub struct CallSpec {
    /// Its name, as `market/breadth`.
    pub operation: String,
    /// Its arguments by name.
    pub(crate) arguments: Vec<(String, Argument)>,
}

/// The source of an argument's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Argument {
    /// The text itself.
    Fixed(String),
    /// `$symbol`: the symbol in the path.
    Symbol,
    /// `$market`: the word of the market.
    Market,
    /// `$query.NAME`: a parameter of the page.
    Query(String),
    /// `$first.NAME`: the first value of a list in a parameter of the page.
    First(String),
    /// `$choice.NAME`: a choice of the page.
    Choice(String),
    /// `$each`: the symbol of this call, in a part that is called for each symbol.
    Each,
    /// `$lists`: the names of the reader's watchlists that have stocks. A reader without such lists does not see the part.
    Watchlists,
    /// `$screens`: true. A reader without saved screens does not see the part.
    Screens,
    /// `$shown.COLUMN`: the values of a column in the rows of the page's deciding part, whose call comes first.
    Shown(String),
    /// `$symbol,$query.NAME`: a list of the values of several sources; a source without a value is left out.
    Joined(Vec<Self>),
}

/// A choice among a few words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChoiceSpec {
    /// Its name in the file.
    pub name: String,
    /// The parameter of the page; of the same name by default. Several choices may have one parameter, each with other values.
    parameter: Option<String>,
    /// Its label for readers.
    pub label: String,
    /// The word that applies if none is chosen.
    pub default: String,
    /// Each word in the URL with the value that the operation gets.
    pub words: Vec<(String, String)>,
}

/// The parameter of pages that follow a run: `off` stops their reloading.
pub(crate) const REFRESH: &str = "refresh";

/// The parameter of pages that names the column of the order: `rs_rating` for the smallest first, `-rs_rating` for the largest first.
pub(crate) const ORDER: &str = "order";

/// The placeholder of the symbol in a path.
pub(crate) const SYMBOL: &str = "{symbol}";

impl PageSpec {
    /// Returns true if its path has a symbol.
    pub fn has_symbol(&self) -> bool {
        self.path.contains(SYMBOL)
    }

    /// Returns its title in a market.
    pub fn title_in(&self, market: Market) -> &str {
        self.us_title.as_deref().filter(|_| market == Market::Us).unwrap_or(&self.title)
    }

    /// Returns its sentence in a market.
    pub(crate) fn lead_in(&self, market: Market) -> &str {
        self.us_lead.as_deref().filter(|_| market == Market::Us).unwrap_or(&self.lead)
    }

    /// Returns true if one of its parts has an operation in the market.
    pub fn is_in(&self, market: Market) -> bool {
        self.deciding_part(market).is_some()
    }

    /// Returns the index of the part that decides the status of the page in a market: the one that takes its query, otherwise the first.
    pub fn deciding_part(&self, market: Market) -> Option<usize> {
        let takes_query = |part: &PartSpec| part.takes_query && part.call(market).is_some();
        let has_call = |part: &PartSpec| part.call(market).is_some();
        self.parts.iter().position(takes_query).or_else(|| self.parts.iter().position(has_call))
    }

    pub(crate) fn choice(&self, name: &str) -> Option<&ChoiceSpec> {
        self.choice.iter().find(|choice| choice.name == name)
    }

    /// Returns its path on the server, with `{symbol}` as declared.
    pub fn route(&self, market: Market) -> String {
        if self.path.is_empty() { format!("/{market}") } else { format!("/{market}/{}", self.path) }
    }

    /// Returns the forms that change something on this page.
    pub fn actions(&self) -> impl Iterator<Item = &ActionSpec> {
        self.parts.iter().flat_map(|part| &part.views).flat_map(|view| match view {
            View::Action(action) => std::slice::from_ref(action),
            View::Watchlists(actions) => actions,
            _ => &[],
        })
    }
}

impl ChoiceSpec {
    /// Returns the requested word with its value; else the default.
    pub(crate) fn chosen_word(&self, requested: Option<&str>) -> Option<&(String, String)> {
        requested.and_then(|text| self.find(text)).or_else(|| self.find(&self.default))
    }

    /// Returns the word that a text means, by the word or its value in any capitals.
    pub(crate) fn find(&self, text: &str) -> Option<&(String, String)> {
        let is_meant = |part: &str| part.eq_ignore_ascii_case(text);
        self.words.iter().find(|(word, value)| is_meant(word) || is_meant(value))
    }

    /// Returns the parameter of the page.
    pub(crate) fn parameter(&self) -> &str {
        self.parameter.as_deref().unwrap_or(&self.name)
    }
}

impl PartSpec {
    /// Returns true if the part is called; `has_parameter` says which parameters the request has.
    pub(crate) fn is_wanted(&self, has_parameter: impl Fn(&str) -> bool) -> bool {
        self.with.as_deref().is_none_or(&has_parameter)
            && !self.without.as_deref().is_some_and(&has_parameter)
    }

    /// Returns its call in a market.
    pub fn call(&self, market: Market) -> Option<&CallSpec> {
        let index = Market::ALL.iter().position(|known| *known == market)?;
        self.calls.get(index)?.as_ref()
    }

    /// Returns true if it has a table of all requested rows.
    pub fn has_whole_table(&self) -> bool {
        let is_whole = |view: &View| match view {
            View::Rows(table) | View::Stocks(table) | View::Screen(table) => table.is_whole,
            _ => false,
        };
        self.views.iter().any(is_whole)
    }

    /// Returns true if it links to its whole answer as files.
    pub fn has_answer_files(&self) -> bool {
        self.views.iter().any(|view| matches!(view, View::Files))
    }

    /// Returns true if it has a table of stocks.
    pub(crate) fn has_stock_table(&self) -> bool {
        self.views.iter().any(|view| matches!(view, View::Stocks(_) | View::Screen(_)))
    }

    /// Returns the column with the rows of its list, where the answer to the page's query is an object around them.
    pub(crate) fn list_within(&self) -> Option<&str> {
        let mut views = self.views.iter().filter(|_| self.takes_query);
        views.find_map(|view| match view {
            View::Rows(table) => table.within.as_deref(),
            _ => None,
        })
    }
}

impl Argument {
    /// Returns the parameter of the page that it reads, if it is one that a reader fills in.
    pub(crate) fn query(&self) -> Option<&str> {
        match self {
            Self::Query(name) => Some(name),
            Self::Joined(sources) => sources.iter().find_map(Self::query),
            _ => None,
        }
    }

    /// Reads an argument: `$symbol`, `$market`, `$each`, `$lists`, `$screens`, `$query.NAME`, `$first.NAME`, `$choice.NAME`,
    /// `$shown.COLUMN`, several of these with commas between them, or a text.
    ///
    /// # Errors
    /// A message about an unknown `$` word.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let Some(word) = text.strip_prefix('$') else { return Ok(Self::Fixed(text.to_owned())) };
        if word.contains(',') {
            return text
                .split(',')
                .map(|source| Self::parse(source.trim()))
                .collect::<Result<_, _>>()
                .map(Self::Joined);
        }
        Ok(match word.split_once('.') {
            None if word == "symbol" => Self::Symbol,
            None if word == "market" => Self::Market,
            None if word == "each" => Self::Each,
            None if word == "lists" => Self::Watchlists,
            None if word == "screens" => Self::Screens,
            Some(("query", name)) => Self::Query(name.to_owned()),
            Some(("first", name)) => Self::First(name.to_owned()),
            Some(("choice", name)) => Self::Choice(name.to_owned()),
            Some(("shown", column)) => Self::Shown(column.to_owned()),
            _ => {
                return Err(format!(
                    "`{text}` is no source of an argument; there are $symbol, $market, $each, $lists, $screens, $query.NAME, $first.NAME, $choice.NAME and $shown.COLUMN"
                ));
            }
        })
    }
}
