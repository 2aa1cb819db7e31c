//! Ready-made analyses. A line of a prompt names the tool that answers it, and is left out where that tool is not there: a
//! prompt never sends a model after what it cannot call.

use std::fmt::Write as _;

use rmcp::model::{ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use super::prompt_scripts::{Argument, MARKET, PromptStep, SCRIPTS, Script};
use super::refused;
use super::tools::ToolList;
use parquote_catalogue::operation::{Market, shown};

/// What every analysis ends with.
const HONESTLY: &str = "State the `as_of` date. Quote figures as the tools give them, say where one is missing, and separate \
                        what the data shows from what you conclude. This is analysis, not advice.";

/// The prompts.
pub(super) fn list() -> Vec<Prompt> {
    let argument = |argument: &Argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.required)
    };
    let prompt = |script: &Script| {
        let arguments = script.arguments.iter().map(argument).collect();
        Prompt::new(script.name, Some(script.description), Some(arguments)).with_title(script.title)
    };
    SCRIPTS.iter().map(prompt).collect()
}

/// A prompt with its arguments in place.
///
/// # Errors
/// A prompt that there is not, or arguments that do not fit it.
pub(super) fn get(
    tools: &ToolList,
    name: &str,
    arguments: &JsonObject,
) -> Result<GetPromptResult, ErrorData> {
    let script = SCRIPTS.iter().find(|script| script.name == name).ok_or_else(|| {
        let names: Vec<&str> = SCRIPTS.iter().map(|script| script.name).collect();
        refused::invalid_params(&format!(
            "Unknown prompt: {}; the prompts are {}",
            shown(name),
            names.join(", ")
        ))
    })?;
    let values = values(script, arguments)?;
    let market = values
        .iter()
        .find(|(name, _)| *name == MARKET.name)
        .map_or(MARKET.default, |(_, value)| value.as_str());
    let market: Market =
        market.parse().map_err(|error: String| refused::invalid_params(&format!("`market`: {error}")))?;
    let text = fill(&text(script, market, tools), &values);
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
        .with_description(script.description))
}

/// The value of each argument.
fn values(script: &Script, arguments: &JsonObject) -> Result<Vec<(&'static str, String)>, ErrorData> {
    const LONGEST: usize = 100;
    let names: Vec<&str> = script.arguments.iter().map(|argument| argument.name).collect();
    if let Some(unknown) = arguments.keys().find(|name| !names.contains(&name.as_str())) {
        let message =
            format!("`{}` is no argument of {}; it takes {}", shown(unknown), script.name, names.join(", "));
        return Err(refused::invalid_params(&message));
    }
    let mut values = Vec::new();
    for argument in script.arguments {
        let given = arguments.get(argument.name).and_then(|value| value.as_str()).unwrap_or_default().trim();
        if given.is_empty() && argument.required {
            return Err(refused::invalid_params(&format!("`{}` is required", argument.name)));
        }
        if given.chars().count() > LONGEST || given.chars().any(char::is_control) {
            let message = format!("`{}` is one line of at most {LONGEST} characters", argument.name);
            return Err(refused::invalid_params(&message));
        }
        values.push((argument.name, if given.is_empty() { argument.default } else { given }.to_owned()));
    }
    Ok(values)
}

fn text(script: &Script, market: Market, tools: &ToolList) -> String {
    let mut text = format!("{}\n\nUse these tools:\n", script.opening);
    for PromptStep(india, us, purpose) in script.lines {
        let call = if market == Market::Us { us } else { india };
        let tool = call.split(' ').next().unwrap_or_default();
        if tools.find(tool).is_some() {
            let _ = writeln!(text, "- {call}: {purpose}.");
        }
    }
    let _ = write!(text, "\n{}\n{HONESTLY}", script.closing);
    text
}

fn fill(text: &str, values: &[(&'static str, String)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

#[cfg(test)]
mod tests {
    use super::super::detail::{self, DETAIL};
    use super::*;
    use parquote_catalogue::operation::Catalogue;

    #[test]
    fn a_step_names_a_tool_with_parameters_of_its_own() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        let calls =
            SCRIPTS.iter().flat_map(|script| script.lines).flat_map(|PromptStep(india, us, _)| [*india, *us]);
        for call in calls.filter(|call| !call.is_empty()) {
            let mut words = call.split(' ');
            let tool = words.next();
            let operation = catalogue.operations().iter().find(|known| known.tool.as_deref() == tool);
            let operation = operation.unwrap_or_else(|| panic!("{call}"));
            for pair in words {
                let (name, _) = pair.split_once('=').unwrap();
                let is_own = operation.param(name).is_some_and(|param| !param.rest_only);
                assert!(
                    is_own || name == DETAIL && detail::schema(&operation.name).is_some(),
                    "{call}: {name}"
                );
            }
        }
    }

    #[test]
    fn placeholders_are_arguments() {
        for script in &SCRIPTS {
            let values: Vec<_> = script.arguments.iter().map(|a| (a.name, "VALUE".to_owned())).collect();
            let lines =
                script.lines.iter().flat_map(|PromptStep(india, us, purpose)| [*india, *us, *purpose]);
            for part in lines.chain([script.opening, script.closing]) {
                assert!(!fill(part, &values).contains('{'), "{}: {part}", script.name);
            }
        }
    }
}
