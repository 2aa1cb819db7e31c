//! Costs of trades: taxes and fees, whose rates change from date to date, and slippage.
//!
//! A schedule is a declaration in TOML; no rate is in code. Of several charges with the same name, the one with the newest date at or before the
//! trade applies.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::BacktestError;

/// The direction of a trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TradeSide {
    /// A purchase.
    Buy,
    /// A sale.
    Sell,
}

/// All charges of a market.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CostSchedule {
    /// Names of the charges, in the order in which the file first uses them.
    names: Vec<String>,
    charges: Vec<DatedCharge>,
}

/// Slippage of one trade: `bps` of its value, plus `impact_bps` for each percent of the session's turnover that the trade makes up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Slippage {
    /// Hundredths of a percent of every trade.
    pub bps: f64,
    /// Hundredths of a percent for each percent of the session's turnover.
    pub impact_bps: f64,
}

/// Sum of one charge over all trades.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChargeSum {
    /// Name of the charge.
    pub name: String,
    /// Money.
    pub paid: f64,
}

/// A trade to charge.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChargedTrade {
    pub(super) date: NaiveDate,
    pub(super) side: TradeSide,
    /// Shares times price.
    pub(super) value: f64,
    /// Shares as traded.
    pub(super) shares: f64,
}

#[derive(Debug, Clone, PartialEq)]
struct DatedCharge {
    name: usize,
    declared: DeclaredCharge,
    /// Positions of the names in `on`.
    on: Vec<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CostFile {
    charges: Vec<DeclaredCharge>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredCharge {
    name: String,
    side: ChargedSide,
    /// The first day on which it applies.
    from: NaiveDate,
    /// Percent of the value, or of the charges in `on`.
    #[serde(default)]
    pct: f64,
    /// Money for each share.
    #[serde(default)]
    per_share: f64,
    /// The most that one trade pays.
    most: Option<f64>,
    /// Names of the charges of which this one is a percentage; if there are none, it is a percentage of the value.
    #[serde(default)]
    on: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChargedSide {
    Both,
    Buy,
    Sell,
}

impl ChargedSide {
    const fn includes(self, side: TradeSide) -> bool {
        matches!((self, side), (Self::Both, _) | (Self::Buy, TradeSide::Buy) | (Self::Sell, TradeSide::Sell))
    }
}

impl CostSchedule {
    /// Parses a file of `queries/costs`: `[[charges]]` with `name`, `side` (both, buy or sell), `from` (a date), and `pct`, `per_share`,
    /// `most` or `on`.
    ///
    /// # Errors
    /// [`BacktestError::Costs`]: TOML or fields that cannot be read, negative rates, a name in `on` that is not declared before, and `most` for
    /// purchases: purchases are scaled down to fit the cash, and a capped charge would not shrink with them.
    pub fn parse(text: &str) -> Result<Self, BacktestError> {
        let file: CostFile = toml::from_str(text).map_err(|error| BacktestError::Costs(error.to_string()))?;
        let mut schedule = Self::default();
        for declared in file.charges {
            schedule.add(declared)?;
        }
        Ok(schedule)
    }

    fn add(&mut self, declared: DeclaredCharge) -> Result<(), BacktestError> {
        let refuse = |why: &str| Err(BacktestError::Costs(format!("`{}`: {why}", declared.name)));
        let numbers = [declared.pct, declared.per_share, declared.most.unwrap_or_default()];
        if numbers.iter().any(|number| !number.is_finite() || *number < 0.0) {
            return refuse("`pct`, `per_share` and `most` are numbers of 0 or more");
        }
        if declared.most.is_some() && declared.side != ChargedSide::Sell {
            return refuse("`most` is for `side = \"sell\"` only");
        }
        let known = |name: &String| self.names.iter().position(|known| known == name);
        let Some(on) = declared.on.iter().map(known).collect::<Option<Vec<usize>>>() else {
            return refuse("`on` names charges that are declared above it");
        };
        let name = known(&declared.name).unwrap_or(self.names.len());
        if on.iter().any(|other| *other >= name) {
            return refuse("a charge is a percentage of charges that are declared above it");
        }
        if name == self.names.len() {
            self.names.push(declared.name.clone());
        }
        self.charges.push(DatedCharge { name, declared, on });
        Ok(())
    }

    /// Adds a brokerage of `pct` percent of every trade. Charges in the file that are a percentage of `brokerage` take it into account.
    ///
    /// # Errors
    /// [`BacktestError::Costs`] for a rate that is negative or not finite.
    pub fn with_brokerage(mut self, pct: f64) -> Result<Self, BacktestError> {
        let name = "brokerage".to_owned();
        self.charges.retain(|charge| charge.declared.name != name);
        self.add(DeclaredCharge {
            name,
            side: ChargedSide::Both,
            from: NaiveDate::MIN,
            pct,
            per_share: 0.0,
            most: None,
            on: Vec::new(),
        })?;
        Ok(self)
    }

    /// Returns the names of the charges.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the money of each charge, in the order of the names.
    pub(super) fn charge(&self, trade: &ChargedTrade) -> Vec<f64> {
        let mut paid = vec![0.0; self.names.len()];
        // A charge that is a percentage of others comes after them.
        for name in 0..self.names.len() {
            let money = self.holding(name, trade).map_or(0.0, |charge| charge.money(trade, &paid));
            if let Some(entry) = paid.get_mut(name) {
                *entry = money;
            }
        }
        paid
    }

    fn holding(&self, name: usize, trade: &ChargedTrade) -> Option<&DatedCharge> {
        let of_trade = self.charges.iter().filter(|charge| {
            charge.name == name
                && charge.declared.side.includes(trade.side)
                && charge.declared.from <= trade.date
        });
        of_trade.max_by_key(|charge| charge.declared.from)
    }
}

impl DatedCharge {
    fn money(&self, trade: &ChargedTrade, paid: &[f64]) -> f64 {
        let base = if self.on.is_empty() {
            trade.value
        } else {
            self.on.iter().filter_map(|name| paid.get(*name)).sum()
        };
        let money = base * self.declared.pct / 100.0 + trade.shares * self.declared.per_share;
        self.declared.most.map_or(money, |most| money.min(most))
    }
}

impl Slippage {
    /// Returns the money that slippage takes from a trade in a session with this turnover.
    pub(super) fn money(&self, value: f64, turnover: f64) -> f64 {
        let share_pct = if turnover > 0.0 { 100.0 * value / turnover } else { 0.0 };
        value * (self.bps + self.impact_bps * share_pct) / 1e4
    }
}
