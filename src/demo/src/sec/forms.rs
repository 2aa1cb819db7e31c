//! Forms 4: officers, directors and a large owner sell, buy, receive grants, exercise options, make gifts, and pay tax with shares.
//!
//! Owners sell at most what they hold. Holdings follow splits; purchases and sales are a part of the day's volume at its average price.

use chrono::NaiveDate;

use super::super::draw::{Draw, Purpose};
use super::super::names;
use super::super::prices::SimulatedBar;
use super::super::tick::Minor;
use super::super::world::{Listing, World};

/// Forms per company and year.
const FORMS_A_YEAR: f64 = 5.0;
/// Number of the newest sessions with forms: about a year, as far as readers look back.
const FORM_SESSIONS: usize = 256;

/// A reporting person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportingOwner {
    /// Index among the company's persons.
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) office: Office,
}

/// A person's relation to the company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Office {
    ChiefExecutive,
    ChiefFinance,
    Counsel,
    Director,
    LargeOwner,
}

impl Office {
    /// Returns the title of an officer; empty for other relations.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::ChiefExecutive => "Chief Executive Officer",
            Self::ChiefFinance => "Chief Financial Officer",
            Self::Counsel => "General Counsel",
            Self::Director | Self::LargeOwner => "",
        }
    }

    /// Returns three flags: director, officer, ten percent owner.
    pub(super) const fn relation_flags(self) -> [bool; 3] {
        match self {
            Self::ChiefExecutive => [true, true, false],
            Self::ChiefFinance | Self::Counsel => [false, true, false],
            Self::Director => [true, false, false],
            Self::LargeOwner => [false, false, true],
        }
    }

    /// Returns the initial holding in millionths of all shares.
    const fn holding(self) -> u64 {
        match self {
            Self::ChiefExecutive => 4_000,
            Self::ChiefFinance => 800,
            Self::Counsel => 300,
            Self::Director => 200,
            Self::LargeOwner => 110_000,
        }
    }
}

/// A transaction on a Form 4.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InsiderTrade {
    pub(super) code: char,
    pub(super) is_option: bool,
    pub(super) is_acquired: bool,
    pub(super) shares: u64,
    /// Cents per share; `None` if a footnote replaces it.
    pub(super) price: Option<Minor>,
    /// Number of shares or options held after the trade.
    pub(super) shares_after: u64,
}

/// A Form 4.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnershipForm {
    pub(super) person: ReportingOwner,
    pub(super) traded: NaiveDate,
    /// Date of filing, a session.
    pub(super) filed: NaiveDate,
    pub(super) transactions: Vec<InsiderTrade>,
}

/// Draws the forms of a company, by trade date; leaves out those that would be filed after the last session.
pub(super) fn generate_forms(world: &World, listing: &Listing) -> Vec<OwnershipForm> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::SecForms, listing.company.ordinal);
    let mut people = draw_people(&mut draw);
    let first = world.sessions().saturating_sub(FORM_SESSIONS);
    let total_at = |session: usize| listing.history.shares_on(session);
    let mut held: Vec<(u64, u64)> = people
        .iter()
        .map(|person| (total_at(first) * person.office.holding() / 1_000_000, total_at(first)))
        .collect();
    let mut forms = Vec::new();
    for bar in listing.history.bars.iter().filter(|bar| usize::from(bar.session) >= first) {
        if !draw.chance(FORMS_A_YEAR / 252.0) {
            continue;
        }
        let session = usize::from(bar.session);
        let (index, delay) = (draw.below(people.len()), 1 + draw.below(2));
        let (Some(person), Some((shares, total))) = (people.get_mut(index), held.get_mut(index)) else {
            continue;
        };
        // Splits multiply holdings.
        *shares = (u128::from(*shares) * u128::from(total_at(session)) / u128::from((*total).max(1))) as u64;
        *total = total_at(session);
        let transactions = draw_transactions(person.office, bar, *total, *shares, &mut draw);
        let after = transactions.iter().rfind(|it| !it.is_option).map(|it| it.shares_after);
        let Some(filed) = world.calendar.dates().get(session + delay) else { continue };
        let Some(after) = after else { continue };
        *shares = after;
        let traded = world.calendar.date(session);
        forms.push(OwnershipForm { person: person.clone(), traded, filed: *filed, transactions });
    }
    forms
}

fn draw_people(draw: &mut Draw) -> Vec<ReportingOwner> {
    use Office::{ChiefExecutive, ChiefFinance, Counsel, Director, LargeOwner};
    let offices = [ChiefExecutive, ChiefFinance, Counsel, Director, Director, LargeOwner];
    let person = |(number, office): (usize, Office)| {
        let (first, last) = (names::draw_name(draw), names::draw_name(draw));
        let name =
            if office == LargeOwner { format!("{last} Holdings LP") } else { format!("{last} {first}") };
        ReportingOwner { number, name, office }
    };
    offices.into_iter().enumerate().map(person).collect()
}

/// Draws a person's transactions on a day; empty if there is nothing to trade.
fn draw_transactions(
    office: Office,
    bar: &SimulatedBar,
    total: u64,
    held: u64,
    draw: &mut Draw,
) -> Vec<InsiderTrade> {
    let roll = if office == Office::LargeOwner { draw.between(0.0, 0.42) } else { draw.uniform() };
    let (part, is_in_footnote) = (draw.between(0.02, 0.2), draw.chance(0.04));
    let drawn_part = |shares: u64| (part * shares as f64) as u64;
    let average = bar.average_price() as Minor;
    let sale = |shares: u64, held: u64| InsiderTrade {
        code: 'S',
        is_option: false,
        is_acquired: false,
        shares,
        price: (!is_in_footnote).then_some(average),
        shares_after: held - shares,
    };
    let plain = |code, is_acquired: bool, shares: u64, price| InsiderTrade {
        code,
        is_option: false,
        is_acquired,
        shares,
        price: Some(price),
        shares_after: if is_acquired { held + shares } else { held - shares },
    };
    let trades = match roll {
        _ if roll < 0.3 => vec![sale(drawn_part((u64::from(bar.volume) / 8).min(held)), held)],
        _ if roll < 0.42 => vec![plain('P', true, drawn_part(u64::from(bar.volume) / 12), average)],
        _ if roll < 0.6 => vec![plain('A', true, drawn_part(total / 4_000), 0)],
        _ if roll < 0.75 => vec![plain('F', false, drawn_part(held / 4), bar.close)],
        _ if roll < 0.92 => {
            // Options at half the price are exercised, and half of the shares are sold on the day.
            let (options, strike) = (drawn_part(total / 5_000), average / 2);
            let exercised = InsiderTrade {
                code: 'M',
                is_option: true,
                is_acquired: false,
                shares: options,
                price: Some(0),
                shares_after: options * 3,
            };
            let bought = plain('M', true, options, strike);
            let sold = sale(options / 2, bought.shares_after);
            vec![bought, sold, exercised]
        }
        _ => vec![plain('G', false, drawn_part(held / 3), 0)],
    };
    if trades.iter().all(|it| it.shares > 0) { trades } else { Vec::new() }
}
