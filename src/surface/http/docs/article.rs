//! One operation on the manual page.

use std::fmt::Write as _;

use super::html::escape;
use super::{anchor, path};
use crate::engine::ResultColumn;
use crate::operation::{Access, Answer, Limits, Operation, Param, ParamType, Statement, Tier};
use crate::surface::{example_request, json_schema};

/// What stands in the example before the page knows its own address.
const ORIGIN: &str = "http://localhost:8080";

/// Writes the operation; `columns` are those of its statements, in their order.
pub(super) fn write(text: &mut String, operation: &Operation, columns: &[Vec<ResultColumn>]) {
    let _ = write!(text, "<article id=\"{}\">", anchor(operation));
    head(text, operation);
    let is_form = operation.has_route;
    if is_form {
        let open = if operation.access == Access::Public { " data-open" } else { "" };
        let _ = write!(text, "<form data-path=\"{}\"{open}>", escape(&path(operation)));
    }
    params(text, operation);
    fields(text, operation, columns);
    if is_form {
        request(text, operation);
        text.push_str("</form>");
    }
    text.push_str("</article>\n");
}

fn head(text: &mut String, operation: &Operation) {
    let tier = match operation.access {
        Access::Public => "no key",
        Access::From(tier) => tier.word(),
    };
    let (title, id) = (escape(&operation.title), anchor(operation));
    let _ = write!(
        text,
        "<div class=\"head\"><h3><a href=\"#{id}\">{title}</a></h3><span class=\"tier\">{tier}</span></div>"
    );
    text.push_str("<div class=\"path\">");
    if operation.has_route {
        let _ = write!(text, "<code>GET <b>{}</b></code>", escape(&path(operation)));
    }
    if let Some(tool) = &operation.tool {
        let joint = if operation.has_route { " · " } else { "" };
        let _ = write!(text, "{joint}tool <code>{}</code>", escape(tool));
    }
    text.push_str("</div>");
    if let Some(instead) = &operation.deprecated {
        let _ = write!(text, "<p class=\"old\">Deprecated: {}</p>", escape(instead));
    }
    for paragraph in operation.prose.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        let _ = write!(text, "<p>{}</p>", escape(paragraph));
    }
}

fn params(text: &mut String, operation: &Operation) {
    if operation.params.is_empty() {
        return;
    }
    text.push_str("<div class=\"scroll\"><table><tr><th>Parameter</th><th>Type</th><th>What it does</th>");
    text.push_str(if operation.has_route { "<th>Value</th></tr>" } else { "</tr>" });
    for param in &operation.params {
        let must = if param.required() { " <span class=\"must\" title=\"required\">*</span>" } else { "" };
        let _ = write!(
            text,
            "<tr><td><code>{}</code>{must}</td><td class=\"soft\">{}</td><td>{}{}</td>",
            escape(&param.name),
            param.ty.word(),
            escape(&json_schema::param_words(param)),
            escape(&allowed(param)),
        );
        if operation.has_route {
            text.push_str("<td class=\"given\">");
            field(text, param);
            text.push_str("</td>");
        }
        text.push_str("</tr>");
    }
    text.push_str("</table></div>");
}

/// The range and the default, as the end of a paragraph.
fn allowed(param: &Param) -> String {
    let mut text = String::new();
    let characters = if matches!(param.ty, ParamType::Text | ParamType::Period) { " characters" } else { "" };
    let _ = match &param.limits {
        Limits::Range(Some(low), Some(high)) => write!(text, " {low} to {high}{characters}."),
        Limits::Range(Some(low), None) => write!(text, " {low}{characters} or more."),
        Limits::Range(None, Some(high)) => write!(text, " At most {high}{characters}."),
        Limits::Words(words) => write!(text, " One of {}.", words.join(", ")),
        Limits::WordsOrDate(words) => write!(text, " A date YYYY-MM-DD or {}.", words.join(", ")),
        Limits::Any | Limits::Range(None, None) => Ok(()),
    };
    if let Some(default) = default(param) {
        let _ = write!(text, " Default {default}.");
    }
    text
}

