//! Company sizes: market caps with a heavy tail, in proportion to the industry.
//!
//! The first company of an industry is the largest, the second is a good deal smaller, the third is of middle size, and the others follow a
//! power law below. So the largest companies of a market are realistic: banks, software, oil. A size depends only on the seed and the
//! ordinal, never on the number of companies.

use super::draw::Draw;
use super::taxonomy::{self, IndustryClass};
use parquote_catalogue::operation::Market;

/// The largest of an industry's other companies, as a fraction of its leader.
const LARGEST_FOLLOWER: f64 = 0.3;

/// Returns the market cap of a company at its last session, in INR crore or USD billion.
pub(crate) fn market_cap(
    seed: u64,
    industry: &IndustryClass,
    (market, ordinal): (Market, usize),
    draw: &mut Draw,
) -> f64 {
    let chance = draw.uniform();
    let industries = taxonomy::industries(market).len();
    match ordinal / industries {
        0 => industry.largest_cap * (0.6 + 0.4 * chance),
        1 => industry.largest_cap * (0.15 + 0.35 * chance),
        2 => industry.largest_cap * 0.01 * 10_f64.powf(chance),
        _ => {
            let (least, _) = bounds(market);
            let rank = (golden_ratio_element(seed, ordinal) + 0.004 * (chance - 0.5)).clamp(0.0, 0.9999);
            least * f64::powf((LARGEST_FOLLOWER * industry.largest_cap / least).max(1.0), exponent(rank))
        }
    }
}

/// Returns the market cap at a rank, 0..1, among all companies of a market.
pub(crate) fn cap_at_rank(market: Market, rank: f64) -> f64 {
    let (least, most) = bounds(market);
    least * f64::powf(most / least, exponent(rank))
}

/// Returns the usual rank of a market cap among all companies of a market; the inverse of [`cap_at_rank`].
pub(crate) fn rank(market: Market, market_cap: f64) -> f64 {
    let (least, most) = bounds(market);
    let target = (market_cap / least).max(1.0).ln() / (most / least).ln();
    let (mut low, mut high) = (0.0, 1.0);
    // Twenty bisections give an accuracy of a millionth.
    for _ in 0..20 {
        let middle = f64::midpoint(low, high);
        if exponent(middle) < target { low = middle } else { high = middle }
    }
    high
}

/// Returns the smallest and the largest market cap of a market.
const fn bounds(market: Market) -> (f64, f64) {
    match market {
        Market::India => (100.0, 2.0e6),
        Market::Us => (0.05, 3000.0),
    }
}

/// Returns the element of a golden-ratio sequence in 0..1, which spreads any number of companies evenly.
fn golden_ratio_element(seed: u64, ordinal: usize) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let offset = (seed % 1000) as f64 / 1000.0;
    ((ordinal as f64 + 1.0) * GOLDEN + offset).fract()
}

/// Maps a rank to an exponent, such that the median is ten times the least and the top tenth holds most of the market.
fn exponent(rank: f64) -> f64 {
    0.55 * rank.powf(1.2) + 0.45 * rank.powi(10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Purpose;

    #[test]
    fn caps_stay_within_the_stated_range() {
        for (market, least, most) in [(Market::India, 100.0, 2.0e6), (Market::Us, 0.05, 3000.0)] {
            assert!((cap_at_rank(market, 0.0) / least - 1.0).abs() < 1e-9);
            assert!((cap_at_rank(market, 1.0) / most - 1.0).abs() < 1e-9);
            for part in [0.03, 0.5, 0.92, 0.99] {
                assert!((rank(market, cap_at_rank(market, part)) - part).abs() < 1e-5, "{market} {part}");
            }
        }
    }

    /// In a full market, the first company of each industry is the largest, and the tail is heavy.
    #[test]
    fn the_top_tenth_holds_most_of_a_full_market() {
        for (market, companies) in [(Market::India, 2_000), (Market::Us, 6_400)] {
            let industries = taxonomy::industries(market);
            let cap = |ordinal: usize| {
                let industry = industries.get(ordinal % industries.len()).unwrap();
                let mut draw = Draw::new(4, market, Purpose::Company, ordinal);
                market_cap(4, industry, (market, ordinal), &mut draw)
            };
            let mut caps: Vec<f64> = (0..companies).map(cap).collect();
            caps.sort_by(|a, b| b.total_cmp(a));
            let total: f64 = caps.iter().sum();
            let top: f64 = caps.iter().take(companies / 10).sum();
            assert!((0.7..0.95).contains(&(top / total)), "{market}: {}", top / total);
            assert!((0.01..0.15).contains(&(caps.first().unwrap() / total)), "{market}: {total}");
        }
    }
}
