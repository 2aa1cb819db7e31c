//! Rows as a table: titles and units from the dictionary, numbers in the digit groups of the market, links on values. The table scrolls in
//! a separate box, so that the page does not.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::bars::RowBars;
use super::chooser::chooser;
use super::controls::{operation_order_link, order_link};
use super::other_companies::other_companies;
use super::pager::{extent, files, pager};
use super::saved_items::{note_mark, tick, tick_all, ticked_actions};
use crate::cell::{CellContext, OtherValues, cell, is_number};
use crate::column_title::{title, unit, without_unit};
use crate::links;
use crate::page_rows::{PageRow, PageRows, text};
use crate::part_view::PartView;
use crate::request::{EXPLAIN, FIELDS};
use crate::row_order::present_order;
use crate::view_spec::{TableSpec, View};
use parquote_catalogue::operation::ColumnType;
use parquote_handlers::FORMULAS;
use parquote_picture::spec::PictureSpec;

/// The column with the company's name, which comes after the symbol and needs the most room.
const NAME: &str = "company_name";

/// Columns whose values are tags: the same few words in many rows.
const TAGS: [&str; 2] = ["sector", "industry"];

/// Shows a declared table.
pub(super) fn table(view: PartView<'_>, spec: &TableSpec) -> Markup {
    let within = spec.within.as_ref().map(|column| view.rows.rows_within(column));
    let view = within.as_ref().map_or(view, |rows| PartView { rows, ..view });
    let count = view.rows.rows.len();
    // A table without rows is left out if it is one of several, which have titles.
    if count == 0 && spec.title.is_some() {
        return html! {};
    }
    let first = spec.first.map(|most| first_rows(view.rows, most));
    let view = first.as_ref().map_or(view, |rows| PartView { rows, ..view });
    let mut columns = shown_columns(view, spec);
    let is_whole = spec.is_whole;
    let is_explained = view.rows.column("conditions").is_some();
    // A column that is empty in all rows is shown only to those who chose it or its order.
    if is_whole && count > 1 && !is_explained && view.request.get(FIELDS).is_none() {
        columns.retain(|name| has_values(view.rows, name) || present_order(view.request, name).is_some());
    }
    let is_list = (is_whole || spec.within.is_some() && view.takes_query()) && !is_explained;
    let same: Vec<&str> =
        columns.iter().copied().skip(1).filter(|name| is_list && is_same_in_all_rows(view, name)).collect();
    let differing: Vec<&str> = columns.iter().copied().filter(|name| !same.contains(name)).collect();
    html! {
        @if let Some(title) = &spec.title {
            h3 { (title) }
            @if count > view.rows.rows.len() { p.extent { "The first " (view.rows.rows.len()) " of " (count) "." } }
        }
        @if is_whole {
            div.tools {
                (extent(view))
                (same_values(view, &same, &spec.leads))
                @if !is_explained && view.operation.answers_from_select() {
                    @if view.takes_query() { (chooser(view, &columns)) }
                    (files(view))
                }
            }
        }
        (rows(view, &differing, spec, is_list, spec.title.as_ref().unwrap_or(&view.part.title)))
        (other_companies(view))
        (nested_tables(view))
        @if is_whole { (pager(view)) }
        @if is_explained { p { a href=(view.request.address_with(&[(EXPLAIN, None)])) { "Back to the list" } } }
    }
}

/// Returns the first rows of a table, without the columns in which none of them has a value.
fn first_rows(rows: &PageRows, most: usize) -> PageRows {
    let mut first = rows.clone();
    first.rows.truncate(most);
    let names: Vec<String> =
        first.names().into_iter().filter(|name| has_values(&first, name)).map(str::to_owned).collect();
    for row in &mut first.rows {
        row.retain(|name, _| names.contains(name));
    }
    first
}

/// Returns true if a row has a value in a column.
fn has_values(rows: &PageRows, name: &str) -> bool {
    rows.rows.iter().any(|row| row.get(name).is_some_and(|value| !value.is_null()))
}

