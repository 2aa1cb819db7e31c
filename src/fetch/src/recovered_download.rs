//! Restores the request of a download that was complete when a run was killed, from its note.

use std::sync::Arc;

use chrono::NaiveDate;
use url::Url;

use super::dates;
use super::declared_source::Kind;
use super::partial_download::DownloadNote;
use super::planned_request::{PlannedRequest, SourcePart, Why};
use super::source::Source;

/// Restores the request of a note; returns `None` if the note does not fit the source.
pub(crate) fn request(source: Arc<Source>, note: &DownloadNote) -> Option<PlannedRequest> {
    let is_page = note.item == "page" || note.item.starts_with("list ");
    let (date, part) = if is_page { (None, SourcePart::default()) } else { named(&source, note)? };
    let why = if is_page { Why::Page } else { Why::New };
    Some(PlannedRequest { source, item: note.item.clone(), date, url: note.url.clone(), bytes: 0, why, part })
}

fn named(source: &Source, note: &DownloadNote) -> Option<(Option<NaiveDate>, SourcePart)> {
    let text = note.item.as_str();
    let plain = SourcePart::default();
    Some(match source.kind {
        Kind::Dated | Kind::Listed => {
            let (date, each) = text.split_once(' ').unwrap_or((text, ""));
            (Some(date.parse().ok()?), SourcePart { each: each.to_owned(), ..plain })
        }
        Kind::Rolling => (None, SourcePart { each: text.trim_start_matches('-').to_owned(), ..plain }),
        Kind::Linked => (dates::of_period(text), SourcePart { name: text.to_owned(), ..plain }),
        Kind::Window => {
            let url = Url::parse(&note.url).ok()?;
            let mut days = url.query_pairs().filter_map(|(_, value)| value.parse::<NaiveDate>().ok());
            let window = (days.next()?, days.next()?);
            (Some(window.1), SourcePart { each: text.to_owned(), window: Some(window), ..plain })
        }
    })
}
