//! A corporate action that multiplies earlier prices. Actions that are only announced are events, see the format `events`.

use chrono::NaiveDate;
use serde::Serialize;

/// Kind of a corporate action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// A split or a reverse split.
    Split,
    /// Bonus shares.
    Bonus,
    /// Anything else; share counts do not change with it.
    Other,
}

/// Origin of an action.
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
    /// Its kind.
    pub kind: ActionKind,
    /// Factor that multiplies earlier prices.
    pub factor: f64,
    /// Its origin.
    pub origin: ActionOrigin,
}
