//! The arguments of a chat tool's call, validated against its declaration: each error names the allowed values.

use std::collections::BTreeMap;

use rmcp::model::JsonObject;
use serde_json::Value as Json;

use super::tool::ChatTool;
use super::tool_file::{CURSOR, ChatPart, FEWEST_CHARS, LENGTH, MOST_CHARS, ParamKind, ParamSpec, SNAPSHOT};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Market, argument_text, bracketed_hint, truncate_for_message};

/// Default length of an answer, in characters: some 1,500 tokens.
const USUAL_CHARACTERS: usize = 6_000;
/// Most items of a list, unless the declaration has another limit.
const MOST_ITEMS: i64 = 50;

/// Arguments that every tool takes and none declares.
const SHARED_ARGUMENTS: [&str; 3] = [CURSOR, LENGTH, SNAPSHOT];

/// Parsed arguments of a call.
#[derive(Debug, Clone)]
pub(super) struct ChatArguments {
    /// Values of the parameters, one or several each; an omitted one has its default, if any.
    values: BTreeMap<String, Vec<String>>,
    /// Names of the parameters for which the caller sent a value.
    provided: Vec<String>,
    /// Part of an earlier answer to continue, and the number of its rows already seen.
    pub cursor: Option<(String, usize)>,
    /// Longest answer, in characters.
    pub chars: usize,
    /// Id of the requested set; `None` for the current one.
    pub snapshot: Option<String>,
}

impl ChatArguments {
    /// Parses the arguments; the error lists all violations, each with the allowed values.
    pub(super) fn read(tool: &ChatTool, arguments: &JsonObject) -> Result<Self, ClientError> {
        let mut violations: Vec<(String, String)> = Vec::new();
        let mut values = BTreeMap::new();
        for name in arguments.keys() {
            if tool.listed_params().all(|param| param.name != *name)
                && !SHARED_ARGUMENTS.contains(&name.as_str())
            {
                violations.push((name.clone(), unknown_argument(tool, name)));
            }
        }
        for param in tool.listed_params() {
            match parse_values(param, arguments.get(&param.name)) {
                Ok(items) if !items.is_empty() => drop(values.insert(param.name.clone(), items)),
                Ok(_) if param.required => {
                    let words = if param.words.is_empty() { "" } else { ": " };
                    let message = format!("`{}` is required{words}{}", param.name, param.words);
                    violations.push((param.name.clone(), message));
                }
                Ok(_) => {}
                Err(message) => violations.push((param.name.clone(), message)),
            }
        }
        let text = |name: &str| arguments.get(name).map(argument_text).filter(|text| !text.trim().is_empty());
        let cursor = parse_cursor(tool, text(CURSOR)).unwrap_or_else(|message| {
            violations.push((CURSOR.to_owned(), message));
            None
        });
        let chars = parse_chars(text(LENGTH)).unwrap_or_else(|message| {
            violations.push((LENGTH.to_owned(), message));
            USUAL_CHARACTERS
        });
        if violations.is_empty() {
            let names = tool.file.param.iter().map(|param| param.name.clone());
            let provided = names.filter(|name| arguments.get(name).is_some_and(is_provided)).collect();
            return Ok(Self { values, provided, cursor, chars, snapshot: text(SNAPSHOT) });
        }
        Err(ClientError::invalid(ErrorKind::BadRequest, violations))
    }

    /// Returns the arguments with another value of a parameter.
    #[must_use]
    pub(super) fn with(&self, name: &str, value: impl Into<String>) -> Self {
        let mut arguments = self.clone();
        arguments.values.insert(name.to_owned(), vec![value.into()]);
        arguments
    }

    /// Returns the values of a parameter; empty without any.
    pub(super) fn values(&self, name: &str) -> &[String] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the first value of a parameter.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.values(name).first().map(String::as_str)
    }

    /// Returns the names of the parameters for which the caller sent a value.
    pub(super) fn provided(&self) -> &[String] {
        &self.provided
    }

    /// Returns the market that the arguments name; `None` if they name none.
    pub(super) fn market(&self, tool: &ChatTool) -> Option<Market> {
        self.value(&tool.market_param()?.name)?.parse().ok()
    }

    /// Returns the tickers among the arguments, each after the name of its parameter.
    pub(super) fn tickers<'a>(&'a self, tool: &'a ChatTool) -> impl Iterator<Item = (&'a str, &'a str)> {
        let params = tool.file.param.iter();
        let params = params.filter(|param| matches!(param.kind, ParamKind::Symbol | ParamKind::Symbols));
        params.flat_map(|param| {
            self.values(&param.name).iter().map(|value| (param.name.as_str(), value.as_str()))
        })
    }

    /// Returns true if the arguments request a part of the answer.
    pub(super) fn requests(&self, part: &ChatPart) -> bool {
        if let Some((name, _)) = &self.cursor {
            return *name == part.name;
        }
        let has = |name: &String, words: &String| {
            let values = self.values(name);
            match words.as_str() {
                "*" => !values.is_empty(),
                "#" => values.iter().any(|value| value.parse::<u64>().is_ok()),
                words => words.split(',').any(|word| values.iter().any(|value| value == word.trim())),
            }
        };
        // A parameter without a value matches every choice; `*` and `#` match only a value.
        let is_open = |name: &String, words: &String| {
            !["*", "#"].contains(&words.as_str()) && self.values(name).is_empty()
        };
        part.when.iter().all(|(name, words)| has(name, words) || is_open(name, words))
            && !part.unless.iter().any(|(name, words)| has(name, words))
    }
}

