//! The inputs of a company's statements.

use crate::calendar::SessionCalendar;
use crate::company::InventedCompany;
use crate::factors::Factors;
use crate::listing_period::ListingPeriod;
use crate::prices::History;

/// The inputs of a company's statements.
pub(crate) struct StatementInputs<'a> {
    pub(crate) seed: u64,
    pub(crate) company: &'a InventedCompany,
    pub(crate) listing_period: &'a ListingPeriod,
    pub(crate) history: &'a History,
    pub(crate) factors: &'a Factors,
    pub(crate) calendar: &'a SessionCalendar,
}