/// Returns true if all rows have the same word, date or flag in a column that the reader did not choose. Figures differ on other pages.
fn is_same_in_all_rows(view: PartView<'_>, name: &str) -> bool {
    /// Fewer rows have the same value by chance.
    const FEWEST_ROWS: usize = 5;
    let mut values = view.rows.rows.iter().map(|row| row.get(name));
    let first = values.next().flatten().filter(|value| value.is_string() || value.is_boolean());
    view.rows.rows.len() >= FEWEST_ROWS
        && name != NAME
        && first.is_some()
        && values.all(|value| value == first)
        && view.request.get(FIELDS).is_none()
        && present_order(view.request, name).is_none()
}

/// Says once what is the same in all rows, each with the link that orders by it.
fn same_values(view: PartView<'_>, names: &[&str], leads: &[(String, String)]) -> Markup {
    let Some(row) = view.rows.rows.first().filter(|_| !names.is_empty()) else { return html! {} };
    html! {
        span.covered {
            "All rows shown: "
            @for (position, name) in names.iter().enumerate() {
                @if position > 0 { ", " }
                @let cell = cell(row.get(*name).unwrap_or_default(), view.rows.column(name), view.request.market, CellContext::Table);
                @match order_link(view, name) { Some((address, _)) => a href=(address) { (view.title(name)) }, None => (view.title(name)) }
                " "
                b { @match links::value_address(view, name, row, leads) { Some(address) => a href=(address) { (cell.text) }, None => (cell.text) } }
            }
            "."
        }
    }
}

/// Shows a table of these columns, or of all if the rows have none of them.
pub(super) fn plain_table(view: PartView<'_>, caption: &str, columns: &[&str]) -> Markup {
    let spec = TableSpec::default();
    let all = shown_columns(view, &spec);
    let chosen: Vec<&str> = columns.iter().copied().filter(|name| all.contains(name)).collect();
    html! {
        (rows(view, if chosen.is_empty() { &all } else { &chosen }, &spec, false, caption))
        (nested_tables(view))
    }
}

/// Returns the columns of a table: those that the reader chose, the declared ones that exist, or all. Columns used for limits or the order
/// follow the company's name.
pub(super) fn shown_columns<'a>(view: PartView<'a>, spec: &TableSpec) -> Vec<&'a str> {
    let names = view.rows.names();
    let is_flat = |name: &&str| {
        let ty = view.rows.column(name).map(|column| column.ty);
        let first = view.rows.rows.first().and_then(|row| row.get(*name));
        !matches!(ty, Some(ColumnType::Rows | ColumnType::Row)) && !first.is_some_and(holds_rows)
    };
    let flat: Vec<&str> = names.into_iter().filter(is_flat).collect();
    if view.takes_query() && view.request.get(FIELDS).is_some() {
        return flat;
    }
    let declared: Vec<&str> =
        spec.columns.iter().filter_map(|name| flat.iter().copied().find(|flat| *flat == name)).collect();
    if declared.is_empty() {
        return flat;
    }
    let names = declared.iter().take_while(|name| matches!(**name, "symbol" | "company_name"));
    let used = used_columns(view, &flat);
    let mut shown: Vec<&str> = names.copied().chain(used).collect();
    let mut seen = BTreeSet::new();
    shown.retain(|name| seen.insert(*name));
    let most = declared.len().max(shown.len());
    shown.extend(declared.into_iter().filter(|name| seen.insert(*name)));
    shown.truncate(most);
    shown
}

