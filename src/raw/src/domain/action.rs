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
    /// A row of a file states it.
    Given,
    /// A row of a file states it on another date; its ex-date is the session in which prices have the move.
    Moved,
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
    /// Decides whether share counts change with the action.
    pub kind: ActionKind,
    /// Factor that multiplies earlier prices, such as 0.5 for a split of one share into two.
    pub factor: f64,
    /// A row of a file, with its own date or that of the prices; or an inference from prices.
    pub origin: ActionOrigin,
}
