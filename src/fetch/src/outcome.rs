//! How a request for one file ended. A status of 200 is not enough: only the content of a file makes it `Ok`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FetchOutcome {
    /// A good file, which is in its place now.
    Ok,
    /// The same bytes as before.
    Unchanged,
    /// It is not published yet.
    NotYet,
    /// There was no session.
    Holiday,
    /// An earlier session's bytes under the session's name.
    Stale,
    /// The host refuses it to a program.
    Blocked,
    /// What came has another form than the one that is known: the host changed something.
    Drifted,
    /// Nothing came whole.
    Failed,
}

impl FetchOutcome {
    /// All of them, from the best to the worst.
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

    /// The outcome in words.
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

    /// Whether the file is held after it.
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Ok | Self::Unchanged)
    }
}

impl fmt::Display for FetchOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
