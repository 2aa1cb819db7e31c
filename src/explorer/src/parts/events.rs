//! Dated events as a list, in the order of the rows: day, kind, event, actor, and amount.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::cell::{CellContext, cell};
use crate::links;
use crate::market_words;
use crate::moment::dates_in;
use crate::page_rows::PageRow;
use crate::part_view::PartView;
use parquote_catalogue::operation::Market;
use parquote_picture::number::format_grouped;

/// Names of the kinds of events.
const KINDS: [(&str, &str); 9] = [
    ("due", "Results due"),
    ("result", "Results"),
    ("action", "Corporate action"),
    ("insider", "Insider"),
    ("deal", "Large deal"),
    ("order", "Order"),
    ("pledge", "Pledge"),
    ("band", "Price band"),
    ("filing", "Filing"),
];

pub(super) fn events(view: PartView<'_>) -> Markup {
    let is_of_one = view.request.symbol.is_some();
    html! {
        @if view.rows.rows.is_empty() { (view.empty_notice("Nothing in this time.")) }
        ol.events {
            @for row in &view.rows.rows { (event(view, row, is_of_one)) }
        }
    }
}

/// Formats the figures of a sentence: a number of shares in the digit groups of the market, and minus signs in place of hyphens.
fn readable_text(what: &str, market: Market) -> String {
    let what = ('0'..='9')
        .fold(what.to_owned(), |what, digit| what.replace(&format!(" -{digit}"), &format!(" −{digit}")));
    let Some((before, after)) = what.split_once(" shares") else { return what };
    let words = before.trim_end_matches(|letter: char| letter.is_ascii_digit());
    match before.strip_prefix(words).unwrap_or_default().parse::<f64>() {
        Ok(shares) => {
            format!("{words}{} shares{after}", format_grouped(shares, 0, market_words::money(market)))
        }
        Err(_) => what,
    }
}

fn event(view: PartView<'_>, row: &PageRow, is_of_one: bool) -> Markup {
    let text = |name: &str| row.get(name).and_then(Json::as_str).filter(|text| !text.is_empty());
    let kind = text("kind").unwrap_or_default();
    let kind_words =
        KINDS.iter().find(|(known, _)| *known == kind).map_or(kind, |(_, kind_words)| kind_words);
    let what = dates_in(&readable_text(text("what").unwrap_or_default(), view.request.market));
    // A side that the text begins with, or that is neither of the two, is left out.
    let side = text("event_side").filter(|side| *side != "other" && !what.to_lowercase().starts_with(side));
    let amount = row.get("event_amount").filter(|value| !value.is_null());
    let value = amount.map(|amount| {
        cell(amount, view.rows.column("event_amount"), view.request.market, CellContext::Alone).text
    });
    let day = text("event_date").unwrap_or_default();
    html! {
        li {
            time datetime=(day) { (dates_in(day)) }
            span.kind { (kind_words) }
            span {
                @if !is_of_one {
                    @if let (Some(symbol), Some(address)) = (text("symbol"), links::value_address(view, "symbol", row, &[])) {
                        a href=(address) { (symbol) } " "
                    }
                }
                @if let Some(side) = side { b.up[side == "buy" || side == "upper"].down[side == "sell" || side == "lower"] { (side) } " " }
                (what)
                @if let Some(who) = text("who") { span.soft { " · " (who) } }
            }
            span.n { (value.unwrap_or_default()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_sentence_have_digit_groups_and_a_minus() {
        let india = |what: &str| readable_text(what, Market::India);
        assert_eq!(india("bulk deal, 41411526 shares"), "bulk deal, 4,14,11,526 shares");
        assert_eq!(readable_text("Sale, 2012 shares", Market::Us), "Sale, 2,012 shares");
        assert_eq!(india("Sep 2026, profit -15.6 % yoy"), "Sep 2026, profit −15.6 % yoy");
        assert_eq!(india("INTDIV - RS 3.00 PER SH"), "INTDIV - RS 3.00 PER SH");
        assert_eq!(india("buy-back of shares"), "buy-back of shares");
    }
}
