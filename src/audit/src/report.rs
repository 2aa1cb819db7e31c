//! What an audit found, for people and for machines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use chrono::NaiveDate;
use serde::Serialize;

use super::pairs::ComparedPair;
use parquote_catalogue::operation::{ExplanationKind, Market};
use parquote_raw::report::Identity;

/// Examples that are kept of each difference.
const NAMED: usize = 5;

/// Why a figure differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// Nothing explains it: a figure of the past rests on what was not known then, or the tables are not what the raw files make.
    Unexplained,
    /// A split or bonus rescales it.
    Split,
    /// A later filing revised it.
    Restated,
    /// The tables say that it rests on an assumption.
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

/// What an audit found in a market.
#[derive(Debug, Clone, Serialize)]
pub struct MarketAudit {
    /// The market.
    pub market: Market,
    /// The number of the set that was audited.
    pub set: u64,
    /// The past days as of which all was derived again.
    pub days: Vec<NaiveDate>,
    /// By table, of a newest day with the history beside it: the rows.
    pub tables: BTreeMap<String, ComparedRows>,
    /// What differs.
    pub differences: Vec<FoundDifference>,
    /// Identities between the figures of a row, with the rows that break them.
    pub identities: Vec<Identity>,
}

/// The rows of a table that were compared, over all days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ComparedRows {
    /// Rows that both derivations have.
    pub compared: u64,
    /// Rows of the past that the whole lacks, as of stocks that have another symbol since.
    pub gone: u64,
}

/// A column of a table in which rows differ for one reason.
#[derive(Debug, Clone, Serialize)]
pub struct FoundDifference {
    /// The table, of a newest day with the history beside it.
    pub table: String,
    /// The column.
    pub column: String,
    /// The kind of reason.
    pub kind: DifferenceKind,
    /// The reason; empty where there is none.
    pub why: String,
    /// In how many rows, over all days.
    pub rows: u64,
    /// As of which days.
    pub days: BTreeSet<NaiveDate>,
    /// The first of the rows.
    pub first: Vec<Example>,
}

/// A row in which a column differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// As of which day it was derived.
    pub day: NaiveDate,
    /// The values of its key.
    pub row: String,
    /// What was known on the day.
    pub then: String,
    /// What the whole has.
    pub now: String,
}

impl MarketAudit {
    pub(super) fn new(market: Market, set: u64, days: Vec<NaiveDate>) -> Self {
        let (tables, differences, identities) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { market, set, days, tables, differences, identities }
    }

    pub(super) fn rows_compared(&mut self, pair: &ComparedPair<'_>, compared: u64, gone: u64) {
        let rows = self.tables.entry(name(pair)).or_default();
        rows.compared += compared;
        rows.gone += gone;
    }

    pub(super) fn differs(
        &mut self,
        pair: &ComparedPair<'_>,
        column: &str,
        (kind, why): (DifferenceKind, String),
        day: NaiveDate,
        example: impl FnOnce() -> Example,
    ) {
        let is_it = |it: &&mut FoundDifference| {
            it.column == column && it.kind == kind && it.why == why && it.is_of(pair)
        };
        if let Some(known) = self.differences.iter_mut().find(is_it) {
            known.rows += 1;
            known.days.insert(day);
            if known.first.len() < NAMED {
                known.first.push(example());
            }
            return;
        }
        let (table, column) = (name(pair), column.to_owned());
        let (days, first) = (BTreeSet::from([day]), vec![example()]);
        self.differences.push(FoundDifference { table, column, kind, why, rows: 1, days, first });
    }

    pub(super) fn sort(&mut self) {
        self.differences.sort_by(|a, b| (a.kind, &a.table, &a.column).cmp(&(b.kind, &b.table, &b.column)));
    }

    /// In how many rows and columns figures differ that nothing explains.
    pub fn unexplained(&self) -> u64 {
        self.differences.iter().filter(|it| it.kind == DifferenceKind::Unexplained).map(|it| it.rows).sum()
    }
}

impl FoundDifference {
    fn is_of(&self, pair: &ComparedPair<'_>) -> bool {
        match self.table.split_once(BESIDE) {
            Some((past, whole)) => past == pair.past.name && whole == pair.whole.name,
            None => pair.is_itself() && self.table == pair.past.name,
        }
    }
}

/// What stands between a table of the newest day and the history that it is compared with.
const BESIDE: &str = " beside ";

fn name(pair: &ComparedPair<'_>) -> String {
    if pair.is_itself() {
        return pair.past.name.clone();
    }
    format!("{}{BESIDE}{}", pair.past.name, pair.whole.name)
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
        writeln!(f, "{} unexplained", self.unexplained())
    }
}

impl fmt::Display for FoundDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, column, kind, why, rows, days, first } = self;
        writeln!(f, "{kind}: {table}.{column}, {rows} rows as of {} days. {why}", days.len())?;
        let shown_rows = if *kind == DifferenceKind::Unexplained { first.as_slice() } else { &[] };
        for Example { day, row, then, now } in shown_rows {
            let shown = |value: &str| if value.is_empty() { "null".to_owned() } else { value.to_owned() };
            writeln!(f, "    {row} as of {day}: {}, now {}", shown(then), shown(now))?;
        }
        Ok(())
    }
}
