//! All SEC filings of a company: results, reports, contracts, other events, proxy statements, Forms 4.
//!
//! Accession numbers count the filings of each filer and year, in order of acceptance.

use std::collections::BTreeMap;

use chrono::{Datelike, NaiveDate};

use super::super::calendar::business_day_by;
use super::super::draw::{Draw, Purpose};
use super::super::texts::orders::{self, Contract};
use super::super::world::{Listing, World};
use super::forms::{self, OwnershipForm};
use super::{identity, results};

/// Number of the newest sessions with filings.
const FILING_SESSIONS: usize = 256;
/// Form 8-K events per company and year, in addition to results and contracts.
const EVENTS_A_YEAR: f64 = 5.0;

/// A submission to the SEC.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SecFiling {
    pub(super) form: &'static str,
    /// The items of an 8-K; empty for other forms.
    pub(super) items: &'static str,
    /// Day of filing.
    pub(super) filed: NaiveDate,
    /// Time of acceptance, such as `16:05:12`.
    pub(super) time: String,
    pub(super) report_date: Option<NaiveDate>,
    pub(super) accession: String,
    pub(super) form4: Option<OwnershipForm>,
    /// The contract that an 8-K reports; `None` for other filings.
    pub(super) contract: Option<Contract>,
}

/// Items of Form 8-K events with their weights; agreements are separate contracts.
const EVENTS: [(&str, f64); 8] = [
    ("8.01", 0.2),
    ("7.01,9.01", 0.2),
    ("5.02", 0.2),
    ("5.07", 0.1),
    ("2.05", 0.04),
    ("3.02", 0.03),
    ("4.01,9.01", 0.03),
    ("1.05", 0.02),
];

/// Draws the filings of a company, oldest first.
pub(super) fn generate_filings(world: &World, listing: &Listing) -> Vec<SecFiling> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::SecFilings, listing.company.ordinal);
    let first = world.sessions().saturating_sub(FILING_SESSIONS);
    let since = world.calendar.date(first);
    let mut filings = Vec::new();
    let last = world.last_date();
    let is_in = |date: &NaiveDate| (since..=last).contains(date);
    for (filed, _) in results::announcement_dates(listing).into_iter().filter(|(filed, _)| is_in(filed)) {
        // Results come before the opening or after the close; the 10-Q or 10-K follows after 17:00.
        let hour = if draw.chance(0.5) { 7 } else { 16 };
        filings.push(new_filing("8-K", "2.02,9.01", filed, Some(filed), draw_time(hour, &mut draw)));
    }
    for report in results::reports(listing).into_iter().filter(|report| is_in(&report.filed)) {
        filings.push(new_filing(report.form, "", report.filed, Some(report.end), draw_time(17, &mut draw)));
    }
    for session in first.max(listing.trading_period.listed.start)
        ..listing.trading_period.listed.end.min(world.sessions())
    {
        let date = world.calendar.date(session);
        let before = world.calendar.date(session.saturating_sub(1));
        if draw.chance(EVENTS_A_YEAR / 252.0) {
            let items = draw.weighted(&EVENTS, |event| event.1).map_or("8.01", |event| event.0);
            filings.push(new_filing("8-K", items, date, Some(before), draw_time(16, &mut draw)));
        }
        if draw.chance(1.0 / 252.0) {
            filings.push(new_filing("DEF 14A", "", date, None, draw_time(9, &mut draw)));
        }
        if draw.chance(0.1 / 252.0) {
            filings.push(new_filing("8-K/A", "9.01", date, Some(before), draw_time(17, &mut draw)));
        }
    }
    for contract in
        orders::generate_contracts(world, listing).into_iter().filter(|contract| is_in(&contract.filed))
    {
        let before = business_day_by(world.market, contract.filed.pred_opt().unwrap_or_default());
        let filing =
            new_filing("8-K", contract.items(), contract.filed, Some(before), draw_time(16, &mut draw));
        filings.push(SecFiling { contract: Some(contract), ..filing });
    }
    for form in forms::generate_forms(world, listing) {
        let filing = new_filing("4", "", form.filed, Some(form.traded), draw_time(18, &mut draw));
        filings.push(SecFiling { form4: Some(form), ..filing });
    }
    filings.sort_by(|a, b| (a.filed, &a.time, a.form).cmp(&(b.filed, &b.time, b.form)));
    let mut numbers: BTreeMap<i32, usize> = BTreeMap::new();
    for filing in &mut filings {
        let number = numbers.entry(filing.filed.year()).or_default();
        *number += 1;
        let cik = identity::company_cik(listing.company.ordinal);
        filing.accession = identity::accession(cik, filing.filed, *number);
    }
    filings
}

fn new_filing(
    form: &'static str,
    items: &'static str,
    filed: NaiveDate,
    report_date: Option<NaiveDate>,
    time: String,
) -> SecFiling {
    SecFiling { form, items, filed, time, report_date, accession: String::new(), form4: None, contract: None }
}

/// Draws a time within an hour.
fn draw_time(hour: u32, draw: &mut Draw) -> String {
    let second = draw.below(3_600);
    format!("{hour:02}:{:02}:{:02}", second / 60, second % 60)
}
