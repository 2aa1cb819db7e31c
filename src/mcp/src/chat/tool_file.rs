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
    /// True if it changes saved state.
    #[serde(default)]
    pub changes: bool,
    /// True if it ends or removes something.
    #[serde(default)]
    pub destroys: bool,
    /// True if clients that load few tools load this one.
    #[serde(default)]
    pub first: bool,
    /// Kind of its answer, if it is one that connectors require; it is then listed in a separate toolset.
    pub connector: Option<ConnectorTool>,
    /// Parameters.
    #[serde(default)]
    pub param: Vec<ParamSpec>,
    /// Parts of the answer.
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
    /// Description in one sentence; if `values` is set, the meaning of each.
    #[serde(default)]
    pub words: String,
    #[serde(default)]
    pub required: bool,
    /// True if it is read from another parameter, and not listed.
    #[serde(default)]
    pub derived: bool,
    /// Allowed values; of a list, for each of its items.
    #[serde(default)]
    pub values: Vec<String>,
    /// Values that only one market has, each with the word of the market.
    #[serde(default)]
    pub only: BTreeMap<String, String>,
    /// True if all tickers of a call are of one market, because they are answered together.
    #[serde(default)]
    pub one_market: bool,
    /// Default value.
    pub default: Option<String>,
    /// Smallest number.
    pub least: Option<i64>,
    /// Largest number, or most items of a list.
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
    /// Operation of India, or of both markets; in the US the operation of the same name below `us/`, if it exists.
    pub operation: Option<String>,
    /// Operation of the US, if it has another name.
    pub us: Option<String>,
    /// Built-in part without an operation.
    pub own: Option<BuiltInPart>,
    /// Market, if the part is answered in only one.
    pub market: Option<String>,
    /// Parameters of the tool, each with words of which one must match: `"insider, pledge"`. A list must contain one of them, or be
    /// omitted. `*` matches any given value.
    #[serde(default)]
    pub when: BTreeMap<String, String>,
    /// Parameters with words that must not match; `*` matches any given value.
    #[serde(default)]
    pub unless: BTreeMap<String, String>,
    /// Arguments of the operation: literal text, or `$name` for a parameter of the tool.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// Arguments in the US, if they differ.
    pub us_arguments: Option<BTreeMap<String, String>>,
    /// Columns that are shown; all if empty.
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
    /// Columns that are shown only with another one, whose value they date.
    #[serde(default)]
    pub beside: BTreeMap<String, String>,
    /// Columns in addition to `columns` if nothing is chosen.
    #[serde(default)]
    pub otherwise: Vec<String>,
    /// Field of the rows in an answer that is not a list.
    pub within: Option<String>,
    /// Fields outside of the rows that are shown too, in an answer that is not a list.
    #[serde(default)]
    pub around: Vec<String>,
    /// Field outside of the rows with conditions, which name further columns to show.
    pub criteria: Option<String>,
    /// Tables whose age is a note only where this column is shown: answers without it do not depend on them.
    #[serde(default)]
    pub aged_by: BTreeMap<String, String>,
    /// True if it is called for each ticker separately.
    #[serde(default)]
    pub each: bool,
    /// True if it is drawn: the answer is a picture with its figures.
    #[serde(default)]
    pub picture: bool,
    /// Report in the answer, which is written as Markdown.
    pub report: Option<RunReport>,
    /// Text in place of missing rows.
    pub empty: Option<String>,
}

/// The report of a run in an answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunReport {
    /// Field with the report; left out if the answer is the report.
    pub field: Option<String>,
    /// Page of the run below its market; the name of a field in braces is the value of the field.
    pub page: String,
}

/// A part without an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum BuiltInPart {
    /// Definitions of figures, found by words.
    Figures,
    /// Sectors, indices and industries of both markets, found by words.
    Names,
    /// Companies that a misspelt name probably means.
    Meant,
    /// Tables for a SELECT, found by words.
    Tables,
    /// Subjects without data, found by words.
    NotHere,
    /// Remaining requests and the age of the data.
    Status,
    /// Rows of another tool as files.
    Files,
}

impl ParamSpec {
    pub(super) fn has(&self, value: &str, market: Market) -> bool {
        self.only.get(value).is_none_or(|only| only == market.word())
    }
}

impl BuiltInPart {
    /// Returns true if it is left out of the answer where it has nothing.
    pub(super) const fn is_hint(self) -> bool {
        matches!(self, Self::Meant | Self::Tables | Self::NotHere)
    }
}

impl ChatPart {
    /// Returns the name of its operation in a market, and the name of the operation that may replace it there.
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

    /// Returns true if its answer in a market depends on a parameter.
    pub(super) fn takes(&self, market: Market, name: &str) -> bool {
        let is_named = |value: &String| value.strip_prefix('$') == Some(name);
        self.arguments_in(market).values().any(is_named)
            || self.when.keys().chain(&self.by).any(|known| known == name)
            || (self.picture && name == THEME)
    }

    pub(super) fn arguments_in(&self, market: Market) -> &BTreeMap<String, String> {
        self.us_arguments.as_ref().filter(|_| market == Market::Us).unwrap_or(&self.arguments)
    }
}
