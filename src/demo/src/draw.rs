//! Random draws for the demo market: one substream for each purpose and index.
//!
//! A substream depends only on the seed, the market, the purpose and an index, so that adding a company, file or purpose never changes the
//! other draws.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use parquote_catalogue::operation::Market;

/// The purpose of a substream. The numbers are part of the output: new purposes are added at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The order in which invented names are assigned.
    Names = 1,
    /// The returns of the market as a whole.
    Market = 2,
    /// The returns of one sector.
    Sector = 3,
    /// The fixed properties of one company.
    Company = 4,
    /// The listing, the delisting and the suspensions of one company.
    Life = 5,
    /// The daily prices of one company.
    Prices = 6,
    /// The prices of bonds and index funds.
    Instrument = 7,
    /// The holders of one company.
    Holders = 16,
    /// The trades of one company's insiders.
    Insiders = 17,
    /// The bulk and block deals of one company.
    Deals = 18,
    /// The dividends, rights and buybacks of one company.
    Events = 19,
    /// The character and the books of one company.
    Statements = 20,
    /// The filing dates and second filings of one company.
    Filings = 21,
    /// The promoters' pledges of one company.
    Pledges = 24,
    /// Figures of one bank or lender that its books do not contain.
    Banking = 25,
    /// The figures of one company's sector.
    SectorFigures = 26,
    /// One group of companies.
    Groups = 27,
    /// The orders of one company in India.
    Orders = 28,
    /// The guidance of one company.
    Guidance = 29,
    /// The choice of companies with analysed calls.
    Coverage = 40,
    /// The day and the tone of one call.
    Tone = 41,
    /// The phrases that the management of one company uses.
    Phrases = 42,
    /// The wording of the texts on one company's quarter.
    Texts = 43,
    /// The contracts that one company reports.
    Contracts = 44,
    /// The filings of one US company.
    SecFilings = 57,
    /// The trades of one US company's insiders.
    SecForms = 58,
    /// The portfolio of one institutional investor.
    SecFunds = 59,
}

/// A substream of random numbers.
#[derive(Debug, Clone)]
pub(crate) struct Draw(ChaCha8Rng);

impl Draw {
    /// Returns the substream of `index` (a company, a sector) for a purpose.
    pub(crate) fn new(seed: u64, market: Market, purpose: Purpose, index: usize) -> Self {
        let market = match market {
            Market::India => 1_u64,
            Market::Us => 2,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream((market << 56) | ((purpose as u64) << 48) | index as u64);
        Self(rng)
    }

    /// Draws a number in 0..1.
    pub(crate) fn uniform(&mut self) -> f64 {
        // 53 bits, the precision of an f64 below 1.
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws a number in `low..high`.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Draws an integer in `0..count`; 0 if `count` is 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.uniform() * count as f64) as usize
    }

    /// Returns true with this probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// Draws a standard normal number.
    pub(crate) fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// Draws a number of sessions, at least one, from an exponential distribution with about this mean.
    pub(crate) fn span(&mut self, mean: f64) -> usize {
        1 + (-mean * (1.0 - self.uniform()).ln()) as usize
    }

    /// Draws one of the values; `None` if there are none.
    pub(crate) fn pick<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        values.get(self.below(values.len()))
    }

    /// Draws one of the values by weight: the last one if all weights are zero, `None` if there are no values.
    pub(crate) fn weighted<'a, T>(&mut self, values: &'a [T], weight: impl Fn(&T) -> f64) -> Option<&'a T> {
        let total: f64 = values.iter().map(&weight).sum();
        let mut remaining = self.uniform() * total;
        for value in values {
            remaining -= weight(value);
            if remaining < 0.0 {
                return Some(value);
            }
        }
        values.last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substreams_differ_and_repeat() {
        let first = |purpose, index| Draw::new(7, Market::India, purpose, index).uniform();
        assert!((first(Purpose::Prices, 3) - first(Purpose::Prices, 3)).abs() < f64::EPSILON);
        assert!((first(Purpose::Prices, 3) - first(Purpose::Prices, 4)).abs() > f64::EPSILON);
        assert!((first(Purpose::Prices, 3) - first(Purpose::Life, 3)).abs() > f64::EPSILON);
    }

    #[test]
    fn moments_are_those_of_the_named_distributions() {
        let mut draw = Draw::new(1, Market::Us, Purpose::Market, 0);
        let count = 20_000;
        let mean = (0..count).map(|_| draw.uniform()).sum::<f64>() / f64::from(count);
        let variance = (0..count).map(|_| draw.normal().powi(2)).sum::<f64>() / f64::from(count);
        assert!((mean - 0.5).abs() < 0.01, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.05, "variance {variance}");
    }
}
