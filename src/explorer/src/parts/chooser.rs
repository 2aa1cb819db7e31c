//! The chooser of columns: a tick box for each column, and the parameter `fields` with the ticked ones.

use maud::{Markup, html};

use crate::column_title::title;
use crate::part_view::PartView;
use crate::request::{CHOOSE_PARAM, FIELDS};
use parquote_catalogue::operation::ColumnType;
use parquote_engine::ResultColumn;
use parquote_handlers::FORMULAS;

/// Builds the chooser; `shown` are the columns of the table.
pub(super) fn chooser(view: PartView<'_>, shown: &[&str]) -> Markup {
    let request = view.request;
    let hidden = request.pairs.iter().filter(|(name, _)| name != FIELDS);
    let is_offered = |column: &&ResultColumn| {
        !matches!(column.ty, ColumnType::Rows | ColumnType::Row) && !FORMULAS.contains(&column.name.as_str())
    };
    let all = view.rows.columns.iter().filter(is_offered);
    html! {
        details.chooser {
            summary { "Columns" }
            form method="get" action=(request.path()) {
                fieldset {
                    legend { "Columns of the table" }
                    @for column in all {
                        @let id = format!("{}-column-{}", view.part.id, column.name);
                        label for=(id) title=(column.words) {
                            input id=(id) type="checkbox" name=(FIELDS) value=(column.name) checked[shown.contains(&column.name.as_str())];
                            " " (title(&column.name, Some(column)))
                        }
                    }
                }
                @for (name, value) in hidden { input type="hidden" name=(name) value=(value); }
                input type="hidden" name=(CHOOSE_PARAM) value="yes";
                button { "Show these" }
                @if request.get(FIELDS).is_some() { " " a href=(request.address_with(&[(FIELDS, None), (CHOOSE_PARAM, Some("usual"))])) { "The usual columns" } }
            }
        }
    }
}
