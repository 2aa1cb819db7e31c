//! Losses of a new set against the previous one, and their message. [`super::shrinkage`] finds them.

use std::fmt;

/// Maximum number of missing names in a message.
const MOST_NAMED: usize = 5;

/// A count that is lower in the new set than in the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// `sessions` or `symbols`.
    pub what: &'static str,
    /// Count in the previous set.
    pub before: u64,
    /// Count in the new set.
    pub now: u64,
    /// The sessions or symbols of the previous set that the new set lacks.
    pub missing: Vec<String>,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.missing.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if self.missing.len() > MOST_NAMED { ", ..." } else { "" };
        write!(f, "{} {} instead of {}, without {named}{more}", self.now, self.what, self.before)
    }
}

/// Returns the message for several losses.
pub(super) fn losses_message(losses: &[Loss]) -> String {
    losses.iter().map(Loss::to_string).collect::<Vec<_>>().join("; ")
}
