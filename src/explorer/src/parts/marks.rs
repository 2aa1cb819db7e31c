//! The marks of a picture of prices as a list, the newest first: for readers without a pointer.

use maud::{Markup, html};

use crate::moment::dates_in;
use crate::page_rows::{PageRows, text};
use crate::part_view::PartView;

/// Roles of marks, each with its letter in the picture and its name.
const MARKS: [(&str, &str); 3] =
    [("results", "R · Results"), ("dividend", "D · Dividend"), ("split", "S · Split or bonus")];

#[derive(Debug, PartialEq, Eq)]
struct DayMark<'a> {
    day: &'a str,
    name: &'static str,
    words: &'a str,
}

pub(super) fn marks(view: PartView<'_>) -> Markup {
    let marks = marks_of(view.rows);
    html! {
        @if !marks.is_empty() {
            ol.events aria-label="Marks of the picture" {
                @for mark in marks {
                    li {
                        time datetime=(mark.day) { (dates_in(mark.day)) }
                        span.kind { (mark.name) }
                        span { (mark.words) }
                    }
                }
            }
        }
    }
}

fn marks_of(rows: &PageRows) -> Vec<DayMark<'_>> {
    let Some(picture) = &rows.picture else { return Vec::new() };
    let column_of = |role: &str| {
        let mut columns = picture.columns().iter();
        columns.find(|column| column.role.name == role).map(|column| column.name.as_str())
    };
    let mut marks = Vec::new();
    for row in rows.rows.iter().rev() {
        let day = column_of("date").map_or("", |column| text(row, column));
        for (role, name) in MARKS {
            let words = column_of(role).map_or("", |column| text(row, column));
            if !words.is_empty() {
                marks.push(DayMark { day, name, words });
            }
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use parquote_picture::spec::PictureSpec;

    #[test]
    fn each_mark_has_its_day_and_the_newest_is_the_first() {
        let declared = "candles date=day open=o high=o low=o close=o split=split results=results";
        let rows = json!([
            { "day": "2026-11-02", "o": 1, "split": "1:2", "results": "Sep 2026 results", "dividend": "5 %" },
            { "day": "2026-11-03", "o": 1, "split": null, "results": null },
            { "day": "2026-11-04", "o": 1, "split": null, "results": "corrected" },
        ]);
        let rows = PageRows {
            rows: rows.as_array().unwrap().iter().map(|row| row.as_object().unwrap().clone()).collect(),
            picture: Some(PictureSpec::parse(declared).unwrap()),
            ..PageRows::default()
        };
        let mark = |day, name, words| DayMark { day, name, words };
        let expected = [
            mark("2026-11-04", "R · Results", "corrected"),
            mark("2026-11-02", "R · Results", "Sep 2026 results"),
            mark("2026-11-02", "S · Split or bonus", "1:2"),
        ];
        assert_eq!(marks_of(&rows), expected);
    }
}
