//! Converts a reply and the check of its content to the outcome of one file: its line of the manifest, and its path.

use std::cmp::Ordering;

use chrono::{DateTime, Utc};

use super::content_check::{CheckedContent, compare_dates};
use super::declared_source::Kind;
use super::known_files::KnownFiles;
use super::manifest::ManifestLine;
use super::outcome::FetchOutcome;
use super::partial_download::ReplyHeaders;
use super::planned_request::{PlannedRequest, RequestReason};

/// A complete file that was received and checked.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedFile {
    pub(crate) headers: ReplyHeaders,
    pub(crate) content: CheckedContent,
    pub(crate) bytes: u64,
    pub(crate) blake3: String,
}

/// Creates the line of a request without a file.
pub(crate) fn line_without_file(
    planned: &PlannedRequest,
    at: DateTime<Utc>,
    outcome: FetchOutcome,
) -> ManifestLine {
    ManifestLine::new(at, (&planned.source.name, &planned.item), &planned.url, outcome)
}

/// Creates the line of an unchanged file, with the facts of the earlier line.
pub(crate) fn unchanged_file(
    planned: &PlannedRequest,
    at: DateTime<Utc>,
    status: u16,
    good: Option<&ManifestLine>,
) -> ManifestLine {
    let plain =
        ManifestLine { status: Some(status), ..line_without_file(planned, at, FetchOutcome::Unchanged) };
    match good {
        Some(good) => ManifestLine {
            bytes: good.bytes,
            blake3: good.blake3.clone(),
            etag: good.etag.clone(),
            last_modified: good.last_modified.clone(),
            dated: good.dated,
            rows: good.rows,
            ..plain
        },
        None => plain,
    }
}

/// Creates the line of a request for a file that the host does not have.
pub(crate) fn absent_file(
    known: &KnownFiles<'_>,
    planned: &PlannedRequest,
    at: DateTime<Utc>,
    status: u16,
) -> ManifestLine {
    let why = format!("the host has no such file ({status})");
    let plain =
        ManifestLine { status: Some(status), ..line_without_file(planned, at, FetchOutcome::Drifted) };
    match planned.date.filter(|_| matches!(planned.source.kind, Kind::Dated | Kind::Listed)) {
        Some(_) if planned.why == RequestReason::Check => {
            ManifestLine { why: "the host has it no longer".to_owned(), ..plain }
        }
        Some(date) if planned.why != RequestReason::Page => {
            let missing = known.outcome_without_file(&planned.source, date, false, why);
            ManifestLine { outcome: missing.outcome, why: missing.why, settled: missing.settled, ..plain }
        }
        _ => ManifestLine {
            why: format!("{why}; its address was last seen to live on {}", planned.source.seen),
            ..plain
        },
    }
}

/// Creates the line of a file that was received completely.
pub(crate) fn received_file(
    known: &KnownFiles<'_>,
    planned: &PlannedRequest,
    at: DateTime<Utc>,
    received: ReceivedFile,
) -> ManifestLine {
    let copy = known.copy_on_disk(&planned.source, &planned.item);
    let plain = ManifestLine {
        status: Some(received.headers.status),
        bytes: received.bytes,
        blake3: Some(received.blake3),
        etag: received.headers.etag,
        last_modified: received.headers.last_modified,
        ..line_without_file(planned, at, FetchOutcome::Ok)
    };
    let failed =
        |outcome, why| complete_faulty_line(known, planned, ManifestLine { outcome, why, ..plain.clone() });
    match received.content {
        CheckedContent::Good(rows) => {
            let plain = ManifestLine {
                rows: Some(rows.count),
                dated: rows.date.or(planned.part.window.map(|(_, to)| to)),
                ..plain.clone()
            };
            // Only dated and listed sources are requested by a date.
            let requested =
                planned.date.filter(|_| matches!(planned.source.kind, Kind::Dated | Kind::Listed));
            match compare_dates(rows.date, requested) {
                // Two windows are two files, even with equal content.
                Ordering::Equal
                    if planned.part.window.is_none()
                        && copy.is_some_and(|copy| copy.blake3 == plain.blake3) =>
                {
                    ManifestLine { outcome: FetchOutcome::Unchanged, ..plain }
                }
                Ordering::Equal => ManifestLine { path: path_of_new_file(known, planned, at), ..plain },
                Ordering::Less => {
                    missing_line(known, planned, plain, true, format!("it holds {}", date_words(rows.date)))
                }
                Ordering::Greater => {
                    let why = format!("it holds {}, a later day", date_words(rows.date));
                    complete_faulty_line(
                        known,
                        planned,
                        ManifestLine { outcome: FetchOutcome::Drifted, why, ..plain },
                    )
                }
            }
        }
        CheckedContent::Nothing(why) => missing_line(known, planned, plain.clone(), false, why),
        CheckedContent::RefusalPage => ManifestLine {
            outcome: FetchOutcome::Blocked,
            why: "a page that refuses came".to_owned(),
            ..plain.clone()
        },
        CheckedContent::Drifted(why) => failed(FetchOutcome::Drifted, why),
        CheckedContent::Broken(why) => failed(FetchOutcome::Failed, why),
    }
}

