//! A market without a price file, built from filings alone: its companies are those in lists and the filers with a symbol, its sessions the
//! days of the exchange's calendar from the first filing to the last. It has no bars, and none are invented.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use crate::common_stock::is_common_stock;
use crate::domain::session::Session;
use crate::formats::filings::Filing;
use crate::formats::insider_forms::InsiderForm;
use crate::formats::insider_tables::FormSubmission;
use crate::formats::positions::{Cover, PositionLine};
use crate::instrument_filter::{Eligibility, InstrumentFilter};
use crate::reference_data::ReferenceData;
use crate::statements::gathered_statements::GatheredStatements;
use parquote_catalogue::operation::{Market, is_session};

/// Note in the report on a market without prices.
pub(crate) const NO_PRICES_NOTE: &str = "there is no price file: sessions are days of the exchange's calendar, figures that need a price are null, \
                               and operations that need prices do not answer";

/// Returns the sessions from the first filing day to the last, or to `as_of`; `supplied` are the days of user-supplied rows.
pub(crate) fn sessions(
    market: Market,
    as_of: Option<NaiveDate>,
    reference: &ReferenceData,
    statements: &GatheredStatements,
    supplied: impl Iterator<Item = NaiveDate>,
) -> Vec<Session> {
    let filing_days = (statements.filing_facts.iter().filter_map(|filing| filing.filed_on))
        .chain(statements.rows.iter().filter_map(|row| row.filed_at))
        .chain(days(reference, |filing: &Filing| Some(filing.filed_on)))
        .chain(days(reference, |form: &InsiderForm| form.filed_on))
        .chain(days(reference, |submission: &FormSubmission| Some(submission.filed_on)))
        .chain(days(reference, |cover: &Cover| Some(cover.filed_on)))
        .chain(days(reference, |line: &PositionLine| Some(line.cover.as_ref()?.filed_on)))
        .chain(supplied)
        .filter(|day| as_of.is_none_or(|as_of| *day <= as_of));
    let (first, last) = filing_days.fold((None, None), |(first, last), day| {
        (Some(first.map_or(day, |first: NaiveDate| first.min(day))), last.max(Some(day)))
    });
    let Some((first, last)) = first.zip(as_of.or(last)) else { return Vec::new() };
    let days = first.iter_days().take_while(|day| *day <= last);
    days.filter(|day| is_session(market, *day)).map(|date| Session { date, stocks: 0 }).collect()
}

/// Returns the days of filing of records of a type.
fn days<T: 'static>(
    reference: &ReferenceData,
    day: impl Fn(&T) -> Option<NaiveDate>,
) -> impl Iterator<Item = NaiveDate> {
    reference.records.rows::<T>().iter().filter_map(move |placed| day(&placed.row))
}

/// Returns the symbols of common stocks: those in lists of companies, and those of companies with filings.
pub(crate) fn symbols(filter: &InstrumentFilter<'_>) -> BTreeSet<String> {
    let reference = filter.reference;
    let is_stock = |symbol: &&str| filter.eligibility(symbol) == Eligibility::Stock;
    // A filer's name distinguishes funds from companies that are in no list.
    let filers = reference.ciks.names().filter(|(name, symbol)| is_common_stock(symbol, name));
    let listed = reference.listings.keys().map(String::as_str);
    listed.chain(filers.map(|(_, symbol)| symbol)).filter(is_stock).map(str::to_owned).collect()
}
