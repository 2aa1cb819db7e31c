//! Three tools that find, describe and call all others, for models with a small context: their list costs a few hundred tokens instead of
//! thousands. Finding and describing are free; a call has the cost of the called tool.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ErrorData, JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Map, Value as Json, json};

use super::chart;
use super::chart_app::object;
use super::handler::McpHandler;
use super::refused;
use super::tool_request::ToolRequest;
use super::tool_search::{FoundTool, ToolQuery};
use super::tools::ToolEntry;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Operation, Param, truncate_for_message};
use parquote_surface::wording;

const SEARCH: &str = "search_tools";
const DESCRIBE: &str = "describe_tool";
const CALL: &str = "call_tool";

/// Most tools that a search returns.
const MOST_FOUND: usize = 8;
/// Longest query, in characters: each of its words is compared with the description of every tool.
const LONGEST_QUERY: usize = 200;

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
    .with_annotations(read_only_annotations())
}

fn describe() -> Tool {
    let words =
        "The arguments of a tool as JSON Schema, and the columns of its answer with their units. Free.";
    let input = json!({"name": {"type": "string", "description": "Name of the tool."}});
    tool(DESCRIBE, words, "name", &input, &json!({"name": {"type": "string"}}))
        .with_title("Describe a tool")
        .with_annotations(read_only_annotations())
}

fn call() -> Tool {
    let input = json!({
        "name": {"type": "string", "description": "Name of the tool."},
        "arguments": {"type": "string", "description": "Its arguments, as describe_tool says them: an object as JSON text."}
    });
    let output = json!({"data": {"description": "The answer."}});
    tool(CALL, "Calls a tool with arguments; the answer is that of the tool.", "name", &input, &output)
        .with_title("Call a tool")
        // The effect of the called tool is not known yet: these are the hints of the strongest one.
        .with_annotations(ToolAnnotations::new().read_only(false).destructive(true).open_world(true))
}

fn read_only_annotations() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false)
}

fn tool(name: &'static str, words: &'static str, required: &str, input: &Json, output: &Json) -> Tool {
    let input = json!({
        "type": "object", "properties": input, "required": [required], "additionalProperties": false
    });
    let output = json!({"type": "object", "properties": output});
    Tool::new(name, words, Arc::new(object(input))).with_raw_output_schema(Arc::new(object(output)))
}

impl McpHandler {
    /// Calls one of the three discovery tools; an error for any other name.
    pub(super) async fn call_discover(
        &self,
        tool_call: &ToolRequest,
        name: &str,
        arguments: &JsonObject,
    ) -> Result<CallToolResult, ErrorData> {
        let text = |name: &str| arguments.get(name).and_then(Json::as_str).unwrap_or_default().trim();
        match name {
            SEARCH => Ok(self.search(tool_call, text("query"), text("toolset"))),
            DESCRIBE => Ok(self.describe(text("name"))),
            CALL => {
                let Some(inner) = parse_arguments(arguments.get("arguments")) else {
                    return Ok(error_result("`arguments` is an object, or its JSON text"));
                };
                if self.tools.is_known(text("name")) {
                    self.call(tool_call, text("name"), &inner).await
                } else {
                    Ok(self.unknown_tool_result(text("name")))
                }
            }
            _ => {
                let names = format!("{SEARCH}, {DESCRIBE} and {CALL}");
                Err(refused::invalid_params(&format!(
                    "Unknown tool: {}; here are {names}, and {CALL} calls the others",
                    truncate_for_message(name)
                )))
            }
        }
    }

