//! The index fund: a cap-weighted basket of the large-cap index, with bars like those of a stock.
//!
//! The market's benchmark is read from it. Returns are chain-linked, so that splits and changes of members cause no jump; a member counts
//! only in sessions in which it trades.

use std::collections::BTreeMap;

use super::draw::Draw;
use super::membership;
use super::prices::{NseSeries, SimulatedBar};
use super::tick::{Minor, round_to, tick};
use super::world::{Listing, World};

/// The members' capital in one session: at the close of the previous session, and at the open and the close of this session.
#[derive(Debug, Default, Clone, Copy)]
struct Capital {
    before: f64,
    open: f64,
    close: f64,
}

/// Returns the bars of a fund that starts at a price in minor units.
pub(crate) fn index_fund(world: &World, start: Minor, draw: &mut Draw) -> Vec<SimulatedBar> {
    let mut totals = BTreeMap::new();
    add_members(world, 0..world.rebalanced_from, &mut totals);
    add_members(world, world.rebalanced_from..world.sessions(), &mut totals);
    let mut value = f64::from(start);
    let bar = |(session, capital): (usize, Capital)| {
        let open = value * capital.open / capital.before;
        value *= capital.close / capital.before;
        let tick = tick(world.market, world.calendar.date(session), value);
        let high = open.max(value) * (1.0 + 0.002 * draw.normal().abs());
        let low = open.min(value) * (1.0 - 0.002 * draw.normal().abs());
        let volume = (4.0e6 * (0.35 * draw.normal()).exp()) as u32;
        SimulatedBar {
            session: session as u16,
            series: NseSeries::Eq,
            open: round_to(open, tick),
            high: round_to(high, tick),
            low: round_to(low, tick),
            close: round_to(value, tick),
            volume,
            delivered: (f64::from(volume) * draw.between(0.4, 0.65)) as u32,
        }
    };
    totals.into_iter().filter(|(_, capital)| capital.before > 0.0).map(bar).collect()
}

/// Adds the capital of the index's members over a span; members are chosen at its first session.
fn add_members(world: &World, span: std::ops::Range<usize>, totals: &mut BTreeMap<usize, Capital>) {
    for listing in membership::fund_members(world, span.start) {
        for (session, capital) in capitals(listing).filter(|(session, _)| span.contains(session)) {
            let total = totals.entry(session).or_default();
            total.before += capital.before;
            total.open += capital.open;
            total.close += capital.close;
        }
    }
}

/// Returns a company's capital in each session. The previous close, too, is valued at the session's share count.
fn capitals(listing: &Listing) -> impl Iterator<Item = (usize, Capital)> {
    let history = &listing.history;
    let first = history.bars.first().map(|first| (history.reference, first));
    let pairs = history.bars.iter().zip(history.bars.iter().skip(1)).map(|(before, bar)| (before.close, bar));
    first.into_iter().chain(pairs).map(move |(before, bar)| {
        let session = usize::from(bar.session);
        let shares = history.shares_on(session) as f64;
        let action = history.actions.iter().find(|action| action.session == session);
        let factor = action.map_or(1.0, super::share_split::ShareSplit::factor);
        let value_at = |price: Minor| shares * f64::from(price);
        (
            session,
            Capital {
                before: value_at(before) * factor,
                open: value_at(bar.open),
                close: value_at(bar.close),
            },
        )
    })
}
