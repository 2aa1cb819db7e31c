//! A company: what matters on one page, everything else on pages beside it, so that none asks more than it shows.

mod head;

mod calls;
mod chart;
mod events;
mod financials;
mod overview;
mod ownership;
mod ratios;
mod report;

use crate::spec::PageSpec;

/// The pages of a company, in the order of their tabs.
pub(super) const PAGES: &[PageSpec] = &[
    overview::PAGE,
    financials::PAGE,
    ratios::PAGE,
    ownership::PAGE,
    events::PAGE,
    calls::PAGE,
    report::PAGE,
];
