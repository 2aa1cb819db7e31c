//! Checks the content of a fetched file: the bytes decide, never the status, the content type or the name.
//!
//! The check reads files and changes nothing. It covers the file alone; the caller compares it with the requested session.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use chrono_tz::Tz;
use flate2::read::MultiGzDecoder;
use url::Url;
use zip::ZipArchive;

use super::content_error::ContentError;
use super::dates;
use super::error::FetchError;
use super::expected_content::{ExpectedContent, Magic};
use super::file_rows::{self, RowSummary};
use super::page_links;
use super::planned_request::{PlannedRequest, RequestReason};
use super::s3;
use super::source::Source;
use super::unpack_bound::{BoundedReader, most_unpacked};
use parquote_catalogue::digits::counted;

/// Bytes at the beginning of a file that identify its kind.
const HEAD_BYTES: u64 = 16 * 1024;

/// Number of characters of an archive member's name that a message shows.
const MOST_NAME_CHARACTERS: usize = 100;

/// Phrases, in lower case, of the pages by which hosts refuse a request.
const REFUSAL_PHRASES: [&str; 9] = [
    "access denied",
    "captcha",
    "permissible threshold",
    "request rate threshold exceeded",
    "undeclared automated tool",
    "unusual traffic",
    "are you a robot",
    "pardon our interruption",
    "enable javascript and cookies",
];

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CheckedContent {
    /// The expected content.
    Good(RowSummary),
    /// No content, with the reason: no byte, no row, an empty response, or a page instead of the file.
    Nothing(String),
    /// A page by which the host refuses the request.
    RefusalPage,
    /// Another format than the declared one, with the difference.
    Drifted(String),
    /// Truncated, damaged or too large, with the reason.
    Broken(String),
}

/// Checks a file; `unpacked` is the number of bytes to which any packed file may unpack.
///
/// # Errors
/// The file cannot be opened; every other fault is a result of the check.
fn check(path: &Path, expect: &ExpectedContent, zone: Tz, unpacked: u64) -> io::Result<CheckedContent> {
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    (&mut file).take(HEAD_BYTES).read_to_end(&mut head)?;
    file.rewind()?;
    if let Some(other) = mismatched_content(&head, expect) {
        return Ok(other);
    }
    let bound = most_unpacked(file.metadata()?.len(), unpacked);
    let read = match expect.magic {
        Magic::Text | Magic::Page | Magic::Json => file_rows::read(&mut BufReader::new(file), expect, zone),
        Magic::Gzip => {
            let mut text =
                BufReader::new(BoundedReader::new(MultiGzDecoder::new(BufReader::new(file)), bound));
            file_rows::read(&mut text, expect, zone)
        }
        Magic::Zip => check_archive(file, bound, expect, zone),
    };
    Ok(match read {
        Ok(rows) if rows.count == 0 && !rows.states_no_rows && expect.rows > 0 => {
            CheckedContent::Nothing("it has no row".to_owned())
        }
        Ok(rows) if rows.count < expect.rows && !rows.states_no_rows => CheckedContent::Broken(format!(
            "it has {}, and a whole one has {} or more",
            counted(rows.count, "row", "rows"),
            expect.rows
        )),
        Ok(rows) => CheckedContent::Good(rows),
        Err(ContentError::Drifted(why)) => CheckedContent::Drifted(why),
        Err(ContentError::Broken(why)) => CheckedContent::Broken(why),
    })
}

/// Returns the result for a file whose first bytes are not of the expected kind; `None` if they are.
fn mismatched_content(head: &[u8], expect: &ExpectedContent) -> Option<CheckedContent> {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    if text.is_empty() {
        return Some(CheckedContent::Nothing("it is empty".to_owned()));
    }
    let is_archive = head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06");
    let is_gzipped = head.starts_with(b"\x1f\x8b");
    if !is_archive && !is_gzipped && text.starts_with(b"<") {
        let page = classify_page(text);
        // A refusal page is short; a longer page is a document that has such a phrase.
        let is_wall = page == CheckedContent::RefusalPage && (head.len() as u64) < HEAD_BYTES;
        return (expect.magic != Magic::Page || is_wall).then_some(page);
    }
    let drifted = |what: &str| Some(CheckedContent::Drifted(what.to_owned()));
    match expect.magic {
        Magic::Zip if is_archive => None,
        Magic::Gzip if is_gzipped => None,
        Magic::Zip | Magic::Gzip if is_empty_json(text) => {
            Some(CheckedContent::Nothing("it is an empty answer".to_owned()))
        }
        Magic::Zip => drifted("it is not a zip archive"),
        Magic::Gzip => drifted("it is not gzipped"),
        Magic::Text | Magic::Page | Magic::Json if is_archive => {
            drifted("it is an archive or a workbook, not text")
        }
        Magic::Text | Magic::Page | Magic::Json if is_gzipped => drifted("it is gzipped, not text"),
        Magic::Text | Magic::Page | Magic::Json if text.contains(&0) => drifted("it is not text"),
        Magic::Text | Magic::Page | Magic::Json if is_empty_json(text) => {
            Some(CheckedContent::Nothing("it is an empty answer".to_owned()))
        }
        Magic::Json if !text.starts_with(b"{") && !text.starts_with(b"[") => drifted("it is not JSON"),
        Magic::Text | Magic::Page | Magic::Json => None,
    }
}

/// Classifies a page in place of a file: a refusal, or no content.
fn classify_page(text: &[u8]) -> CheckedContent {
    let text = String::from_utf8_lossy(text).to_lowercase();
    if REFUSAL_PHRASES.iter().any(|words| text.contains(words)) {
        CheckedContent::RefusalPage
    } else {
        CheckedContent::Nothing("a page came in the place of the file".to_owned())
    }
}

