//! Three tools that find, describe and call all others, for models with little room: their list costs a few hundred tokens
//! instead of thousands. Finding and describing are free; a call costs what the tool called costs.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ErrorData, JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Map, Value as Json, json};

use super::chart;
use super::handler::McpHandler;
use super::refused;
use super::tool_request::ToolRequest;
use super::tools::ToolEntry;
use crate::error::{ClientError, ErrorKind};
use crate::operation::{Operation, Param, shown};
use crate::surface::wording;

const SEARCH: &str = "search_tools";
const DESCRIBE: &str = "describe_tool";
const CALL: &str = "call_tool";

/// How many tools a search names.
const FOUND: usize = 8;
/// The longest text that is looked for, in characters: each of its words is held against all that is said of every tool.
const LONGEST_QUERY: usize = 200;

/// The three tools.
pub(super) fn tools() -> Vec<Tool> {
    vec![search(), describe(), call()]
}

fn search() -> Tool {
    let input = json!({
        "query": {"type": "string", "description": "What is looked for, e.g. sector rotation; empty for all."},
        "toolset": {"type": "string", "description": "Only this toolset."}
    });
    let output = json!({"tools": {"type": "array", "items": {"type": "object"}}});
    tool(
        SEARCH,
        "Finds tools by words; each comes with what it does and what it needs. Free.",
        "query",
        &input,
        &output,
    )
    .with_title("Find tools")
    .with_annotations(finds())
}

fn describe() -> Tool {
    let words =
        "The arguments of a tool as JSON Schema, and the columns of its answer with their units. Free.";
    let input = json!({"name": {"type": "string", "description": "Name of the tool."}});
    tool(DESCRIBE, words, "name", &input, &json!({"name": {"type": "string"}}))
        .with_title("Describe a tool")
        .with_annotations(finds())
}

fn call() -> Tool {
    let input = json!({
        "name": {"type": "string", "description": "Name of the tool."},
        "arguments": {"type": "object", "description": "Its arguments, as describe_tool says them."}
    });
    let output = json!({"data": {"description": "The answer."}});
    tool(CALL, "Calls a tool with arguments; the answer is that of the tool.", "name", &input, &output)
        .with_title("Call a tool")
        // What the called tool does is not known before: the hints are those of the one that does most.
        .with_annotations(ToolAnnotations::new().read_only(false).destructive(true).open_world(true))
}

fn finds() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false)
}

fn tool(name: &'static str, words: &'static str, required: &str, input: &Json, output: &Json) -> Tool {
    let input = json!({
        "type": "object", "properties": input, "required": [required], "additionalProperties": false
    });
    let output = json!({"type": "object", "properties": output});
    Tool::new(name, words, Arc::new(object(input))).with_raw_output_schema(Arc::new(object(output)))
}

fn object(json: Json) -> JsonObject {
    match json {
        Json::Object(object) => object,
        _ => JsonObject::new(),
    }
}

impl McpHandler {
    /// Calls one of the three.
    ///
    /// # Errors
    /// A name that is none of them.
    pub(super) async fn call_discover(
        &self,
        asked: &ToolRequest,
        name: &str,
        arguments: &JsonObject,
    ) -> Result<CallToolResult, ErrorData> {
        let text = |name: &str| arguments.get(name).and_then(Json::as_str).unwrap_or_default().trim();
        match name {
            SEARCH => Ok(self.search(asked, text("query"), text("toolset"))),
            DESCRIBE => Ok(self.describe(text("name"))),
            CALL => {
                let nothing = JsonObject::new();
                let inner = match arguments.get("arguments") {
                    None | Some(Json::Null) => &nothing,
                    Some(Json::Object(inner)) => inner,
                    Some(_) => return Ok(wrong("`arguments` is an object")),
                };
                if self.tools.names().any(|name| name == text("name")) {
                    self.call(asked, text("name"), inner).await
                } else {
                    Ok(self.no_such(text("name")))
                }
            }
            _ => {
                let names = format!("{SEARCH}, {DESCRIBE} and {CALL}");
                Err(refused::invalid_params(&format!(
                    "Unknown tool: {}; here are {names}, and {CALL} calls the others",
                    shown(name)
                )))
            }
        }
    }

    fn search(&self, asked: &ToolRequest, query: &str, toolset: &str) -> CallToolResult {
        if query.chars().nth(LONGEST_QUERY).is_some() {
            return wrong(&format!("`query`: say it in at most {LONGEST_QUERY} characters"));
        }
        let known: Vec<&str> = self.tools.toolsets().map(|(name, _)| name).collect();
        if !toolset.is_empty() && !known.contains(&toolset) {
            return wrong(&format!(
                "there is no toolset `{}`; the toolsets are {}",
                shown(toolset),
                known.join(", ")
            ));
        }
        let words = words(query);
        let mut found = Vec::new();
        for entry in asked.view.seen(&self.tools, &self.service.seen_by(&asked.caller)) {
            let operation = &*entry.operation;
            let is_in = toolset.is_empty() || entry.toolsets.iter().any(|set| set == toolset);
            let likeness = likeness(&words, entry, operation);
            if is_in && (likeness > 0 || words.is_empty()) {
                found.push((likeness, brief(entry, operation)));
            }
        }
        if let Some(tool) = asked.view.seen_chart(&self.tools) {
            let is_in = toolset.is_empty() || toolset == chart::TOOLSET;
            let likeness = likeness_to_chart(&words, tool);
            if is_in && (likeness > 0 || words.is_empty()) {
                found.push((likeness, brief_chart(tool)));
            }
        }
        // A stable sort: equally likely tools stay in the order of the list.
        found.sort_by_key(|(likeness, _)| std::cmp::Reverse(*likeness));
        let most = if words.is_empty() { usize::MAX } else { FOUND };
        let tools: Vec<Json> = found.into_iter().take(most).map(|(_, brief)| brief).collect();
        let mut answer = json!({"tools": tools});
        if tools.is_empty()
            && let Some(answer) = answer.as_object_mut()
        {
            let hint = format!(
                "Nothing is like that; try other words, or one of the toolsets {}.",
                known.join(", ")
            );
            answer.insert("hint".to_owned(), hint.into());
        }
        CallToolResult::structured(answer)
    }