/// Returns the columns that the page's parameters, or the conditions of a sentence, use for limits or the order.
fn used_columns<'a>(view: PartView<'_>, flat: &[&'a str]) -> Vec<&'a str> {
    let of_order =
        flat.iter().filter(|name| operation_order_link(view, name).is_some_and(|(_, order)| order.is_some()));
    let of_formula = flat.iter().filter(|name| FORMULAS.contains(name));
    let is_limited = |name: &&&str| {
        let limits = view.request.pairs.iter().filter_map(|(parameter, _)| {
            parameter.strip_prefix("min_").or_else(|| parameter.strip_prefix("max_"))
        });
        view.takes_query() && limits.into_iter().any(|limited| is_named(name, limited))
    };
    let mut used: Vec<&str> =
        of_formula.chain(of_order).chain(flat.iter().filter(is_limited)).copied().collect();
    let around = &view.rows.around;
    let mut fields = Vec::new();
    if let Some(criteria) = around.get("criteria") {
        fields_within(criteria, &mut fields);
    }
    let conditions = around.get("conditions").and_then(serde_json::Value::as_array).into_iter().flatten();
    let condition_fields = conditions.filter_map(|condition| condition.get("fields")?.as_array()).flatten();
    let is_figure = |name: &&str| is_number(view.rows.column(name));
    fields.extend(condition_fields.filter_map(serde_json::Value::as_str).filter(is_figure));
    let sorted = around.get("sorted_by").and_then(serde_json::Value::as_str);
    let names = sorted.and_then(|sorted| sorted.split(' ').next()).into_iter().chain(fields);
    used.extend(names.filter_map(|field| flat.iter().copied().find(|name| *name == field)));
    used
}

/// Returns true if a parameter means a column: by its name, with or without its unit.
fn is_named(column: &str, name: &str) -> bool {
    let short = |text: &str| without_unit(text).replace("market_cap", "mcap");
    column == name || short(column) == short(name)
}

/// Collects the fields of nested conditions.
fn fields_within<'a>(criteria: &'a serde_json::Value, fields: &mut Vec<&'a str>) {
    match criteria {
        serde_json::Value::Array(items) => items.iter().for_each(|item| fields_within(item, fields)),
        serde_json::Value::Object(condition) => {
            fields.extend(condition.get("field").and_then(serde_json::Value::as_str));
            condition.values().for_each(|value| fields_within(value, fields));
        }
        _ => {}
    }
}

fn holds_rows(value: &serde_json::Value) -> bool {
    value.is_object() || value.as_array().is_some_and(|items| items.iter().any(serde_json::Value::is_object))
}

fn rows(view: PartView<'_>, columns: &[&str], spec: &TableSpec, is_list: bool, caption: &str) -> Markup {
    let bars = RowBars::from_part(view, &spec.bars);
    // A small picture follows the name, if that is shown.
    let is_drawn = |position: usize| !bars.is_empty() && columns.get(position) == Some(&NAME);
    let explains = view.takes_query()
        && view.operation.param(EXPLAIN).is_some()
        && view
            .rows
            .rows
            .first()
            .is_some_and(|row| row.contains_key("symbol") && !row.contains_key("conditions"));
    let caption = if caption.is_empty() { view.request.page.title_in(view.request.market) } else { caption };
    // Rows can be ticked if each stock is listed once.
    let is_ticked =
        is_list && spec.is_whole && columns.first() == Some(&"symbol") && view.rows.rows.len() > 1;
    let table_columns = TableColumn::from_names(view, columns, is_ticked);
    html! {
        @if view.rows.rows.is_empty() {
            (view.empty_notice(spec.nothing.as_deref().unwrap_or("Nothing to show.")))
        } @else {
            div.scroll tabindex="0" role="group" aria-label=(caption) {
                table.list[is_list] {
                    caption.quiet { (caption) }
                    thead { tr {
                        @for (position, name) in columns.iter().enumerate() {
                            (heading(view, name, is_list, is_ticked && position == 0))
                            @if is_drawn(position) { th.drawn scope="col" title="Closes, and the RS line in the other colour" { (bars.sessions()) " sessions" } }
                        }
                        @if explains { th scope="col" { span.quiet { "Conditions" } } }
                    } }
                    tbody {
                        @for row in &view.rows.rows {
                            tr {
                                @for (position, column) in table_columns.iter().enumerate() {
                                    (value_cell(view, row, column, &spec.leads))
                                    @if is_drawn(position) { td.drawn { (bars.line(row)) } }
                                }
                                @if explains { td { (explanation_link(view, row)) } }
                            }
                        }
                    }
                }
            }
            @if is_ticked { (ticked_actions(view)) }
        }
    }
}

fn heading(view: PartView<'_>, name: &str, is_list: bool, is_ticked: bool) -> Markup {
    let column = view.rows.column(name);
    let words = column.map(|column| column.words.as_str());
    let class = if name == NAME { Some("name") } else { is_number(column).then_some("n") };
    let title = view.title(name);
    let unit =
        Some(unit(column, view.request.market)).filter(|unit| !unit.is_empty() && !title.contains(*unit));
    let ordered = if is_list { order_link(view, name) } else { None };
    let order = ordered.as_ref().and_then(|(_, order)| *order);
    html! {
        th scope="col" class=[class] title=[words] aria-sort=[order] {
            @match &ordered {
                Some((address, _)) => a href=(address) {
                    (title)
                    @match order { Some("ascending") => " ↑", Some(_) => " ↓", None => "" }
                },
                None => (title),
            }
            @if let Some(unit) = unit { " " small { (unit) } }
            @if is_ticked { (tick_all()) }
        }
    }
}

