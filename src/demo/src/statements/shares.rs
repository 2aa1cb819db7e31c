//! Shares outstanding at the end of each quarter, and issues of new ones.
//!
//! Within the sessions of the market the count is that of the price model, which only splits and bonuses change; new shares are issued
//! before the first session, or in the quarter of a listing.

use super::Story;
use super::fiscal::QuarterNumber;
use crate::calendar::SessionCalendar;
use crate::draw::Draw;
use crate::listing_period::ListingPeriod;
use crate::prices::History;
use crate::share_split::ShareSplit;

/// The share counts of one quarter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ShareCount {
    /// Shares outstanding at the quarter's end.
    pub(super) outstanding: u64,
    /// Shares issued in the quarter, counted before its splits.
    pub(super) issued: u64,
    /// Number of shares that one share became by splits and bonuses in the quarter.
    pub(super) split: f64,
}

/// Computes the counts of `quarters` quarters from `first` on.
pub(super) fn counts(
    (first, quarters): (QuarterNumber, usize),
    story: Story,
    calendar: &SessionCalendar,
    (listing_period, history): (&ListingPeriod, &History),
    draw: &mut Draw,
) -> Vec<ShareCount> {
    let listed = calendar.date(listing_period.listed.start);
    let is_new = listing_period.listed.start > 0;
    let ends: Vec<_> = (0..quarters as i32).map(|step| first.plus(step).end()).collect();
    let issues: Vec<f64> = ends.iter().map(|_| draw_issue(story, draw)).collect();
    let offered_part = draw.between(0.1, 0.25);
    let mut counts = vec![ShareCount::default(); quarters];
    let mut outstanding = history.shares_on(listing_period.listed.start);
    for (index, end) in ends.iter().enumerate().rev() {
        let Some(count) = counts.get_mut(index) else { continue };
        let began = first.plus(index as i32).start();
        let session = calendar.session_by(*end).filter(|_| *end >= listed);
        count.split = split(history, calendar, (began, *end));
        if let Some(session) = session {
            count.outstanding = history.shares_on(session.max(listing_period.listed.start));
            if is_new && began <= listed {
                count.issued = (outstanding as f64 * offered_part) as u64;
                outstanding -= count.issued;
            }
            continue;
        }
        count.outstanding = outstanding;
        let part = issues.get(index).copied().unwrap_or_default();
        count.issued = (outstanding as f64 * part) as u64;
        outstanding -= count.issued;
    }
    counts
}

/// Draws the newly issued fraction of all shares in a quarter; 0 in most quarters.
fn draw_issue(story: Story, draw: &mut Draw) -> f64 {
    let (happens, least, most) = match story {
        Story::LossMaking => (draw.chance(0.25), 0.04, 0.14),
        Story::Distressed => (draw.chance(0.06), 0.03, 0.12),
        _ => (draw.chance(0.035), 0.02, 0.07),
    };
    let part = draw.between(least, most);
    if happens { part } else { 0.0 }
}

/// Returns the number of shares that one share became between two days, both included.
fn split(
    history: &History,
    calendar: &SessionCalendar,
    (from, to): (chrono::NaiveDate, chrono::NaiveDate),
) -> f64 {
    let within = history.actions.iter().filter(|action| (from..=to).contains(&calendar.date(action.session)));
    1.0 / within.map(ShareSplit::factor).product::<f64>()
}
