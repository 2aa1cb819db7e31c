//! A planned request: which file of which source, why, and its address.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use url::Url;

use super::source::Source;
use super::template::Values;
use super::wanted::FetchSettings;

/// Why a file is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It is not there, and was never asked for.
    New,
    /// It was asked for in vain, or what there is may have changed.
    Again,
    /// It is there; its headers tell whether the host has another version.
    Check,
    /// The page or list that tells which files there are.
    Page,
}

/// A request that is planned.
#[derive(Debug, Clone)]
pub struct Item {
    /// Of which source.
    pub source: Arc<Source>,
    /// Which of its files, as the manifest names it.
    pub item: String,
    /// The session, or the end of the quarter or month.
    pub date: Option<NaiveDate>,
    /// The address without a key.
    pub url: String,
    /// Bytes that it usually has.
    pub bytes: u64,
    /// Why it is asked for.
    pub why: Why,
    pub(crate) part: PartOf,
}

/// Which part of a source it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct PartOf {
    pub(crate) each: String,
    /// The name behind a link.
    pub(crate) name: String,
    pub(crate) window: Option<(NaiveDate, NaiveDate)>,
    /// The address behind a link, or that of a list.
    pub(crate) link: Option<Url>,
}

impl Item {
    /// What is put into the places of its templates.
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

    /// The real address, with the key in it if it goes there; nothing where it is none.
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
        Url::parse(&based(&self.source.url.fill(&values)?, &self.source, settings)).ok()
    }
}

/// An address of a source under the base that stands for its host, if one does.
pub(crate) fn based(url: &str, source: &Source, settings: &FetchSettings) -> String {
    let official = format!("https://{}", source.host);
    match (settings.bases.get(&source.host), url.strip_prefix(&official)) {
        (Some(base), Some(path)) => format!("{}{path}", base.as_str().trim_end_matches('/')),
        _ => url.to_owned(),
    }
}
