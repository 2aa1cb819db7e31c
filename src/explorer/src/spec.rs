//! A page as its file under `queries/pages` declares it: its path, the operations that it calls, their arguments, and how each answer is
//! shown. [`ExplorerPages`](crate::pages::ExplorerPages) reads the files and looks up what they name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use parquote_catalogue::operation::Market;

/// A page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageSpec {
    /// Its path below the market, which is that of its file: `screener`, `company/{symbol}`; empty for the first page of a market (`index.toml`).
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
    /// Its group in the menu; `None` for pages that are reached by links only.
    pub(crate) menu: Option<MenuGroup>,
    /// Its position among all pages; the lowest first.
    pub(crate) place: u32,
    /// Pages of the same subject, shown as tabs: path and label.
    #[serde(default)]
    pub(crate) tabs: Vec<(String, String)>,
    /// The page whose tabs it shows.
    pub(crate) tabs_of: Option<String>,
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

/// A group of the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MenuGroup {
    /// Stocks by figures.
    Find,
    /// The market as a whole.
    Market,
    /// Lists by strength.
    Strength,
    /// Reports and filings.
    Events,
    /// Teams of agents.
    Agents,
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
    /// The operation of India, or of both markets; in the US the one of the same name below `us/`, where there is one.
    pub(crate) operation: Option<String>,
    /// The operation of the US, where it has another name.
    pub(crate) us: Option<String>,
    /// The only market in which the part is there.
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
    /// Its column, where there is room for two.
    pub(crate) column: Option<PageColumn>,
    /// True if the part is left out where the key does not reach it, where the server lacks its data, and where it has no rows.
    #[serde(default, rename = "optional")]
    pub(crate) is_optional: bool,
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

/// A column of a page.
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
    /// `$choice.NAME`: a choice of the page.
    Choice(String),
    /// `$each`: the symbol of this call, in a part that is called for each symbol.
    Each,
    /// `$lists`: the names of the reader's watchlists that have stocks. A reader without such lists does not see the part.
    Watchlists,
    /// `$shown.COLUMN`: the values of a column in the rows of the page's deciding part; the call is made once these are there.
    Shown(String),
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

/// A way to show an answer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum View {
    /// A form with the parameters of the operation, and a chip for each that is set.
    Controls,
    /// Links for a choice of the page.
    Choices(String),
    /// The key figures of the first row, in a strip.
    Figures(Vec<String>),
    /// Fields of the first row with their values; all of them if the list is empty.
    Facts(Vec<String>),
    /// Conditions of the first row, each true or false.
    Checks(Vec<String>),
    /// Scores from 0 to 10 of the first row.
    Scores(Vec<String>),
    /// Rows as a table.
    Rows(TableSpec),
    /// A screen: its sentence, its conditions, its limits, counts to choose from, and the rows that match.
    Screen(TableSpec),
    /// Rows as columns: a row of the table is a figure, a column a stock or a period.
    SideBySide {
        /// The column with the heading of each.
        heading: String,
        /// The figures; all of them if the list is empty.
        columns: Vec<String>,
    },
    /// The picture that the operation declares, with a table behind it.
    Drawn(DrawnSpec),
    /// Texts of the first row.
    Prose(Vec<String>),
    /// A form that changes something.
    Action(ActionSpec),
    /// Links to pages of the same symbol or sector: label and address, in both of which `{column}` is replaced by a value.
    Onward(Vec<(String, String)>),
    /// The report of a committee.
    Verdict,
    /// The watchlists of the reader, with the forms that change lists and screens, here and on other pages.
    Watchlists(Vec<ActionSpec>),
    /// The actions on the watchlist that the page shows.
    Watchlist,
    /// The saved screens of the reader.
    SavedScreens,
    /// Links to the same page at earlier dates.
    Earlier {
        /// The parameter that takes a date.
        parameter: String,
        /// The column with the earlier rows.
        within: String,
    },
    /// The beginning of a text, with a link to all of it.
    Gist(GistSpec),
    /// Ratios of the rows, by their codes, each with that of its sector; the first twelve that have values.
    Beside(Vec<String>),
    /// Figures of the newest period, each with that of a year before.
    Newest(Vec<String>),
    /// Periods as columns, the newest at the right.
    Periods(PeriodsSpec),
    /// Small lines of the last sessions, each with its last figure.
    Sparks(Vec<String>),
    /// Dated events, as a list.
    Events,
    /// A link for each row: label and address, as in [`View::Onward`].
    EachOnward(String, String),
    /// A link to the page that compares the stocks of the rows.
    Compared,
    /// A choice of spans of the page, and a span between two dates.
    Spans(String),
    /// Links that switch something on or off.
    Switches(Vec<SwitchSpec>),
}

