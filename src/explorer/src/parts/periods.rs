//! Periods side by side in sections, the newest at the right, to which the box is scrolled at first. The table of a section leaves out
//! periods without any of its figures, and figures without any period. The sum of the last four quarters is left out if these are old.

use maud::{Markup, html};

use super::names;
use super::period_age::OldPeriod;
use super::side_by_side::figure_cells;
use crate::page_rows::{PageRow, text};
use crate::part_view::PartView;
use crate::view_spec::PeriodsSpec;

/// Name of the sum of the last four quarters.
const LAST_FOUR: &str = "TTM";

pub(super) fn periods(view: PartView<'_>, spec: &PeriodsSpec) -> Markup {
    if view.rows.rows.is_empty() {
        return html! { p.none { "Nothing to show." } };
    }
    let is_old = OldPeriod::newest(view).is_some();
    let rows: Vec<&PageRow> =
        view.rows.rows.iter().filter(|row| !is_old || text(row, &spec.heading) != LAST_FOUR).collect();
    html! { @for (heading, columns) in &spec.sections { (section((view, &rows), spec, heading, &names(columns))) } }
}

fn section(
    (view, all_rows): (PartView<'_>, &[&PageRow]),
    spec: &PeriodsSpec,
    heading: &str,
    columns: &[&str],
) -> Markup {
    let (rows, names) = newest_periods(all_rows, columns, spec.most);
    let caption = if heading.is_empty() { view.part.title.as_str() } else { heading };
    html! {
        @if !rows.is_empty() {
            @if !heading.is_empty() { h3 { (heading) } }
            div.scroll.newest-right tabindex="0" role="group" aria-label=(caption) {
                table.beside {
                    caption.quiet { (caption) }
                    thead { tr {
                        th scope="col" { "Figure" }
                        @for row in &rows { th.n scope="col" { (head(spec, row)) } }
                    } }
                    tbody {
                        @for name in names { tr.growth[name.ends_with("_growth")] { (figure_cells(view, name, &rows)) } }
                    }
                }
            }
        }
    }
}

/// Shows the name of a period: in the financial year, with its last month below.
fn head(spec: &PeriodsSpec, row: &PageRow) -> Markup {
    let name = text(row, &spec.heading);
    let fiscal = spec.fiscal.as_deref().map_or("", |column| text(row, column));
    html! { @if fiscal.is_empty() || fiscal == name { (name) } @else { (fiscal) br; small { (name) } } }
}

/// Returns the newest rows that have any of the figures, oldest first, and the figures that any of these rows has.
fn newest_periods<'a, 'b>(
    rows: &[&'a PageRow],
    columns: &[&'b str],
    most: usize,
) -> (Vec<&'a PageRow>, Vec<&'b str>) {
    let has = |row: &PageRow, name: &str| row.get(name).is_some_and(|value| !value.is_null());
    let is_known = |row: &&PageRow| columns.iter().any(|name| has(row, name));
    let mut newest: Vec<&PageRow> = rows.iter().copied().filter(is_known).take(most).collect();
    newest.reverse();
    let names = columns.iter().copied().filter(|name| newest.iter().any(|row| has(row, name))).collect();
    (newest, names)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    #[test]
    fn the_newest_stands_last_and_what_nobody_has_is_left_out() {
        let row = |period: &str, sales: Json, assets: Json| {
            json!({"period": period, "sales_cr": sales, "total_assets_cr": assets, "tax_cr": null})
                .as_object()
                .unwrap()
                .clone()
        };
        let rows = [
            row("TTM", json!(10), json!(null)),
            row("Jun 2026", json!(3), json!(null)),
            row("Mar 2026", json!(2), json!(90)),
        ];
        let all: Vec<&PageRow> = rows.iter().collect();
        let named = |columns: &[&str], most| {
            let (rows, names) = newest_periods(&all, columns, most);
            let periods: Vec<String> =
                rows.iter().map(|row| row["period"].as_str().unwrap().to_owned()).collect();
            (periods.join(" "), names.join(" "))
        };
        assert_eq!(
            named(&["sales_cr", "tax_cr"], 9),
            ("Mar 2026 Jun 2026 TTM".to_owned(), "sales_cr".to_owned())
        );
        assert_eq!(named(&["sales_cr"], 2), ("Jun 2026 TTM".to_owned(), "sales_cr".to_owned()));
        assert_eq!(named(&["total_assets_cr"], 9), ("Mar 2026".to_owned(), "total_assets_cr".to_owned()));
        assert_eq!(named(&["tax_cr"], 9), (String::new(), String::new()));
    }
}
