//! The consents of the user to the terms of host groups.
//!
//! A consent is to the terms at one URL: terms with another URL must be accepted again.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::error::FetchError;
use super::folders::write_record;
use super::host_group::HostGroup;

/// URL of the accepted terms, and the time of the consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Consent {
    terms: String,
    at: DateTime<Utc>,
}

/// The stored consents, by host group.
#[derive(Debug, Clone, Default)]
pub(crate) struct Consents(BTreeMap<String, Consent>);

impl Consents {
    /// Reads the consents; a missing file means none, an unreadable file is an error.
    pub(crate) fn read(path: &Path) -> Result<Self, FetchError> {
        match fs::read(path) {
            Ok(text) => serde_json::from_slice(&text)
                .map(Self)
                .map_err(|error| FetchError::of_file("cannot read", path)(io::Error::other(error))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(FetchError::of_file("cannot read", path)(error)),
        }
    }

    /// Returns true if the terms of a group were accepted or need no consent.
    pub(crate) fn allows_group(&self, group: &HostGroup) -> bool {
        !group.needs_consent || self.0.get(&group.name).is_some_and(|consent| consent.terms == group.terms)
    }

    /// Stores a consent.
    pub(crate) fn store_consent(
        &mut self,
        group: &HostGroup,
        at: DateTime<Utc>,
        path: &Path,
    ) -> Result<(), FetchError> {
        self.0.insert(group.name.clone(), Consent { terms: group.terms.clone(), at });
        write_record(path, &self.0)
    }

    /// Deletes a consent.
    pub(crate) fn withdraw(&mut self, group: &str, path: &Path) -> Result<(), FetchError> {
        self.0.remove(group);
        write_record(path, &self.0)
    }
}

/// Parses a contact as the SEC requires it: a name and an email address that is read by a person, in one line.
///
/// # Errors
/// The text is not such a contact.
pub(crate) fn parse_contact(text: &str) -> Result<&str, FetchError> {
    let text = text.trim();
    let wrong = || FetchError::Contact(text.chars().take(80).filter(|c| !c.is_control()).collect());
    let address = text.split_whitespace().next_back().unwrap_or_default();
    let (user, domain) = address.split_once('@').ok_or_else(wrong)?;
    let user = user.trim_start_matches('<').to_ascii_lowercase();
    let domain = domain.trim_end_matches('>').to_ascii_lowercase();
    let is_line = text.len() <= 120 && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    let is_monitored = !user.is_empty() && !["noreply", "no-reply", "donotreply"].contains(&user.as_str());
    let is_domain =
        domain.contains('.') && !domain.starts_with('.') && !domain.ends_with('.') && !domain.contains('@');
    let is_example = ["example.com", "example.org", "domain.com"].contains(&domain.as_str());
    if is_line && is_monitored && is_domain && !is_example && text.contains(' ') {
        Ok(text)
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_a_name_and_an_address_that_is_read() {
        for good in ["Asha Rao asha@firm.in", "Firm Ltd <data@firm.co.in>"] {
            assert!(parse_contact(good).is_ok(), "{good}");
        }
        for mistake in [
            "",
            "Asha Rao",
            "asha@firm.in",
            "Asha noreply@firm.in",
            "Asha a@example.com",
            "Asha a@b\r\nX: y z@q.in",
            "A a@localhost",
        ] {
            assert!(parse_contact(mistake).is_err(), "{mistake}");
        }
    }
}
