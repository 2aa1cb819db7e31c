//! `get_chart`: the only tool that is not one operation. It draws the operations that declare a picture, for clients whose users look at
//! pictures, and is not part of the API contract.
//!
//! This module has its listing and its argument parsing. It has no output schema, and its results no structured content: a client refuses a
//! result without structured content if the tool promises it, and may show nothing but structured content if it gets any.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value as Json, json};

use super::chart_app;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{
    AnswerFormat, Catalogue, DrawingTheme, Operation, argument_text, nearest, truncate_for_message,
};
use parquote_engine::lacking_feature;

const NAME: &str = "get_chart";
/// Toolset of the tool.
pub(super) const TOOLSET: &str = "charts";

const OPERATION: &str = "operation";
const ARGUMENTS: &str = "arguments";
const THEME: &str = "theme";
const FORM: &str = "form";
/// Argument that models send although the operation's name determines the market.
const MARKET: &str = "market";
const ALL: [&str; 4] = [OPERATION, ARGUMENTS, THEME, FORM];
/// Returns the formats in which this build draws, the default first.
fn forms() -> impl Iterator<Item = AnswerFormat> {
    [AnswerFormat::Png, AnswerFormat::Svg].into_iter().filter(|format| lacking_feature(*format).is_none())
}

/// Returns the default format of a chart: PNG, or SVG in a build without raster pictures.
fn default_form() -> AnswerFormat {
    forms().next().unwrap_or(AnswerFormat::Svg)
}

/// A parsed request for a chart.
#[derive(Debug)]
pub(super) struct ChartRequest {
    /// The operation to draw.
    pub operation: Arc<Operation>,
    /// Parameters of the operation as query pairs.
    pub pairs: Vec<(String, String)>,
    /// Colour theme; `None` for the default.
    theme: Option<String>,
    /// PNG or SVG.
    pub format: AnswerFormat,
}

/// Builds the tool; `None` if no operation has a picture.
pub(super) fn tool(catalogue: &Catalogue) -> Option<Tool> {
    let names = drawable_operations(catalogue).map(|operation| operation.name.as_str()).collect::<Vec<_>>();
    if names.is_empty() {
        return None;
    }
    let content = match default_form() {
        AnswerFormat::Png => "a PNG, with its key figures and links as text",
        _ => "SVG",
    };
    let words = format!(
        "A chart as {content}; hosts with MCP Apps show it live. It costs what its operation costs and needs the same tier. Parameters: \
         parquote://guides/charts; explore/chart takes symbol and range (1m to 5y)."
    );
    let schema = json!({
        "type": "object",
        "properties": {
            OPERATION: {"type": "string", "enum": names, "description": "What is drawn."},
            ARGUMENTS: {
                "type": "string",
                "description": "Parameters of the operation as JSON text, such as {\"symbol\": \"ABC\", \"range\": \"1y\"}."
            },
            THEME: {"type": "string", "enum": DrawingTheme::ALL.map(DrawingTheme::word)},
            FORM: {"type": "string", "enum": forms().map(AnswerFormat::word).collect::<Vec<_>>(), "description": "svg is for views: markup alone."}
        },
        "required": [OPERATION],
        "additionalProperties": false
    });
    let schema = schema.as_object().cloned().unwrap_or_default();
    let hints = ToolAnnotations::new().read_only(true).destructive(false).open_world(false);
    let tool = Tool::new(NAME, words, Arc::new(schema)).with_title("Chart").with_annotations(hints);
    Some(tool.with_meta(chart_app::tool_meta()))
}

/// Returns the operations that can be drawn, in catalogue order.
pub(super) fn drawable_operations(catalogue: &Catalogue) -> impl Iterator<Item = &Arc<Operation>> {
    catalogue.operations().iter().filter(|operation| operation.has_picture())
}

