//! The format of a file under `queries/chat`. Its references are resolved in `tool`.

use std::collections::BTreeMap;

use serde::Deserialize;

use parquote_catalogue::operation::Market;

/// Bounds of the requested length of an answer, in characters.
pub(super) const FEWEST_CHARS: usize = 1_000;
pub(super) const MOST_CHARS: usize = 100_000;

/// Arguments that every tool takes and none declares.
pub(super) const CURSOR: &str = "cursor";
pub(super) const LENGTH: &str = "max_chars";
pub(super) const SNAPSHOT: &str = "snapshot";
/// Parameter with the colours of a picture, which no operation takes.
pub(super) const THEME: &str = "theme";

/// A declared tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolFile {
    /// Title for people.
    pub title: String,
    /// Description for models.
    pub words: String,
    /// Description in a build that draws no PNG, if it differs.
    pub words_without_png: Option<String>,
    /// Position in the list; the lowest first.
    pub place: u32,
    /// True if the tool changes saved state.
    #[serde(default)]
    pub changes: bool,
    /// True if the tool ends or removes something.
    #[serde(default)]
    pub destroys: bool,
    /// True if clients that load few tools load this one.
    #[serde(default)]
    pub first: bool,
    /// Kind of the answer, if connectors require it; the tool is then listed in a separate toolset.
    pub connector: Option<ConnectorTool>,
    #[serde(default)]
    pub param: Vec<ParamSpec>,
    pub part: Vec<ChatPart>,
}

/// A tool whose name and answer connectors of ChatGPT require.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ConnectorTool {
    /// A list of documents.
    Search,
    /// The text of one document.
    Fetch,
}

/// A parameter of a tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParamSpec {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ParamKind,
    /// Description in one sentence; if `values` is set, the meaning of each value.
    #[serde(default)]
    pub words: String,
    #[serde(default)]
    pub required: bool,
    /// True if the value is derived from another parameter; the parameter is then not listed.
    #[serde(default)]
    pub derived: bool,
    /// Allowed values, or allowed items of a list; all are allowed if empty.
    #[serde(default)]
    pub values: Vec<String>,
    /// Values that only one market has, each with the word of the market.
    #[serde(default)]
    pub only: BTreeMap<String, String>,
    /// True if all tickers of a call are of one market, because they are answered together.
    #[serde(default)]
    pub one_market: bool,
    pub default: Option<String>,
    /// Smallest allowed number.
    pub least: Option<i64>,
    /// Largest allowed number, or most items of a list.
    pub most: Option<i64>,
}

/// Type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ParamKind {
    Text,
    Int,
    Number,
    List,
    /// A ticker, which determines the market.
    Symbol,
    /// Tickers, each of which determines its market.
    Symbols,
    /// `india` or `us`.
    Market,
    /// An object, as its JSON text.
    Object,
    /// A list of values of any type.
    Values,
}

