//! Corporate actions as the exchange words them: dividends, rights, buybacks and amalgamations beside splits and bonuses.
//!
//! Only splits and bonuses move prices here; the others are small against a day's noise, and prices are not adjusted for them.

use super::action::Kind;
use super::draw::{Draw, Purpose};
use super::world::{Listing, World};

/// An announced corporate action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) session: usize,
    pub(crate) purpose: String,
}

/// The actions of a company, in the order of their ex-dates.
pub(crate) fn events(world: &World, listing: &Listing) -> Vec<Event> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::Events, listing.company.place);
    let mut events = splits_and_bonuses(listing);
    events.extend(dividends(world, listing, &mut draw));
    for (chance, kind) in [(0.04, 0), (0.05, 1), (0.02, 2)] {
        let (happens, session) = (draw.chance(chance), draw.below(world.sessions()));
        let price = listing.history.bar_on(session).map(|bar| bar.close / 100);
        let purpose = match (kind, price) {
            (_, None) => continue,
            (0, Some(price)) => format!("RIGHTS 1:{}@PRM RS {}", 5 + draw.below(15), (price * 7 / 10).max(1)),
            (1, _) => "BUY BACK".to_owned(),
            _ => "AMALGAMATION".to_owned(),
        };
        if happens && listing.life.listed.contains(&session) {
            events.push(Event { session, purpose });
        }
    }
    events.sort_by(|a, b| (a.session, &a.purpose).cmp(&(b.session, &b.purpose)));
    events
}

fn splits_and_bonuses(listing: &Listing) -> Vec<Event> {
    let mut face = listing.company.face_value;
    let of = |action: &super::action::Action| {
        let before = std::mem::replace(&mut face, action.face_value);
        let purpose = match action.kind {
            Kind::Split => format!("FV SPLT FRM RS {before} TO {}", rupees(action.face_value)),
            Kind::Bonus => format!("BONUS {}:{}", action.ratio.0, action.ratio.1),
        };
        Event { session: action.session, purpose }
    };
    listing.history.actions.iter().map(of).collect()
}

/// A final dividend a year, and for some companies an interim one half a year later.
fn dividends(world: &World, listing: &Listing, draw: &mut Draw) -> Vec<Event> {
    const YEAR: usize = 252;
    let (pays, has_interim) = (draw.chance(0.7), draw.chance(0.4));
    let first = draw.below(YEAR);
    let yield_pct = draw.between(0.3, 1.5);
    let mut dividends = Vec::new();
    for (start, word) in [(first, "DIVIDEND"), ((first + YEAR / 2) % YEAR, "INTDIV")] {
        if !pays || (word == "INTDIV" && !has_interim) {
            continue;
        }
        for session in (start..world.sessions()).step_by(YEAR) {
            let Some(bar) = listing.history.bar_on(session) else { continue };
            // To ten paise, as companies do.
            let paise = (f64::from(bar.close) * yield_pct / 1_000.0).round() as u32 * 10;
            if paise > 0 && listing.life.listed.contains(&session) {
                let purpose = format!("{word} - RS {}.{:02} PER SH", paise / 100, paise % 100);
                dividends.push(Event { session, purpose });
            }
        }
    }
    dividends
}

/// A face value in the exchange's words: one rupee is `RE 1`.
fn rupees(face: u32) -> String {
    if face == 1 { "RE 1".to_owned() } else { format!("RS {face}") }
}