impl ChartRequest {
    /// Parses the arguments of the tool; the error lists all violations, each with the allowed values. The arguments of the operation are
    /// validated by the operation.
    pub(super) fn read(catalogue: &Catalogue, arguments: &JsonObject) -> Result<Self, ClientError> {
        let mut violations: Vec<(String, String)> = Vec::new();
        let mut refuse = |name: &str, message: String| violations.push((name.to_owned(), message));
        for name in arguments.keys().filter(|name| !ALL.contains(&name.as_str())) {
            if name != MARKET {
                refuse(name, unknown_argument(name));
            }
        }
        let theme = parse_choice(arguments, THEME, &DrawingTheme::ALL.map(DrawingTheme::word));
        let theme = theme.unwrap_or_else(|message| {
            refuse(THEME, message);
            None
        });
        let format = parse_choice(arguments, FORM, &forms().map(AnswerFormat::word).collect::<Vec<_>>())
            .unwrap_or_else(|message| {
                refuse(FORM, message);
                None
            });
        let format = format.and_then(|word| AnswerFormat::from_word(&word)).unwrap_or_else(default_form);
        let mut pairs = parse_pairs(arguments.get(ARGUMENTS)).unwrap_or_else(|message| {
            refuse(ARGUMENTS, message);
            Vec::new()
        });
        let name = arguments.get(OPERATION).map(argument_text).unwrap_or_default();
        let inner_market = pairs.extract_if(.., |(name, _)| name == MARKET).map(|(_, market)| market).next();
        if let Some(market) = arguments.get(MARKET).map(argument_text).or(inner_market)
            && let Err(message) = check_market(&name, &market)
        {
            refuse(MARKET, message);
        }
        match find_operation(catalogue, arguments.get(OPERATION)) {
            Ok(operation) if violations.is_empty() => Ok(Self { operation, pairs, theme, format }),
            Ok(_) => Err(ClientError::invalid(ErrorKind::BadRequest, violations)),
            Err(message) => {
                violations.insert(0, (OPERATION.to_owned(), message));
                Err(ClientError::invalid(ErrorKind::BadRequest, violations))
            }
        }
    }

    /// Builds a request for an operation's chart in the default format.
    pub(super) fn new(
        operation: Arc<Operation>,
        pairs: Vec<(String, String)>,
        theme: Option<String>,
    ) -> Self {
        Self { operation, pairs, theme, format: default_form() }
    }

    /// Returns the query pairs of the call that draws it.
    pub(super) fn drawing_pairs(&self) -> Vec<(&str, &str)> {
        let pairs = self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let theme = self.theme.as_deref().map(|theme| (THEME, theme));
        pairs.chain([("format", self.format.word())]).chain(theme).collect()
    }
}

/// Checks that the caller named the market of the operation, whose name alone determines the market.
fn check_market(operation: &str, market: &str) -> Result<(), String> {
    let name = operation.trim_start_matches('/').trim_start_matches("v1/");
    let is_us = name.starts_with("us/");
    match market.trim().to_lowercase().as_str() {
        "us" if !is_us => Err(format!(
            "`{MARKET}`: for the US, put `us/` before the operation: us/{}",
            truncate_for_message(name)
        )),
        "india" if is_us => Err(format!(
            "`{MARKET}`: for India, leave out `us/`: {}",
            truncate_for_message(name.trim_start_matches("us/"))
        )),
        "" | "us" | "india" => Ok(()),
        other => Err(format!(
            "`{MARKET}`: `{}` is none of india, us; the operation says it: US ones begin with `us/`",
            truncate_for_message(other)
        )),
    }
}

fn unknown_argument(name: &str) -> String {
    format!(
        "`{}` is not an argument of {NAME}, which takes {}; parameters of the operation belong under `{ARGUMENTS}`",
        truncate_for_message(name),
        ALL.join(", ")
    )
}

/// Returns the value of an argument that takes one of several words.
fn parse_choice(arguments: &JsonObject, name: &str, allowed: &[&str]) -> Result<Option<String>, String> {
    let text = arguments.get(name).map(argument_text).unwrap_or_default().trim().to_lowercase();
    match text.as_str() {
        "" => Ok(None),
        text if allowed.contains(&text) => Ok(Some(text.to_owned())),
        text => Err(format!("`{name}`: `{}` is none of {}", truncate_for_message(text), allowed.join(", "))),
    }
}

/// Parses the parameters of the operation: an object, or its JSON text. The schema declares a text, because providers of models refuse an
/// object without properties.
fn parse_pairs(parameters: Option<&Json>) -> Result<Vec<(String, String)>, String> {
    let pairs_of = |object: &JsonObject| {
        object.iter().map(|(name, value)| (name.clone(), argument_text(value))).collect::<Vec<_>>()
    };
    let wrong = || {
        format!("`{ARGUMENTS}` is an object of the operation's parameters, such as {{\"symbol\": \"ABC\"}}")
    };
    match parameters {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::Object(object)) => Ok(pairs_of(object)),
        Some(Json::String(text)) if text.trim().is_empty() => Ok(Vec::new()),
        Some(Json::String(text)) => match serde_json::from_str(text) {
            Ok(Json::Object(object)) => Ok(pairs_of(&object)),
            _ => Err(wrong()),
        },
        Some(_) => Err(wrong()),
    }
}

