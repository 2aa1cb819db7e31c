//! What adjectives such as `midcap`, `cheap` and `debt free` mean, each with its explicit threshold.
//!
//! Words such as `low` and `high` beside a field are no adjectives: their bounds stand with the field.

use super::filter::Test;
use crate::operation::Market;

/// Phrases with one meaning.
#[derive(Debug, PartialEq)]
pub(super) struct Adjective {
    /// The phrases.
    pub(super) phrases: &'static [&'static str],
    /// The only market where they mean this; `None` for both.
    pub(super) market: Option<Market>,
    /// What they mean; the first whose field the snapshot has.
    pub(super) means: &'static [Stated],
}

/// A condition of an adjective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stated {
    /// On a number.
    Number(&'static str, Test),
    /// On a text.
    Text(&'static str, &'static str),
    /// On a flag.
    Flag(&'static str, bool),
}

use Stated::{Flag, Number, Text};
use Test::{Above, AtLeast, AtMost, Below, Between, Equal};

/// The adjectives.
pub(super) const ADJECTIVES: &[Adjective] = &[
    // India: the bounds of SEBI's categories as AMFI's lists have them; mega and micro are conventions.
    india(&["mega cap", "megacap"], &[Number("market_cap_cr", AtLeast(500_000.0))]),
    india(
        &["large cap", "largecap", "blue chip", "bluechip"],
        &[Number("market_cap_cr", AtLeast(100_000.0))],
    ),
    india(&["mid cap", "midcap"], &[Number("market_cap_cr", Between(33_000.0, 100_000.0))]),
    india(&["small cap", "smallcap"], &[Number("market_cap_cr", Below(33_000.0))]),
    india(&["micro cap", "microcap"], &[Number("market_cap_cr", Below(5_000.0))]),
    // United States: FINRA's bands.
    us(&["mega cap", "megacap"], &[Number("market_cap_b", AtLeast(200.0))]),
    us(&["large cap", "largecap", "blue chip", "bluechip"], &[Number("market_cap_b", AtLeast(10.0))]),
    us(&["mid cap", "midcap"], &[Number("market_cap_b", Between(2.0, 10.0))]),
    us(&["small cap", "smallcap"], &[Number("market_cap_b", Between(0.25, 2.0))]),
    us(&["micro cap", "microcap"], &[Number("market_cap_b", Below(0.25))]),
    us(&["nano cap", "nanocap"], &[Number("market_cap_b", Below(0.05))]),
    // The SEC calls shares below 5 dollars penny stocks; in India 10 rupees is the usual bound.
    india(&["penny"], &[Number("price_cmp", Below(10.0))]),
    us(&["penny"], &[Number("price_cmp", Below(5.0))]),
    // Prices of companies.
    both(
        &["cheap", "undervalued", "inexpensive", "value", "cheaply valued", "attractively valued"],
        &[Number("pe", AtMost(15.0))],
    ),
    both(&["expensive", "overvalued", "pricey", "richly valued"], &[Number("pe", AtLeast(40.0))]),
    // Debt and pledges. A company with a lease or a credit line has a little debt and is called debt free all the same.
    both(
        &[
            "debt free",
            "no debt",
            "zero debt",
            "debtless",
            "without debt",
            "without any debt",
            "no borrowings",
            "nil debt",
        ],
        &[Number("de", AtMost(0.05))],
    ),
    india(
        &[
            "no pledge",
            "zero pledge",
            "nil pledge",
            "pledge free",
            "unpledged",
            "without pledge",
            "no promoter pledge",
            "without promoter pledge",
            "without any pledge",
            "no pledging",
            "no pledged shares",
            "zero promoter pledge",
            "no share pledge",
        ],
        &[Number("pledge_pct", Equal(0.0))],
    ),
    both(
        &["distressed", "in distress", "financial distress"],
        &[Text("altman_zone", "distress"), Number("altman_z_score", Below(1.81))],
    ),
    // Profits. A mean equity below zero turns the sign of the return on equity, so that the margin comes first.
    both(
        &["profitable", "profit making", "making profit", "making a profit", "making money"],
        &[Number("net_margin_pct", Above(0.0)), Number("roe", Above(0.0))],
    ),
    both(
        &[
            "loss making",
            "lossmaking",
            "unprofitable",
            "losing money",
            "making loss",
            "making a loss",
            "in loss",
        ],
        &[Number("net_margin_pct", Below(0.0)), Number("roe", Below(0.0))],
    ),
    both(
        &[
            "free cash flow positive",
            "positive free cash flow",
            "fcf positive",
            "positive fcf",
            "cash generative",
            "positive cash flow",
        ],
        &[Number("fcf_yield", Above(0.0))],
    ),
    both(
        &[
            "dividend paying",
            "dividend payer",
            "paying dividend",
            "pay dividend",
            "pays dividend",
            "with dividend",
        ],
        &[Number("dividend_yield", Above(0.0))],
    ),
    both(&["high dividend", "high yield", "high yielding"], &[Number("dividend_yield", AtLeast(3.0))]),
    // Growth.
    both(
        &["high growth", "fast growing", "rapidly growing", "growth stock", "growth company"],
        &[Number("revenue_growth_1y", AtLeast(20.0))],
    ),
    both(
        &[
            "growing",
            "growing revenue",
            "growing sales",
            "rising sales",
            "rising revenue",
            "increasing sales",
            "increasing revenue",
        ],
        &[Number("revenue_growth_1y", Above(0.0))],
    ),
    both(
        &[
            "growing profit",
            "growing earnings",
            "rising profit",
            "rising earnings",
            "increasing profit",
            "increasing earnings",
        ],
        &[Number("pat_growth_1y", Above(0.0))],
    ),
    both(
        &[
            "falling sales",
            "falling revenue",
            "shrinking sales",
            "shrinking revenue",
            "declining sales",
            "declining revenue",
            "shrinking",
        ],
        &[Number("revenue_growth_1y", Below(0.0))],
    ),
    both(
        &["falling profit", "falling earnings", "declining profit", "declining earnings", "shrinking profit"],
        &[Number("pat_growth_1y", Below(0.0))],
    ),
    // Prices and strength.
    both(
        &["(near|close to) (52 week|52 w|52 wk|year|1 year|) high"],
        &[Number("pct_from_high", AtLeast(-5.0))],
    ),
    both(
        &[
            "at 52 week high",
            "new 52 week high",
            "fresh 52 week high",
            "new high",
            "fresh high",
            "at high",
            "making new high",
        ],
        &[Number("pct_from_high", AtLeast(-1.0))],
    ),
    both(&["(near|close to) (52 week|52 w|52 wk|year|1 year|) low"], &[Number("pct_from_low", AtMost(5.0))]),
    both(
        &["(at|new|fresh) (52 week|52 w|52 wk) low", "(new|fresh) low", "making new low"],
        &[Number("pct_from_low", AtMost(1.0))],
    ),
    both(&["illiquid", "untradable", "untradeable", "thinly traded"], &[Flag("is_tradable", false)]),
    both(
        &["beaten down", "battered", "far from high", "far below 52 week high"],
        &[Number("pct_from_high", AtMost(-30.0))],
    ),
    both(&["oversold"], &[Number("rsi_14", AtMost(30.0))]),
    both(&["overbought"], &[Number("rsi_14", AtLeast(70.0))]),
    both(&["elite"], &[Number("rs_rating", AtLeast(90.0))]),
    both(
        &["market leader", "outperforming", "outperformer", "strong performer", "strong stock"],
        &[Number("rs_rating", AtLeast(80.0))],
    ),
    both(
        &["laggard", "underperforming", "underperformer", "weak stock"],
        &[Number("rs_rating", AtMost(30.0))],
    ),
    both(&["uptrend", "up trend", "trending up", "advancing"], &[Number("stage", Equal(2.0))]),
    both(&["downtrend", "down trend", "trending down"], &[Number("stage", Equal(4.0))]),
    both(&["basing", "base building", "building a base"], &[Number("stage", Equal(1.0))]),
    both(&["topping", "topping out"], &[Number("stage", Equal(3.0))]),
    both(&["death cross"], &[Flag("sma_50_above_200", false)]),
    both(
        &["bullish alignment", "bullish ema", "ema bullish", "bullish ema alignment"],
        &[Text("ema_alignment", "BULLISH")],
    ),
    both(
        &["bearish alignment", "bearish ema", "ema bearish", "bearish ema alignment"],
        &[Text("ema_alignment", "BEARISH")],
    ),
    both(
        &["high volume", "heavy volume", "volume surge", "unusual volume", "volume spike"],
        &[Number("rvol_20", AtLeast(2.0))],
    ),
    both(&["gainer"], &[Number("change_pct", Above(0.0))]),
    both(&["loser"], &[Number("change_pct", Below(0.0))]),
    both(&["top rated", "highly rated", "well rated"], &[Number("overall_score", AtLeast(7.0))]),
];

const fn both(phrases: &'static [&'static str], means: &'static [Stated]) -> Adjective {
    Adjective { phrases, market: None, means }
}

const fn india(phrases: &'static [&'static str], means: &'static [Stated]) -> Adjective {
    Adjective { phrases, market: Some(Market::India), means }
}

const fn us(phrases: &'static [&'static str], means: &'static [Stated]) -> Adjective {
    Adjective { phrases, market: Some(Market::Us), means }
}
