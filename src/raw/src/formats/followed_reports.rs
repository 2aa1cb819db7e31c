//! Selects the Form 13F reports of followed institutions before any of their lines is read.
//!
//! The followed institutions are those of a list, else the largest by the total value of their newest report. A quarterly data set of the
//! SEC has about three million lines; only those of followed institutions are stored, so that memory does not grow with the file. The cover
//! and summary pages, which are read before the lines, determine the reports.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::NaiveDate;

use crate::formats::investors::{DEFAULT_INSTITUTIONS, Investor};
use crate::formats::positions::{Cover, DataSetLine, ReportTotal};
use crate::records::positioned_row::RecordPosition;
use crate::records::record_store::RecordStore;
use crate::reference_data::ReferenceData;

/// The reports whose lines are read, with counts of lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FollowedReports {
    /// Accession numbers of the reports.
    accessions: HashSet<String>,
    /// Number of lines of these reports.
    pub(crate) stored: u64,
    /// Number of lines of other reports.
    pub(crate) skipped: u64,
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
        if reports.next().is_some_and(|reports| reports.row.count_line(line.accession.as_deref())) {
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
        Self { accessions, stored: 0, skipped: 0 }
    }

    /// Counts a line; returns true if its report is followed.
    fn count_line(&mut self, accession: Option<&str>) -> bool {
        let is_followed = accession.is_some_and(|accession| self.accessions.contains(accession));
        let count = if is_followed { &mut self.stored } else { &mut self.skipped };
        *count += 1;
        is_followed
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
        let value = total.unwrap_or(0.0) * cover.dollar_factor();
        let newest_of_cik = newest.entry(cover.cik).or_insert((cover.report_date, value));
        if cover.report_date > newest_of_cik.0 {
            *newest_of_cik = (cover.report_date, value);
        } else if cover.report_date == newest_of_cik.0 {
            newest_of_cik.1 = newest_of_cik.1.max(value);
        }
    }
    let mut largest: Vec<(u64, f64)> = newest.into_iter().map(|(cik, (_, value))| (cik, value)).collect();
    largest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    largest.into_iter().take(DEFAULT_INSTITUTIONS).map(|(cik, _)| cik).collect()
}