/// A part of an answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChatPart {
    /// Name in the answer and in cursors.
    pub name: String,
    /// Operation in India. In the US, the operation of the same name below `us/` is called if it exists, else this one if it serves both.
    pub operation: Option<String>,
    /// Operation in the US, if it has another name.
    pub us: Option<String>,
    /// Built-in part that answers without an operation; `None` for a part with an operation.
    #[serde(rename = "own")]
    pub built_in: Option<BuiltInPart>,
    /// Word of the only market in which the part is answered; `None` for both.
    pub market: Option<String>,
    /// Condition of the part: parameters of the tool, each with words such as `"insider, pledge"`. A value must be one of the words, and a
    /// list must contain one; `*` means any value and `#` any whole number. An omitted parameter matches all but these two.
    #[serde(default)]
    pub when: BTreeMap<String, String>,
    /// Parameters with words that must not match; `*` matches any value.
    #[serde(default)]
    pub unless: BTreeMap<String, String>,
    /// Arguments of the operation: literal text, or `$name` for a parameter of the tool.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// Arguments in the US, if they differ.
    pub us_arguments: Option<BTreeMap<String, String>>,
    /// Columns that the part shows; all if empty.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Columns with texts of documents and of people, which are data and never instructions: they are named in the answer, and links in
    /// them are broken.
    #[serde(default)]
    pub quoted: Vec<String>,
    /// Groups of columns, among which the parameter `by` chooses.
    #[serde(default)]
    pub sections: BTreeMap<String, Vec<String>>,
    /// Parameter that chooses among `sections`, or that names columns itself.
    pub by: Option<String>,
    /// Columns with dates, each with the column that it dates: the part shows a date only together with that column.
    #[serde(default)]
    pub beside: BTreeMap<String, String>,
    /// Columns in addition to `columns` if the parameter `by` is omitted.
    #[serde(default)]
    pub otherwise: Vec<String>,
    /// Field that contains the rows in an answer that is not a list.
    pub within: Option<String>,
    /// Fields outside of the rows that the part also shows, in an answer that is not a list.
    #[serde(default)]
    pub around: Vec<String>,
    /// Field outside of the rows with conditions, which name further columns to show.
    pub criteria: Option<String>,
    /// Tables, each with a column. The age of the table is noted only if the part shows the column: other answers do not depend on the
    /// table.
    #[serde(default)]
    pub aged_by: BTreeMap<String, String>,
    /// True if the operation is called once for each ticker.
    #[serde(default)]
    pub each: bool,
    /// True if the answer is a picture of the rows, with its figures as text.
    #[serde(default)]
    pub picture: bool,
    /// Report in the answer, which is written as Markdown.
    pub report: Option<RunReport>,
    /// Text in place of rows if there are none.
    pub empty: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunReport {
    /// Field that contains the report; `None` if the whole answer is the report.
    pub field: Option<String>,
    /// Path of the page of the run, below its market; the name of a field in braces is replaced by the value of the field.
    pub page: String,
}

/// A part without an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum BuiltInPart {
    /// Search for definitions of figures by words.
    Figures,
    /// Search for sectors, indices and industries of both markets by words.
    Names,
    /// Companies that a misspelt name probably means.
    Meant,
    /// Search for tables for a SELECT by words.
    Tables,
    /// Search for subjects without data by words.
    NotHere,
    /// Remaining requests and the age of the data.
    Status,
    /// Rows of another tool as files.
    Files,
}

impl ParamSpec {
    /// Returns true if a market has a value.
    pub(super) fn has(&self, value: &str, market: Market) -> bool {
        self.only.get(value).is_none_or(|only| only == market.word())
    }
}

impl BuiltInPart {
    /// Returns true if the part is omitted from an answer for which it has no rows.
    pub(super) const fn is_hint(self) -> bool {
        matches!(self, Self::Meant | Self::Tables | Self::NotHere)
    }
}

impl ChatPart {
    /// Returns the name of the part's operation in a market, and the name of an operation that may replace it there; `None` if the part is
    /// not answered in the market.
    pub(super) fn names_in(&self, market: Market) -> Option<(String, Option<&str>)> {
        if self.market.as_deref().is_some_and(|only| only != market.word()) {
            return None;
        }
        let indian = self.operation.as_deref();
        match (market, &self.us) {
            (Market::Us, Some(name)) => Some((name.clone(), None)),
            (Market::Us, None) => indian.map(|name| (format!("us/{name}"), Some(name))),
            (Market::India, _) => indian.map(|name| (name.to_owned(), None)),
        }
    }

    /// Returns true if the part's answer in a market depends on a parameter.
    pub(super) fn takes(&self, market: Market, name: &str) -> bool {
        let is_named = |value: &String| value.strip_prefix('$') == Some(name);
        self.arguments_in(market).values().any(is_named)
            || self.when.keys().chain(&self.by).any(|other| other == name)
            || (self.picture && name == THEME)
    }

    pub(super) fn arguments_in(&self, market: Market) -> &BTreeMap<String, String> {
        self.us_arguments.as_ref().filter(|_| market == Market::Us).unwrap_or(&self.arguments)
    }
}