    fn search(&self, tool_call: &ToolRequest, query: &str, toolset: &str) -> CallToolResult {
        if query.chars().nth(LONGEST_QUERY).is_some() {
            return error_result(&format!("`query`: say it in at most {LONGEST_QUERY} characters"));
        }
        let toolsets: Vec<&str> = self.tools.toolsets().map(|(name, _)| name).collect();
        if !toolset.is_empty() && !toolsets.contains(&toolset) {
            return error_result(&format!(
                "there is no toolset `{}`; the toolsets are {}",
                truncate_for_message(toolset),
                toolsets.join(", ")
            ));
        }
        let snapshot = self.service.snapshot_for(&tool_call.caller);
        let mut visible =
            FoundTool::visible_tools(&tool_call.view, &self.tools, &snapshot, self.service.catalogue());
        visible.retain(|tool| tool.is_in(toolset));
        let found = if query.is_empty() {
            visible.into_iter().filter(|tool| !matches!(tool, FoundTool::Chart(Some(_)))).collect()
        } else {
            let mut found = ToolQuery::parse(query).matching_tools(visible);
            // One tool draws all charts, so only the best of its operations represents it.
            let mut charts = 0;
            found.retain(|tool| {
                !matches!(tool, FoundTool::Chart(_)) || std::mem::replace(&mut charts, 1) == 0
            });
            found.truncate(MOST_FOUND);
            found
        };
        let tools: Vec<Json> = found.into_iter().filter_map(|tool| self.brief(tool)).collect();
        let mut answer = json!({"tools": tools});
        if tools.is_empty()
            && let Some(answer) = answer.as_object_mut()
        {
            let hint = format!(
                "No tool fits that; try other words, or one of the toolsets {}. What a key may call and how often is in \
                 parquote://access.",
                toolsets.join(", ")
            );
            answer.insert("hint".to_owned(), hint.into());
        }
        CallToolResult::structured(answer)
    }

    fn brief(&self, tool: FoundTool<'_>) -> Option<Json> {
        match tool {
            FoundTool::Tool(entry) => Some(brief(entry, &entry.operation)),
            FoundTool::Chart(operation) => Some(brief_chart(self.tools.chart()?, operation)),
        }
    }

    fn describe(&self, name: &str) -> CallToolResult {
        if let Some(tool) = self.tools.chart().filter(|tool| tool.name == name) {
            return self.describe_chart(tool);
        }
        let Some(entry) = self.tools.find(name) else { return self.unknown_tool_result(name) };
        let snapshot = self.service.shared_snapshot();
        let mut names: Vec<&str> = Vec::new();
        let mut columns = Vec::new();
        for column in snapshot.columns(&entry.operation).iter().flatten() {
            if !names.contains(&column.name.as_str()) {
                names.push(&column.name);
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

    /// Describes the chart tool, with the parameters of each operation that it draws.
    fn describe_chart(&self, tool: &Tool) -> CallToolResult {
        let operations: Vec<Json> = chart::drawable_operations(self.service.catalogue())
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

    fn unknown_tool_result(&self, name: &str) -> CallToolResult {
        let message = self.unknown_tool(name).message;
        error_result(&format!("{message}; {SEARCH} finds them by words"))
    }
}

/// Parses the arguments of the called tool: an object, or its JSON text. The schema declares a text, because providers of models refuse an
/// object without properties. `None` for anything else.
fn parse_arguments(arguments: Option<&Json>) -> Option<JsonObject> {
    match arguments {
        None | Some(Json::Null) => Some(JsonObject::new()),
        Some(Json::Object(inner)) => Some(inner.clone()),
        Some(Json::String(text)) if text.trim().is_empty() => Some(JsonObject::new()),
        Some(Json::String(text)) => serde_json::from_str(text).ok(),
        Some(_) => None,
    }
}

fn error_result(message: &str) -> CallToolResult {
    refused::result(&ClientError::new(ErrorKind::BadRequest, message), MetaObject::new())
}

fn brief(entry: &ToolEntry, operation: &Operation) -> Json {
    let params = operation.params.iter().filter(|param| !param.rest_only);
    let params: Vec<String> = params
        .map(
            |param| {
                if param.is_required() { format!("{} (required)", param.name) } else { param.name.clone() }
            },
        )
        .collect();
    json!({
        "name": entry.tool.name,
        "description": entry.tool.description,
        "toolset": entry.toolsets.first(),
        "tier": wording::tier(operation),
        "arguments": params,
    })
}

fn brief_chart(tool: &Tool, operation: Option<&Operation>) -> Json {
    let mut brief = json!({
        "name": tool.name,
        "description": tool.description,
        "toolset": chart::TOOLSET,
        "tier": operation.map_or_else(|| "that of the operation".to_owned(), |operation| wording::tier(operation).to_string()),
        "arguments": ["operation (required)", "arguments", "theme", "form"],
    });
    if let (Some(brief), Some(operation)) = (brief.as_object_mut(), operation) {
        brief.insert("operation".to_owned(), operation.name.clone().into());
    }
    brief
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_tools_say_what_they_do_to_what_is_kept() {
        let tools = tools();
        let reads: Vec<_> =
            tools.iter().map(|tool| tool.annotations.as_ref().unwrap().read_only_hint).collect();
        assert_eq!(reads, [Some(true), Some(true), Some(false)]);
    }
}
