//! The result of an audit, for people and for machines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use chrono::NaiveDate;
use serde::Serialize;

use super::pairs::ComparedPair;
use parquote_catalogue::digits::counted;
use parquote_catalogue::operation::{ExplanationKind, Market};
use parquote_raw::report::Identity;

/// Most examples stored for each difference.
const MOST_EXAMPLES: usize = 5;

/// The kind of explanation of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// Unexplained: the past figure uses data not yet known then, or the published tables do not match the raw files.
    Unexplained,
    /// A split or bonus rescaled the figure.
    Split,
    /// A later filing revised the figure.
    Restated,
    /// The tables mark the figure as assumed.
    Assumed,
}

impl From<ExplanationKind> for DifferenceKind {
    fn from(kind: ExplanationKind) -> Self {
        match kind {
            ExplanationKind::Split => Self::Split,
            ExplanationKind::Restated => Self::Restated,
            ExplanationKind::Assumed => Self::Assumed,
        }
    }
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unexplained => "unexplained",
            Self::Split => "split",
            Self::Restated => "restated",
            Self::Assumed => "assumed",
        })
    }
}

/// The result of auditing a market.
#[derive(Debug, Clone, Serialize)]
pub struct MarketAudit {
    /// The audited market.
    pub market: Market,
    /// The number of the audited set.
    pub set: u64,
    /// The past days as of which the market was derived again.
    pub days: Vec<NaiveDate>,
    /// Row counts by table, or by `TABLE beside HISTORY` for a table of the newest day that is compared with a history.
    pub tables: BTreeMap<String, ComparedRows>,
    /// The differences found.
    pub differences: Vec<FoundDifference>,
    /// The checked identities between the figures of a row, with the rows that break them.
    pub identities: Vec<Identity>,
}

/// Counts of a table's compared rows, over all days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ComparedRows {
    /// Rows that both derivations have.
    pub compared: u64,
    /// Past rows that the published tables lack, such as those of stocks whose symbol has changed.
    pub gone: u64,
}

/// The rows in which a column of a table differs, for one reason.
#[derive(Debug, Clone, Serialize)]
pub struct FoundDifference {
    /// The table, or `TABLE beside HISTORY` for a table of the newest day that is compared with a history.
    pub table: String,
    /// Name of the column.
    pub column: String,
    /// The kind of explanation.
    pub kind: DifferenceKind,
    /// The explanation; empty if unexplained.
    pub why: String,
    /// Number of rows, over all days.
    pub rows: u64,
    /// The days as of which the column differs.
    pub days: BTreeSet<NaiveDate>,
    /// The first rows, at most five.
    pub first: Vec<Example>,
}

/// A row in which a column differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The day as of which the past row was derived.
    pub day: NaiveDate,
    /// The values of the row's key, separated by spaces.
    pub row: String,
    /// The value derived as of the day; empty if it is null.
    pub then: String,
    /// The value in the published tables; empty if it is null.
    pub now: String,
}

impl MarketAudit {
    pub(super) fn new(market: Market, set: u64, days: Vec<NaiveDate>) -> Self {
        let (tables, differences, identities) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { market, set, days, tables, differences, identities }
    }

    pub(super) fn add_compared_rows(&mut self, pair: &ComparedPair<'_>, compared: u64, gone: u64) {
        let rows = self.tables.entry(pair_name(pair)).or_default();
        rows.compared += compared;
        rows.gone += gone;
    }

    pub(super) fn add_difference(
        &mut self,
        pair: &ComparedPair<'_>,
        column: &str,
        (kind, why): (DifferenceKind, String),
        day: NaiveDate,
        example: impl FnOnce() -> Example,
    ) {
        let is_same = |other: &&mut FoundDifference| {
            other.column == column && other.kind == kind && other.why == why && other.is_between(pair)
        };
        if let Some(difference) = self.differences.iter_mut().find(is_same) {
            difference.rows += 1;
            difference.days.insert(day);
            if difference.first.len() < MOST_EXAMPLES {
                difference.first.push(example());
            }
            return;
        }
        let (table, column) = (pair_name(pair), column.to_owned());
        let (days, first) = (BTreeSet::from([day]), vec![example()]);
        self.differences.push(FoundDifference { table, column, kind, why, rows: 1, days, first });
    }

    pub(super) fn sort(&mut self) {
        self.differences.sort_by(|a, b| (a.kind, &a.table, &a.column).cmp(&(b.kind, &b.table, &b.column)));
    }

    /// Returns the number of figures with an unexplained difference.
    pub fn unexplained_figures(&self) -> u64 {
        self.differences.iter().filter(|it| it.kind == DifferenceKind::Unexplained).map(|it| it.rows).sum()
    }
}

impl FoundDifference {
    fn is_between(&self, pair: &ComparedPair<'_>) -> bool {
        match self.table.split_once(TABLE_SEPARATOR) {
            Some((past, whole)) => past == pair.past.name && whole == pair.whole.name,
            None => pair.is_same_table() && self.table == pair.past.name,
        }
    }
}

/// Separates a table of the newest day from the history that it is compared with.
const TABLE_SEPARATOR: &str = " beside ";

fn pair_name(pair: &ComparedPair<'_>) -> String {
    if pair.is_same_table() {
        return pair.past.name.clone();
    }
    format!("{}{TABLE_SEPARATOR}{}", pair.past.name, pair.whole.name)
}

impl fmt::Display for MarketAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days: Vec<String> = self.days.iter().map(NaiveDate::to_string).collect();
        writeln!(f, "{}: set {}, derived again as of {}", self.market, self.set, days.join(", "))?;
        for (table, rows) in &self.tables {
            write!(f, "  {table:<40} {:>12} rows compared", rows.compared)?;
            if rows.gone > 0 {
                write!(f, ", {} gone since", rows.gone)?;
            }
            writeln!(f)?;
        }
        for difference in &self.differences {
            write!(f, "{difference}")?;
        }
        writeln!(f, "\nidentities")?;
        for identity in &self.identities {
            write!(f, "  {identity}")?;
        }
        writeln!(f, "{} unexplained", self.unexplained_figures())
    }
}

impl fmt::Display for FoundDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, column, kind, why, rows, days, first } = self;
        let (rows, days) = (counted(*rows, "row", "rows"), counted(days.len(), "day", "days"));
        writeln!(f, "{kind}: {table}.{column}, {rows} as of {days}. {why}")?;
        let examples = if *kind == DifferenceKind::Unexplained { first.as_slice() } else { &[] };
        for Example { day, row, then, now } in examples {
            let or_null = |value: &str| if value.is_empty() { "null".to_owned() } else { value.to_owned() };
            writeln!(f, "    {row} as of {day}: {}, now {}", or_null(then), or_null(now))?;
        }
        Ok(())
    }
}