fn date_words(date: Option<chrono::NaiveDate>) -> String {
    date.map_or_else(|| "no date".to_owned(), |date| date.to_string())
}

/// Creates the line of a reply without the file of the day. `is_older`: the reply has the data of an earlier day.
fn missing_line(
    known: &KnownFiles<'_>,
    planned: &PlannedRequest,
    plain: ManifestLine,
    is_older: bool,
    why: String,
) -> ManifestLine {
    match (planned.source.kind, planned.date) {
        (Kind::Dated | Kind::Listed, Some(date)) => {
            let missing = known.outcome_without_file(&planned.source, date, is_older, why);
            ManifestLine { outcome: missing.outcome, why: missing.why, settled: missing.settled, ..plain }
        }
        (Kind::Window, _) => ManifestLine { outcome: FetchOutcome::NotYet, why, ..plain },
        _ => complete_faulty_line(
            known,
            planned,
            ManifestLine { outcome: FetchOutcome::Drifted, why, ..plain },
        ),
    }
}

/// Completes the line of a faulty file: it is settled if the same bytes were received twice and the period for late files has ended.
fn complete_faulty_line(
    known: &KnownFiles<'_>,
    planned: &PlannedRequest,
    line: ManifestLine,
) -> ManifestLine {
    let before = known.manifest.newest_answered(&planned.source.name, &planned.item);
    let is_same = before.is_some_and(|before| before.blake3.is_some() && before.blake3 == line.blake3);
    let is_late = planned
        .date
        .is_some_and(|date| known.now - planned.source.ready_at(date) >= planned.source.retry.delta());
    ManifestLine { settled: is_same && is_late, ..line }
}

/// Returns the path of a new file below `raw/`; `None` for a page. A second version is saved in a folder with its time of capture, which
/// sorts after the first version, so that readers take it as the newer one.
fn path_of_new_file(known: &KnownFiles<'_>, planned: &PlannedRequest, at: DateTime<Utc>) -> Option<String> {
    if planned.why == RequestReason::Page {
        return None;
    }
    let values = planned.values(Some(at));
    let path = planned.source.into.fill(&values)?;
    // A day's file may be in another folder; paths of snapshots and windows are unique.
    let is_named_once =
        matches!(planned.source.kind, Kind::Dated | Kind::Listed | Kind::Linked | Kind::Filed);
    let has_file =
        known.folders.raw().join(&path).exists() || is_named_once && known.is_on_disk(&planned.source, &path);
    if planned.source.kind == Kind::Rolling || !has_file {
        return Some(path);
    }
    let captured = values.captured?.format("%Y%m%d_%H%M%S");
    let (folder, name) = path.rsplit_once('/')?;
    Some(format!("{folder}/zz_corrected_{captured}/{name}"))
}