/// Returns false for blanks, `[]` and null, which clients of strict schemas send in place of omitted arguments.
fn is_provided(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::String(text) => !text.trim().is_empty(),
        Json::Array(items) => !items.is_empty(),
        _ => true,
    }
}

fn unknown_argument(tool: &ChatTool, name: &str) -> String {
    let declared = tool.listed_params().map(|param| param.name.as_str());
    let names: Vec<&str> = declared.chain(SHARED_ARGUMENTS).collect();
    let near = bracketed_hint(name, names.iter().copied());
    format!(
        "`{}` is not an argument of {}{near}; it takes {}",
        truncate_for_message(name),
        tool.name,
        names.join(", ")
    )
}

/// Parses the values of a parameter: its items, or one value; empty if it is omitted and has no default.
fn parse_values(param: &ParamSpec, argument: Option<&Json>) -> Result<Vec<String>, String> {
    let is_list = matches!(param.kind, ParamKind::List | ParamKind::Symbols);
    let text = |value: &Json| argument_text(value).trim().to_owned();
    let mut values: Vec<String> = match argument {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(items)) if is_list => items.iter().map(text).collect(),
        Some(value) if is_list => text(value).split(',').map(|item| item.trim().to_owned()).collect(),
        Some(object @ Json::Object(_)) if param.kind == ParamKind::Object => vec![object.to_string()],
        Some(array @ Json::Array(_)) if param.kind == ParamKind::Values => vec![array.to_string()],
        Some(Json::Array(_) | Json::Object(_)) => return Err(format!("`{}` is one value", param.name)),
        Some(value) => vec![text(value)],
    };
    values.retain(|value| !value.is_empty());
    if values.is_empty() {
        values.extend(param.default.clone());
    }
    let most = param.most.unwrap_or(MOST_ITEMS);
    if is_list && i64::try_from(values.len()).is_ok_and(|count| count > most) {
        return Err(format!("`{}` has {} items; at most {most} are allowed", param.name, values.len()));
    }
    values.into_iter().map(|value| check_value(param, value)).collect()
}

/// Checks a value against the declaration.
fn check_value(param: &ParamSpec, value: String) -> Result<String, String> {
    let name = &param.name;
    let one_of = |words: &[&str]| {
        let lower = value.to_lowercase();
        match words.iter().find(|word| word.to_lowercase() == lower) {
            Some(word) => Ok((*word).to_owned()),
            None => {
                Err(format!("`{name}`: `{}` is none of {}", truncate_for_message(&value), words.join(", ")))
            }
        }
    };
    match param.kind {
        ParamKind::Market => one_of(&Market::ALL.map(Market::word)),
        ParamKind::Symbol | ParamKind::Symbols => Ok(value.to_uppercase()),
        ParamKind::Object | ParamKind::Values => Ok(value),
        ParamKind::Text | ParamKind::List if param.values.is_empty() => Ok(value),
        ParamKind::Text | ParamKind::List => {
            one_of(&param.values.iter().map(String::as_str).collect::<Vec<_>>())
        }
        ParamKind::Int | ParamKind::Number => {
            let number: f64 = value
                .parse()
                .map_err(|_| format!("`{name}`: `{}` is no number", truncate_for_message(&value)))?;
            let (least, most) = (param.least.unwrap_or(i64::MIN), param.most.unwrap_or(i64::MAX));
            let is_number = param.kind == ParamKind::Number;
            let numbers = if is_number { "numbers" } else { "whole numbers" };
            if (is_number || number.fract() == 0.0) && number >= least as f64 && number <= most as f64 {
                Ok(value)
            } else {
                Err(format!(
                    "`{name}`: {} is not allowed; {numbers} from {least} to {most} are",
                    truncate_for_message(&value)
                ))
            }
        }
    }
}

/// Parses a cursor: the part and the number of its rows already seen, as in `left_out` of an answer.
fn parse_cursor(tool: &ChatTool, text: Option<String>) -> Result<Option<(String, usize)>, String> {
    let Some(text) = text else { return Ok(None) };
    let parsed = text
        .split_once(':')
        .and_then(|(part, seen)| Some((part.trim().to_owned(), seen.trim().parse().ok()?)));
    match parsed {
        Some((part, seen)) if tool.file.part.iter().any(|other| other.name == part) => Ok(Some((part, seen))),
        _ => Err(format!(
            "`{CURSOR}`: `{}` is none; take it from `left_out` of an answer of {}",
            truncate_for_message(&text),
            tool.name
        )),
    }
}

fn parse_chars(text: Option<String>) -> Result<usize, String> {
    let Some(text) = text else { return Ok(USUAL_CHARACTERS) };
    let length = text.trim().parse().ok().filter(|chars| (FEWEST_CHARS..=MOST_CHARS).contains(chars));
    length.ok_or_else(|| {
        format!(
            "`{LENGTH}`: `{}` is not a number from {FEWEST_CHARS} to {MOST_CHARS}",
            truncate_for_message(&text)
        )
    })
}

/// Splits a text into lower-case words.
pub(super) fn split(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
