//! The report of a committee: first the verdict, then the lenses with their gates as ticks, dissent, possible refutations, and the removed
//! numbers.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::column_title::{capitalise, title};
use crate::market_words;
use crate::moment::dates_in;
use crate::page_rows::{PageRow, text};
use crate::part_view::PartView;
use parquote_picture::number::format_grouped;

/// Shows the report in the first row.
pub(super) fn verdict(view: PartView<'_>) -> Markup {
    let Some(row) = view.rows.rows.first() else { return html! {} };
    let agreement = row.get("agreement_score").and_then(Json::as_f64);
    html! {
        div.verdict {
            p.word { b { (text(row, "verdict")) } " " (text(row, "symbol")) }
            dl.figures {
                (figure("Stance", &text(row, "research_stance").replace('-', " ")))
                @if let Some(agreement) = agreement { (figure("Agreement", &format!("{}%", format_grouped(agreement, 0, market_words::money(view.request.market))))) }
                (figure("Gates alone", &text(row, "committee_signal").replace('_', " ").to_lowercase()))
                (figure("Figures of", &dates_in(text(row, "as_of"))))
                (figure("Model", text(row, "model")))
            }
            p.text { (text(row, "summary")) }
            @if !text(row, "departs_because").is_empty() { p.text { b { "Why it differs from the gates: " } (text(row, "departs_because")) } }
        }
        @for lens in objects(row, "lenses") { (lens_markup(view, lens)) }
        @let dissent: Vec<&PageRow> = objects(row, "dissent").collect();
        @if !dissent.is_empty() {
            h3 { "Who differs" }
            @for other in dissent { p.text { b { (lens_name(text(other, "lens"))) ", " (text(other, "vote")) ": " } (text(other, "argument")) } }
        }
        @let risks: Vec<&str> = row.get("risks").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
        @if !risks.is_empty() { h3 { "What could prove it wrong" } ul.text { @for risk in risks { li { (risk) } } } }
        @if let Some(removed) = row.get("unsupported_numbers") { (removed_numbers(removed)) }
    }
}

/// Shows the removed numbers, each once, with its count and the fields from which it was removed.
pub(super) fn removed_numbers(removed: &Json) -> Markup {
    /// Maximum number of places shown.
    const MOST_SHOWN: usize = 3;
    let mut numbers: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in removed.as_array().into_iter().flatten() {
        let word = |name: &str| one.get(name).and_then(Json::as_str).unwrap_or_default();
        match numbers.iter_mut().find(|(text, _)| *text == word("text")) {
            Some((_, places)) => places.push(word("where")),
            None => numbers.push((word("text"), vec![word("where")])),
        }
    }
    html! {
        @if !numbers.is_empty() {
            h3 { "Unsupported numbers" }
            p.none { "No figure that the run saw supports them; they are struck from the text." }
            ul.text {
                @for (text, places) in numbers {
                    li {
                        b { (text) } @if places.len() > 1 { ", " (places.len()) " times" } ": "
                        (places.iter().take(MOST_SHOWN).map(|place| place_words(place)).collect::<Vec<_>>().join(", "))
                        @if places.len() > MOST_SHOWN { " and others" }
                    }
                }
            }
        }
    }
}

/// Describes the place of a number, such as `lenses.quality_compounder.findings[0].claim`, in words.
fn place_words(place: &str) -> String {
    let parts = place.split('.').map(|part| part.split('[').next().unwrap_or_default().replace('_', " "));
    parts.collect::<Vec<_>>().join(", ")
}

fn lens_markup(view: PartView<'_>, lens: &PageRow) -> Markup {
    let gates: Vec<&PageRow> = objects(lens, "gates").collect();
    let passes = |gate: &PageRow| gate.get("pass").and_then(Json::as_bool).unwrap_or_default();
    let pass_count = gates.iter().filter(|gate| passes(gate)).count();
    html! {
        h3 { (lens_name(text(lens, "name"))) ": " (text(lens, "vote")) }
        p.text { (text(lens, "argument")) }
        p.count { b { (pass_count) " of " (gates.len()) } " gates pass; by them alone the vote is " (text(lens, "gate_vote")) "." }
        ul.checks {
            @for gate in gates {
                @let value = amount(view, gate, "value", "word");
                @let gate_words = format!("{}: {} {} {}", title(text(gate, "name"), None), value.as_deref().unwrap_or("not known"), sign(text(gate, "op")), amount(view, gate, "threshold", "threshold_word").unwrap_or_default());
                @if value.is_none() { li { span.mark { "–" } " " b { "not known" } " " (gate_words) } }
                @else if passes(gate) { li.holds { span.mark { "✓" } " " b { "passes" } " " (gate_words) } }
                @else { li.fails { span.mark { "✗" } " " b { "fails" } " " (gate_words) } }
            }
        }
    }
}

/// Returns the figure of a gate, or its word.
fn amount(view: PartView<'_>, gate: &PageRow, number: &str, word: &str) -> Option<String> {
    let figure = gate.get(number).and_then(Json::as_f64);
    let digits = usize::from(figure.is_some_and(|figure| figure.fract() != 0.0)) * 2;
    let number_text =
        figure.map(|figure| format_grouped(figure, digits, market_words::money(view.request.market)));
    number_text.or_else(|| gate.get(word).and_then(Json::as_str).map(str::to_owned))
}

/// Returns the mathematical sign of a comparison.
fn sign(op: &str) -> &str {
    match op {
        ">=" => "≥",
        "<=" => "≤",
        other => other,
    }
}

fn lens_name(name: &str) -> String {
    capitalise(&name.replace('_', " "))
}

fn objects<'a>(row: &'a PageRow, name: &str) -> impl Iterator<Item = &'a PageRow> {
    row.get(name).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_object)
}

fn figure(name: &str, value: &str) -> Markup {
    html! { @if !value.is_empty() { div { dt { (name) } dd { (value) } } } }
}
