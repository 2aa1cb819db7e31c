//! Dates of a company's results and reports, taken from its statements.
//!
//! A quarter is announced and filed on the filing date of its statement; the last quarter of a year, on the date of the year. A missing
//! statement has neither results nor a report.

use chrono::NaiveDate;

use super::super::statements::Period;
use super::super::world::Listing;

/// A filed report of a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PeriodicReport {
    pub(super) form: &'static str,
    pub(super) end: NaiveDate,
    /// Day of filing.
    pub(super) filed: NaiveDate,
}

/// Returns the announcement dates of results, with the ends of their quarters.
pub(super) fn announcement_dates(listing: &Listing) -> Vec<(NaiveDate, NaiveDate)> {
    let quarters = listing.statements.filed_quarters().iter().filter(|period| !period.is_missing);
    quarters.map(|period| (period.filed, period.end)).collect()
}

/// Returns the filed reports: 10-Q of three quarters, 10-K of the year, and 10-K/A of a restated year.
pub(super) fn reports(listing: &Listing) -> Vec<PeriodicReport> {
    let statements = &listing.statements;
    let report = |form, period: &Period| PeriodicReport { form, end: period.end, filed: period.filed };
    let is_filed = |period: &&Period| !period.is_missing;
    let quarters = statements.filed_quarters().iter().filter(is_filed).filter(|it| it.quarter != Some(4));
    let mut reports: Vec<PeriodicReport> = quarters.map(|period| report("10-Q", period)).collect();
    reports.extend(statements.years.iter().filter(is_filed).map(|period| report("10-K", period)));
    reports.extend(statements.restated.and_then(|restated| {
        let year = statements.years.iter().find(|year| year.fiscal_year == restated.fiscal_year)?;
        Some(PeriodicReport { form: "10-K/A", end: year.end, filed: restated.filed })
    }));
    reports
}
