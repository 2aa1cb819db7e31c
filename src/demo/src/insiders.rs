//! Trades of a company's insiders, who sell, buy, pledge or give away shares that they hold.
//!
//! A holding follows splits and bonuses. Market purchases and sales are a part of the day's volume, at its average price; larger promoter
//! trades are off-market. The promoters' part is the sum of the promoters among these people and of a rest that never trades.

use chrono::{Days, NaiveDate};

use super::draw::Draw;
use super::names;
use super::prices::SimulatedBar;
use super::world::{Listing, World};

/// Small insider trades per company and year.
const TRADES_A_YEAR: f64 = 3.0;

/// A trade of an insider, as disclosed to the exchange.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DisclosedTrade {
    /// Day of the trade.
    pub(crate) traded: NaiveDate,
    /// Day of filing.
    pub(crate) filed: NaiveDate,
    pub(crate) person: String,
    pub(crate) category: &'static str,
    pub(crate) transaction: &'static str,
    pub(crate) mode: &'static str,
    pub(crate) shares: u64,
    /// Value in rupees; 0 for gifts.
    pub(crate) value: u64,
    pub(crate) shares_before: u64,
    pub(crate) shares_after: u64,
    /// Shares outstanding on the day of the trade.
    pub(crate) total: u64,
    pub(crate) is_on_exchange: bool,
}

/// A person who holds a part of a company.
#[derive(Debug)]
struct Insider {
    name: String,
    category: &'static str,
    /// Fraction of all shares, 0..1.
    part: f64,
}

impl Insider {
    fn is_promoter(&self) -> bool {
        self.category.starts_with("Promoter")
    }
}

/// The promoters' planned trades in a quarter.
#[derive(Debug, Clone, Copy)]
pub(super) struct PromoterPlan {
    /// Shares to buy, or to sell if negative, as a fraction of all shares.
    pub(super) change: f64,
    /// The fraction of the promoters' shares to be pledged at the quarter's end.
    pub(super) pledge_level: f64,
}

/// All insiders of a company.
#[derive(Debug)]
pub(super) struct Insiders {
    people: Vec<Insider>,
    /// The promoters' holding that never trades, as a fraction of all shares.
    untraded: f64,
    /// The pledged holding, as a fraction of all shares.
    pledged: f64,
    draw: Draw,
}

/// A transaction in the wording of its form.
struct TransactionWords {
    transaction: &'static str,
    mode: &'static str,
}

const PLEDGE: TransactionWords = TransactionWords { transaction: "Pledge", mode: "Pledge Creation" };
const RELEASE: TransactionWords =
    TransactionWords { transaction: "Pledge Revoke", mode: "Revokation of Pledge" };
const PURCHASE: TransactionWords = TransactionWords { transaction: "Buy", mode: "Off Market" };
const SALE: TransactionWords = TransactionWords { transaction: "Sell", mode: "Off Market" };

impl Insiders {
    /// Creates a promoter, a member of the group, a relative, a director and two employees; `promoters` is the promoters' fraction of all
    /// shares, `pledged` the fraction of their shares that is pledged.
    pub(super) fn new(promoters: f64, pledged: f64, mut draw: Draw) -> Self {
        let family = names::draw_name(&mut draw);
        let mut person = |category, family: Option<&str>, part: f64| {
            let (first, last) = (names::draw_name(&mut draw), names::draw_name(&mut draw));
            Insider { name: format!("{first} {}", family.unwrap_or(&last)), category, part }
        };
        let people = vec![
            person("Promoters", Some(&family), promoters * 0.4),
            person("Promoter Group", Some(&family), promoters * 0.15),
            person("Immediate relative", Some(&family), 0.001),
            person("Director", None, 0.002),
            person("Key Managerial Personnel", None, 0.000_6),
            person("Employees/Designated Employees", None, 0.000_2),
        ];
        Self { people, untraded: promoters * 0.45, pledged: pledged * promoters, draw }
    }

    /// Returns the promoters' fraction of all shares.
    pub(super) fn promoters(&self) -> f64 {
        let people = self.people.iter().filter(|person| person.is_promoter());
        self.untraded + people.map(|person| person.part).sum::<f64>()
    }

    /// Returns the pledged fraction of the promoters' shares.
    pub(super) fn pledged_part(&self) -> f64 {
        (self.pledged / self.promoters()).clamp(0.0, 1.0)
    }

    /// Returns the number of pledged shares, of `total` shares.
    pub(super) fn pledged_shares(&self, total: u64) -> u64 {
        (self.pledged * total as f64).round() as u64
    }

    /// Changes the holdings in a quarter without disclosures.
    pub(super) fn move_holdings(&mut self, change: f64, pledge_level: f64) {
        self.untraded = (self.untraded + change).max(0.0);
        self.pledged = pledge_level * self.promoters();
    }

