//! The rules of one back-test: when orders fill, for how long they wait, how picks are weighted.

use super::BacktestError;
use super::costs::Slippage;

/// The price at which orders fill in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillTime {
    /// The opening price.
    Open,
    /// The closing price.
    Close,
}

/// The share of the equity that a pick gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// One over the number of picks; picks without any bar leave their share in cash.
    Equal,
    /// The weights of the picks, which sum to at most 1; the rest stays in cash. A pick with the weight 0 counts as a pick without a
    /// weight.
    Given,
    /// In proportion to the weights of the picks, such as market caps; picks without a weight are left out and counted.
    Proportional,
    /// In proportion to 1 / volatility of the last 63 daily returns up to the day; picks with fewer than 20 returns are left out and
    /// counted.
    InverseVolatility,
}

/// The rules of one back-test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BacktestRules {
    /// Money at the start.
    pub capital: f64,
    /// The price at which orders fill.
    pub fill: FillTime,
    /// Weights of the picks.
    pub weighting: Weighting,
    /// Number of sessions for which decisions leave a position unchanged, and after which it is sold; `None` if each decision replaces the
    /// positions. They are counted from the first purchase, and again from the fill session of each decision that has the stock.
    pub hold: Option<usize>,
    /// Fall below the price of the first purchase at which a position is sold, in percent; `None` without a stop.
    pub stop_pct: Option<f64>,
    /// Rise above the price of the first purchase at which a position is sold, in percent; `None` without a target.
    pub target_pct: Option<f64>,
    /// Number of sessions for which an order waits after the first session in which it could fill.
    pub wait: usize,
    /// Largest share of a session's volume that one order fills, from 0 to 1; `None` for no limit.
    pub volume_share: Option<f64>,
    /// Slippage of each trade.
    pub slippage: Slippage,
    /// Number of sessions without a bar after which a position is closed.
    pub gone_after: usize,
    /// Share of the last close at which such a position is closed, from 0 to 1.
    pub recovery: f64,
}

impl Default for BacktestRules {
    fn default() -> Self {
        Self {
            capital: 1_000_000.0,
            fill: FillTime::Open,
            weighting: Weighting::Equal,
            hold: None,
            stop_pct: None,
            target_pct: None,
            wait: 5,
            volume_share: Some(0.1),
            slippage: Slippage { bps: 5.0, impact_bps: 1.0 },
            gone_after: 60,
            recovery: 1.0,
        }
    }
}

impl BacktestRules {
    /// Checks that each number is within its range.
    pub(super) fn check(&self) -> Result<(), BacktestError> {
        let is_share = |value: f64| value > 0.0 && value <= 1.0;
        let (stop, target) = (self.stop_pct.unwrap_or(1.0), self.target_pct.unwrap_or(1.0));
        let rules = [
            ("capital", self.capital, self.capital.is_finite() && self.capital > 0.0, "give money above 0"),
            (
                "volume_share",
                self.volume_share.unwrap_or(1.0),
                is_share(self.volume_share.unwrap_or(1.0)),
                "give a share above 0 and up to 1, such as 0.1",
            ),
            ("recovery", self.recovery, (0.0..=1.0).contains(&self.recovery), "give a share from 0 to 1"),
            (
                "slippage bps",
                self.slippage.bps,
                (0.0..=1_000.0).contains(&self.slippage.bps),
                "give 0 to 1,000 hundredths of a percent",
            ),
            (
                "slippage impact_bps",
                self.slippage.impact_bps,
                (0.0..=100.0).contains(&self.slippage.impact_bps),
                "give 0 to 100 hundredths of a percent for each percent of the turnover",
            ),
            ("gone_after", self.gone_after as f64, self.gone_after > 0, "give at least 1 session"),
            ("hold", self.hold.unwrap_or(1) as f64, self.hold != Some(0), "give at least 1 session"),
            ("stop", stop, stop > 0.0 && stop < 100.0, "give percent above 0 and below 100"),
            ("target", target, target.is_finite() && target > 0.0, "give percent above 0"),
        ];
        match rules.into_iter().find(|(_, _, is_valid, _)| !is_valid) {
            Some((rule, value, _, allowed)) => Err(BacktestError::Rule { rule, value, allowed }),
            None => Ok(()),
        }
    }
}
