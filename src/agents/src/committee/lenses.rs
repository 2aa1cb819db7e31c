//! The three lenses as data. Names and thresholds are those of the formula book, which holds for both markets.

use super::gate::{GateOperator, LensGate, Threshold};
use parquote_catalogue::operation::Market;

/// A lens: a view of companies, with the gates that a good company passes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lens {
    /// Name of the lens, the same in both markets.
    pub name: &'static str,
    /// Description of the lens's criteria.
    pub words: &'static str,
    india: &'static [LensGate],
    us: &'static [LensGate],
}

/// The lenses, in display order.
pub const LENSES: [Lens; 3] = [
    Lens {
        name: "quality_compounder",
        words: "a business that earns high returns on little debt, year after year",
        india: &[ROCE, ROE, LOW_DEBT, PROFITABLE, REVENUE_5Y, PLEDGE],
        us: &[ROCE, ROE, LOW_DEBT, PROFITABLE, REVENUE_5Y],
    },
    Lens {
        name: "india_growth",
        words: "fast growth of sales and profit that the price confirms, in a company large enough to hold",
        india: &[REVENUE_1Y, PAT_1Y, RATING, STAGE_2, at_least("market_cap", "market_cap_cr", 1_000.0)],
        us: &[REVENUE_1Y, PAT_1Y, RATING, STAGE_2, at_least("market_cap", "market_cap_b", 0.3)],
    },
    Lens {
        name: "value_safety",
        words: "a modest price for a company that is safe from distress",
        india: &VALUE,
        us: &VALUE,
    },
];

const ROCE: LensGate = at_least("roce", "roce", 15.0);
const ROE: LensGate = at_least("roe", "roe", 15.0);
const LOW_DEBT: LensGate = at_most("de", "de", 0.5);
const PROFITABLE: LensGate = at_least("profitable_years_10y", "profitable_years_10y", 8.0);
const REVENUE_5Y: LensGate = at_least("revenue_cagr_5y", "revenue_cagr_5y", 10.0);
const PLEDGE: LensGate =
    LensGate { row_count_field: Some("pledges_on_file"), ..at_most("pledge", "pledge_pct", 5.0) };
const REVENUE_1Y: LensGate = at_least("revenue_growth_1y", "revenue_growth_1y", 15.0);
const PAT_1Y: LensGate = at_least("pat_growth_1y", "pat_growth_1y", 15.0);
const RATING: LensGate = at_least("rs_rating", "rs_rating", 70.0);
const STAGE_2: LensGate = LensGate { op: GateOperator::Is, ..at_least("stage", "stage", 2.0) };
const VALUE: [LensGate; 5] = [
    LensGate { threshold: Threshold::Field("sector_median_pe"), ..at_most("pe", "pe", 0.0) },
    at_most("pb", "pb", 3.0),
    at_least("fcf_yield", "fcf_yield", 3.0),
    LensGate {
        op: GateOperator::Is,
        threshold: Threshold::Word("safe"),
        ..at_least("altman", "altman_zone", 0.0)
    },
    at_most("de", "de", 1.0),
];

impl Lens {
    /// Returns its gates in a market.
    pub fn gates(&self, market: Market) -> &'static [LensGate] {
        match market {
            Market::India => self.india,
            Market::Us => self.us,
        }
    }
}

const fn at_least(name: &'static str, field: &'static str, number: f64) -> LensGate {
    LensGate {
        name,
        field,
        op: GateOperator::AtLeast,
        threshold: Threshold::Number(number),
        row_count_field: None,
    }
}

const fn at_most(name: &'static str, field: &'static str, number: f64) -> LensGate {
    LensGate { op: GateOperator::AtMost, ..at_least(name, field, number) }
}
