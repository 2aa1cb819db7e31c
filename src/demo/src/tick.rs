//! Ticks and price bands: rounding of prices in paise or cents, and daily price limits.
//!
//! All prices of the demo are whole minor units (`u32`), so that the written values are exact.

use chrono::NaiveDate;

use parquote_catalogue::operation::Market;

/// A price in paise or cents.
pub(crate) type Minor = u32;

/// Returns the tick in minor units for a price on a date, by NSE's steps of June 2024 and April 2025.
pub(crate) fn tick(market: Market, date: NaiveDate, price: f64) -> Minor {
    if market == Market::Us {
        return 1;
    }
    let since = |year, month| NaiveDate::from_ymd_opt(year, month, 1).is_some_and(|start| date >= start);
    match price / 100.0 {
        rupees if rupees < 250.0 => {
            if since(2024, 6) {
                1
            } else {
                5
            }
        }
        rupees if rupees <= 1_000.0 || !since(2025, 4) => 5,
        rupees if rupees <= 5_000.0 => 10,
        rupees if rupees <= 10_000.0 => 50,
        rupees if rupees <= 20_000.0 => 100,
        _ => 500,
    }
}

/// Rounds to the nearest multiple of the tick, at least one tick.
pub(crate) fn round_to(price: f64, tick: Minor) -> Minor {
    ((price / f64::from(tick)).round() as Minor).max(1).saturating_mul(tick)
}

/// The permitted price range of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BandLimits {
    pub(crate) low: Minor,
    pub(crate) high: Minor,
}

impl BandLimits {
    /// Returns the limits of a band in percent around a base price: the upper rounded down to the tick, the lower up.
    pub(crate) fn of_band(base: Minor, percent: u32, tick: Minor) -> Self {
        let (base, tick_hundred) = (u64::from(base), u64::from(tick) * 100);
        let high = base * u64::from(100 + percent) / tick_hundred * u64::from(tick);
        let low = (base * u64::from(100 - percent)).div_ceil(tick_hundred) * u64::from(tick);
        let (low, high) = (low as Minor, high as Minor);
        // Within a few ticks the rounded limits may cross; then the price cannot move.
        if low > high { Self { low: base as Minor, high: base as Minor } } else { Self { low, high } }
    }

    /// Returns the range without a band. It is narrow enough that no data check takes a move within it for a missing split.
    pub(crate) fn open(base: Minor, tick: Minor) -> Self {
        let low = round_to(f64::from(base) * 0.74, tick);
        Self { low, high: round_to(f64::from(base) * 1.36, tick).max(low) }
    }

    /// Clamps the price to the limits.
    pub(crate) fn clamp(self, price: Minor) -> Minor {
        price.clamp(self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_round_inwards() {
        // 101.35 with 5 %: 106.4175 and 96.2825, rounded inwards to 0.05.
        assert_eq!(BandLimits::of_band(10_135, 5, 5), BandLimits { low: 9_630, high: 10_640 });
        assert_eq!(BandLimits::of_band(10_135, 20, 1), BandLimits { low: 8_108, high: 12_162 });
    }

    #[test]
    fn ticks_change_on_the_published_dates() {
        let on = |date: &str, rupees: f64| tick(Market::India, date.parse().unwrap(), rupees * 100.0);
        assert_eq!((on("2024-05-31", 100.0), on("2024-06-03", 100.0), on("2024-06-03", 3_000.0)), (5, 1, 5));
        assert_eq!(
            (on("2025-04-15", 3_000.0), on("2025-04-15", 7_000.0), on("2025-04-15", 25_000.0)),
            (10, 50, 500)
        );
    }
}