/// Returns the operation that is requested by name; the error hints at an operation whose tool has that name, or at the nearest name.
fn find_operation(catalogue: &Catalogue, name: Option<&Json>) -> Result<Arc<Operation>, String> {
    let text = name.map(argument_text).unwrap_or_default();
    let requested = text.trim().trim_start_matches('/');
    let requested = requested.strip_prefix("v1/").unwrap_or(requested);
    if let Some(found) = drawable_operations(catalogue).find(|operation| operation.name == requested) {
        return Ok(Arc::clone(found));
    }
    let names = || drawable_operations(catalogue).map(|operation| operation.name.as_str());
    let with_tool =
        || drawable_operations(catalogue).find(|operation| operation.tool.as_deref() == Some(requested));
    let near = with_tool().map(|operation| operation.name.as_str()).or_else(|| nearest(requested, names()));
    let near = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
    let listed = names().collect::<Vec<_>>().join(", ");
    let exists = catalogue.operations().iter().any(|operation| operation.name == requested);
    Err(match requested {
        "" => format!("`{OPERATION}` is required: one of {listed}"),
        _ if exists => {
            format!("`{OPERATION}`: {requested} has no picture{near}; those with one are {listed}")
        }
        _ => {
            format!(
                "`{OPERATION}`: there is no `{}`{near}; those with a picture are {listed}",
                truncate_for_message(requested)
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: Json) -> Result<ChartRequest, ClientError> {
        let Json::Object(arguments) = arguments else { panic!("no object") };
        ChartRequest::read(&Catalogue::with_overlay(&[]).unwrap(), &arguments)
    }

    #[test]
    fn arguments_are_read_as_object_and_as_text() {
        for arguments in [json!({"symbol": "A", "limit": 3}), json!(r#"{"symbol": "A", "limit": 3.0}"#)] {
            let requested =
                json!({"operation": "/v1/company/daily-prices", "arguments": arguments, "theme": "Dark"});
            let request = read(requested).unwrap();
            assert_eq!(request.operation.name, "company/daily-prices");
            let pairs = [("symbol", "A"), ("limit", "3"), ("format", "png"), ("theme", "dark")];
            assert_eq!(request.drawing_pairs(), pairs);
        }
        let bare = read(json!({"operation": "market/rrg", "form": "svg", "arguments": null})).unwrap();
        assert_eq!(bare.drawing_pairs(), [("format", "svg")]);
    }

    #[test]
    fn a_market_is_said_by_the_name_of_the_operation() {
        let message = |arguments: Json| read(arguments).unwrap_err().message;
        let refusal = message(json!({"operation": "explore/rotation", "market": "us"}));
        assert!(refusal.contains("put `us/` before the operation: us/explore/rotation"), "{refusal}");
        assert_eq!(message(json!({"operation": "explore/rotation", "arguments": {"market": "US"}})), refusal);
        let same =
            read(json!({"operation": "us/explore/rotation", "market": "us", "arguments": {"market": "us"}}));
        assert!(same.unwrap().pairs.is_empty());
        assert!(message(json!({"operation": "market/rrg", "market": "uk"})).contains("none of india, us"));
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let wrong = json!({"operation": "explore/chrt", "symbol": "A", "theme": "blue", "form": "jpg", "arguments": [1]});
        let error = read(wrong).unwrap_err();
        let names: Vec<&str> = error.violations.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["operation", "symbol", "theme", "form", "arguments"]);
        for part in ["did you mean `explore/chart`", "belong under `arguments`", "light, dark", "png, svg"] {
            assert!(error.message.contains(part), "{part}: {}", error.message);
        }
        let undrawn = read(json!({"operation": "companies"})).unwrap_err().message;
        assert!(undrawn.contains("companies has no picture") && undrawn.contains("market/rrg"), "{undrawn}");
        let of_tool = read(json!({"operation": "get_sector_rrg"})).unwrap_err().message;
        assert!(of_tool.contains("did you mean `market/rrg`"), "{of_tool}");
        assert!(read(json!({})).unwrap_err().message.contains("`operation` is required"));
    }
}
