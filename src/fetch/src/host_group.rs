//! Host groups: their request spacing, their terms, and the page for manual downloads of files that they refuse to programs.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use serde::Deserialize;

use super::declared_source;
use super::pass_on::PassOn;
use super::time_span::TimeSpan;

/// Hosts that share one queue.
#[derive(Debug, Clone)]
pub struct HostGroup {
    /// Its name, as `nse`.
    pub name: String,
    /// Description of the hosts.
    pub who: String,
    /// URL of their terms.
    pub terms: String,
    /// Date when the URL of the terms was last verified; `None` if never.
    pub terms_seen: Option<NaiveDate>,
    /// Summary of the relevant terms, in a sentence.
    pub terms_say: String,
    /// Permission to pass on files or derived data.
    pub pass_on: PassOn,
    /// True if a request needs the user's consent to the terms.
    pub needs_consent: bool,
    /// True if a request needs the caller's contact.
    pub needs_contact: bool,
    /// URL of the page for manual downloads.
    pub by_hand: String,
    pub(crate) hosts: Vec<String>,
    /// Time between the end of a request and the next one.
    pub(crate) spacing: TimeSpan,
    /// Wait after a refusal without a stated time.
    pub(crate) pause: TimeSpan,
    /// Number of consecutive refusals after which the group is closed for the run.
    pub(crate) stop_after: u32,
}

impl HostGroup {
    /// Returns the names of its hosts.
    pub fn host_names(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(String::as_str)
    }

    /// States when the URL of the terms was last verified.
    pub fn terms_note(&self) -> String {
        match self.terms_seen {
            Some(day) => format!("this address was last seen to be right on {day}"),
            None => "nobody has looked yet whether this address is right; look for the terms on the host's own pages".to_owned(),
        }
    }

    /// Returns the time between the end of a request and the next one, without jitter.
    pub const fn spacing(&self) -> std::time::Duration {
        self.spacing.0
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredHosts {
    who: String,
    hosts: Vec<String>,
    spacing: TimeSpan,
    pause: TimeSpan,
    #[serde(default = "three")]
    stop_after: u32,
    #[serde(default)]
    consent: bool,
    #[serde(default)]
    contact: bool,
    terms: String,
    #[serde(default, deserialize_with = "declared_source::day")]
    terms_seen: Option<NaiveDate>,
    terms_say: String,
    #[serde(default)]
    pass_on: PassOn,
    by_hand: String,
}

const fn three() -> u32 {
    3
}

/// Reads `hosts.toml`.
///
/// # Errors
/// The mistake, in words, with its line or key.
pub(crate) fn parse(text: &str) -> Result<Vec<HostGroup>, String> {
    let groups: BTreeMap<String, DeclaredHosts> = declared_source::read(text)?;
    let mut known = BTreeSet::new();
    for (name, group) in &groups {
        let mistake = |words: &str| Err(format!("[{name}] {words}"));
        if group.hosts.is_empty() {
            return mistake("`hosts` is empty");
        }
        if let Some(twice) = group.hosts.iter().find(|host| !known.insert((*host).clone())) {
            return Err(format!("[{name}] `{twice}` is in two groups"));
        }
        if group.spacing.0.is_zero() {
            return mistake("`spacing` must be longer than nothing");
        }
        if group.stop_after == 0 {
            return mistake("`stop_after` must be 1 or more");
        }
    }
    Ok(groups.into_iter().map(|(name, group)| group.named(name)).collect())
}

impl DeclaredHosts {
    fn named(self, name: String) -> HostGroup {
        HostGroup {
            name,
            who: self.who,
            terms: self.terms,
            terms_seen: self.terms_seen,
            terms_say: self.terms_say,
            pass_on: self.pass_on,
            needs_consent: self.consent,
            needs_contact: self.contact,
            by_hand: self.by_hand,
            hosts: self.hosts,
            spacing: self.spacing,
            pause: self.pause,
            stop_after: self.stop_after,
        }
    }
}
