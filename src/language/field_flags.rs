//! The flags that stocks are screened by: prices and averages that stand above others, and what scans find.

use super::field::{Better, Field, FieldKind, Reads};
use super::field_phrases::{SMA_50, SMA_150, SMA_200};

/// The declared flags of both markets.
pub(super) const FLAGS: &[Field] = &[
    flag("above_sma_50", "price above the 50-bar average", Reads::PriceAbove("sma_50"), SMA_50),
    flag("above_sma_150", "price above the 150-bar average", Reads::PriceAbove("sma_150"), SMA_150),
    flag("above_sma_200", "price above the 200-bar average", Reads::PriceAbove("sma_200"), SMA_200),
    flag(
        "above_ema_10",
        "price above the 10-bar exponential average",
        Reads::PriceAbove("ema_10"),
        &["10 day ema", "10 ema", "ema 10", "10 day exponential average"],
    ),
    flag(
        "above_ema_21",
        "price above the 21-bar exponential average",
        Reads::PriceAbove("ema_21"),
        &["21 day ema", "21 ema", "ema 21", "21 day exponential average"],
    ),
    flag(
        "above_ema_50",
        "price above the 50-bar exponential average",
        Reads::PriceAbove("ema_50"),
        &["50 day ema", "50 ema", "ema 50", "50 day exponential average"],
    ),
    flag(
        "sma_50_above_200",
        "50-bar average above the 200-bar average",
        Reads::Above("sma_50", "sma_200"),
        &[
            "golden cross",
            "50 dma above 200 dma",
            "50 day above 200 day",
            "50 day average above 200 day average",
        ],
    ),
    flag(
        "is_tradable",
        "tradable",
        Reads::Column,
        &[
            "tradable",
            "tradeable",
            "liquid",
            "actively traded",
            "can be traded",
            "(high|good|enough|sufficient) liquidity",
        ],
    ),
    // What the scans of traders find; the words are those of the scans.
    flag(
        "in_brs",
        "ready to break out (readiness of 70 or more)",
        Reads::Column,
        &[
            "(breakout|brs) (candidate|setup|scan|ready)",
            "breakout",
            "(ready|about|set) to break out",
            "near breakout",
        ],
    ),
    flag(
        "vcp",
        "volatility contraction pattern",
        Reads::Column,
        &[
            "vcp",
            "vcp (pattern|setup|scan)",
            "volatility contraction",
            "volatility contraction pattern",
            "contraction pattern",
        ],
    ),
    flag(
        "trend_template",
        "all eight conditions of Minervini's trend template",
        Reads::Column,
        &[
            "trend template",
            "minervini",
            "minervini (trend template|template|trend|screen|setup|scan|criteria)",
        ],
    ),
    flag(
        "in_stage2",
        "scan stage2: stage 2 above rising averages in order",
        Reads::Column,
        &["stage 2 scan"],
    ),
    flag(
        "recently_listed",
        "listed within the last 252 sessions",
        Reads::Column,
        &[
            "(recent|new|latest|fresh) (ipo|listing)",
            "(recently|newly) listed",
            "ipo",
            "(listed|ipo) (last|past|in last|in past) year",
        ],
    ),
    flag(
        "in_ipo",
        "scan ipo: listed within the last 252 sessions and at most 15 % below the high since",
        Reads::Column,
        &["(recent|new|) ipo (scan|near high|base)"],
    ),
];

const fn flag(
    name: &'static str,
    label: &'static str,
    reads: Reads,
    synonyms: &'static [&'static str],
) -> Field {
    let kind = FieldKind::Flag(reads);
    Field { name, label, kind, market: None, better: Better::Neither, low: None, high: None, synonyms }
}
