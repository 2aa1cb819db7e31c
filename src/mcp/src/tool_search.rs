//! Search for tools by words. A word's weight is its rarity among the tools; synonyms count nearly as much (`synonyms.txt`). A tool matches
//! only if its name, title or values contain a word of the query.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::chart;
use super::tools::{ToolEntry, ToolList};
use super::view::ToolView;
use parquote_catalogue::operation::{Catalogue, Market, Operation, WrapSource};
use parquote_engine::Snapshot;

/// Groups of synonyms, one per line.
static SYNONYMS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let lines = include_str!("synonyms.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(words).collect()
});

const STOP_WORDS: &str = "a an the of for in on at to by with and or is are was be do does what which who how why when my me i we you it this \
                            that from as get show give tell list all any tool data call about please can need want market";
/// Weight of a word in each field: the name; the title and the values of parameters; the toolset; the description.
const WEIGHTS: [f64; 4] = [4.0, 3.0, 1.0, 1.0];
/// Number of leading fields that describe the purpose of a tool.
const LEADING_FIELDS: usize = 2;
/// Weight of a synonym, relative to the word itself.
const SAME_MEANING: f64 = 0.7;
/// Least share of the query, weighted by rarity, that a matching tool covers.
const LEAST_COVER: f64 = 0.5;
/// Least share of the query that counts as all of it.
const COVERS_ALL: f64 = 0.99;

pub(super) struct ToolQuery {
    words: Vec<Vec<String>>,
    market: Option<Market>,
}

/// A search result: a tool, or an operation that the chart tool draws.
#[derive(Clone, Copy)]
pub(super) enum FoundTool<'a> {
    /// A tool of an operation.
    Tool(&'a ToolEntry),
    /// An operation without a tool that the chart tool draws; `None` for the chart tool itself.
    Chart(Option<&'a Operation>),
}

struct Document<'a> {
    tool: FoundTool<'a>,
    market: Option<Market>,
    /// Words of each field, in the order of [`WEIGHTS`].
    fields: [HashSet<String>; 4],
}

/// A matching tool with its scores.
struct ToolFit<'a> {
    tool: FoundTool<'a>,
    score: f64,
    /// Share of the query that the tool covers, from 0 to 1.
    covered: f64,
    /// Number of words of the query that the tool's name, title or values contain.
    leading_matches: usize,
}

impl ToolQuery {
    /// Parses a query.
    pub(super) fn parse(text: &str) -> Self {
        let stop_words: HashSet<String> = words(STOP_WORDS).into_iter().collect();
        let mut market = None;
        let mut requested = Vec::new();
        for word in words(text) {
            if let Some(named) = Market::find_by_word(&word) {
                market = Some(named);
            } else if !stop_words.contains(&word) {
                requested.push(synonyms(word));
            }
        }
        Self { words: requested, market }
    }

    /// Parses a tool's name. A name without a market belongs to India.
    pub(super) fn parse_name(name: &str) -> Self {
        let query = Self::parse(name);
        Self { market: query.market.or(Some(Market::India)), ..query }
    }

    /// Returns the matching tools of a view, the best first.
    pub(super) fn matching_tools<'a>(&self, visible: Vec<FoundTool<'a>>) -> Vec<FoundTool<'a>> {
        let fits = self.score_tools(&documents(visible));
        fits.into_iter().filter(|fit| fit.covered >= LEAST_COVER).map(|fit| fit.tool).collect()
    }

    /// Returns the tool that an unknown name probably means: the best tool that covers the whole name. `None` if no tool covers it, or if
    /// several do and the leading fields of the best have only one word of the name.
    pub(super) fn tool_meant<'a>(&self, visible: Vec<FoundTool<'a>>) -> Option<FoundTool<'a>> {
        let fits = self.score_tools(&documents(visible));
        let whole: Vec<&ToolFit<'_>> = fits.iter().filter(|fit| fit.covered >= COVERS_ALL).collect();
        let is_sure = whole.len() == 1 || whole.first().is_some_and(|fit| fit.leading_matches > 1);
        let best = whole.first().filter(|_| is_sure)?;
        fits.iter().find(|fit| std::ptr::eq(*fit, *best)).map(|fit| fit.tool)
    }

    fn score_tools<'a>(&self, documents: &[Document<'a>]) -> Vec<ToolFit<'a>> {
        let rarities: Vec<f64> = self.words.iter().map(|word| rarity(word, documents)).collect();
        let in_market =
            documents.iter().filter(|document| self.market.is_none_or(|market| document.is_of(market)));
        let mut fits: Vec<ToolFit<'a>> =
            in_market.map(|document| self.score_tool(document, &rarities)).collect();
        fits.retain(|fit| fit.leading_matches > 0);
        // A stable sort: equal matches stay in the order of the list.
        fits.sort_by(|a, b| b.score.total_cmp(&a.score));
        fits
    }

    fn score_tool<'a>(&self, document: &Document<'a>, rarities: &[f64]) -> ToolFit<'a> {
        let (mut score, mut covered, mut leading_matches) = (0.0, 0.0, 0);
        for (word, rarity) in self.words.iter().zip(rarities) {
            let matches = document.field_matches(word);
            let best = matches.iter().zip(WEIGHTS).map(|(strength, weight)| strength * weight);
            score += rarity * best.fold(0.0, f64::max);
            if matches.iter().any(|strength| *strength > 0.0) {
                covered += rarity;
            }
            if matches.iter().take(LEADING_FIELDS).any(|strength| *strength > 0.0) {
                leading_matches += 1;
            }
        }
        let whole: f64 = rarities.iter().sum();
        ToolFit {
            tool: document.tool,
            score,
            covered: covered / whole.max(f64::MIN_POSITIVE),
            leading_matches,
        }
    }
}

