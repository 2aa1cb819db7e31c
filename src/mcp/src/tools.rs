//! The tools: one for each operation that has one, built from the catalogue once. No tool is declared by hand, and none is hidden from
//! callers of a lower tier: the required tier is in its description.
//!
//! One tool is not an operation: the chart tool (`chart`), which draws operations with a picture. It is last in the list.

use std::collections::HashMap;
use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};

use super::{chart, tool_schema, toolset, twin_names};
use parquote_call::Service;
use parquote_catalogue::operation::{Access, Catalogue, Effect, Market, Operation};
use parquote_surface::groups::groups;

/// A tool and the operation behind it.
#[derive(Debug)]
pub(super) struct ToolEntry {
    /// List entry of the tool.
    pub tool: Tool,
    pub operation: Arc<Operation>,
    pub toolsets: Vec<String>,
}

/// All tools, in the order in which documents show their operations.
#[derive(Debug)]
pub(super) struct ToolList {
    entries: Vec<ToolEntry>,
    by_name: HashMap<String, usize>,
    /// Toolsets, each with its number of tools.
    toolsets: Vec<(String, usize)>,
    chart: Option<Tool>,
    chat_names: Vec<String>,
}

impl ToolList {
    /// Builds the tools of a service.
    pub(super) fn new(service: &Service) -> Self {
        let mut entries = Vec::new();
        for group in groups(service.catalogue()) {
            for operation in group.operations {
                let Some(name) = &operation.tool else { continue };
                let tool = tool(name, operation, service.catalogue());
                let (toolsets, operation) = (toolset::toolsets_of(operation), Arc::clone(operation));
                entries.push(ToolEntry { tool, operation, toolsets });
            }
        }
        let by_name =
            entries.iter().enumerate().map(|(index, entry)| (entry.tool.name.to_string(), index)).collect();
        let chart = chart::tool(service.catalogue());
        let mut toolsets = toolset::toolsets(service.catalogue());
        toolsets.extend(chart.iter().map(|_| (chart::TOOLSET.to_owned(), 1)));
        let chat_names = service.catalogue().declared_names("chat/");
        Self { entries, by_name, toolsets, chart, chat_names }
    }

    /// Returns the chart tool; `None` if no operation has a picture.
    pub(super) fn chart(&self) -> Option<&Tool> {
        self.chart.as_ref()
    }

    pub(super) fn chat_names(&self) -> &[String] {
        &self.chat_names
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.all().map(|entry| &entry.tool).chain(&self.chart).map(|tool| &*tool.name)
    }

    /// Returns all tools of operations.
    pub(super) fn all(&self) -> impl Iterator<Item = &ToolEntry> {
        self.entries.iter()
    }

    /// Returns the tool of an operation, by its name or by the name of its counterpart in the other market.
    pub(super) fn find(&self, name: &str) -> Option<&ToolEntry> {
        let mut names = twin_names::tools(name);
        self.entries.get(*names.find_map(|name| self.by_name.get(&*name))?)
    }

    /// Returns true if a tool has this name.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.find(name).is_some() || self.chart.as_ref().is_some_and(|chart| chart.name == name)
    }

    /// Returns the toolsets with their numbers of tools.
    pub(super) fn toolsets(&self) -> impl Iterator<Item = (&str, usize)> {
        self.toolsets.iter().map(|(name, count)| (name.as_str(), *count))
    }
}

fn tool(name: &str, operation: &Operation, catalogue: &Catalogue) -> Tool {
    Tool::new(name.to_owned(), description(operation), Arc::new(tool_schema::input(operation, catalogue)))
        .with_title(title(operation))
        .with_raw_output_schema(Arc::new(tool_schema::output()))
        .with_annotations(hints(operation))
}

/// Returns the title for people, cut before its details.
fn title(operation: &Operation) -> String {
    let short = operation.title.split([',', ';', ':', '(']).next().unwrap_or_default();
    short.trim().trim_end_matches('.').to_owned()
}

/// Returns the description for models: the market, the title, the first sentences of the prose, the tier.
fn description(operation: &Operation) -> String {
    const PROSE_CHARS: usize = 120;
    let market = match operation.market {
        _ if operation.chooses_market() => "India or US: ",
        // Saved state of a caller belongs to no market.
        _ if operation.selects.is_empty() => "",
        Market::India => "India: ",
        Market::Us => "US: ",
    };
    let mut text = format!("{market}{}.", operation.title.trim_end_matches('.'));
    let mut chars = 0;
    for sentence in sentences(&operation.prose) {
        chars += sentence.chars().count();
        if chars > PROSE_CHARS {
            break;
        }
        text.push(' ');
        text.push_str(&sentence);
    }
    if let Access::From(tier) = operation.access {
        text.push_str(" Tier: ");
        text.push_str(tier.word());
        text.push('.');
    }
    if let Some(instead) = &operation.deprecated {
        text.push_str(" Deprecated: ");
        text.push_str(instead);
    }
    text
}

/// Splits a text into sentences; its lines may break anywhere.
fn sentences(prose: &str) -> impl Iterator<Item = String> {
    let flat = prose.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<String> = flat.split_inclusive(". ").map(|part| part.trim().to_owned()).collect();
    parts.into_iter().filter(|part| !part.is_empty())
}

/// Returns the annotations of a tool. Handlers of operations may call external services; SQL reads the tables only.
fn hints(operation: &Operation) -> ToolAnnotations {
    // The idempotency hint applies only to tools that change something, and none of these is idempotent.
    ToolAnnotations::new()
        .read_only(operation.effect == Effect::Reads)
        .destructive(operation.effect == Effect::Removes)
        .open_world(operation.run.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_read_sentence_by_sentence() {
        let read: Vec<String> = sentences("One is\n1.5 long. Two.\n\nThree").collect();
        assert_eq!(read, ["One is 1.5 long.", "Two.", "Three"]);
    }
}
