//! Bulk and block deals: clients who trade a large part of a company in one session.
//!
//! A bulk deal is more than 0.5 % of the company and less than the session's volume; a block deal is made at the previous close, clamped to
//! the session's range, and has two sides. Prices are within the session's range.

use super::draw::{Draw, Purpose};
use super::names;
use super::prices::SimulatedBar;
use super::tick::Minor;
use super::world::{Listing, World};

/// Number of the newest sessions with deals.
const DEAL_SESSIONS: usize = 250;
/// Least value of a block deal in paise: ten crore rupees.
const LEAST_BLOCK: u64 = 10_000_000_000;

/// One side of a deal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientDeal {
    pub(crate) session: usize,
    pub(crate) client: String,
    pub(crate) is_purchase: bool,
    pub(crate) quantity: u64,
    pub(crate) price: Minor,
}

/// Bulk and block deals of a company, in the order of sessions.
#[derive(Debug, Default)]
pub(crate) struct Deals {
    pub(crate) bulk: Vec<ClientDeal>,
    pub(crate) block: Vec<ClientDeal>,
}

impl Deals {
    /// Draws the deals of a company.
    pub(crate) fn generate(world: &World, listing: &Listing) -> Self {
        let mut draw = Draw::new(world.seed, world.market, Purpose::Deals, listing.company.ordinal);
        let first = world.sessions().saturating_sub(DEAL_SESSIONS);
        let mut deals = Self::default();
        let bars = &listing.history.bars;
        for (before, bar) in bars.iter().zip(bars.iter().skip(1)) {
            if usize::from(bar.session) < first {
                continue;
            }
            let (bulk, block) = (draw.chance(0.2), draw.chance(0.004));
            if bulk {
                deals.bulk.extend(bulk_sides(listing, bar, &mut draw));
            }
            if block {
                deals.block.extend(block_sides(before, bar, &mut draw));
            }
        }
        deals
    }
}

fn bulk_sides(listing: &Listing, bar: &SimulatedBar, draw: &mut Draw) -> Vec<ClientDeal> {
    let total = listing.history.shares_on(usize::from(bar.session));
    let (least, most) = (total / 200 + 1, u64::from(bar.volume) * 6 / 10);
    if least >= most {
        return Vec::new();
    }
    let mut side = |is_purchase| ClientDeal {
        session: usize::from(bar.session),
        client: draw_client(draw),
        is_purchase,
        quantity: draw.between(least as f64, most as f64) as u64,
        price: draw.between(f64::from(bar.low), f64::from(bar.high)) as Minor,
    };
    vec![side(true), side(false)]
}

fn block_sides(before: &SimulatedBar, bar: &SimulatedBar, draw: &mut Draw) -> Vec<ClientDeal> {
    let price = before.close.clamp(bar.low, bar.high);
    let quantity = (draw.between(0.1, 0.3) * f64::from(bar.volume)) as u64;
    if quantity * u64::from(price) < LEAST_BLOCK {
        return Vec::new();
    }
    let mut side = |is_purchase| ClientDeal {
        session: usize::from(bar.session),
        client: draw_client(draw),
        is_purchase,
        quantity,
        price,
    };
    vec![side(true), side(false)]
}

/// Draws an invented client.
fn draw_client(draw: &mut Draw) -> String {
    const FORMS: [&str; 6] = [
        "SECURITIES PRIVATE LIMITED",
        "CAPITAL LLP",
        "GROWTH FUND",
        "MUTUAL FUND",
        "TRADING LLP",
        "HOLDINGS PTE LTD",
    ];
    let form = draw.pick(&FORMS).copied().unwrap_or_default();
    format!("{} {form}", names::draw_name(draw).to_uppercase())
}
