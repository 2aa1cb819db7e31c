//! A corporate action that multiplies earlier prices. What is only announced is an event, see the format `events`.

use chrono::NaiveDate;
use serde::Serialize;

/// What a corporate action is, by the word for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// A split, or several shares made one.
    Split,
    /// Bonus shares.
    Bonus,
    /// Anything else; numbers of shares do not follow it.
    Other,
}

/// Where an action is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionOrigin {
    /// A file gives it.
    Given,
    /// Overlapping price files imply it; its ex-date is the first date on the new scale.
    Inferred,
}

/// A corporate action in force.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Action {
    /// The symbol.
    pub symbol: String,
    /// The first date on the new scale.
    pub ex_date: NaiveDate,
    /// The action as written.
    pub action: String,
    /// What it is.
    pub kind: ActionKind,
    /// What multiplies earlier prices.
    pub factor: f64,
    /// Where it is from.
    pub origin: ActionOrigin,
}