/// The input of a parameter. It starts with the example; the default is a placeholder, so that it is not sent.
fn field(text: &mut String, param: &Param) {
    let name = escape(&param.name);
    let start = escape(param.example.as_deref().unwrap_or_default());
    let default = escape(&default(param).unwrap_or_default());
    if let Some(words) = param.words_allowed() {
        let _ = write!(
            text,
            "<select name=\"{name}\" aria-label=\"{name}\"><option value=\"\">{default}</option>"
        );
        for word in words.iter().map(|word| escape(word)).filter(|word| *word != default) {
            let chosen = if word == start { " selected" } else { "" };
            let _ = write!(text, "<option{chosen}>{word}</option>");
        }
        text.push_str("</select>");
        return;
    }
    let must = if param.required() { " required" } else { "" };
    let _ = write!(
        text,
        "<input name=\"{name}\" aria-label=\"{name}\" value=\"{start}\" placeholder=\"{default}\" autocomplete=\"off\" spellcheck=\"false\"{must}>"
    );
}

fn default(param: &Param) -> Option<String> {
    let default = param.default_for(Tier::ApiMax)?;
    let mut text = String::new();
    default.write(&mut text);
    Some(text)
}

fn fields(text: &mut String, operation: &Operation, columns: &[Vec<ResultColumn>]) {
    let count: usize = columns.iter().map(Vec::len).sum();
    if operation.statements.is_empty() || count == 0 {
        return;
    }
    let _ = write!(text, "<details><summary>Answer: {count} fields</summary>");
    for (statement, columns) in operation.statements.iter().zip(columns) {
        let _ = write!(text, "<p class=\"form\">{}</p>", escape(&shape(statement)));
        text.push_str("<div class=\"scroll\"><table><tr><th>Field</th><th>Type</th><th>Unit</th><th>What it is</th></tr>");
        for column in columns {
            let null = if column.nullable { " or null" } else { "" };
            let _ = write!(
                text,
                "<tr><td><code>{}</code></td><td class=\"soft\">{}{null}</td><td class=\"soft\">{}</td><td>{}</td></tr>",
                escape(&column.name),
                column.ty.word(),
                escape(column.unit.label()),
                escape(&column.words),
            );
        }
        text.push_str("</table></div>");
    }
    text.push_str("</details>");
}

/// What a statement's answer looks like and when it is given.
fn shape(statement: &Statement) -> String {
    let mut text = match statement.answer {
        Answer::One => "An object".to_owned(),
        Answer::List => "A list of objects".to_owned(),
        Answer::Stocks => {
            let around: Vec<&str> = statement.wrap.iter().map(|field| field.name.as_str()).collect();
            let beside =
                if around.is_empty() { String::new() } else { format!(" beside {}", around.join(", ")) };
            format!("An object with a list `stocks`{beside}")
        }
    };
    if !statement.when.is_empty() {
        let when: Vec<String> = statement.when.iter().map(ToString::to_string).collect();
        let _ = write!(text, ", when {}", when.join(" and "));
    }
    text
}

fn request(text: &mut String, operation: &Operation) {
    let query = example_request::query(operation);
    let joint = if query.is_empty() { "" } else { "?" };
    let key = if operation.access == Access::Public { "" } else { "-H 'X-Api-Key: <API_KEY>' " };
    let command = format!("curl {key}'{ORIGIN}{}{joint}{query}'", path(operation));
    let _ = write!(
        text,
        "<pre class=\"command\">{}</pre><div class=\"send\"><button class=\"go\">Try it</button><button type=\"button\" class=\"plain copy\">Copy</button><span class=\"state\"></span></div><pre class=\"output\" hidden></pre>",
        escape(&command)
    );
}
