//! Counts of what matches by one parameter: a link each, which keeps that value alone.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::picture::number::grouped;
use crate::surface::pages::column_title::title;
use crate::surface::pages::market_words;
use crate::surface::pages::part_view::PartView;

/// More of them are shown when they are asked for.
const FEW: usize = 24;

pub(super) fn facets(view: PartView<'_>, parameter: &str) -> Markup {
    let money = market_words::money(view.request.market);
    let counted = view.rows.rows.iter().filter_map(|row| {
        let value = row.get("facet_value").and_then(Json::as_str)?;
        Some((value, row.get("stock_count").and_then(Json::as_f64)?))
    });
    let asked = view.request.get(parameter);
    html! {
        details.facets open[asked.is_none() && view.rows.rows.len() <= FEW] {
            summary { "By " (title(parameter, None).to_lowercase()) }
            ul {
                @for (value, count) in counted {
                    li {
                        a href=(view.request.with(&[(parameter, Some(value)), ("offset", None)]))
                            aria-current=[(asked == Some(value)).then_some("true")] { (value) " " small { (grouped(count, 0, money)) } }
                    }
                }
            }
        }
    }
}
