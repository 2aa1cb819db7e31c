//! The item of a download that was complete when a run was killed, read from the note of its part.

use std::sync::Arc;

use chrono::NaiveDate;
use url::Url;

use super::dates;
use super::declared::Kind;
use super::item::{Item, PartOf, Why};
use super::part::Note;
use super::source::Source;

/// The item that a note is of; nothing where the note is not of this source's form.
pub(crate) fn item(source: Arc<Source>, note: &Note) -> Option<Item> {
    let is_page = note.item == "page" || note.item.starts_with("list ");
    let (date, part) = if is_page { (None, PartOf::default()) } else { named(&source, note)? };
    let why = if is_page { Why::Page } else { Why::New };
    Some(Item { source, item: note.item.clone(), date, url: note.url.clone(), bytes: 0, why, part })
}

fn named(source: &Source, note: &Note) -> Option<(Option<NaiveDate>, PartOf)> {
    let text = note.item.as_str();
    let plain = PartOf::default();
    Some(match source.kind {
        Kind::Dated | Kind::Listed => {
            let (date, each) = text.split_once(' ').unwrap_or((text, ""));
            (Some(date.parse().ok()?), PartOf { each: each.to_owned(), ..plain })
        }
        Kind::Rolling => (None, PartOf { each: text.trim_start_matches('-').to_owned(), ..plain }),
        Kind::Linked => (dates::of_period(text), PartOf { name: text.to_owned(), ..plain }),
        Kind::Window => {
            let url = Url::parse(&note.url).ok()?;
            let mut days = url.query_pairs().filter_map(|(_, value)| value.parse::<NaiveDate>().ok());
            let window = (days.next()?, days.next()?);
            (Some(window.1), PartOf { each: text.to_owned(), window: Some(window), ..plain })
        }
    })
}
