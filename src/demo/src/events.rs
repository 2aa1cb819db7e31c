//! Corporate actions in the exchange's wording: dividends, rights, buybacks and amalgamations, with splits and bonuses.
//!
//! Only splits and bonuses move prices here; the others are small against daily noise, and prices are not adjusted for them.

use super::DemoError;
use super::draw::{Draw, Purpose};
use super::listing_period::ListingPeriod;
use super::output::OutputFolder;
use super::prices::History;
use super::share_split::SplitKind;
use super::world::{Listing, World};

/// An announced corporate action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnnouncedAction {
    pub(crate) session: usize,
    pub(crate) purpose: String,
}

/// Writes the splits and bonuses of a market with factors of at most six decimals, sorted by symbol and date.
pub(crate) fn write_splits(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    let rows = world.listings.iter().flat_map(|listing| {
        listing.history.actions.iter().map(|action| {
            let factor = (action.factor() * 1e6).round() / 1e6;
            let date = world.calendar.date(action.session).to_string();
            [listing.company.symbol.clone(), date, action.label(), factor.to_string()]
        })
    });
    output.table("corporate_actions.csv", "symbol,ex_date,action,factor", rows)
}

/// Draws the announced actions of a company, by ex-date.
pub(crate) fn events(world: &World, listing: &Listing) -> Vec<AnnouncedAction> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::Events, listing.company.ordinal);
    let mut events = splits_and_bonuses(listing);
    let (_, dividends) = dividends(world.sessions(), &listing.trading_period, &listing.history, &mut draw);
    events.extend(dividends.iter().map(dividend_action));
    for (chance, kind) in [(0.04, 0), (0.05, 1), (0.02, 2)] {
        let (happens, session) = (draw.chance(chance), draw.below(world.sessions()));
        let price = listing.history.bar_on(session).map(|bar| bar.close / 100);
        let purpose = match (kind, price) {
            (_, None) => continue,
            (0, Some(price)) => format!("RIGHTS 1:{}@PRM RS {}", 5 + draw.below(15), (price * 7 / 10).max(1)),
            (1, _) => "BUY BACK".to_owned(),
            _ => "AMALGAMATION".to_owned(),
        };
        if happens && listing.trading_period.listed.contains(&session) {
            events.push(AnnouncedAction { session, purpose });
        }
    }
    events.sort_by(|a, b| (a.session, &a.purpose).cmp(&(b.session, &b.purpose)));
    events
}

fn splits_and_bonuses(listing: &Listing) -> Vec<AnnouncedAction> {
    let mut face = listing.company.face_value;
    let announce = |action: &super::share_split::ShareSplit| {
        let before = std::mem::replace(&mut face, action.face_value);
        let purpose = match action.kind {
            SplitKind::Split => format!("FV SPLT FRM RS {before} TO {}", face_value_words(action.face_value)),
            SplitKind::Bonus => format!("BONUS {}:{}", action.ratio.0, action.ratio.1),
        };
        AnnouncedAction { session: action.session, purpose }
    };
    listing.history.actions.iter().map(announce).collect()
}

/// A cash dividend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dividend {
    /// Session number of the ex-date.
    pub(crate) session: usize,
    /// Amount per share, in paise or cents.
    pub(crate) amount: u32,
    is_interim: bool,
}

/// Draws the dividends of a company with an ex-date in the sessions, final ones first; the first value is true if the company pays
/// dividends at all.
pub(crate) fn dividends(
    sessions: usize,
    listing_period: &ListingPeriod,
    history: &History,
    draw: &mut Draw,
) -> (bool, Vec<Dividend>) {
    const SESSIONS_A_YEAR: usize = 252;
    let (pays, has_interim) = (draw.chance(0.7), draw.chance(0.4));
    let first = draw.below(SESSIONS_A_YEAR);
    let yield_pct = draw.between(0.3, 1.5);
    let mut dividends = Vec::new();
    // Some companies pay an interim dividend half a year after each final one.
    for (start, is_interim) in [(first, false), ((first + SESSIONS_A_YEAR / 2) % SESSIONS_A_YEAR, true)] {
        if !pays || (is_interim && !has_interim) {
            continue;
        }
        for session in (start..sessions).step_by(SESSIONS_A_YEAR) {
            let Some(bar) = history.bar_on(session) else { continue };
            // Rounded to ten paise, as is usual.
            let amount = (f64::from(bar.close) * yield_pct / 1_000.0).round() as u32 * 10;
            if amount > 0 && listing_period.listed.contains(&session) {
                dividends.push(Dividend { session, amount, is_interim });
            }
        }
    }
    (pays, dividends)
}

fn dividend_action(dividend: &Dividend) -> AnnouncedAction {
    let word = if dividend.is_interim { "INTDIV" } else { "DIVIDEND" };
    let Dividend { session, amount, .. } = *dividend;
    AnnouncedAction { session, purpose: format!("{word} - RS {}.{:02} PER SH", amount / 100, amount % 100) }
}

/// Formats a face value in the exchange's wording: one rupee is `RE 1`.
fn face_value_words(face: u32) -> String {
    if face == 1 { "RE 1".to_owned() } else { format!("RS {face}") }
}
