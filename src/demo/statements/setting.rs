//! What is known of a company before its statements are generated.

use crate::demo::calendar::SessionCalendar;
use crate::demo::company::InventedCompany;
use crate::demo::factors::Factors;
use crate::demo::listing_period::ListingPeriod;
use crate::demo::prices::History;

/// What statements are made from.
pub(crate) struct Setting<'a> {
    pub(crate) seed: u64,
    pub(crate) company: &'a InventedCompany,
    pub(crate) life: &'a ListingPeriod,
    pub(crate) history: &'a History,
    pub(crate) factors: &'a Factors,
    pub(crate) calendar: &'a SessionCalendar,
}
