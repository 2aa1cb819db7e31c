//! Idiosyncratic returns, beyond those of market and sector: phases of rise, base, fall and drift, changing volatility, and fat tails.
//!
//! Phases last weeks to months, which makes relative strength persist; a base becomes quieter as it ages and often ends in a jump on high
//! volume. Nothing here depends on prices.

use super::draw::Draw;

/// A phase of a stock's own price path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Drift,
    Rise,
    Base,
    Fall,
}

/// The idiosyncratic behaviour of a stock on one day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IdiosyncraticDay {
    /// Log return, excluding those of market and sector.
    pub(crate) stock_return: f64,
    /// Standard deviation of this return, which also scales ranges and gaps.
    pub(crate) deviation: f64,
    /// Volume relative to a usual day, before the effect of a large move.
    pub(crate) activity: f64,
}

/// The model of a stock's idiosyncratic behaviour, between two days.
#[derive(Debug)]
pub(crate) struct IdiosyncraticModel {
    phase: Phase,
    length: usize,
    age: usize,
    drift: f64,
    log_volatility: f64,
    log_activity: f64,
}

impl IdiosyncraticModel {
    /// Starts in a random phase.
    pub(crate) fn start(draw: &mut Draw) -> Self {
        let mut model = Self {
            phase: Phase::Drift,
            length: 1,
            age: 0,
            drift: 0.0,
            log_volatility: 0.0,
            log_activity: 0.0,
        };
        model.phase = draw
            .pick(&[Phase::Drift, Phase::Rise, Phase::Base, Phase::Fall])
            .copied()
            .unwrap_or(Phase::Drift);
        model.enter_phase(model.phase, draw);
        model
    }

    /// Generates the next day of a company with this usual deviation.
    pub(crate) fn next(&mut self, volatility: f64, draw: &mut Draw) -> IdiosyncraticDay {
        let was_base = self.phase == Phase::Base;
        if self.age >= self.length {
            self.enter_phase(next_phase(self.phase, draw), draw);
        }
        let breaks_out = was_base && self.phase == Phase::Rise;
        self.age += 1;
        self.log_volatility = 0.97 * self.log_volatility + 0.07 * draw.normal();
        self.log_activity = 0.9 * self.log_activity + 0.18 * draw.normal();
        let noise = self.noise_factor();
        let deviation = volatility * noise * self.log_volatility.exp();
        let jump = if breaks_out { draw.between(1.2, 3.0) * volatility } else { 0.0 };
        let volume_factor = if breaks_out { draw.between(1.5, 3.5) } else { 1.0 };
        IdiosyncraticDay {
            stock_return: (self.drift - DRIFT_MEAN) * volatility + jump + deviation * fat_tailed(draw),
            deviation,
            activity: volume_factor * noise.sqrt() * (self.log_activity + 0.2 * draw.normal()).exp(),
        }
    }

    fn enter_phase(&mut self, phase: Phase, draw: &mut Draw) {
        let strength = 0.5 + draw.normal().abs();
        let (drift, length) = match phase {
            Phase::Drift => (0.04 * draw.normal(), 50.0),
            Phase::Rise => (0.10 * strength, 55.0),
            Phase::Base => (0.0, 30.0),
            Phase::Fall => (-0.11 * strength, 40.0),
        };
        self.phase = phase;
        self.drift = drift;
        // A base lasts at least a few weeks.
        self.length = draw.span(length) + if phase == Phase::Base { 20 } else { 5 };
        self.age = 0;
    }

    /// Returns the factor by which usual noise is multiplied: in a base, it falls by two thirds as the base ages.
    fn noise_factor(&self) -> f64 {
        match self.phase {
            Phase::Base => 1.0 - 0.65 * (self.age as f64 / self.length.max(1) as f64).min(1.0),
            Phase::Drift | Phase::Rise => 1.0,
            Phase::Fall => 1.1,
        }
    }
}

/// The mean of drift and breakouts in deviations per day, subtracted so that a company grows with its market: rises of 60 sessions at 0.13,
/// falls of 45 at -0.14 and jumps of 2.1, over the 55 sessions of an average phase.
const DRIFT_MEAN: f64 = 0.027;

fn next_phase(phase: Phase, draw: &mut Draw) -> Phase {
    use Phase::{Base, Drift, Fall, Rise};
    let odds = match phase {
        Drift => [(Rise, 0.35), (Base, 0.35), (Fall, 0.3)],
        Rise => [(Base, 0.55), (Drift, 0.25), (Fall, 0.2)],
        Base => [(Rise, 0.6), (Drift, 0.2), (Fall, 0.2)],
        Fall => [(Drift, 0.6), (Base, 0.25), (Rise, 0.15)],
    };
    draw.weighted(&odds, |it| it.1).map_or(Drift, |it| it.0)
}

/// Draws from a mixture of three normals with unit variance: one day in a hundred has four times the deviation.
fn fat_tailed(draw: &mut Draw) -> f64 {
    let scale = match draw.uniform() {
        part if part < 0.01 => 4.0,
        part if part < 0.06 => 2.2,
        _ => 1.0,
    };
    // The divisor is sqrt(0.94 + 0.05 * 2.2^2 + 0.01 * 4^2), the standard deviation before scaling.
    draw.normal() * scale / 1.159_3
}
