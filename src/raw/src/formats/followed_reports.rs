//! Selects the Form 13F reports of followed institutions before any of their lines is read.
//!
//! These are the institutions of a list, else the largest by the total value of their newest report. A quarter of the SEC's data sets has
//! some three million lines; only those of followed institutions are stored, so that memory does not grow with the file. The pages, which
//! are read before, determine these reports.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::NaiveDate;

use crate::formats::investors::{DEFAULT_INSTITUTIONS, Investor};
use crate::formats::positions::{Cover, DataSetLine, ReportTotal};
use crate::records::placed::RecordPosition;
use crate::records::record_store::RecordStore;
use crate::reference_data::ReferenceData;

/// The reports whose lines are read, with counts of lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FollowedReports {
    /// Their accession numbers.
    accessions: HashSet<String>,
    /// Lines of these reports.
    pub(crate) kept: u64,
    /// Lines of others.
    pub(crate) passed_over: u64,
}

impl FollowedReports {
    /// Stores a line of a data set if its institution is followed.
    pub(super) fn store_line(
        DataSetLine(mut line): DataSetLine,
        at: &RecordPosition<'_>,
        into: &mut ReferenceData,
    ) {
        if into.records.rows::<Self>().is_empty() {
            let reports = Self::from_records(&into.records);
            into.records.add(reports, at);
        }
        let mut reports = into.records.rows_mut::<Self>().iter_mut();
        if reports.next().is_some_and(|reports| reports.row.takes(line.accession.as_deref())) {
            line.source.clone_from(at.provenance);
            into.records.add(line, at);
        }
    }

    /// Selects the reports by the covers, totals and lists that were read.
    fn from_records(records: &RecordStore) -> Self {
        let covers = || records.rows::<Cover>().iter().map(|placed| &placed.row);
        let listed: HashSet<u64> = records.rows::<Investor>().iter().map(|placed| placed.row.cik).collect();
        let totals = records.rows::<ReportTotal>().iter();
        let totals: HashMap<&str, f64> =
            totals.map(|placed| (placed.row.accession.as_str(), placed.row.value)).collect();
        let followed = if listed.is_empty() { largest_institutions(covers(), &totals) } else { listed };
        let of_followed = covers().filter(|cover| followed.contains(&cover.cik));
        let accessions = of_followed.filter_map(|cover| cover.accession.clone()).collect();
        Self { accessions, kept: 0, passed_over: 0 }
    }

    /// Returns true if a line of this submission is read, and counts it.
    fn takes(&mut self, accession: Option<&str>) -> bool {
        let is_kept = accession.is_some_and(|accession| self.accessions.contains(accession));
        let count = if is_kept { &mut self.kept } else { &mut self.passed_over };
        *count += 1;
        is_kept
    }
}

/// Returns the institutions with the most valuable newest reports.
fn largest_institutions<'a>(
    covers: impl Iterator<Item = &'a Cover>,
    totals: &HashMap<&str, f64>,
) -> HashSet<u64> {
    let mut newest: BTreeMap<u64, (NaiveDate, f64)> = BTreeMap::new();
    for cover in covers {
        let total = cover.accession.as_deref().and_then(|accession| totals.get(accession)).copied();
        let value = total.unwrap_or(0.0) * cover.unit();
        let of_cik = newest.entry(cover.cik).or_insert((cover.report_date, value));
        if cover.report_date > of_cik.0 {
            *of_cik = (cover.report_date, value);
        } else if cover.report_date == of_cik.0 {
            of_cik.1 = of_cik.1.max(value);
        }
    }
    let mut largest: Vec<(u64, f64)> = newest.into_iter().map(|(cik, (_, value))| (cik, value)).collect();
    largest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    largest.into_iter().take(DEFAULT_INSTITUTIONS).map(|(cik, _)| cik).collect()
}
