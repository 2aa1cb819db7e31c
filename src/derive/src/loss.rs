//! The losses of a set against the one before, and their words in a message. Other files find them.

use std::fmt;

/// Rows that a message names.
const NAMED: usize = 5;

/// What a new set has less of than the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// `sessions` or `symbols`.
    pub what: &'static str,
    /// How many the set before has.
    pub before: u64,
    /// How many the new set has.
    pub now: u64,
    /// Those of the set before that the new one lacks.
    pub missing: Vec<String>,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.missing.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if self.missing.len() > NAMED { ", ..." } else { "" };
        write!(f, "{} {} instead of {}, without {named}{more}", self.now, self.what, self.before)
    }
}

/// The message on what a set has less of.
pub(super) fn listed(losses: &[Loss]) -> String {
    losses.iter().map(Loss::to_string).collect::<Vec<_>>().join("; ")
}
