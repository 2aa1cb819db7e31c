//! A file under `queries/chat` as it is written. What it names is looked up in `tool`.

use std::collections::BTreeMap;

use serde::Deserialize;

use parquote_catalogue::operation::Market;

/// A tool as it is declared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolFile {
    /// What a person reads in a list.
    pub title: String,
    /// What a model reads before it chooses.
    pub words: String,
    /// Its place in the list; the lowest first.
    pub place: u32,
    /// Whether it changes what is kept.
    #[serde(default)]
    pub changes: bool,
    /// What it is asked with.
    #[serde(default)]
    pub param: Vec<ParamSpec>,
    /// What it answers.
    pub part: Vec<ChatPart>,
}

/// A parameter of a tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParamSpec {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ParamKind,
    /// One sentence; where values are chosen, what each means.
    #[serde(default)]
    pub words: String,
    #[serde(default)]
    pub required: bool,
    /// The values that are allowed; of a list, for each of its items.
    #[serde(default)]
    pub values: Vec<String>,
    /// What holds where nothing is said.
    pub default: Option<String>,
    /// The smallest number.
    pub least: Option<i64>,
    /// The largest number, or the most items of a list.
    pub most: Option<i64>,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ParamKind {
    Text,
    Int,
    Number,
    List,
    /// A ticker, which says its market.
    Symbol,
    /// Tickers, each of which says its market.
    Symbols,
    /// `india` or `us`.
    Market,
    /// An object, as its JSON text.
    Object,
    /// Values in a list, of any type.
    Values,
}

/// A part of an answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChatPart {
    /// Its name in the answer and in cursors.
    pub name: String,
    /// The operation of India, or of both markets; in the US the one of the same name below `us/`, where there is one.
    pub operation: Option<String>,
    /// The operation of the US, where it has another name.
    pub us: Option<String>,
    /// A part that no operation answers.
    pub own: Option<OwnPart>,
    /// The one market in which it is answered.
    pub market: Option<String>,
    /// Parameters of the tool with the words that they must have, one of these: `"insider, pledge"`; a list must have one of them among its
    /// items, or be left out. `*` stands for anything that is said.
    #[serde(default)]
    pub when: BTreeMap<String, String>,
    /// Parameters with words that they must not have; `*` for anything that is said.
    #[serde(default)]
    pub unless: BTreeMap<String, String>,
    /// Arguments of the operation: words as they are, or `$name` for a parameter of the tool.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// Arguments in the US, where they differ.
    pub us_arguments: Option<BTreeMap<String, String>>,
    /// The columns that are shown; all where none is named.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Groups of columns, among which the parameter `by` chooses.
    #[serde(default)]
    pub sections: BTreeMap<String, Vec<String>>,
    /// The parameter that chooses among `sections`, or that names columns itself.
    pub by: Option<String>,
    /// The columns beside `columns` where nothing is chosen.
    #[serde(default)]
    pub otherwise: Vec<String>,
    /// Where the rows stand in an answer that is no list.
    pub within: Option<String>,
    /// Fields around such rows that are shown.
    #[serde(default)]
    pub around: Vec<String>,
    /// A field around the rows whose conditions name columns that are shown too.
    pub criteria: Option<String>,
    /// Whether it is asked for each ticker by itself.
    #[serde(default)]
    pub each: bool,
    /// Whether it is drawn: the answer is a picture with its figures.
    #[serde(default)]
    pub picture: bool,
    /// What is said where it has no rows.
    pub empty: Option<String>,
}

/// A part that no operation answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum OwnPart {
    /// What figures, tables and scans mean, by words.
    Figures,
    /// Sectors, indices and investors of both markets, by words.
    Names,
    /// What the caller has left and how old the data is.
    Status,
    /// Rows of another tool as files.
    Files,
}

impl ChatPart {
    /// The name of its operation in a market, and the one that may stand for it there.
    pub(super) fn names_in(&self, market: Market) -> Option<(String, Option<&str>)> {
        if self.market.as_deref().is_some_and(|only| only != market.word()) {
            return None;
        }
        let of_both = self.operation.as_deref();
        match (market, &self.us) {
            (Market::Us, Some(name)) => Some((name.clone(), None)),
            (Market::Us, None) => of_both.map(|name| (format!("us/{name}"), Some(name))),
            (Market::India, _) => of_both.map(|name| (name.to_owned(), None)),
        }
    }

    /// Its arguments in a market.
    pub(super) fn arguments_in(&self, market: Market) -> &BTreeMap<String, String> {
        self.us_arguments.as_ref().filter(|_| market == Market::Us).unwrap_or(&self.arguments)
    }
}