/// Returns true for `[]` and for an object without values other than empty arrays.
fn is_empty_json(text: &[u8]) -> bool {
    if text.len() > 512 {
        return false;
    }
    match serde_json::from_slice(text) {
        Ok(serde_json::Value::Array(list)) => list.is_empty(),
        Ok(serde_json::Value::Object(fields)) => {
            fields.values().all(|value| value.as_array().is_some_and(Vec::is_empty))
        }
        _ => false,
    }
}

/// Reads all members, which checks their CRC, and checks the rows of the expected member.
fn check_archive(
    file: File,
    bound: u64,
    expect: &ExpectedContent,
    zone: Tz,
) -> Result<RowSummary, ContentError> {
    let mut archive = ZipArchive::new(BufReader::new(file))?;
    let mut names = Vec::new();
    for (at, name) in archive.file_names().enumerate() {
        names.push((at, name?.to_string()));
    }
    let checked_member = member_to_check(&names, expect)?;
    let mut left = bound;
    let mut summary = RowSummary::default();
    for position in 0..archive.len() {
        let member = archive.by_index(position)?;
        if !member.is_file() {
            continue;
        }
        let mut member = BoundedReader::new(member, left);
        if Some(position) == checked_member.as_ref().map(|(at, _)| *at) {
            summary = file_rows::read(&mut BufReader::new(&mut member), expect, zone)?;
        }
        io::copy(&mut member, &mut io::sink())?;
        left = left.saturating_sub(member.bytes_read());
    }
    if expect.member_date
        && let (Some((_, name)), Some(prefix)) = (&checked_member, &expect.member)
    {
        summary.date = dates::in_member(name, prefix);
        if summary.date.is_none() {
            let shown: String = name.chars().take(MOST_NAME_CHARACTERS).collect();
            return Err(ContentError::Drifted(format!("the name of its member {shown:?} has no date")));
        }
    }
    Ok(summary)
}

/// Returns the index of the member to check, and its name in lower case and without folders; `None` for an archive without files.
fn member_to_check(
    names: &[(usize, String)],
    expect: &ExpectedContent,
) -> Result<Option<(usize, String)>, ContentError> {
    let base_name = |name: &str| name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    let mut files =
        names.iter().map(|(at, name)| (*at, base_name(name))).filter(|(_, name)| !name.is_empty());
    match &expect.member {
        None => Ok(files.next()),
        Some(prefix) => {
            let member = files.find(|(_, name)| name.starts_with(prefix.as_str()));
            member.map(Some).ok_or_else(|| {
                ContentError::Drifted(format!("it has no member whose name begins with {prefix}"))
            })
        }
    }
}

/// Compares the date inside a file with the requested date; equal if one of them is unknown.
pub(crate) fn compare_dates(found: Option<NaiveDate>, requested: Option<NaiveDate>) -> std::cmp::Ordering {
    match (found, requested) {
        (Some(found), Some(requested)) => found.cmp(&requested),
        _ => std::cmp::Ordering::Equal,
    }
}

/// Maximum bytes of a page or list.
pub(crate) const MOST_PAGE_BYTES: u64 = 8 << 20;

/// Checks a page of a source: one with links to files, a list of filings, or the listing of a bucket.
///
/// # Errors
/// The file cannot be read.
fn check_page(path: &Path, source: &Source) -> io::Result<CheckedContent> {
    let mut text = Vec::new();
    File::open(path)?.take(MOST_PAGE_BYTES).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let outcome = match (&source.filed, source.links.as_deref()) {
        (Some(filed), _) => filed.documents_in_list(text.as_bytes()).map(|_| ()),
        (None, None) => s3::read_list(&text).map(|_| ()),
        (None, Some(form)) => {
            match Url::parse("https://page/").map(|base| page_links::find_links(&text, &base, form)) {
                Ok(found) if !found.is_empty() => Ok(()),
                _ => Err(format!("the page has no link to a file like {form}")),
            }
        }
    };
    Ok(match outcome {
        Ok(()) => CheckedContent::Good(RowSummary::default()),
        Err(_) if REFUSAL_PHRASES.iter().any(|words| text.to_lowercase().contains(words)) => {
            CheckedContent::RefusalPage
        }
        Err(why) => CheckedContent::Drifted(why),
    })
}

/// The result of a file's check, and BLAKE3 of its bytes, hexadecimal.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    pub(crate) content: CheckedContent,
    pub(crate) blake3: String,
}

/// Checks the file of a request on a blocking thread, because a file may have gigabytes; `unpacked` is the number of bytes to which
/// any packed file may unpack.
pub(crate) async fn check_file(
    planned: &PlannedRequest,
    path: PathBuf,
    unpacked: u64,
) -> Result<CheckedFile, FetchError> {
    let (source, why, shown) = (planned.source.clone(), planned.why, path.clone());
    let checked = tokio::task::spawn_blocking(move || check_and_hash(&source, why, &path, unpacked)).await;
    let checked = checked.map_err(io::Error::other).and_then(|checked| checked);
    checked.map_err(FetchError::of_file("cannot read", shown))
}

fn check_and_hash(
    source: &Source,
    why: RequestReason,
    path: &Path,
    unpacked: u64,
) -> io::Result<CheckedFile> {
    let checked = || match why {
        RequestReason::Page => check_page(path, source),
        _ => check(path, &source.expect, source.market.time_zone(), unpacked),
    };
    // After a panic of a reader only its file is broken.
    let content = std::panic::catch_unwind(AssertUnwindSafe(checked))
        .unwrap_or_else(|_| Ok(CheckedContent::Broken("its reader failed".to_owned())))?;
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut BufReader::new(File::open(path)?), &mut hasher)?;
    Ok(CheckedFile { content, blake3: hasher.finalize().to_hex().to_string() })
}
