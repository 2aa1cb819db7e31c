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
/// Weight of a word by field: the name; the title and the values of parameters; the toolset; the description.
const WEIGHTS: [f64; 4] = [4.0, 3.0, 1.0, 1.0];
/// Number of leading fields that describe the purpose of a tool.
const LEADING_FIELDS: usize = 2;
/// Weight of a synonym.
const SAME_MEANING: f64 = 0.7;
/// Least share of the query, by rarity, that a found tool covers.
const LEAST_COVER: f64 = 0.5;
/// Share from which on all of the query counts as found.
const COVERS_ALL: f64 = 0.99;

/// A parsed query.
pub(super) struct ToolQuery {
    words: Vec<Vec<String>>,
    market: Option<Market>,
}

/// A search result: a tool, or an operation that the chart tool draws.
#[derive(Clone, Copy)]
pub(super) enum FoundTool<'a> {
    /// A tool of an operation.
    Tool(&'a ToolEntry),
    /// An operation without a tool that is drawn; `None` for the chart tool as such.
    Chart(Option<&'a Operation>),
}

struct Document<'a> {
    found: FoundTool<'a>,
    market: Option<Market>,
    places: [HashSet<String>; 4],
}

/// A matching tool with its scores.
struct ToolFit<'a> {
    found: FoundTool<'a>,
    score: f64,
    /// Share of the query that it covers, from 0 to 1.
    covered: f64,
    /// Number of words that its name, title or values contain.
    spoken: usize,
}

impl ToolQuery {
    /// Parses a query.
    pub(super) fn parse(text: &str) -> Self {
        let nothing: HashSet<String> = words(STOP_WORDS).into_iter().collect();
        let mut market = None;
        let mut requested = Vec::new();
        for word in words(text) {
            if let Some(named) = Market::find_by_word(&word) {
                market = Some(named);
            } else if !nothing.contains(&word) {
                requested.push(synonyms(word));
            }
        }
        Self { words: requested, market }
    }

    /// Parses a tool's name. A name without a market belongs to India.
    pub(super) fn of_name(name: &str) -> Self {
        let query = Self::parse(name);
        Self { market: query.market.or(Some(Market::India)), ..query }
    }

    /// Returns the matching tools of a view, the best first.
    pub(super) fn matching_tools<'a>(&self, seen: Vec<FoundTool<'a>>) -> Vec<FoundTool<'a>> {
        let fits = self.score_tools(&documents(seen));
        fits.into_iter().filter(|fit| fit.covered >= LEAST_COVER).map(|fit| fit.found).collect()
    }

    /// Returns the one tool that an unknown name means: it covers the whole name, and no other tool covers a one-word name.
    pub(super) fn tool_meant<'a>(&self, seen: Vec<FoundTool<'a>>) -> Option<FoundTool<'a>> {
        let fits = self.score_tools(&documents(seen));
        let whole: Vec<&ToolFit<'_>> = fits.iter().filter(|fit| fit.covered >= COVERS_ALL).collect();
        let is_sure = whole.len() == 1 || whole.first().is_some_and(|fit| fit.spoken > 1);
        let meant = whole.first().filter(|_| is_sure)?;
        fits.iter().find(|fit| std::ptr::eq(*fit, *meant)).map(|fit| fit.found)
    }

    fn score_tools<'a>(&self, documents: &[Document<'a>]) -> Vec<ToolFit<'a>> {
        let rarities: Vec<f64> = self.words.iter().map(|word| rarity(word, documents)).collect();
        let of_market =
            documents.iter().filter(|document| self.market.is_none_or(|market| document.is_of(market)));
        let mut fits: Vec<ToolFit<'a>> =
            of_market.map(|document| self.score_tool(document, &rarities)).collect();
        fits.retain(|fit| fit.spoken > 0);
        // A stable sort: equal matches stay in the order of the list.
        fits.sort_by(|a, b| b.score.total_cmp(&a.score));
        fits
    }

    fn score_tool<'a>(&self, document: &Document<'a>, rarities: &[f64]) -> ToolFit<'a> {
        let (mut score, mut covered, mut spoken) = (0.0, 0.0, 0);
        for (word, rarity) in self.words.iter().zip(rarities) {
            let places = document.field_matches(word);
            let best = places.iter().zip(WEIGHTS).map(|(found, weight)| found * weight);
            score += rarity * best.fold(0.0, f64::max);
            if places.iter().any(|found| *found > 0.0) {
                covered += rarity;
            }
            if places.iter().take(LEADING_FIELDS).any(|found| *found > 0.0) {
                spoken += 1;
            }
        }
        let whole: f64 = rarities.iter().sum();
        ToolFit { found: document.found, score, covered: covered / whole.max(f64::MIN_POSITIVE), spoken }
    }
}

impl<'a> FoundTool<'a> {
    /// Returns true if it is in a toolset; an empty name matches every toolset.
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
        let mut seen: Vec<Self> = view.visible_tools(tools, snapshot).map(Self::Tool).collect();
        if view.visible_chart(tools).is_some() {
            let without_tool =
                chart::drawable_operations(catalogue).filter(|operation| operation.tool.is_none());
            seen.push(Self::Chart(None));
            seen.extend(without_tool.map(|operation| Self::Chart(Some(&**operation))));
        }
        seen
    }
}

impl Document<'_> {
    fn is_of(&self, market: Market) -> bool {
        self.market.is_none_or(|own| own == market)
    }

    /// Returns the match of a word in each field, from 0 to 1.
    fn field_matches(&self, word: &[String]) -> [f64; 4] {
        self.places.each_ref().map(|place| {
            let is_in_place = |word: &String| {
                place.contains(word)
                    || (word.len() > 3 && place.iter().any(|known| known.starts_with(word.as_str())))
            };
            match word.iter().position(is_in_place) {
                Some(0) => 1.0,
                Some(_) => SAME_MEANING,
                None => 0.0,
            }
        })
    }
}

fn documents(seen: Vec<FoundTool<'_>>) -> Vec<Document<'_>> {
    seen.into_iter().map(document).collect()
}

fn document(found: FoundTool<'_>) -> Document<'_> {
    let set = |texts: &[&str]| texts.iter().flat_map(|text| words(text)).collect::<HashSet<String>>();
    match found {
        FoundTool::Tool(entry) => {
            let operation = &*entry.operation;
            let param_words: Vec<&str> = operation.params.iter().map(|param| param.words.as_str()).collect();
            let titles = format!("{} {}", operation.title, values(operation));
            let places = [
                set(&[&entry.tool.name]),
                set(&[&titles]),
                set(&[&entry.toolsets.join(" ")]),
                set(&[&operation.prose, &param_words.join(" ")]),
            ];
            let market =
                (!operation.chooses_market() && !operation.selects.is_empty()).then_some(operation.market);
            Document { found, market, places }
        }
        FoundTool::Chart(None) => {
            let places = [set(&["chart"]), set(&["chart of a stock"]), set(&[chart::TOOLSET]), set(&[])];
            Document { found, market: None, places }
        }
        FoundTool::Chart(Some(operation)) => {
            let name = operation.name.rsplit('/').next().unwrap_or_default();
            let places = [
                set(&["chart"]),
                set(&[name, &operation.title]),
                set(&[chart::TOOLSET]),
                set(&[&operation.prose]),
            ];
            Document { found, market: Some(operation.market), places }
        }
    }
}

/// Returns the values of its parameters, with their labels.
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
    let with =
        documents.iter().filter(|known| known.field_matches(word).iter().any(|found| *found > 0.0)).count();
    (documents.len().max(1) as f64 / with.max(1) as f64).ln().max(0.05)
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
