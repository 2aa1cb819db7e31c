//! A planned request: the source and file, the reason, and the URL.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use url::Url;

use super::fetch_request::FetchSettings;
use super::path_template::Values;
use super::source::Source;

/// The reason for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestReason {
    /// The file is not on disk and was never requested.
    New,
    /// An earlier request failed, or the file may have changed.
    Again,
    /// The file is on disk; the headers of the host show if there is another version.
    Check,
    /// The request is for the page or listing that names the files.
    Page,
}

/// A planned request.
#[derive(Debug, Clone)]
pub struct PlannedRequest {
    /// The source of the file.
    pub source: Arc<Source>,
    /// Name of the file in the manifest.
    pub item: String,
    /// The session, or the end of the quarter, window or month; `None` for a snapshot or a page.
    pub date: Option<NaiveDate>,
    /// The URL without a key.
    pub url: String,
    /// The usual or stated size of the file in bytes.
    pub bytes: u64,
    /// The reason for the request.
    pub why: RequestReason,
    pub(crate) part: SourcePart,
}

/// The part of a source that a request is for.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourcePart {
    pub(crate) each: String,
    /// Name of a linked file.
    pub(crate) name: String,
    pub(crate) window: Option<(NaiveDate, NaiveDate)>,
    /// URL of a linked file or of a listing.
    pub(crate) link: Option<Url>,
}

impl PlannedRequest {
    /// Returns the expected bytes; a check of the headers usually transfers none.
    pub(crate) fn cost(&self) -> u64 {
        if self.why == RequestReason::Check { 0 } else { self.bytes }
    }

    /// Returns the values for the templates of the source, with `{key}` in place of the key.
    pub(crate) fn values(&self, captured: Option<DateTime<Utc>>) -> Values<'_> {
        let captured = captured.map(|at| at.with_timezone(&self.source.market.time_zone()).naive_local());
        Values {
            date: self.date.or_else(|| captured.map(|at| at.date())),
            each: &self.part.each,
            name: &self.part.name,
            key: "{key}",
            captured,
            window: self.part.window,
        }
    }

    /// Returns the URL to request, with the key if the template has one; `None` if a value is missing.
    pub(crate) fn real_url(&self, settings: &FetchSettings) -> Option<Url> {
        if let Some(link) = &self.part.link {
            return Some(link.clone());
        }
        let key = self.source.key.as_ref().and_then(|key| settings.keys.key(&key.env));
        let encoded: String = key
            .iter()
            .flat_map(|key| url::form_urlencoded::byte_serialize(key.reveal().as_bytes()))
            .collect();
        let values = Values { key: &encoded, ..self.values(None) };
        Url::parse(&with_base_url(&self.source.url.fill(&values)?, settings)).ok()
    }
}

/// Replaces the host of a URL by the base URL in the settings, if there is one.
pub(crate) fn with_base_url(url: &str, settings: &FetchSettings) -> String {
    let rest = url.strip_prefix("https://").unwrap_or_default();
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match settings.bases.get(host) {
        Some(base) => format!("{}{path}", base.as_str().trim_end_matches('/')),
        None => url.to_owned(),
    }
}
