//! The quarters that a company's statements cover, and the price model's facts on each.
//!
//! A span begins with a fiscal year and has no gap; it ends with the last quarter filed while the company was listed.

use chrono::NaiveDate;

use super::character::Traits;
use super::fiscal::QuarterNumber;
use super::inputs::StatementInputs;
use super::unit;
use crate::draw::Draw;
use crate::events::Dividend;
use parquote_catalogue::operation::Market;

/// Number of full fiscal years before the newest one.
const YEARS: i32 = 11;
/// Number of years in the prospectus of a listing.
const YEARS_BEFORE_LISTING: i32 = 3;

/// The quarters that statements cover.
pub(super) struct StatementSpan {
    pub(super) first: QuarterNumber,
    year_end_month: u32,
    /// The filing date of each quarter.
    pub(super) filing_dates: Vec<NaiveDate>,
}

impl StatementSpan {
    /// Builds the span from the first fiscal year to the last quarter filed while the company was listed.
    pub(super) fn new(inputs: &StatementInputs<'_>, traits: &Traits, draw: &mut Draw) -> Self {
        let StatementInputs { company, listing_period, calendar, .. } = *inputs;
        let last_day =
            calendar.date(listing_period.listed.end.saturating_sub(1).max(listing_period.listed.start));
        let newest = QuarterNumber::from_date(last_day);
        let (year, _) = newest.fiscal(traits.year_end_month);
        let listed = QuarterNumber::from_date(listing_period.listing_date).fiscal(traits.year_end_month).0;
        let first_year = (year - YEARS).max(listed - YEARS_BEFORE_LISTING).min(year - 2);
        let furthest = 4 * (YEARS + 2);
        let first = (0..furthest).map(|back| newest.plus(-back)).find(|quarter| {
            let (year, index) = quarter.fiscal(traits.year_end_month);
            (year, index) == (first_year, 1)
        });
        let first = first.unwrap_or(newest);
        let filed = (0..=newest.quarters_since(first)).map(|step| {
            let quarter = first.plus(step);
            let is_year = quarter.fiscal(traits.year_end_month).1 == 4;
            let day = traits.filing_delay.filing(company.market, quarter.end(), is_year, draw);
            if listing_period.listed.start > 0 { day.max(listing_period.listing_date) } else { day }
        });
        let filed = filed.take_while(|day| *day <= last_day).collect();
        Self { first, year_end_month: traits.year_end_month, filing_dates: filed }
    }

    pub(super) fn quarter(&self, index: usize) -> QuarterNumber {
        self.first.plus(index as i32)
    }
}

/// The figures of each quarter that come from the price model.
#[derive(Default)]
pub(super) struct PriceFacts {
    /// Dividends per share in units of money; `None` before the first session.
    pub(super) dividends: Vec<Option<f64>>,
    /// Dividends paid per share, in rupees or dollars.
    pub(super) paid: Vec<f64>,
    /// Face value per share in units of money; 0 in the US.
    pub(super) face_values: Vec<f64>,
    /// True for a fiscal year's first quarter.
    pub(super) begins_year: Vec<bool>,
    /// Index of the quarter of a new listing, and its issue price in money; `None` for older listings.
    pub(super) offer: Option<(usize, f64)>,
}

impl PriceFacts {
    pub(super) fn new(
        inputs: &StatementInputs<'_>,
        span: &StatementSpan,
        dividends: &[Dividend],
        market: Market,
    ) -> Self {
        let StatementInputs { company, listing_period, history, calendar, .. } = *inputs;
        let mut facts = Self::default();
        for index in 0..span.filing_dates.len() {
            let quarter = span.quarter(index);
            let (start, end) = (quarter.start(), quarter.end());
            let within = |session: usize| (start..=end).contains(&calendar.date(session));
            let session = calendar.session_by(end);
            // A dividend is per share of its day; the share count at the quarter's end includes later splits.
            let shares_at_end = session.map_or(0, |session| history.shares_on(session)).max(1) as f64;
            let paid: f64 = dividends
                .iter()
                .filter(|dividend| within(dividend.session))
                .map(|dividend| {
                    let shares_then = history.shares_on(dividend.session) as f64;
                    f64::from(dividend.amount) / 100.0 * shares_then / shares_at_end
                })
                .sum();
            facts.dividends.push(session.map(|_| paid / unit(market)));
            facts.paid.push(paid);
            let last_action = history.actions.iter().rfind(|action| calendar.date(action.session) <= end);
            let face = last_action.map_or(company.face_value, |action| action.face_value);
            let has_face = market == Market::India;
            facts.face_values.push(if has_face { f64::from(face) / unit(market) } else { 0.0 });
            facts.begins_year.push(quarter.fiscal(span.year_end_month).1 == 1);
            if listing_period.listed.start > 0 && (start..=end).contains(&listing_period.listing_date) {
                facts.offer = Some((index, f64::from(history.reference) / 100.0 / unit(market)));
            }
        }
        facts
    }
}
