//! The outcome of a request for one file. A status of 200 is not enough: only the content of a file makes it `Ok`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FetchOutcome {
    /// A good file, saved at its final path.
    Ok,
    /// The same bytes as before.
    Unchanged,
    /// The file is not published yet.
    NotYet,
    /// There was no session.
    Holiday,
    /// An earlier session's bytes under the session's name.
    Stale,
    /// The host refuses the file to programs.
    Blocked,
    /// The format differs from the declared one: the host changed something.
    Drifted,
    /// No complete file was received.
    Failed,
}

impl FetchOutcome {
    /// All outcomes, from the best to the worst.
    pub const ALL: [Self; 8] = [
        Self::Ok,
        Self::Unchanged,
        Self::NotYet,
        Self::Holiday,
        Self::Stale,
        Self::Blocked,
        Self::Drifted,
        Self::Failed,
    ];

    /// Returns the outcome in words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unchanged => "unchanged",
            Self::NotYet => "not yet",
            Self::Holiday => "holiday",
            Self::Stale => "stale",
            Self::Blocked => "blocked",
            Self::Drifted => "drifted",
            Self::Failed => "failed",
        }
    }

    /// Returns true if the file is on disk after this outcome.
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Ok | Self::Unchanged)
    }
}

impl fmt::Display for FetchOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
