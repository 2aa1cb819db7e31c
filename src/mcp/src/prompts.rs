//! Prompts: ready-made analyses, declared in the files under `queries/prompts`. A step names the tool that answers it, and is omitted
//! without that tool: a prompt never names a tool that a model cannot call.

use std::fmt::Write as _;

use rmcp::model::{ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde::Deserialize;

use super::chat::ChatTools;
use super::detail::{self, DETAIL};
use super::refused;
use super::tools::ToolList;
use parquote_catalogue::operation::{
    Catalogue, DeclarationError, Market, hint, line_of, read_declarations, read_toml, truncate_for_message,
};

/// Folder of the declarations, below `queries/`.
pub const PROMPTS_FOLDER: &str = "prompts/";

/// Last paragraph of every prompt.
const LAST_PARAGRAPH: &str = "State the `as_of` date. Quote figures as the tools give them, say where one is missing, and separate \
                       what the data shows from what you conclude. This is analysis, not advice.";

/// The argument that chooses the market.
const MARKET: &str = "market";

/// All prompts, in the order of their lists.
#[derive(Debug, Default)]
pub struct Prompts(Vec<PromptFile>);

/// A declared prompt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PromptFile {
    /// Name of the prompt, which is the name of its file.
    #[serde(skip)]
    name: String,
    title: String,
    description: String,
    /// Position in the list; the lowest first.
    place: u32,
    /// The first paragraph; `{name}` is replaced by an argument in all texts of the prompt.
    opening: String,
    /// The paragraph after the steps.
    closing: String,
    #[serde(default)]
    arguments: Vec<ArgumentSpec>,
    /// Steps that call the tools of operations.
    steps: Vec<PromptStep>,
    /// Steps that call the chat tools.
    #[serde(default)]
    chat: Vec<PromptStep>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArgumentSpec {
    name: String,
    description: String,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    default: String,
}

/// A step of an analysis: a call, written as the tool and its arguments, and its purpose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PromptStep {
    /// The call in both markets.
    call: Option<String>,
    india: Option<String>,
    us: Option<String>,
    purpose: String,
}

impl PromptStep {
    /// Returns the call of the step in a market; `None` if the step is omitted there.
    fn call_in(&self, market: Market) -> Option<&str> {
        let market_call = if market == Market::Us { &self.us } else { &self.india };
        market_call.as_deref().or(self.call.as_deref())
    }
}

impl Prompts {
    /// Parses the declarations of a catalogue.
    ///
    /// # Errors
    /// The first mistake of each faulty file, with its line.
    pub fn from_catalogue(catalogue: &Catalogue) -> Result<Self, Vec<DeclarationError>> {
        Self::from_files(catalogue, catalogue.declarations(PROMPTS_FOLDER))
    }

    /// Parses declarations, each the path below `queries/` and the text of a file.
    ///
    /// # Errors
    /// As [`Prompts::from_catalogue`].
    pub fn from_files<'a>(
        catalogue: &Catalogue,
        files: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Vec<DeclarationError>> {
        let tools = ChatTools::from_catalogue(catalogue)?;
        let read = |file: &str, text: &str| PromptFile::read(file, text, catalogue, &tools);
        let mut prompts = read_declarations(files, read)?;
        prompts.sort_by(|one, other| (one.place, &one.name).cmp(&(other.place, &other.name)));
        Ok(Self(prompts))
    }

    /// Returns the prompts in the form of a listing.
    pub(super) fn list(&self) -> Vec<Prompt> {
        let argument = |argument: &ArgumentSpec| {
            PromptArgument::new(argument.name.clone())
                .with_description(argument.description.clone())
                .with_required(argument.required)
        };
        let prompt = |file: &PromptFile| {
            let arguments = file.arguments.iter().map(argument).collect();
            Prompt::new(file.name.clone(), Some(file.description.clone()), Some(arguments))
                .with_title(file.title.clone())
        };
        self.0.iter().map(prompt).collect()
    }

