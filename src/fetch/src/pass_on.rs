//! Whether the terms of an owner of data allow that it is passed on, as a declaration says it.

use std::fmt;

use serde::Deserialize;

/// Whether files, or what is made of them, may be passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(try_from = "String")]
pub enum PassOn {
    /// They may.
    Yes,
    /// They may when they are so many days old.
    After(u16),
    /// They may not.
    No,
    /// It depends on a contract, or nobody has read the terms for it.
    #[default]
    Unknown,
}

impl PassOn {
    /// Whether data may be passed on that is held back for so many days, or not at all. What is not known is the owner's contract.
    pub fn allows(self, days: Option<u16>) -> bool {
        match self {
            Self::Yes | Self::Unknown => true,
            Self::After(least) => days.is_some_and(|days| days >= least),
            Self::No => false,
        }
    }
}

impl TryFrom<String> for PassOn {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let days =
            || text.strip_prefix("after ")?.strip_suffix(" days")?.parse().ok().filter(|days| *days > 0);
        match text.as_str() {
            "yes" => Ok(Self::Yes),
            "no" => Ok(Self::No),
            "unknown" => Ok(Self::Unknown),
            _ => days().map(Self::After).ok_or_else(|| {
                format!("`pass_on` is yes, no, unknown or for example `after 30 days`, and not `{text}`")
            }),
        }
    }
}

impl fmt::Display for PassOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes => f.write_str("yes"),
            Self::After(days) => write!(f, "after {days} days"),
            Self::No => f.write_str("no"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}
