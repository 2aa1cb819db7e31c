//! What is known of a company before its statements are drawn.

use crate::demo::calendar::Calendar;
use crate::demo::company::Company;
use crate::demo::factors::Factors;
use crate::demo::life::Life;
use crate::demo::prices::History;

/// What statements are made from.
pub(crate) struct Setting<'a> {
    pub(crate) seed: u64,
    pub(crate) company: &'a Company,
    pub(crate) life: &'a Life,
    pub(crate) history: &'a History,
    pub(crate) factors: &'a Factors,
    pub(crate) calendar: &'a Calendar,
}