impl<'a> FoundTool<'a> {
    /// Returns true if the result is in a toolset; an empty name matches every toolset.
    pub(super) fn is_in(&self, toolset: &str) -> bool {
        match self {
            _ if toolset.is_empty() => true,
            Self::Tool(entry) => entry.toolsets.iter().any(|set| set == toolset),
            Self::Chart(_) => toolset == chart::TOOLSET,
        }
    }

    /// Returns the tools that a caller sees.
    pub(super) fn visible_tools(
        view: &ToolView,
        tools: &'a ToolList,
        snapshot: &Snapshot,
        catalogue: &'a Catalogue,
    ) -> Vec<Self> {
        let mut visible: Vec<Self> = view.visible_tools(tools, snapshot).map(Self::Tool).collect();
        if view.visible_chart(tools).is_some() {
            let without_tool =
                chart::drawable_operations(catalogue).filter(|operation| operation.tool.is_none());
            visible.push(Self::Chart(None));
            visible.extend(without_tool.map(|operation| Self::Chart(Some(&**operation))));
        }
        visible
    }
}

impl Document<'_> {
    fn is_of(&self, market: Market) -> bool {
        self.market.is_none_or(|other| other == market)
    }

    /// Returns the match of a word in each field, from 0 to 1.
    fn field_matches(&self, word: &[String]) -> [f64; 4] {
        self.fields.each_ref().map(|field| {
            let is_in_field = |word: &String| {
                field.contains(word)
                    || (word.len() > 3 && field.iter().any(|other| other.starts_with(word.as_str())))
            };
            match word.iter().position(is_in_field) {
                Some(0) => 1.0,
                Some(_) => SAME_MEANING,
                None => 0.0,
            }
        })
    }
}

fn documents(visible: Vec<FoundTool<'_>>) -> Vec<Document<'_>> {
    visible.into_iter().map(document).collect()
}

fn document(tool: FoundTool<'_>) -> Document<'_> {
    let set = |texts: &[&str]| texts.iter().flat_map(|text| words(text)).collect::<HashSet<String>>();
    match tool {
        FoundTool::Tool(entry) => {
            let operation = &*entry.operation;
            let param_words: Vec<&str> = operation.params.iter().map(|param| param.words.as_str()).collect();
            let titles = format!("{} {}", operation.title, values(operation));
            let fields = [
                set(&[&entry.tool.name]),
                set(&[&titles]),
                set(&[&entry.toolsets.join(" ")]),
                set(&[&operation.prose, &param_words.join(" ")]),
            ];
            let market =
                (!operation.chooses_market() && !operation.selects.is_empty()).then_some(operation.market);
            Document { tool, market, fields }
        }
        FoundTool::Chart(None) => {
            let fields = [set(&["chart"]), set(&["chart of a stock"]), set(&[chart::TOOLSET]), set(&[])];
            Document { tool, market: None, fields }
        }
        FoundTool::Chart(Some(operation)) => {
            let name = operation.name.rsplit('/').next().unwrap_or_default();
            let fields = [
                set(&["chart"]),
                set(&[name, &operation.title]),
                set(&[chart::TOOLSET]),
                set(&[&operation.prose]),
            ];
            Document { tool, market: Some(operation.market), fields }
        }
    }
}

/// Returns the allowed values of an operation's parameters, with their labels, as one text.
fn values(operation: &Operation) -> String {
    let words = operation
        .params
        .iter()
        .filter(|param| param.name != "sort_by")
        .filter_map(|param| param.allowed_words());
    let labels =
        operation.selects.iter().flat_map(|select| &select.wrap).filter_map(|field| match &field.source {
            WrapSource::Label(_, labels) => Some(labels.iter().map(|(_, label)| label.as_str())),
            _ => None,
        });
    words.flatten().map(String::as_str).chain(labels.flatten()).collect::<Vec<&str>>().join(" ")
}

/// Returns the rarity of a word or its synonyms: nearly 0 for one that all tools have.
fn rarity(word: &[String], documents: &[Document<'_>]) -> f64 {
    let count = documents
        .iter()
        .filter(|document| document.field_matches(word).iter().any(|strength| *strength > 0.0))
        .count();
    (documents.len().max(1) as f64 / count.max(1) as f64).ln().max(0.05)
}

/// Returns a word and its synonyms, itself first.
fn synonyms(word: String) -> Vec<String> {
    let lines = SYNONYMS.iter().filter(|line| line.contains(&word));
    let others: Vec<String> = lines.flatten().filter(|other| **other != word).cloned().collect();
    std::iter::once(word).chain(others).collect()
}

/// Splits a text into lower-case words without a plural ending.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts
        .map(str::to_lowercase)
        .map(|part| match part.strip_suffix('s') {
            Some(stem) if stem.len() > 1 => stem.to_owned(),
            _ => part,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_and_brought_to_one_form() {
        assert_eq!(words("get_sector_rrg: Sectors, P/E"), ["get", "sector", "rrg", "sector", "p", "e"]);
        assert!(words(" ").is_empty());
        assert_eq!(words("us"), ["us"]);
    }

    #[test]
    fn a_query_keeps_what_says_something() {
        let query = ToolQuery::parse("show me the US sector quadrants");
        assert_eq!(query.market, Some(Market::Us));
        let first: Vec<&str> = query.words.iter().map(|word| word[0].as_str()).collect();
        assert_eq!(first, ["sector", "quadrant"]);
        assert!(query.words[1].contains(&"rrg".to_owned()));
        assert!(ToolQuery::parse("what is it?").words.is_empty());
    }
}
