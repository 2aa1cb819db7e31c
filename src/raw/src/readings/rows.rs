//! Rows that rules make from a document, by the tables that they fill.

use std::collections::BTreeSet;

use crate::readings::CONTRACTS;
use crate::readings::documents::SuppliedDocument;
use crate::readings::figures::figures;
use crate::readings::orders::{OTHER_AGREEMENT, OrderContract, contract};
use crate::readings::tones::{self, ToneReading};
use crate::user_tables::cell::UserCell;
use parquote_catalogue::operation::Market;

/// A row as the values of some columns; the others are null.
pub(super) type NamedCells = Vec<(&'static str, UserCell)>;

/// A row and the table that it belongs to.
pub(super) type TableCells = (&'static str, NamedCells);

/// Maximum number of figures that are listed for a call.
const MOST_FIGURES: usize = 12;
/// Name of the rules for contracts and figures, with their version.
const RULES: &str = "rule: documents 1";

/// Returns the rows of an earnings call, from its transcript or from the press release of its quarter.
pub(super) fn call_rows(document: &SuppliedDocument<'_>, market: Market) -> Vec<TableCells> {
    let Some(period_end) = document.period_end else { return Vec::new() };
    let reading = ToneReading::read(document.paragraphs.iter().copied());
    let of_quarter = || vec![("symbol", text(document.symbol)), ("period_end", UserCell::Date(period_end))];
    let day = UserCell::Date(document.published_on);
    let new_row = || {
        let mut cells = of_quarter();
        cells.extend([
            ("call_date", day.clone()),
            ("tone_score", UserCell::Int(reading.score())),
            ("confidence", text(reading.confidence())),
            ("source", UserCell::Text(document.address(None))),
            ("written_by", UserCell::Text(tones::rules_and_version())),
        ]);
        cells
    };
    let mut rows = Vec::new();
    let mut management = new_row();
    management.extend([("generated_on", day.clone()), ("themes", texts(reading.themes()))]);
    rows.push(("management_tones", management));
    let mut guidance = new_row();
    guidance.extend([
        ("guidance_change", reading.guidance_change.map_or(UserCell::Null, text)),
        ("guidance", texts(reading.guidance.clone())),
    ]);
    rows.push(("guidance_tones", guidance));
    for (phrase, mentions) in &reading.phrases {
        let mut cells = of_quarter();
        cells.extend([("phrase", text(phrase)), ("mentions", UserCell::Int(*mentions))]);
        rows.push(("call_phrases", cells));
    }
    for (position, figure) in (1..).zip(figures_of_call(document, market)) {
        let mut cells = of_quarter();
        cells.extend([("position", UserCell::Int(position))]);
        cells.extend(figure);
        rows.push(("call_numbers", cells));
    }
    rows
}

/// Returns the figures of a call, the first one of each metric.
fn figures_of_call(document: &SuppliedDocument<'_>, market: Market) -> Vec<NamedCells> {
    let mut seen_metrics = BTreeSet::new();
    let stated = document.paragraphs.iter().flat_map(|paragraph| figures(paragraph, market));
    let first = stated.filter(|figure| seen_metrics.insert(figure.metric)).take(MOST_FIGURES);
    let cells = first.map(|figure| {
        let change = figure.change.map_or(UserCell::Null, UserCell::Number);
        let column = if figure.unit == "percent" { "change_yoy_points" } else { "change_yoy_pct" };
        vec![
            ("metric", text(figure.metric)),
            ("metric_value", UserCell::Number(figure.value)),
            ("metric_unit", text(figure.unit)),
            (column, change),
        ]
    });
    cells.collect()
}

/// Returns the row of the contract that an announcement, or the item 1.01 of a Form 8-K, reports.
pub(super) fn contract_row(document: &SuppliedDocument<'_>, market: Market) -> Option<TableCells> {
    let (at, contract) = best_contract(document, market)?;
    let value = contract.value.map_or(UserCell::Null, UserCell::Number);
    let unit = if market == Market::India { "value_cr" } else { "value_usd_m" };
    let cells = vec![
        ("symbol", text(document.symbol)),
        ("filed_on", UserCell::Date(document.published_on)),
        ("title", text(document.title.unwrap_or("Contract"))),
        ("contract_type", text(contract.kind)),
        (unit, value),
        ("execution_months", contract.months.map_or(UserCell::Null, UserCell::Int)),
        ("confidence", text(confidence(&contract))),
        ("client", contract.client.map_or(UserCell::Null, UserCell::Text)),
        ("source", UserCell::Text(format!("{RULES}, {}", document.address(Some(at))))),
    ];
    Some((CONTRACTS, cells))
}

/// Returns the contract of a document with the position of its paragraph: the first one with a kind and a value, else the first one with a
/// kind, else the first one.
fn best_contract(document: &SuppliedDocument<'_>, market: Market) -> Option<(usize, OrderContract)> {
    let paragraphs = document.paragraphs.iter().enumerate();
    let read = |(at, paragraph): (usize, &&str)| Some((at, contract(paragraph, market)?));
    let mut found: Vec<(usize, OrderContract)> = match (document.kind, market) {
        ("announcement", _) => paragraphs.filter_map(read).collect(),
        ("8-K", Market::Us) => {
            let is_heading = |text: &str| text.to_lowercase().starts_with("item ");
            let is_agreement = |text: &str| text.to_lowercase().starts_with("item 1.01");
            let item = paragraphs.skip_while(|(_, text)| !is_agreement(text));
            let item = item.take_while(|(_, text)| is_agreement(text) || !is_heading(text));
            item.filter_map(read).collect()
        }
        _ => return None,
    };
    let is_valued = |(_, it): &(usize, OrderContract)| it.kind != OTHER_AGREEMENT && it.value.is_some();
    let has_kind = |(_, it): &(usize, OrderContract)| it.kind != OTHER_AGREEMENT;
    let best = found.iter().position(is_valued).or_else(|| found.iter().position(has_kind));
    (!found.is_empty()).then(|| found.swap_remove(best.unwrap_or_default()))
}

/// Returns the confidence in the reading of a contract: high if value and client are known, low if neither is.
fn confidence(contract: &OrderContract) -> &'static str {
    match (contract.value, &contract.client) {
        (Some(_), Some(_)) => "high",
        (None, None) => "low",
        _ => "medium",
    }
}

fn text(text: &str) -> UserCell {
    UserCell::Text(text.to_owned())
}

fn texts(texts: Vec<String>) -> UserCell {
    if texts.is_empty() { UserCell::Null } else { UserCell::Texts(texts) }
}
