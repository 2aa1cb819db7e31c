//! One operation on the manual page.

use std::fmt::Write as _;

use super::super::router::DOCS;
use super::html::escape;
use super::{anchor, page_path, path};
use crate::engine::ResultColumn;
use crate::operation::{Access, ColumnType, Form, Operation, Param};
use crate::surface::{example_request, wording};

/// Where an article stands.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// On the page of all operations.
    AmongAll,
    /// On a page of its own, with what the demo market answers to its example.
    Alone(Option<&'a str>),
}

/// Writes the operation; `columns` are those of its statements, in their order.
pub(super) fn write(
    text: &mut String,
    operation: &Operation,
    columns: &[Vec<ResultColumn>],
    place: Place<'_>,
) {
    let _ = write!(text, "<article id=\"{}\">", anchor(operation));
    head(text, operation, place);
    let is_form = operation.has_route;
    if is_form {
        let open = if operation.access == Access::Public { " data-open" } else { "" };
        let _ = write!(text, "<form data-path=\"{}\"{open}>", escape(&path(operation)));
    }
    params(text, operation);
    fields(text, operation, columns, place);
    if is_form {
        request(text, operation);
        text.push_str("</form>");
    }
    if let Place::Alone(answer) = place {
        if let Some(answer) = answer {
            let words = "What it answers on the fictional demo market, under <code>data</code>; lists are cut to their first two";
            let _ = write!(text, "<p class=\"form\">{words}</p><pre>{}</pre>", escape(answer));
        }
        refusals(text, operation);
    }
    text.push_str("</article>\n");
}

fn head(text: &mut String, operation: &Operation, place: Place<'_>) {
    let tier = wording::tier(operation);
    let (title, id) = (escape(&operation.title), anchor(operation));
    let title = match place {
        Place::AmongAll => format!("<a href=\"#{id}\">{title}</a>"),
        Place::Alone(_) => title,
    };
    let cost = match operation.cost {
        1 => String::new(),
        _ => format!("<span class=\"tier\">counts as {}</span>", wording::cost(operation)),
    };
    let _ =
        write!(text, "<div class=\"head\"><h3>{title}</h3><span class=\"tier\">{tier}</span>{cost}</div>");
    text.push_str("<div class=\"path\">");
    if operation.has_route {
        let _ = write!(text, "<code>GET <b>{}</b></code>", escape(&path(operation)));
    }
    if let Some(tool) = &operation.tool {
        let joint = if operation.has_route { " · " } else { "" };
        let _ = write!(text, "{joint}tool <code>{}</code>", escape(tool));
    }
    let page = escape(&page_path(operation));
    let _ = match place {
        Place::AmongAll => write!(text, " · <a href=\"{page}\">own page</a>"),
        Place::Alone(_) => {
            write!(text, " · <a href=\"{page}.md\">Markdown</a> · <a href=\"{DOCS}#{id}\">all operations</a>")
        }
    };
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
            escape(&param.full_words()),
            escape(&wording::allowed(param)),
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

/// The input of a parameter. It starts with the example; the default is a placeholder, so that it is not sent.
fn field(text: &mut String, param: &Param) {
    let name = escape(&param.name);
    let start = escape(param.example.as_deref().unwrap_or_default());
    let default = escape(&wording::default(param).unwrap_or_default());
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

fn fields(text: &mut String, operation: &Operation, columns: &[Vec<ResultColumn>], place: Place<'_>) {
    let count: usize = columns.iter().map(Vec::len).sum();
    if count == 0 {
        return;
    }
    let open = if matches!(place, Place::Alone(_)) { " open" } else { "" };
    let _ = write!(text, "<details{open}><summary>Answer: {count} fields</summary>");
    for (shape, columns) in wording::shapes(operation).iter().zip(columns) {
        let _ = write!(text, "<p class=\"form\">{}</p>", escape(shape));
        text.push_str("<div class=\"scroll\"><table><tr><th>Field</th><th>Type</th><th>Unit</th><th>What it is</th></tr>");
        for column in columns {
            answered(text, "", column);
        }
        text.push_str("</table></div>");
    }
    text.push_str("</details>");
}

/// A line for a field, and one for each field of the rows within it.
fn answered(text: &mut String, within: &str, column: &ResultColumn) {
    let null = if column.nullable { " or null" } else { "" };
    let name = format!("{within}{}", column.name);
    let _ = write!(
        text,
        "<tr><td><code>{}</code></td><td class=\"soft\">{}{null}</td><td class=\"soft\">{}</td><td>{}</td></tr>",
        escape(&name),
        column.ty.word(),
        escape(&wording::unit(column)),
        escape(&column.words),
    );
    let list = if column.ty == ColumnType::Rows { "[]" } else { "" };
    for inner in &column.fields {
        answered(text, &format!("{name}{list}."), inner);
    }
}

fn refusals(text: &mut String, operation: &Operation) {
    let refusals = wording::refusals(operation);
    if refusals.is_empty() {
        return;
    }
    text.push_str(
        "<p class=\"form\">Refusals</p><div class=\"scroll\"><table><tr><th>Status</th><th>Why</th></tr>",
    );
    for (status, why) in refusals {
        let _ = write!(text, "<tr><td><code>{status}</code></td><td>{}</td></tr>", escape(&why));
    }
    text.push_str("</table></div>");
}

/// What every operation that reads is asked with: how its rows are written, and which fields of them.
fn shared(text: &mut String) {
    text.push_str(
        "<div class=\"shared\"><label>format <select name=\"format\"><option value=\"\">json</option>",
    );
    for form in Form::ALL.into_iter().filter(|form| *form != Form::Json) {
        let _ = write!(text, "<option>{}</option>", form.word());
    }
    text.push_str(
        "</select></label><label>fields <input name=\"fields\" placeholder=\"all of them, or a,b,c\" autocomplete=\"off\" spellcheck=\"false\"></label></div>",
    );
}

fn request(text: &mut String, operation: &Operation) {
    let query = example_request::query(operation);
    let joint = if query.is_empty() { "" } else { "?" };
    if operation.is_read() {
        shared(text);
    }
    let command = example_request::command(operation, &format!("{joint}{query}"));
    let _ = write!(
        text,
        "<pre class=\"command\">{}</pre><div class=\"send\"><button class=\"go\">Try it</button><button type=\"button\" class=\"plain copy\">Copy</button><span class=\"state\"></span></div><pre class=\"output\" hidden></pre>",
        escape(&command)
    );
}
