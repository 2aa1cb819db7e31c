//! Revenue and margins by quarter, relative to the company's size.
//!
//! Revenue follows the trend of the business, the last year's prices and surprises; margins follow the story, the sector's swings and
//! surprises.

use super::Story;
use super::character::Traits;
use super::fiscal::QuarterNumber;
use super::surprise::LogCloses;
use crate::calendar::SessionCalendar;
use crate::draw::Draw;

/// Weight of the price trend in revenue.
const PRICE_WEIGHT: f64 = 0.35;

/// Revenue and margins of consecutive quarters.
#[derive(Debug)]
pub(super) struct Path {
    /// Revenue of each quarter relative to the last one, without seasons.
    pub(super) level: Vec<f64>,
    /// Seasonal factor of each quarter, by which `level` is multiplied.
    pub(super) seasonal_factors: Vec<f64>,
    /// EBITDA margin of each quarter.
    pub(super) margin: Vec<f64>,
    /// Surprise of each quarter, in standard deviations.
    pub(super) surprise: Vec<f64>,
}

impl Path {
    /// Draws the path of the quarters from `first` on, one for each surprise.
    pub(super) fn draw(
        traits: &Traits,
        first: QuarterNumber,
        surprise: Vec<f64>,
        (calendar, closes): (&SessionCalendar, &LogCloses),
        draw: &mut Draw,
    ) -> Self {
        let count = surprise.len();
        let quarters: Vec<_> = (0..count as i32).map(|step| first.plus(step)).collect();
        let growth = (1.0 + traits.growth).ln() / 4.0;
        let prices = mean_log_prices(&quarters, growth, calendar, closes);
        let (mut noise, mut cumulative_surprise) = (0.0, 0.0);
        let mut logs = Vec::with_capacity(count);
        for (index, (price, surprise)) in prices.iter().zip(&surprise).enumerate() {
            noise = 0.85 * noise + 0.02 * draw.normal();
            cumulative_surprise += 0.010 * surprise;
            logs.push(
                PRICE_WEIGHT * price
                    + (1.0 - PRICE_WEIGHT) * growth * index as f64
                    + noise
                    + cumulative_surprise,
            );
        }
        let last = logs.last().copied().unwrap_or_default();
        let season = |quarter: &QuarterNumber| {
            traits.usual.seasonal_factors.get(quarter.index_in_year()).copied().unwrap_or(1.0)
        };
        Self {
            level: logs.iter().map(|log| (log - last).exp()).collect(),
            seasonal_factors: quarters.iter().map(season).collect(),
            margin: draw_margins(traits, &surprise, draw),
            surprise,
        }
    }

    /// Returns the quarter's revenue relative to the last quarter's level.
    pub(super) fn revenue(&self, index: usize) -> f64 {
        let factor = |values: &[f64]| values.get(index).copied().unwrap_or(1.0);
        factor(&self.level) * factor(&self.seasonal_factors)
    }

    /// Returns the quarter's margin.
    pub(super) fn margin(&self, index: usize) -> f64 {
        self.margin.get(index).copied().unwrap_or_default()
    }
}

/// Returns the mean log price of the year before each quarter's end; before the first price, extrapolates it by the growth of the business.
fn mean_log_prices(
    quarters: &[QuarterNumber],
    growth: f64,
    calendar: &SessionCalendar,
    closes: &LogCloses,
) -> Vec<f64> {
    let mean_log_price = |quarter: &QuarterNumber| closes.mean_log_close(calendar.session_by(quarter.end())?);
    let log_prices: Vec<_> = quarters.iter().map(mean_log_price).collect();
    let first = log_prices.iter().enumerate().find_map(|(index, price)| Some((index, (*price)?)));
    let (anchor, start) = first.unwrap_or((0, 0.0));
    let or_extrapolated = |(index, price): (usize, &Option<f64>)| {
        price.unwrap_or(start + growth * (index as f64 - anchor as f64))
    };
    log_prices.iter().enumerate().map(or_extrapolated).collect()
}

fn draw_margins(traits: &Traits, surprise: &[f64], draw: &mut Draw) -> Vec<f64> {
    let count = surprise.len();
    let mut swing = draw.normal();
    let mut margins = Vec::with_capacity(count);
    for (index, surprise) in surprise.iter().enumerate() {
        swing = 0.92 * swing + 0.39 * draw.normal();
        let years_ago = (count - index - 1) as f64 / 4.0;
        let usual = usual_margin(traits, years_ago);
        let scale = usual.abs().max(0.3 * traits.usual.margin);
        margins.push(usual + scale * (traits.usual.swing * swing.clamp(-2.2, 2.2) + 0.10 * surprise));
    }
    margins
}

/// Returns the usual margin `years_ago` years ago.
fn usual_margin(traits: &Traits, years_ago: f64) -> f64 {
    match traits.story {
        Story::Steady | Story::Growing => traits.margin,
        // Losses ended four years ago, and the recovery two years ago.
        Story::Turnaround => traits.margin * (1.0 - 1.3 * ((years_ago - 2.0) / 2.0).clamp(0.0, 1.0)),
        Story::LossMaking => traits.margin * (1.0 + 0.06 * years_ago),
        // Six years ago the margin was usual.
        Story::Distressed => {
            traits.margin + (traits.usual.margin - traits.margin) * (years_ago / 6.0).clamp(0.0, 1.0)
        }
    }
}
