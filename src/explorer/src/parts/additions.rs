//! Links that add the stock of a row to the list of stocks in the page's address, such as peers to a comparison.

use maud::{Markup, html};

use crate::page_rows::text;
use crate::part_view::PartView;
use crate::plan::MOST_SYMBOLS;

pub(super) fn additions(view: PartView<'_>, parameter: &str) -> Markup {
    let present: Vec<&str> = view.request.list(parameter).collect();
    let new = view.rows.rows.iter().filter(|row| {
        let symbol = text(row, "symbol");
        !symbol.is_empty() && !present.iter().any(|known| known.eq_ignore_ascii_case(symbol))
    });
    let new: Vec<_> = new.collect();
    let address_with = |symbol: &str| {
        let all = present.iter().copied().chain([symbol]).collect::<Vec<_>>().join(",");
        view.request.address_with(&[(parameter, Some(all.as_str()))])
    };
    html! {
        @if !new.is_empty() && present.len() < MOST_SYMBOLS {
            p.onward {
                "Add a peer: "
                @for row in new {
                    a href=(address_with(text(row, "symbol"))) title=(text(row, "company_name")) { "+ " (text(row, "symbol")) } " "
                }
            }
        }
    }
}
