//! The manual as Markdown: a page per operation, and a table of all. It is generated from declarations and the planner's columns; nothing
//! here reads or writes files.

use std::fmt::Write as _;

use super::groups::groups;
use super::{example_request, wording};
use parquote_call::OperationTerms;
use parquote_catalogue::operation::{AnswerFormat, Catalogue, ColumnType, Offer, Operation, Param};
use parquote_engine::ResultColumn;

/// Text above an example's answer, by which [`answer_of`] finds the answer on a page.
const ANSWER: &str = "It answers, under `data`";
const FENCE: &str = "```";

/// Renders the page of an operation. `columns` has the columns of each of its SELECTs, in their order; `answer` is the JSON answer to its
/// example; `terms` are the terms of its possible sources.
pub fn page(
    operation: &Operation,
    columns: &[Vec<ResultColumn>],
    answer: Option<&str>,
    terms: Option<&OperationTerms>,
) -> String {
    let mut text = format!("# {}\n\n", operation.name);
    let _ = writeln!(text, "{}.", operation.title);
    if let Some(instead) = &operation.deprecated {
        let _ = writeln!(text, "\n**Deprecated.** {instead}");
    }
    if !operation.prose.is_empty() {
        let _ = writeln!(text, "\n{}", operation.prose);
    }
    write_facts(&mut text, operation);
    write_params(&mut text, operation);
    write_fields(&mut text, operation, columns);
    write_picture(&mut text, operation);
    write_refusals(&mut text, operation);
    write_source_terms(&mut text, terms);
    write_example(&mut text, operation, answer);
    text
}

/// Returns the answer that a page shows, verbatim.
pub(crate) fn answer_of(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once(ANSWER)?;
    let (_, rest) = rest.split_once("```json\n")?;
    rest.split_once("\n```").map(|(answer, _)| answer)
}

/// Renders a table of all operations with their groups. `link` returns the address of a page.
pub fn table(catalogue: &Catalogue, link: impl Fn(&Operation) -> String) -> String {
    let mut text = String::from("| group | route | tool | tier | what it answers |\n|---|---|---|---|---|\n");
    for group in groups(catalogue) {
        for operation in group.operations {
            let route =
                if operation.has_route { format!("`/{}`", operation.name) } else { "none".to_owned() };
            let tool = operation.tool.as_ref().map_or_else(|| "none".to_owned(), |tool| format!("`{tool}`"));
            let _ = writeln!(
                text,
                "| {} | [{route}]({}) | {tool} | {} | {}. |",
                escape_cell(group.name),
                link(operation),
                wording::tier(operation),
                escape_cell(&operation.title),
            );
        }
    }
    text
}

fn write_facts(text: &mut String, operation: &Operation) {
    text.push_str("\n| | |\n|---|---|\n");
    if operation.has_route {
        let _ = writeln!(text, "| route | `GET /v1/{}` |", operation.name);
    }
    if let Some(tool) = &operation.tool {
        let _ = writeln!(text, "| tool | `{tool}` |");
    }
    let free = if operation.free_symbols { "; a free key sees the symbols of its list" } else { "" };
    let _ = writeln!(text, "| tier | {}{free} |", wording::tier(operation));
    let _ = writeln!(text, "| costs | {} |", wording::cost(operation));
    let _ = writeln!(text, "| group | {} |", escape_cell(&operation.group));
    if let Some(since) = &operation.since {
        let _ = writeln!(text, "| since | {} |", escape_cell(since));
    }
}

fn write_params(text: &mut String, operation: &Operation) {
    let shared = operation.presentation_params(Offer::any(AnswerFormat::Json));
    if operation.params.is_empty() && shared.is_empty() {
        return;
    }
    text.push_str("\n## Parameters\n\n| name | type | what it does |\n|---|---|---|\n");
    for param in operation.params.iter().chain(&shared) {
        let _ = writeln!(
            text,
            "| `{}`{} | {} | {} |",
            param.name,
            if param.is_required() { ", required" } else { "" },
            param.ty.word(),
            param_text(param)
        );
    }
    if !operation.constraints.is_empty() {
        let _ = writeln!(text, "\nBesides: {}", operation.constraints.join(" "));
    }
}

fn param_text(param: &Param) -> String {
    let rest = if param.rest_only { " Not a parameter of the tool." } else { "" };
    let example =
        param.example.as_ref().map(|example| format!(" For example `{example}`.")).unwrap_or_default();
    escape_cell(&format!("{}{}{rest}{example}", param.full_description(), wording::allowed_values(param)))
}

