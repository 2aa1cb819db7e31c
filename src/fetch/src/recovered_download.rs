//! Restores the request of a download that was complete when a run was killed, from its note.

use std::sync::Arc;

use chrono::NaiveDate;
use url::Url;

use super::dates;
use super::declared_source::Kind;
use super::filed_documents;
use super::partial_download::RequestedFile;
use super::planned_request::{PlannedRequest, RequestReason, SourcePart};
use super::source::Source;

/// Restores the request of a file in a note; `None` if the name or URL of the file is not one of the source.
pub(crate) fn request(source: Arc<Source>, file: &RequestedFile) -> Option<PlannedRequest> {
    let is_page = file.item == "page" || file.item.starts_with("list ");
    let (date, part) = if is_page { (None, SourcePart::default()) } else { date_and_part(&source, file)? };
    let why = if is_page { RequestReason::Page } else { RequestReason::New };
    Some(PlannedRequest { source, item: file.item.clone(), date, url: file.url.clone(), bytes: 0, why, part })
}

fn date_and_part(source: &Source, file: &RequestedFile) -> Option<(Option<NaiveDate>, SourcePart)> {
    let text = file.item.as_str();
    let plain = SourcePart::default();
    Some(match source.kind {
        Kind::Dated | Kind::Listed => {
            let (date, each) = text.split_once(' ').unwrap_or((text, ""));
            (Some(date.parse().ok()?), SourcePart { each: each.to_owned(), ..plain })
        }
        Kind::Rolling => (None, SourcePart { each: text.trim_start_matches('-').to_owned(), ..plain }),
        Kind::Filed => (filed_documents::date_in(text), SourcePart { name: text.to_owned(), ..plain }),
        Kind::Linked => (dates::period_end(text), SourcePart { name: text.to_owned(), ..plain }),
        Kind::Window => {
            let url = Url::parse(&file.url).ok()?;
            let mut days = url.query_pairs().filter_map(|(_, value)| value.parse::<NaiveDate>().ok());
            let window = (days.next()?, days.next()?);
            (Some(window.1), SourcePart { each: text.to_owned(), window: Some(window), ..plain })
        }
    })
}
