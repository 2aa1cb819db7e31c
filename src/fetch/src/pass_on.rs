//! The permission of a data owner to pass data on, as declared for a source or host group.

use std::fmt;

use serde::Deserialize;

/// Permission to pass on files or derived data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(try_from = "String")]
pub enum PassOnPermission {
    /// Permitted.
    Yes,
    /// Permitted once the data has this age in days.
    After(u16),
    /// Not permitted.
    No,
    /// Subject to a contract, or not yet determined from the terms.
    #[default]
    Unknown,
}

impl PassOnPermission {
    /// Returns true if data may be passed on with a lag of `days`; `None` means without a lag. `Unknown` is allowed, because it depends on
    /// a contract.
    pub fn allows(self, days: Option<u16>) -> bool {
        match self {
            Self::Yes | Self::Unknown => true,
            Self::After(least) => days.is_some_and(|days| days >= least),
            Self::No => false,
        }
    }
}

impl TryFrom<String> for PassOnPermission {
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

impl fmt::Display for PassOnPermission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes => f.write_str("yes"),
            Self::After(days) => write!(f, "after {days} days"),
            Self::No => f.write_str("no"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}
