//! Costs of trades: taxes and fees, whose rates change from date to date, and slippage.
//!
//! A schedule is a declaration in TOML; no rate is in code. Of several charges with the same name, the one with the newest date at or
//! before the trade applies.

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
    /// Names of the charges, in the order of their first declaration.
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

/// The sum of one charge over all trades.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChargeSum {
    /// Name of the charge.
    pub name: String,
    /// Sum, in the currency of the prices.
    pub paid: f64,
}

/// A trade for which charges are computed.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChargedTrade {
    pub(super) date: NaiveDate,
    pub(super) side: TradeSide,
    /// Shares times price, before costs.
    pub(super) value: f64,
    /// Number of shares as traded on the day, without adjustment for later splits.
    pub(super) shares: f64,
}

/// A charge that applies from a date on.
#[derive(Debug, Clone, PartialEq)]
struct DatedCharge {
    /// Index of the charge's name in the schedule.
    name_index: usize,
    declared: DeclaredCharge,
    /// Indices of the charges that `percent_of` of the declaration names.
    percent_of: Vec<usize>,
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
    /// The first day on which the charge applies.
    from: NaiveDate,
    /// Percent of the value, or of the charges in `percent_of`.
    #[serde(default)]
    pct: f64,
    /// Money for each share.
    #[serde(default)]
    per_share: f64,
    /// The most money that one trade pays; `None` without a cap.
    most: Option<f64>,
    /// Names of the charges of whose sum `pct` is taken; empty if it is taken of the value.
    #[serde(default)]
    percent_of: Vec<String>,
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
    /// `most` or `percent_of`.
    ///
    /// # Errors
    /// [`BacktestError::Costs`]: TOML or fields that cannot be read, negative rates, a name in `percent_of` that is not declared before, and
    /// `most` for purchases: purchases are scaled down to fit the cash, and a capped charge would not shrink with them.
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
        let index_of = |name: &String| self.names.iter().position(|declared| declared == name);
        let Some(percent_of) = declared.percent_of.iter().map(index_of).collect::<Option<Vec<usize>>>()
        else {
            return refuse("`percent_of` names charges that are declared above it");
        };
        let name_index = index_of(&declared.name).unwrap_or(self.names.len());
        if percent_of.iter().any(|other| *other >= name_index) {
            return refuse("a charge is a percentage of charges that are declared above it");
        }
        if name_index == self.names.len() {
            self.names.push(declared.name.clone());
        }
        self.charges.push(DatedCharge { name_index, declared, percent_of });
        Ok(())
    }

    /// Adds a brokerage of `pct` percent of every trade. Charges in the file may be a percentage of `brokerage`.
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
            percent_of: Vec::new(),
        })?;
        Ok(self)
    }

    /// Returns the names of the charges.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the money that a trade pays for each charge, in the order of the names.
    pub(super) fn charge(&self, trade: &ChargedTrade) -> Vec<f64> {
        let mut paid = vec![0.0; self.names.len()];
        // A charge that is a percentage of others comes after them.
        for name_index in 0..self.names.len() {
            let money =
                self.applicable_charge(name_index, trade).map_or(0.0, |charge| charge.money(trade, &paid));
            if let Some(entry) = paid.get_mut(name_index) {
                *entry = money;
            }
        }
        paid
    }

    fn applicable_charge(&self, name_index: usize, trade: &ChargedTrade) -> Option<&DatedCharge> {
        let applicable = self.charges.iter().filter(|charge| {
            charge.name_index == name_index
                && charge.declared.side.includes(trade.side)
                && charge.declared.from <= trade.date
        });
        applicable.max_by_key(|charge| charge.declared.from)
    }
}

impl DatedCharge {
    fn money(&self, trade: &ChargedTrade, paid: &[f64]) -> f64 {
        let base = if self.percent_of.is_empty() {
            trade.value
        } else {
            self.percent_of.iter().filter_map(|index| paid.get(*index)).sum()
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
