//! One operation on the manual page.

use maud::{Markup, html};

use super::super::paths::DOCS;
use super::{anchor, page_path, path};
use parquote_catalogue::operation::{Access, AnswerFormat, ColumnType, Offer, Operation, Param};
use parquote_engine::ResultColumn;
use parquote_surface::{example_request, wording};

#[derive(Clone, Copy)]
pub(super) enum ArticlePlace<'a> {
    /// On the page of all operations.
    AmongAll,
    /// On a separate page, with the answer of the demo market to its example.
    Alone(Option<&'a str>),
}

/// Renders an operation; `columns` has the columns of each of its SELECTs, in their order.
pub(super) fn article(
    operation: &Operation,
    columns: &[Vec<ResultColumn>],
    place: ArticlePlace<'_>,
) -> Markup {
    let is_open = operation.access == Access::Public;
    html! {
        article id=(anchor(operation)) {
            (article_head(operation, place))
            @if operation.has_route {
                form data-path=(path(operation)) data-open[is_open] {
                    (params(operation))
                    (fields(operation, columns, place))
                    (request(operation))
                }
            } @else {
                (params(operation))
                (fields(operation, columns, place))
            }
            @if let ArticlePlace::Alone(answer) = place {
                @if let Some(answer) = answer {
                    p.form {
                        "What it answers on the fictional demo market, under " code { "data" } "; lists are cut to their first two"
                    }
                    pre { (answer) }
                }
                (refusals(operation))
            }
        }
    }
}

fn article_head(operation: &Operation, place: ArticlePlace<'_>) -> Markup {
    let id = anchor(operation);
    let page = page_path(operation);
    html! {
        div.head {
            h3 {
                @match place {
                    ArticlePlace::AmongAll => a href={ "#" (id) } { (operation.title) },
                    ArticlePlace::Alone(_) => (operation.title),
                }
            }
            span.tier { (wording::tier(operation)) }
            @if operation.cost != 1 { span.tier { "counts as " (wording::cost(operation)) } }
        }
        div.path {
            @if operation.has_route { code { "GET " b { (path(operation)) } } }
            @if let Some(tool) = &operation.tool {
                @if operation.has_route { " · " }
                "tool " code { (tool) }
            }
            " · "
            @match place {
                ArticlePlace::AmongAll => a href=(page) { "own page" },
                ArticlePlace::Alone(_) => {
                    a href={ (page) ".md" } { "Markdown" } " · " a href={ (DOCS) "#" (id) } { "all operations" }
                }
            }
        }
        @if let Some(instead) = &operation.deprecated { p.old { "Deprecated: " (instead) } }
        @for paragraph in operation.prose.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
            p { (paragraph) }
        }
    }
}

fn params(operation: &Operation) -> Markup {
    html! {
        @if !operation.params.is_empty() {
            div.scroll { table {
                tr {
                    th { "Parameter" } th { "Type" } th { "What it does" }
                    @if operation.has_route { th { "Value" } }
                }
                @for param in &operation.params {
                    tr {
                        td {
                            code { (param.name) }
                            @if param.is_required() { " " span.must title="required" { "*" } }
                        }
                        td.soft { (param.ty.word()) }
                        td { (param.full_description()) (wording::allowed_values(param)) }
                        @if operation.has_route { td.given { (field(param)) } }
                    }
                }
            } }
        }
    }
}

/// Renders the input of a parameter. Its value is the example; the default is a placeholder, so that it is not sent.
fn field(param: &Param) -> Markup {
    let start = param.example.as_deref().unwrap_or_default();
    let default = wording::default(param).unwrap_or_default();
    html! {
        @if let Some(words) = param.allowed_words() {
            select name=(param.name) aria-label=(param.name) {
                option value="" { (default) }
                @for word in words.iter().filter(|word| **word != default) {
                    option selected[word == start] { (word) }
                }
            }
        } @else {
            input name=(param.name) aria-label=(param.name) value=(start) placeholder=(default) autocomplete="off"
                spellcheck="false" required[param.is_required()];
        }
    }
}

fn fields(operation: &Operation, columns: &[Vec<ResultColumn>], place: ArticlePlace<'_>) -> Markup {
    let count: usize = columns.iter().map(Vec::len).sum();
    let is_alone = matches!(place, ArticlePlace::Alone(_));
    html! {
        @if count > 0 {
            details open[is_alone] {
                summary { "Answer: " (count) " fields" }
                @for (shape, columns) in wording::shapes(operation).iter().zip(columns) {
                    p.form { (shape) }
                    // More than half of the page of all operations would be tables of fields.
                    @if is_alone {
                        div.scroll { table {
                            tr { th { "Field" } th { "Type" } th { "Unit" } th { "What it is" } }
                            @for column in columns { (field_rows(operation, "", column)) }
                        } }
                    } @else {
                        p { code { @for column in columns { (field_names("", column)) } } }
                    }
                }
                @if !is_alone { p.form { a href=(page_path(operation)) { "What each field is" } } }
            }
        }
    }
}

/// Renders a row for a field, and one for each field of the rows within it.
fn field_rows(operation: &Operation, within: &str, column: &ResultColumn) -> Markup {
    let name = format!("{within}{}", column.name);
    let list = if column.ty == ColumnType::Rows { "[]" } else { "" };
    let inner = format!("{name}{list}.");
    html! {
        tr {
            td { code { (name) } }
            td.soft { (column.ty.word()) @if column.nullable { " or null" } }
            td.soft { (wording::unit(operation, column)) }
            td { (column.words) }
        }
        @for field in &column.fields { (field_rows(operation, &inner, field)) }
    }
}

/// Renders the names of a field and of the fields within it.
fn field_names(within: &str, column: &ResultColumn) -> Markup {
    let name = format!("{within}{}", column.name);
    let list = if column.ty == ColumnType::Rows { "[]" } else { "" };
    html! {
        (name) " "
        @for field in &column.fields { (field_names(&format!("{name}{list}."), field)) }
    }
}

fn refusals(operation: &Operation) -> Markup {
    let refusals = wording::refusals(operation);
    html! {
        @if !refusals.is_empty() {
            p.form { "Refusals" }
            div.scroll { table {
                tr { th { "Status" } th { "Why" } }
                @for (status, why) in &refusals { tr { td { code { (status) } } td { (why) } } }
            } }
        }
    }
}

/// Renders the parameters of the presentation: `format`, and `fields` of rows.
fn presentation(operation: &Operation) -> Markup {
    // The page shows text only; pictures are opened by their address.
    let offered = operation.offer_for(Offer::any(AnswerFormat::Json)).formats().iter();
    let formats = offered.filter(|format| **format != AnswerFormat::Json && !format.is_picture());
    html! {
        div.shared {
            label {
                "format "
                select name="format" {
                    option value="" { "json" }
                    @for format in formats { option { (format.word()) } }
                }
            }
            @if operation.answers_from_select() {
                label {
                    "fields "
                    input name="fields" placeholder="all of them, or a,b,c" autocomplete="off" spellcheck="false";
                }
            }
        }
        @for words in wording::pictures(operation) { p.form { (words.replace('`', "")) } }
    }
}

fn request(operation: &Operation) -> Markup {
    let query = example_request::query(operation);
    let separator = if query.is_empty() { "" } else { "?" };
    html! {
        @if operation.answers_from_select() || operation.has_workbook { (presentation(operation)) }
        pre.command { (example_request::command(operation, &format!("{separator}{query}"))) }
        div.send {
            button.go { "Try it" }
            button.plain.copy type="button" { "Copy" }
            span.state {}
        }
        pre.output hidden {}
    }
}
