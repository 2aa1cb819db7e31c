//! What becomes of a table: the stamps of what it is made from, and which of its calendar years stay as they are.
//!
//! It is decided by the years that are kept and followed by whoever writes the table; here is only what passes between them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use chrono::Datelike;

use super::raw::Session;
use super::stamps::Years;

/// The note of a file under which the stamp of all that it is made from stands.
pub(super) const STAMP: &str = "parquote.made_from";
/// The note under which the stamp without the bars stands; in a table's one file those of all years.
pub(super) const RULES: &str = "parquote.made_by";

/// The year under which a table in one file has its stamp.
pub(super) const ONE_FILE: i32 = 0;

/// What a table is made from, by calendar year.
#[derive(Debug, Clone, Default)]
pub(super) struct Stamps {
    /// All of it.
    pub whole: Years,
    /// All but the bars.
    pub rules: Years,
}

/// What becomes of a table.
#[derive(Debug, Clone, Default)]
pub(super) struct YearPlan {
    /// The stamps of each year.
    pub stamps: Stamps,
    /// The rows of each year that stays; of a table in one file made by symbol it is not known how many they are.
    pub kept: BTreeMap<i32, u64>,
    /// The file of each year in which the rows of the changed stocks are replaced.
    pub patched: BTreeMap<i32, PathBuf>,
    /// Those stocks.
    pub changed: Arc<BTreeSet<String>>,
}

impl YearPlan {
    /// Whether the rows of a year are there, but for those of changed stocks.
    pub(super) fn stands(&self, year: i32) -> bool {
        self.kept.contains_key(&year) || self.patched.contains_key(&year)
    }
}

/// The calendar years of sessions, ascending.
pub(super) fn years(sessions: &[Session]) -> Vec<i32> {
    let mut years: Vec<i32> = sessions.iter().map(|session| session.date.year()).collect();
    years.dedup();
    years
}
