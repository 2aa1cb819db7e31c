//! Trades of a company's insiders: people who hold shares, and sell, buy, pledge or give away what they hold.
//!
//! A person's holding follows splits and bonuses. Purchases and sales are a part of the day's volume, at its average price.

use chrono::{Days, NaiveDate};

use super::draw::{Draw, Purpose};
use super::holders;
use super::names;
use super::prices::Bar;
use super::world::{Listing, World};

/// Trades of a company's insiders in a year.
const A_YEAR: f64 = 3.0;

/// A disclosed trade.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trade {
    pub(crate) traded: NaiveDate,
    pub(crate) filed: NaiveDate,
    pub(crate) person: String,
    pub(crate) category: &'static str,
    pub(crate) transaction: &'static str,
    pub(crate) mode: &'static str,
    pub(crate) shares: u64,
    /// In rupees.
    pub(crate) value: u64,
    pub(crate) before: u64,
    pub(crate) after: u64,
    /// All shares of the company on that day.
    pub(crate) total: u64,
    pub(crate) is_on_exchange: bool,
}

/// Someone who holds a part of a company.
struct Person {
    name: String,
    category: &'static str,
    /// Of all shares, 0..1.
    part: f64,
}

/// The trades of a company, in the order of their days; those that would be filed after the last session are left out.
pub(crate) fn trades(world: &World, listing: &Listing) -> Vec<Trade> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::Insiders, listing.company.place);
    let mut holders = Draw::new(world.seed, world.market, Purpose::Holders, listing.company.place);
    let mut people = people(f64::from(holders::promoters_at_first(&mut holders)) / 1e4, &mut draw);
    let last = world.calendar.date(world.sessions().saturating_sub(1));
    let mut trades = Vec::new();
    for bar in &listing.history.bars {
        if !draw.chance(A_YEAR / 252.0) {
            continue;
        }
        let who = draw.below(people.len());
        let day = world.calendar.date(usize::from(bar.session));
        let filed = day.checked_add_days(Days::new(1 + draw.below(2) as u64)).unwrap_or(day);
        let total = listing.history.shares_on(usize::from(bar.session));
        let Some(person) = people.get_mut(who) else { continue };
        let trade = trade(person, bar, total, &mut draw).map(|it| Trade { traded: day, filed, ..it });
        trades.extend(trade.filter(|trade| trade.filed <= last));
    }
    trades
}

/// A promoter, a relative, a director and two employees.
fn people(promoters: f64, draw: &mut Draw) -> Vec<Person> {
    let family = names::word(draw);
    let mut person = |category, family: Option<&str>, part: f64| {
        let (first, last) = (names::word(draw), names::word(draw));
        Person { name: format!("{first} {}", family.unwrap_or(&last)), category, part }
    };
    vec![
        person("Promoters", Some(&family), promoters * 0.4),
        person("Promoter Group", Some(&family), promoters * 0.15),
        person("Immediate relative", Some(&family), 0.001),
        person("Director", None, 0.002),
        person("Key Managerial Personnel", None, 0.000_6),
        person("Employees/Designated Employees", None, 0.000_2),
    ]
}

/// What a person does on a day; nothing when there is nothing to do it with.
fn trade(person: &mut Person, bar: &Bar, total: u64, draw: &mut Draw) -> Option<Trade> {
    let before = (person.part * total as f64) as u64;
    let is_promoter = person.category.starts_with("Promoter");
    let roll = draw.uniform();
    let (transaction, mode) = match roll {
        _ if is_promoter && roll < 0.12 => ("Pledge", "Pledge Creation"),
        _ if is_promoter && roll < 0.2 => ("Pledge Revoke", "Revokation of Pledge"),
        _ if !is_promoter && roll < 0.25 => ("Buy", "ESOP"),
        _ if roll < 0.3 => ("Sell", "Gift"),
        _ if roll < 0.62 => ("Buy", "Market Purchase"),
        _ => ("Sell", "Market Sale"),
    };
    let part = draw.between(0.02, 0.2);
    let day = u64::from(bar.volume);
    let shares = match mode {
        "Market Purchase" => day / 12,
        "Market Sale" => (day / 8).min(before),
        "ESOP" => total / 50_000,
        _ => before,
    };
    let shares = (part * shares as f64) as u64;
    if shares == 0 {
        return None;
    }
    let paise = (u64::from(bar.open) + u64::from(bar.high) + u64::from(bar.low) + u64::from(bar.close)) / 4;
    let value = match mode {
        "Gift" => 0,
        // Options are exercised far below the market's price.
        "ESOP" => shares * paise / 300,
        _ => shares * paise / 100,
    };
    let after = match transaction {
        "Buy" => before + shares,
        "Sell" => before - shares,
        _ => before,
    };
    person.part = after as f64 / total as f64;
    Some(Trade {
        traded: NaiveDate::default(),
        filed: NaiveDate::default(),
        person: person.name.clone(),
        category: person.category,
        transaction,
        mode,
        shares,
        value,
        before,
        after,
        total,
        is_on_exchange: mode.starts_with("Market"),
    })
}