fn write_fields(text: &mut String, operation: &Operation, columns: &[Vec<ResultColumn>]) {
    if columns.iter().all(Vec::is_empty) {
        return;
    }
    text.push_str("\n## Answer\n");
    for (shape, columns) in wording::shapes(operation).iter().zip(columns) {
        let _ = writeln!(text, "\n{shape}:\n");
        text.push_str("| field | type | unit | what it is |\n|---|---|---|---|\n");
        for column in columns {
            write_field(text, operation, "", column);
        }
    }
}

/// Writes a row for a field, and one for each field of the rows within it.
fn write_field(text: &mut String, operation: &Operation, within: &str, column: &ResultColumn) {
    let null = if column.nullable { " or null" } else { "" };
    let name = format!("{within}{}", column.name);
    let _ = writeln!(
        text,
        "| `{name}` | {}{null} | {} | {} |",
        column.ty.word(),
        escape_cell(&wording::unit(operation, column)),
        escape_cell(&column.words),
    );
    let list = if column.ty == ColumnType::Rows { "[]" } else { "" };
    for inner in &column.fields {
        write_field(text, operation, &format!("{name}{list}."), inner);
    }
}

fn write_picture(text: &mut String, operation: &Operation) {
    for (index, words) in wording::pictures(operation).iter().enumerate() {
        text.push_str(if index == 0 { "\n## Picture\n\n" } else { "\n" });
        let _ = writeln!(text, "{words}");
    }
    if operation.has_picture() {
        let query = example_request::query(operation);
        let separator = if query.is_empty() { "" } else { "&" };
        let _ = writeln!(text, "\n`GET /v1/{}?{query}{separator}format=svg`", operation.name);
    }
}

fn write_refusals(text: &mut String, operation: &Operation) {
    let refusals = wording::refusals(operation);
    if refusals.is_empty() {
        return;
    }
    text.push_str("\n## Refusals\n\n| status | why |\n|---|---|\n");
    for (status, why) in refusals {
        let _ = writeln!(text, "| {status} | {} |", escape_cell(&why));
    }
}

fn write_source_terms(text: &mut String, terms: Option<&OperationTerms>) {
    let Some(terms) = terms else { return };
    text.push_str(
        "\n## Terms of its sources\n\n| official files of | terms | may be passed on |\n|---|---|---|\n",
    );
    for owner in &terms.owners {
        let _ = writeln!(text, "| {} | {} | {} |", escape_cell(&owner.name), owner.page, owner.pass_on);
    }
}

fn write_example(text: &mut String, operation: &Operation, answer: Option<&str>) {
    let query = example_request::query(operation);
    if operation.has_route {
        let separator = if query.is_empty() { "" } else { "?" };
        let command = example_request::command(operation, &format!("{separator}{query}"));
        let _ = writeln!(text, "\n## Example\n\n{FENCE}sh\n{command}\n{FENCE}");
    }
    if let Some(answer) = answer {
        let _ = writeln!(
            text,
            "\n{ANSWER}, on the fictional demo market (lists are cut to their first two):\n\n{FENCE}json\n{answer}\n{FENCE}"
        );
    }
}

/// Escapes text for a table cell.
fn escape_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_page_says_what_is_declared_and_gives_its_answer_back() {
        let catalogue = fixture::catalogue();
        let operation = catalogue.operation("company/profile").unwrap();
        let page = page(operation, &[], Some("{\n  \"pe\": 12.5\n}"), None);
        for part in [
            "# company/profile\n",
            "| route | `GET /v1/company/profile` |",
            "| tool | `get_company_profile` |",
            "| tier | free; a free key sees the symbols of its list |",
            "| `symbol`, required | text | Ticker on NSE. For example `M&M`. |",
            "| `format` | text |",
            "| 404 | The market has no such symbol",
            "symbol=M%26M",
        ] {
            assert!(page.contains(part), "{page}\nlacks {part}");
        }
        assert_eq!(answer_of(&page), Some("{\n  \"pe\": 12.5\n}"));
    }

    #[test]
    fn the_table_has_a_line_for_each() {
        let catalogue = fixture::catalogue();
        let table = table(&catalogue, |operation| format!("x/{}.md", operation.name));
        assert_eq!(table.lines().count(), 2 + catalogue.operations().len());
        let line = "| Core | [`/status`](x/status.md) | none | no key | Health of the service. |";
        assert!(table.contains(line), "{table}");
        assert!(table.contains("| MCP only | [none](x/screen-words.md) | `screen_words` | api_max |"));
    }
}
