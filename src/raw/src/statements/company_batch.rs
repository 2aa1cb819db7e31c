//! Settles the figures of a batch of companies: the versions of each figure, and the quarters derived from longer spans. No company's
//! figures depend on another's, so batches are settled in parallel.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::figure_counts::StatementCounts;
use crate::report::Tally;
use crate::statements::row::{PeriodSpan, StatementRow};
use crate::statements::spans::{self, DerivedRows};
use parquote_catalogue::operation::line_item::Statement;

/// Settled figures of a batch of companies.
#[derive(Debug, Default)]
pub(crate) struct SettledBatch {
    /// Rows, ascending by company, statement, period, basis, line and date of filing.
    pub(crate) rows: Vec<StatementRow>,
    pub(crate) counts: StatementCounts,
    /// Superseded rows, by rank of their file.
    pub(crate) superseded: BTreeMap<u32, Tally>,
    /// Income and cash flows that a later filing repeats unchanged.
    repeats: Vec<StatementRow>,
}

/// Settles all rows of a batch of companies. A quarter that is a difference gets the source number of its figure plus `sources`, the number
/// of sources.
pub(crate) fn settle(rows: Vec<StatementRow>, sources: u32) -> SettledBatch {
    let is_balance = |row: &StatementRow| row.line.statement() == Statement::Balance;
    let (mut balances, flows): (Vec<StatementRow>, Vec<StatementRow>) =
        rows.into_iter().partition(is_balance);
    let mut settled = SettledBatch::default();
    settled.add_flows(flows, sources);
    settled.counts.unused_spans += spans::assign_days(&mut balances, &settled.rows);
    settled.add_versions(balances);
    settled.rows.sort_by_key(sort_key);
    settled.counts.lines = settled.rows.len() as u64;
    let companies: BTreeSet<u32> = settled.rows.iter().map(|row| row.company).collect();
    settled.counts.companies = companies.len() as u64;
    settled
}

impl SettledBatch {
    /// Settles income and cash flows: those of quarters and years, and the quarters derived from longer spans.
    fn add_flows(&mut self, flows: Vec<StatementRow>, sources: u32) {
        self.add_versions(flows);
        let DerivedRows { mut differences, composed } =
            spans::derive_missing(&self.rows, &std::mem::take(&mut self.repeats));
        for row in &mut differences {
            row.source += sources;
        }
        self.counts.differences = differences.len() as u64;
        let before = self.rows.len();
        self.rows.retain(|row| matches!(row.span, PeriodSpan::Year | PeriodSpan::Quarter));
        self.counts.unused_spans += (before - self.rows.len()) as u64;
        self.rows.extend(differences.into_iter().chain(composed));
    }

    /// Adds the versions of all figures.
    fn add_versions(&mut self, mut rows: Vec<StatementRow>) {
        rows.sort_by_key(sort_key);
        for versions in rows.chunk_by(|a, b| figure_key(a) == figure_key(b)) {
            self.add_versions_of_one(versions);
        }
    }

    /// Adds the versions of one figure. A filing whose rule is ranked after that of an earlier filing adds nothing: a related line is no
    /// newer version of the figure.
    fn add_versions_of_one(&mut self, versions: &[StatementRow]) {
        let mut in_force: Option<StatementRow> = None;
        for row in versions {
            let same = |other: &StatementRow| {
                other.value.total_cmp(&row.value).is_eq() && other.currency == row.currency
            };
            let is_new = in_force.as_ref().is_none_or(|other| {
                row.filed_at.is_some()
                    && row.filed_at != other.filed_at
                    && row.rank <= other.rank
                    && !same(other)
            });
            if is_new {
                self.rows.push(*row);
                in_force = Some(*row);
                continue;
            }
            let is_same = in_force.as_ref().is_some_and(same);
            if is_same {
                self.repeats.extend((row.line.statement() != Statement::Balance).then_some(*row));
                if let Some(other) = &mut in_force {
                    other.rank = other.rank.min(row.rank);
                }
            }
            self.counts.repeated += u64::from(is_same);
            self.counts.superseded += u64::from(!is_same);
            // Figures that are computed from others are no rows of a file.
            if row.file_line > 0 {
                let superseded = self.superseded.entry(row.file).or_default();
                superseded.identical += u64::from(is_same);
                superseded.differing += u64::from(!is_same);
            }
        }
    }
}

/// Returns the key of a figure, regardless of its filing date.
fn figure_key(row: &StatementRow) -> impl Ord + use<> {
    (row.company, row.line.statement(), row.period_end, row.span, row.basis, row.line)
}

/// Returns the sort key: figure, filing date (undated last), best rank, newest file, and in it the last row.
fn sort_key(row: &StatementRow) -> impl Ord + use<> {
    (figure_key(row), row.filed_at.is_none(), row.filed_at, row.rank, Reverse((row.file, row.file_line)))
}
