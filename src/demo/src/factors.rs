//! Shared returns: of the market, with its regimes, and of each sector.
//!
//! The returns are inputs of prices, not indices computed from prices. All values are daily log returns, one per session.

use super::draw::{Draw, Purpose};
use super::taxonomy;
use parquote_catalogue::operation::Market;

/// The shared returns of one market.
#[derive(Debug)]
pub(crate) struct Factors {
    market: Vec<f64>,
    sectors: Vec<(&'static str, Vec<f64>)>,
}

impl Factors {
    /// Draws `sessions` returns of the market and of each sector.
    pub(crate) fn generate(seed: u64, market: Market, sessions: usize) -> Self {
        let sectors = taxonomy::sectors(market).into_iter().enumerate();
        Self {
            market: market_returns(&mut Draw::new(seed, market, Purpose::Market, 0), sessions),
            sectors: sectors
                .map(|(index, name)| {
                    (name, sector_returns(&mut Draw::new(seed, market, Purpose::Sector, index), sessions))
                })
                .collect(),
        }
    }

    /// Returns, for each session, the return of the market and that of a sector.
    pub(crate) fn sector_returns(&self, sector: &str) -> impl Iterator<Item = (f64, f64)> {
        let sector = self.sectors.iter().find(|(name, _)| *name == sector);
        let returns = sector.map(|(_, returns)| returns.as_slice()).unwrap_or_default();
        self.market.iter().copied().zip(returns.iter().copied())
    }
}

/// A phase of the market; it sets the mean and deviation of daily returns and the usual length in sessions.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Regime {
    Bull,
    Correction,
    Bear,
    Recovery,
}

impl Regime {
    const fn mean(self) -> f64 {
        match self {
            Self::Bull => 0.0008,
            Self::Correction => -0.0025,
            Self::Bear => -0.0014,
            Self::Recovery => 0.0018,
        }
    }

    const fn deviation(self) -> f64 {
        match self {
            Self::Bull => 0.0065,
            Self::Correction | Self::Recovery => 0.010,
            Self::Bear => 0.013,
        }
    }

    const fn length(self) -> f64 {
        match self {
            Self::Bull => 210.0,
            Self::Correction => 25.0,
            Self::Bear => 90.0,
            Self::Recovery => 50.0,
        }
    }

    /// Draws the length in sessions, at most twice the usual one.
    fn draw_length(self, draw: &mut Draw) -> usize {
        draw.span(self.length()).min((2.0 * self.length()) as usize)
    }

    fn next(self, draw: &mut Draw) -> Self {
        match self {
            Self::Bull if draw.chance(0.8) => Self::Correction,
            Self::Correction if draw.chance(0.7) => Self::Recovery,
            Self::Bull | Self::Correction => Self::Bear,
            Self::Bear => Self::Recovery,
            Self::Recovery => Self::Bull,
        }
    }
}

fn market_returns(draw: &mut Draw, sessions: usize) -> Vec<f64> {
    let mut regime = Regime::Bull;
    let mut remaining = regime.draw_length(draw);
    let mut step = || {
        if remaining == 0 {
            regime = regime.next(draw);
            remaining = regime.draw_length(draw);
        }
        remaining -= 1;
        regime.mean() + regime.deviation() * draw.normal()
    };
    (0..sessions).map(|_| step()).collect()
}

/// Draws a sector's returns: drifts of about four months each, with daily noise.
fn sector_returns(draw: &mut Draw, sessions: usize) -> Vec<f64> {
    let (mut drift, mut remaining) = (0.0, 0);
    let mut step = || {
        if remaining == 0 {
            drift = 0.0007 * draw.normal();
            remaining = draw.span(85.0);
        }
        remaining -= 1;
        drift + 0.005 * draw.normal()
    };
    (0..sessions).map(|_| step()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sector_has_a_return_a_session() {
        let factors = Factors::generate(3, Market::Us, 40);
        for sector in taxonomy::sectors(Market::Us) {
            assert_eq!(factors.sector_returns(sector).count(), 40, "{sector}");
        }
    }
}