    /// Returns a prompt with its arguments filled in; an error for an unknown prompt or invalid arguments.
    pub(super) fn get(
        &self,
        tools: PromptTools<'_>,
        name: &str,
        arguments: &JsonObject,
    ) -> Result<GetPromptResult, ErrorData> {
        let prompt = self.0.iter().find(|prompt| prompt.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.0.iter().map(|prompt| prompt.name.as_str()).collect();
            refused::invalid_params(&format!(
                "Unknown prompt: {}; the prompts are {}",
                truncate_for_message(name),
                names.join(", ")
            ))
        })?;
        let values = prompt.values(arguments)?;
        let market = values.iter().find(|(name, _)| *name == MARKET).map_or("", |(_, value)| value.as_str());
        let market: Market =
            market.parse().map_err(|error: String| refused::invalid_params(&format!("`market`: {error}")))?;
        let text = fill(&prompt.text(market, tools), &values);
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
            .with_description(prompt.description.clone()))
    }
}

impl PromptFile {
    fn read(
        file: &str,
        text: &str,
        catalogue: &Catalogue,
        tools: &ChatTools,
    ) -> Result<Self, (usize, String)> {
        let mut prompt: Self = read_toml(text)?;
        let name = file.strip_prefix(PROMPTS_FOLDER).and_then(|file| file.strip_suffix(".toml"));
        name.ok_or_else(|| (1, "a prompt is a `.toml` file".to_owned()))?.clone_into(&mut prompt.name);
        prompt
            .check(catalogue, tools)
            .map_err(|(near, message)| (text.find(&near).map_or(1, |byte| line_of(text, byte)), message))?;
        Ok(prompt)
    }

    /// Checks the tools and parameters of calls, and the placeholders; the error is a word near the mistake, and a message.
    fn check(&self, catalogue: &Catalogue, tools: &ChatTools) -> Result<(), (String, String)> {
        let is_market =
            |argument: &ArgumentSpec| argument.name == MARKET && argument.default.parse::<Market>().is_ok();
        if !self.arguments.iter().any(is_market) {
            return Err((self.title.clone(), "a prompt has an argument `market` with a default".to_owned()));
        }
        let values: Vec<(&str, String)> =
            self.arguments.iter().map(|argument| (argument.name.as_str(), String::new())).collect();
        let calls = |steps: &[PromptStep]| -> Vec<String> {
            steps.iter().flat_map(|step| [&step.call, &step.india, &step.us]).flatten().cloned().collect()
        };
        let (whole, chat) = (calls(&self.steps), calls(&self.chat));
        let purposes = self.steps.iter().chain(&self.chat).map(|step| &step.purpose);
        for text in whole.iter().chain(&chat).chain(purposes).chain([&self.opening, &self.closing]) {
            if fill(text, &values).contains('{') {
                return Err((text.clone(), format!("`{text}` has a placeholder that is not an argument")));
            }
        }
        whole.iter().try_for_each(|call| check_call(call, catalogue))?;
        chat.iter().try_for_each(|call| check_chat_call(call, tools))
    }

    /// Returns the value of each declared argument, or its default.
    fn values(&self, arguments: &JsonObject) -> Result<Vec<(&str, String)>, ErrorData> {
        const LONGEST_VALUE: usize = 100;
        let names: Vec<&str> = self.arguments.iter().map(|argument| argument.name.as_str()).collect();
        if let Some(unknown) = arguments.keys().find(|name| !names.contains(&name.as_str())) {
            let message = format!(
                "`{}` is not an argument of {}; it takes {}",
                truncate_for_message(unknown),
                self.name,
                names.join(", ")
            );
            return Err(refused::invalid_params(&message));
        }
        let mut values = Vec::new();
        for argument in &self.arguments {
            let value =
                arguments.get(&argument.name).and_then(|value| value.as_str()).unwrap_or_default().trim();
            if value.is_empty() && argument.required {
                return Err(refused::invalid_params(&format!("`{}` is required", argument.name)));
            }
            if value.chars().count() > LONGEST_VALUE || value.chars().any(char::is_control) {
                let message =
                    format!("`{}` is one line of at most {LONGEST_VALUE} characters", argument.name);
                return Err(refused::invalid_params(&message));
            }
            values.push((
                argument.name.as_str(),
                if value.is_empty() { &argument.default } else { value }.to_owned(),
            ));
        }
        Ok(values)
    }