    /// Draws the trades of a quarter that has these bars.
    pub(super) fn trade(
        &mut self,
        world: &World,
        listing: &Listing,
        bars: &[SimulatedBar],
        plan: PromoterPlan,
    ) -> Vec<DisclosedTrade> {
        let (trade_day, pledge_day) = (self.draw.below(bars.len()), self.draw.below(bars.len()));
        let mut trades = Vec::new();
        for (index, bar) in bars.iter().enumerate() {
            let is_small = self.draw.chance(TRADES_A_YEAR / 252.0);
            if !is_small && index != trade_day && index != pledge_day {
                continue;
            }
            let total = listing.history.shares_on(usize::from(bar.session));
            let mut day_trades = Vec::new();
            if is_small {
                day_trades.extend(self.draw_small_trade(bar, total));
            }
            if index == trade_day {
                day_trades.extend(self.draw_large_trade(bar, total, plan.change));
            }
            if index == pledge_day {
                day_trades.extend(self.pledge(bar, total, plan.pledge_level));
            }
            let day = world.calendar.date(usize::from(bar.session));
            for trade in day_trades {
                let filed = day.checked_add_days(Days::new(1 + self.draw.below(2) as u64));
                trades.push(DisclosedTrade { traded: day, filed: filed.unwrap_or(day), ..trade });
            }
        }
        trades
    }

    /// Buys or sells a fraction of all shares for the first promoter, off-market; sells at most the promoter's holding.
    fn draw_large_trade(&mut self, bar: &SimulatedBar, total: u64, change: f64) -> Option<DisclosedTrade> {
        let person = self.people.first_mut()?;
        let before = person.shares_held(total);
        let shares = (change.abs() * total as f64) as u64;
        let (kind, shares) = if change < 0.0 { (SALE, shares.min(before)) } else { (PURCHASE, shares) };
        let value = shares * bar.average_price() / 100;
        (shares > 0).then(|| person.apply_trade(&kind, shares, value, total))
    }

    /// Pledges or releases shares, so that `pledge_level` of the promoters' shares is pledged afterwards.
    fn pledge(&mut self, bar: &SimulatedBar, total: u64, pledge_level: f64) -> Option<DisclosedTrade> {
        let missing = pledge_level * self.promoters() - self.pledged;
        let person = self.people.first_mut()?;
        let shares = (missing.abs() * total as f64).round() as u64;
        let shares = shares.min(person.shares_held(total));
        let part = shares as f64 / total.max(1) as f64;
        self.pledged = if missing < 0.0 { (self.pledged - part).max(0.0) } else { self.pledged + part };
        let kind = if missing < 0.0 { RELEASE } else { PLEDGE };
        (shares > 0).then(|| person.apply_trade(&kind, shares, shares * bar.average_price() / 100, total))
    }

    /// Draws a small trade of one person; `None` if there is nothing to trade.
    fn draw_small_trade(&mut self, bar: &SimulatedBar, total: u64) -> Option<DisclosedTrade> {
        let index = self.draw.below(self.people.len());
        let (roll, part) = (self.draw.uniform(), self.draw.between(0.02, 0.2));
        let person = self.people.get_mut(index)?;
        let before = person.shares_held(total);
        let (transaction, mode) = match roll {
            // Promoters make no gifts and exercise no options here; pledges are handled above.
            _ if person.is_promoter() && roll < 0.3 => return None,
            _ if roll < 0.25 => ("Buy", "ESOP"),
            _ if roll < 0.3 => ("Sell", "Gift"),
            _ if roll < 0.62 => ("Buy", "Market Purchase"),
            _ => ("Sell", "Market Sale"),
        };
        let day = u64::from(bar.volume);
        let shares = match mode {
            "Market Purchase" => day / 12,
            "Market Sale" => (day / 8).min(before),
            "ESOP" => total / 50_000,
            _ => before,
        };
        let shares = (part * shares as f64) as u64;
        let value = match mode {
            "Gift" => 0,
            // Options are exercised far below the market price.
            "ESOP" => shares * bar.average_price() / 300,
            _ => shares * bar.average_price() / 100,
        };
        (shares > 0)
            .then(|| person.apply_trade(&TransactionWords { transaction, mode }, shares, value, total))
    }
}

impl Insider {
    /// Returns the number of shares held, of `total` shares.
    fn shares_held(&self, total: u64) -> u64 {
        (self.part * total as f64).round() as u64
    }

    /// Applies a trade to the holding and returns it, without its dates.
    fn apply_trade(
        &mut self,
        kind: &TransactionWords,
        shares: u64,
        value: u64,
        total: u64,
    ) -> DisclosedTrade {
        let before = self.shares_held(total);
        let after = match kind.transaction {
            "Buy" => before + shares,
            "Sell" => before - shares,
            _ => before,
        };
        if after != before {
            self.part = after as f64 / total.max(1) as f64;
        }
        DisclosedTrade {
            traded: NaiveDate::default(),
            filed: NaiveDate::default(),
            person: self.name.clone(),
            category: self.category,
            transaction: kind.transaction,
            mode: kind.mode,
            shares,
            value,
            shares_before: before,
            shares_after: after,
            total,
            is_on_exchange: kind.mode.starts_with("Market"),
        }
    }
}