struct TableColumn<'a> {
    name: &'a str,
    is_first: bool,
    is_ticked: bool,
    others: OtherValues,
}

impl<'a> TableColumn<'a> {
    fn from_names(view: PartView<'_>, columns: &[&'a str], is_ticked: bool) -> Vec<Self> {
        let columns = columns.iter().copied().enumerate();
        let column = |(position, name): (usize, &'a str)| Self {
            name,
            is_first: position == 0,
            is_ticked: position == 0 && is_ticked,
            others: OtherValues::measure(view.rows.rows.iter().map(|row| row.get(name))),
        };
        columns.map(column).collect()
    }
}

fn value_cell(
    view: PartView<'_>,
    row: &PageRow,
    column: &TableColumn<'_>,
    leads: &[(String, String)],
) -> Markup {
    const NONE: serde_json::Value = serde_json::Value::Null;
    let TableColumn { name, is_first, is_ticked, others } = *column;
    let among = CellContext::Among(others);
    let cell = cell(row.get(name).unwrap_or(&NONE), view.rows.column(name), view.request.market, among);
    let class = match (cell.class, cell.text.chars().count() > 36) {
        _ if name == NAME && !is_first => Some("name"),
        _ if is_first && view.rows.column(name).is_some_and(|column| column.ty == ColumnType::Date) => {
            Some("date")
        }
        ("", _) if TAGS.contains(&name) && !is_first => Some("tag"),
        ("", true) => Some("long"),
        ("", false) => None,
        (class, _) => Some(class),
    };
    let lead = links::value_address(view, name, row, leads);
    let is_address = name == "url" && cell.text.starts_with("https://");
    let content = html! {
        @match lead {
            Some(address) => a href=(address) { (cell.text) },
            None if is_address => a href=(cell.text) rel="noopener noreferrer" { "open" },
            None => (cell.text),
        }
    };
    html! {
        @if is_first { th scope="row" class=[class] { @if is_ticked { (tick(view, &cell.text)) } (content) @if name == "symbol" { (note_mark(view.request, &cell.text)) } } } @else { td class=[class] { (content) } }
    }
}

/// Links to the reasons why a stock is in the list or not.
fn explanation_link(view: PartView<'_>, row: &PageRow) -> Markup {
    let symbol = text(row, "symbol");
    html! {
        a href=(view.request.address_with(&[(EXPLAIN, Some(symbol)), ("offset", None), (FIELDS, None)])) { "why" span.quiet { " " (symbol) } }
    }
}

/// Shows nested rows: one table each, named after the row.
fn nested_tables(view: PartView<'_>) -> Markup {
    /// Maximum number of tables on a page.
    const MOST_TABLES: usize = 12;
    // The table of a picture already has the nested rows.
    let is_drawn = view.part.views.iter().any(|view| matches!(view, View::Drawn(_)));
    let drawn = view.rows.picture.as_ref().filter(|_| is_drawn).and_then(PictureSpec::rows_within);
    let holds = |name: &String, row: &PageRow| {
        drawn != Some(name.as_str())
            && row
                .get(name)
                .and_then(serde_json::Value::as_array)
                .is_some_and(|items| items.iter().any(serde_json::Value::is_object))
    };
    let within = view
        .rows
        .rows
        .iter()
        .take(MOST_TABLES)
        .flat_map(|row| row.keys().filter(move |name| holds(name, row)).map(move |name| (row, name)));
    html! {
        @for (row, name) in within {
            @let row_name = ["symbol", "label", "name", "investor", "sector"].iter().find_map(|key| row.get(*key)).and_then(serde_json::Value::as_str);
            @let column = view.rows.column(name);
            @let caption = match row_name { Some(row_name) => format!("{row_name}: {}", title(name, column).to_lowercase()), None => title(name, column) };
            @let one = PageRows { columns: view.rows.columns.clone(), rows: vec![row.clone()], ..PageRows::default() };
            @let inner = one.rows_within(name);
            details open[view.rows.rows.len() == 1] {
                summary { (caption) }
                (plain_table(view.with_rows(&inner), &caption, &[]))
            }
        }
    }
}
