//! Turns a reply and a judgement into the outcome of one file: its line of the manifest, and its place.

use std::cmp::Ordering;

use chrono::{DateTime, Utc};

use super::client::ReplyHeaders;
use super::declared::Kind;
use super::item::{Item, Why};
use super::judge::{Judgement, compared};
use super::manifest::ManifestLine;
use super::outcome::FetchOutcome;
use super::view::FetchView;

/// A whole file that was received and judged.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedFile {
    pub(crate) headers: ReplyHeaders,
    pub(crate) judgement: Judgement,
    pub(crate) bytes: u64,
    pub(crate) blake3: String,
}

/// A line about an item without facts of a file.
pub(crate) fn line(item: &Item, at: DateTime<Utc>, outcome: FetchOutcome) -> ManifestLine {
    ManifestLine::of(at, (&item.source.name, &item.item), &item.url, outcome)
}

/// The line of an unchanged file: it repeats the facts of the line before.
pub(crate) fn unchanged(
    item: &Item,
    at: DateTime<Utc>,
    status: u16,
    good: Option<&ManifestLine>,
) -> ManifestLine {
    let plain = ManifestLine { status: Some(status), ..line(item, at, FetchOutcome::Unchanged) };
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

/// The line of a request to which the host has no such file.
pub(crate) fn absent(view: &FetchView<'_>, item: &Item, at: DateTime<Utc>, status: u16) -> ManifestLine {
    let why = format!("the host has no such file ({status})");
    let plain = ManifestLine { status: Some(status), ..line(item, at, FetchOutcome::Drifted) };
    match item.date.filter(|_| matches!(item.source.kind, Kind::Dated | Kind::Listed)) {
        Some(_) if item.why == Why::Check => {
            ManifestLine { why: "the host has it no longer".to_owned(), ..plain }
        }
        Some(date) if item.why != Why::Page => {
            let lack = view.lack(&item.source, date, false, why);
            ManifestLine { outcome: lack.outcome, why: lack.why, settled: lack.settled, ..plain }
        }
        _ => ManifestLine {
            why: format!("{why}; its address was last seen to live on {}", item.source.seen),
            ..plain
        },
    }
}

/// The line of a whole file that came.
pub(crate) fn received(
    view: &FetchView<'_>,
    item: &Item,
    at: DateTime<Utc>,
    received: ReceivedFile,
) -> ManifestLine {
    let copy = view.copy(&item.source, &item.item);
    let plain = ManifestLine {
        status: Some(received.headers.status),
        bytes: received.bytes,
        blake3: Some(received.blake3),
        etag: received.headers.etag,
        last_modified: received.headers.last_modified,
        ..line(item, at, FetchOutcome::Ok)
    };
    let failed = |outcome, why| repeated(view, item, ManifestLine { outcome, why, ..plain.clone() });
    match received.judgement {
        Judgement::Good(rows) => {
            let plain = ManifestLine {
                rows: Some(rows.count),
                dated: rows.date.or(item.part.window.map(|(_, to)| to)),
                ..plain.clone()
            };
            // A snapshot has no day that was asked for.
            let asked = item.date.filter(|_| matches!(item.source.kind, Kind::Dated | Kind::Listed));
            match compared(rows.date, asked) {
                // Two windows are two files, whatever they hold.
                Ordering::Equal
                    if item.part.window.is_none() && copy.is_some_and(|copy| copy.blake3 == plain.blake3) =>
                {
                    ManifestLine { outcome: FetchOutcome::Unchanged, ..plain }
                }
                Ordering::Equal => ManifestLine { path: place(view, item, at), ..plain },
                Ordering::Less => lacking(view, item, plain, true, format!("it holds {}", told(rows.date))),
                Ordering::Greater => {
                    let why = format!("it holds {}, a later day", told(rows.date));
                    repeated(view, item, ManifestLine { outcome: FetchOutcome::Drifted, why, ..plain })
                }
            }
        }
        Judgement::Nothing(why) => lacking(view, item, plain.clone(), false, why),
        Judgement::Wall => ManifestLine {
            outcome: FetchOutcome::Blocked,
            why: "a page that refuses came".to_owned(),
            ..plain.clone()
        },
        Judgement::Drifted(why) => failed(FetchOutcome::Drifted, why),
        Judgement::Broken(why) => failed(FetchOutcome::Failed, why),
    }
}

fn told(date: Option<chrono::NaiveDate>) -> String {
    date.map_or_else(|| "no date".to_owned(), |date| date.to_string())
}

/// A file that holds nothing of the day.
fn lacking(
    view: &FetchView<'_>,
    item: &Item,
    plain: ManifestLine,
    is_older: bool,
    why: String,
) -> ManifestLine {
    match (item.source.kind, item.date) {
        (Kind::Dated | Kind::Listed, Some(date)) => {
            let lack = view.lack(&item.source, date, is_older, why);
            ManifestLine { outcome: lack.outcome, why: lack.why, settled: lack.settled, ..plain }
        }
        (Kind::Window, _) => ManifestLine { outcome: FetchOutcome::NotYet, why, ..plain },
        _ => repeated(view, item, ManifestLine { outcome: FetchOutcome::Drifted, why, ..plain }),
    }
}

/// The same faulty bytes twice, and the time of late files over: a day's file that is faulty at the host stays so.
fn repeated(view: &FetchView<'_>, item: &Item, line: ManifestLine) -> ManifestLine {
    let before = view.manifest.answered(&item.source.name, &item.item);
    let is_same = before.is_some_and(|before| before.blake3.is_some() && before.blake3 == line.blake3);
    let is_late =
        item.date.is_some_and(|date| view.now - item.source.ready_at(date) >= item.source.retry.delta());
    ManifestLine { settled: is_same && is_late, ..line }
}

/// Where a new file goes, below `raw/`. Beside a first one it goes into a folder of the moment of its capture, whose name sorts
/// behind it, so that of two files of a day the newer is read as the newer.
fn place(view: &FetchView<'_>, item: &Item, at: DateTime<Utc>) -> Option<String> {
    if item.why == Why::Page {
        return None;
    }
    let values = item.values(Some(at));
    let path = item.source.into.fill(&values)?;
    // A day's file may lie in another folder; paths of snapshots and windows differ by themselves.
    let is_named_once = matches!(item.source.kind, Kind::Dated | Kind::Listed | Kind::Linked);
    let is_there =
        view.folders.raw().join(&path).exists() || is_named_once && view.is_held(&item.source, &path);
    if item.source.kind == Kind::Rolling || !is_there {
        return Some(path);
    }
    let captured = values.captured?.format("%Y%m%d_%H%M%S");
    let (folder, name) = path.rsplit_once('/')?;
    Some(format!("{folder}/zz_corrected_{captured}/{name}"))
}
