//! Host groups: their request spacing, their terms, and the page for manual downloads of files that the hosts refuse to programs.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use serde::Deserialize;

use super::declared_source;
use super::pass_on::PassOnPermission;
use super::time_span::TimeSpan;

/// Hosts that share one queue.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostGroup {
    /// The name of the group, such as `nse`.
    #[serde(skip)]
    pub name: String,
    /// Description of the hosts.
    pub who: String,
    /// URL of their terms.
    pub terms: String,
    /// Date when the URL of the terms was last verified; `None` if never.
    #[serde(default, deserialize_with = "declared_source::deserialize_day")]
    pub terms_seen: Option<NaiveDate>,
    /// Summary of the relevant terms, in a sentence.
    pub terms_say: String,
    /// Permission to pass on files or derived data.
    #[serde(default)]
    pub pass_on: PassOnPermission,
    /// True if a request needs the user's consent to the terms.
    #[serde(default, rename = "consent")]
    pub needs_consent: bool,
    /// True if a request needs the caller's contact.
    #[serde(default, rename = "contact")]
    pub needs_contact: bool,
    /// URL of the page for manual downloads.
    pub by_hand: String,
    pub(crate) hosts: Vec<String>,
    /// Minimum time between the end of a request and the next one.
    pub(crate) spacing: TimeSpan,
    /// Wait after a refusal without a stated time.
    pub(crate) pause: TimeSpan,
    /// Number of consecutive refusals or failures after which the group gets no more requests in the run.
    #[serde(default = "default_stop_after")]
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

const fn default_stop_after() -> u32 {
    3
}

/// Reads `hosts.toml`.
///
/// # Errors
/// The mistake, in words, with its line or key.
pub(crate) fn parse(text: &str) -> Result<Vec<HostGroup>, String> {
    let groups: BTreeMap<String, HostGroup> = declared_source::parse_toml(text)?;
    let mut hosts_so_far = BTreeSet::new();
    for (name, group) in &groups {
        let mistake = |words: &str| Err(format!("[{name}] {words}"));
        if group.hosts.is_empty() {
            return mistake("`hosts` is empty");
        }
        if let Some(twice) = group.hosts.iter().find(|host| !hosts_so_far.insert((*host).clone())) {
            return Err(format!("[{name}] `{twice}` is in two groups"));
        }
        if group.spacing.0.is_zero() {
            return mistake("`spacing` must be longer than nothing");
        }
        if group.stop_after == 0 {
            return mistake("`stop_after` must be 1 or more");
        }
    }
    Ok(groups.into_iter().map(|(name, group)| HostGroup { name, ..group }).collect())
}