/// A text of which a page shows the beginning.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GistSpec {
    /// The columns with texts, each shown in two lines at most.
    pub columns: Vec<String>,
    /// The column with the rows that hold the text, of which the first one is shown.
    pub within: Option<String>,
    /// The link to the whole text: label and address, as in [`View::Onward`].
    pub more: (String, String),
}

/// Periods as columns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeriodsSpec {
    /// The column with the name of a period.
    pub heading: String,
    /// The largest number of periods; the newest are shown.
    pub most: usize,
    /// The heading of each section, and its figures.
    pub sections: Vec<(String, Vec<String>)>,
}

/// A switch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchSpec {
    /// The parameter of the page.
    pub name: String,
    /// Its label.
    pub label: String,
    /// True if it is on by default.
    #[serde(default, rename = "on")]
    pub is_on: bool,
}

/// A table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableSpec {
    /// The columns to show if the reader chooses none; all of them if the list is empty.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The number of rows to show, of those that came; all by default.
    pub first: Option<usize>,
    /// The column with the rows, where these are within an object.
    pub within: Option<String>,
    /// True for a table with the number of rows, a pager, a chooser of columns, and files of all rows.
    #[serde(default, rename = "whole")]
    pub is_whole: bool,
    /// Columns whose values are links: the column and the address, as in [`View::Onward`].
    #[serde(default)]
    pub leads: Vec<(String, String)>,
    /// The part with the last bars of the stocks in the rows, which are drawn in each; empty for none.
    #[serde(default)]
    pub bars: String,
}

/// The picture that the operation declares.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DrawnSpec {
    /// The address of each thing in it, before its name; empty for no links.
    #[serde(default)]
    pub leads: String,
    /// The columns of the table behind it.
    pub table: Vec<String>,
}

/// A form that changes something.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionSpec {
    /// The operation.
    pub operation: String,
    /// The label of the button.
    #[serde(default)]
    pub label: String,
    /// Hidden parameters, each named as the column of the first row, or the parameter of the page, that has its value.
    #[serde(default)]
    pub known: Vec<String>,
    /// Values of controls if the page's query has none, in place of the operation's defaults.
    #[serde(default)]
    pub preset: Vec<(String, String)>,
    /// A column of the first row and the value that it must have for the form to be shown.
    pub only: Option<(String, String)>,
    /// The page to show afterwards, below the market; `{column}` is replaced by a value of the answer.
    pub then: String,
}

/// The place of a symbol in a path.
pub(crate) const SYMBOL: &str = "{symbol}";

impl PageSpec {
    /// Returns true if its path has a symbol.
    pub fn has_symbol(&self) -> bool {
        self.path.contains(SYMBOL)
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

    /// Returns the choice of that name.
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
    /// Returns the parameter of the page.
    pub(crate) fn parameter(&self) -> &str {
        self.parameter.as_deref().unwrap_or(&self.name)
    }
}

impl PartSpec {
    /// Returns true if it is called on a page with the parameters for which `is_given` is true.
    pub(crate) fn is_wanted(&self, is_given: impl Fn(&str) -> bool) -> bool {
        self.with.as_deref().is_none_or(&is_given) && !self.without.as_deref().is_some_and(&is_given)
    }

    /// Returns its call in a market.
    pub fn call(&self, market: Market) -> Option<&CallSpec> {
        let index = Market::ALL.iter().position(|known| *known == market)?;
        self.calls.get(index)?.as_ref()
    }

    /// Returns true if it has a table of all requested rows.
    pub fn has_whole_table(&self) -> bool {
        self.views
            .iter()
            .any(|view| matches!(view, View::Rows(table) | View::Screen(table) if table.is_whole))
    }
}

impl Argument {
    /// Reads an argument: `$symbol`, `$market`, `$each`, `$lists`, `$query.NAME`, `$choice.NAME`, `$shown.COLUMN`, or a text.
    ///
    /// # Errors
    /// A message about an unknown `$` word.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let Some(word) = text.strip_prefix('$') else { return Ok(Self::Fixed(text.to_owned())) };
        Ok(match word.split_once('.') {
            None if word == "symbol" => Self::Symbol,
            None if word == "market" => Self::Market,
            None if word == "each" => Self::Each,
            None if word == "lists" => Self::Watchlists,
            Some(("query", name)) => Self::Query(name.to_owned()),
            Some(("choice", name)) => Self::Choice(name.to_owned()),
            Some(("shown", column)) => Self::Shown(column.to_owned()),
            _ => {
                return Err(format!(
                    "`{text}` is no source of an argument; there are $symbol, $market, $each, $lists, $query.NAME, $choice.NAME and $shown.COLUMN"
                ));
            }
        })
    }
}