    fn describe(&self, name: &str) -> CallToolResult {
        if let Some(tool) = self.tools.chart().filter(|tool| tool.name == name) {
            return self.describe_chart(tool);
        }
        let Some(entry) = self.tools.find(name) else { return self.no_such(name) };
        let snapshot = self.service.snapshot();
        let mut named: Vec<&str> = Vec::new();
        let mut columns = Vec::new();
        for column in snapshot.columns(&entry.operation).iter().flatten() {
            if !named.contains(&column.name.as_str()) {
                named.push(&column.name);
                columns.push(json!({
                    "name": column.name, "type": column.ty.word(), "unit": column.unit.label(), "words": column.words
                }));
            }
        }
        CallToolResult::structured(json!({
            "name": entry.tool.name,
            "description": entry.tool.description,
            "inputSchema": *entry.tool.input_schema,
            "columns": columns,
        }))
    }

    /// The tool that draws, with the parameters of each operation that it draws.
    fn describe_chart(&self, tool: &Tool) -> CallToolResult {
        let operations: Vec<Json> = chart::drawn(self.service.catalogue())
            .map(|operation| {
                let words = |param: &Param| (param.name.clone(), Json::from(param.full_description()));
                let parameters: Map<String, Json> = operation.params.iter().map(words).collect();
                json!({"operation": operation.name, "draws": operation.title, "parameters": parameters})
            })
            .collect();
        CallToolResult::structured(json!({
            "name": tool.name,
            "description": tool.description,
            "inputSchema": *tool.input_schema,
            "operations": operations,
        }))
    }

    fn no_such(&self, name: &str) -> CallToolResult {
        let message = self.unknown_tool(name).message;
        wrong(&format!("{message}; {SEARCH} finds them by words"))
    }
}

fn wrong(message: &str) -> CallToolResult {
    refused::result(&ClientError::new(ErrorKind::BadRequest, message), MetaObject::new())
}

fn brief(entry: &ToolEntry, operation: &Operation) -> Json {
    let params = operation.params.iter().filter(|param| !param.rest_only);
    let params: Vec<String> = params
        .map(|param| if param.required() { format!("{} (required)", param.name) } else { param.name.clone() })
        .collect();
    json!({
        "name": entry.tool.name,
        "description": entry.tool.description,
        "toolset": entry.toolsets.first(),
        "tier": wording::tier(operation),
        "arguments": params,
    })
}

fn brief_chart(tool: &Tool) -> Json {
    json!({
        "name": tool.name,
        "description": tool.description,
        "toolset": chart::TOOLSET,
        "tier": "that of the operation",
        "arguments": ["operation (required)", "arguments", "theme", "form"],
    })
}

/// The words of a text, in small letters and without the ending of the plural.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts
        .map(str::to_lowercase)
        .map(|part| match part.strip_suffix('s') {
            Some(stem) => stem.to_owned(),
            None => part,
        })
        .collect()
}

/// How like a tool is to what is looked for: a word in its name counts most, then its title, then all that is said of it.
fn likeness(asked: &[String], entry: &ToolEntry, operation: &Operation) -> u32 {
    let said: Vec<&str> = operation.params.iter().map(|param| param.words.as_str()).collect();
    let places = [
        words(&entry.tool.name),
        words(&operation.title),
        words(&entry.toolsets.join(" ")),
        words(&format!("{} {}", operation.prose, said.join(" "))),
    ];
    likeness_in(asked, &places)
}

/// How like the tool that draws is to what is looked for.
fn likeness_to_chart(asked: &[String], tool: &Tool) -> u32 {
    let description = tool.description.as_deref().unwrap_or_default();
    let title = tool.title.as_deref().unwrap_or_default();
    likeness_in(asked, &[words(&tool.name), words(title), words(chart::TOOLSET), words(description)])
}

/// How much of what is looked for stands in the name, the title, the toolsets and the other words of a tool.
fn likeness_in(asked: &[String], places: &[Vec<String>; 4]) -> u32 {
    const WEIGHTS: [u32; 4] = [8, 4, 2, 1];
    let of_word = |word: &String| {
        let begins = |known: &String| known == word || (word.len() > 3 && known.starts_with(word.as_str()));
        let found = WEIGHTS.iter().zip(places).filter(|(_, known)| known.iter().any(begins));
        found.map(|(weight, _)| weight).sum::<u32>()
    };
    asked.iter().map(of_word).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_and_brought_to_one_form() {
        assert_eq!(words("get_sector_rrg: Sectors, P/E"), ["get", "sector", "rrg", "sector", "p", "e"]);
        assert!(words(" ").is_empty());
    }

    #[test]
    fn the_three_tools_say_what_they_do_to_what_is_kept() {
        let tools = tools();
        let reads: Vec<_> =
            tools.iter().map(|tool| tool.annotations.as_ref().unwrap().read_only_hint).collect();
        assert_eq!(reads, [Some(true), Some(true), Some(false)]);
    }
}