    /// Returns the text of the prompt in a market, with placeholders.
    fn text(&self, market: Market, tools: PromptTools<'_>) -> String {
        let mut text = format!("{}\n\nUse these tools:\n", self.opening);
        let steps = if matches!(tools, PromptTools::Chat(_)) { &self.chat } else { &self.steps };
        for (step, call) in steps.iter().filter_map(|step| Some((step, step.call_in(market)?))) {
            if tools.has(call.split(' ').next().unwrap_or_default()) {
                let _ = writeln!(text, "- {call}: {}.", step.purpose);
            }
        }
        let _ = write!(text, "\n{}\n{LAST_PARAGRAPH}", self.closing);
        text
    }
}

/// The tools that a prompt can name.
#[derive(Clone, Copy)]
pub(super) enum PromptTools<'a> {
    /// The tools of all operations.
    Whole(&'a ToolList),
    Chat(&'a ChatTools),
}

impl PromptTools<'_> {
    fn has(self, name: &str) -> bool {
        match self {
            Self::Whole(tools) => tools.find(name).is_some(),
            Self::Chat(tools) => tools.find(name).is_some(),
        }
    }
}

/// Checks that a call names a chat tool and that the tool has all parameters of the call.
fn check_chat_call(call: &str, tools: &ChatTools) -> Result<(), (String, String)> {
    let mut words = call.split(' ');
    let name = words.next().unwrap_or_default();
    let Some(tool) = tools.find(name) else {
        return Err((call.to_owned(), format!("there is no chat tool `{name}`")));
    };
    let unknown = words.filter_map(|pair| pair.split('=').next()).find(|param| !tool.has_param(param));
    match unknown {
        Some(param) => Err((call.to_owned(), format!("{name} has no parameter `{param}`"))),
        None => Ok(()),
    }
}

/// Checks that a call has a known tool, and only parameters of that tool.
fn check_call(call: &str, catalogue: &Catalogue) -> Result<(), (String, String)> {
    let mut words = call.split(' ');
    let tool = words.next().unwrap_or_default();
    let operations = catalogue.operations().iter();
    let Some(operation) = operations.clone().find(|known| known.tool.as_deref() == Some(tool)) else {
        let near = hint(tool, operations.filter_map(|operation| operation.tool.as_deref()));
        return Err((call.to_owned(), format!("there is no tool `{tool}`{near}")));
    };
    for pair in words {
        let name = pair.split_once('=').map_or(pair, |(name, _)| name);
        let is_known = operation.param(name).is_some_and(|param| !param.rest_only)
            || name == DETAIL && detail::schema(operation).is_some();
        if !is_known {
            return Err((call.to_owned(), format!("{tool} has no parameter `{name}`")));
        }
    }
    Ok(())
}

fn fill(text: &str, values: &[(&str, String)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_in_a_prompt_is_told_at_its_line() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        assert_eq!(Prompts::from_catalogue(&catalogue).unwrap().0.len(), 9);
        let shipped = catalogue.declarations("prompts/compare.toml").next().unwrap().1;
        let mistake = |from: &str, to: &str| {
            let text = shipped.replace(from, to);
            let read = Prompts::from_files(&catalogue, [("prompts/mine.toml", text.as_str())].into_iter());
            let mistakes = read.unwrap_err();
            assert_eq!(mistakes.len(), 1);
            (text.lines().nth(mistakes[0].line - 1).unwrap().to_owned(), mistakes[0].message.clone())
        };
        let (line, message) = mistake("get_company_scorecard", "get_company_scorcard");
        assert!(
            line.contains("get_company_scorcard") && message.contains("did you mean `get_company_scorecard`")
        );
        let (line, message) = mistake("get_momentum symbol", "get_momentum ticker");
        assert!(line.contains("ticker=") && message.contains("no parameter `ticker`"), "{message}");
        assert!(mistake("{symbols}", "{tickers}").1.contains("placeholder"));
        assert!(mistake("closing =", "ending =").1.contains("unknown field"));
        assert!(mistake("default = \"india\"", "default = \"uk\"").1.contains("`market`"));
        assert!(mistake("companies symbols", "company symbols").1.contains("no chat tool `company`"));
        assert!(mistake("companies symbols", "companies symbol").1.contains("no parameter `symbol`"));
    }
}
