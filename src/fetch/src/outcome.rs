//! The outcome of a request for one file. A status of 200 is not enough: the outcome is `Ok` only if the content is good.

use std::fmt;

use serde::{Deserialize, Serialize};

parquote_catalogue::word_enum! {
    /// The outcome of a request.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum FetchOutcome {
        /// A good file, saved at its final path.
        Ok = "ok",
        /// The same bytes as before.
        Unchanged = "unchanged",
        /// The file is not published yet.
        NotYet = "not yet",
        /// There was no session.
        Holiday = "holiday",
        /// A file under the name of this session, with the data of an earlier one.
        Stale = "stale",
        /// The host refuses the file to programs.
        Blocked = "blocked",
        /// The format differs from the declared one: the host changed something.
        Drifted = "drifted",
        /// No complete file was received.
        #[default]
        Failed = "failed",
    }
    const ALL "All outcomes, from the best to the worst.";
    fn label "Returns the outcome in words.";
}

impl FetchOutcome {
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
