//! Superlatives, which ask for an order: `cheapest`, `top`, `fastest growing`.

/// Which end of an order a superlative asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The largest figures.
    Largest,
    /// The smallest figures.
    Smallest,
    /// The figures on the good side of the field.
    Best,
    /// Those on the bad side.
    Worst,
}

/// A superlative, such as `cheapest`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Superlative {
    /// Phrases.
    pub(super) phrases: &'static [&'static str],
    /// Which end it asks for.
    pub(super) end: End,
    /// By which fields, the first that the snapshot has, if none is named beside it; the market's capitalisation column
    /// is the first of the two that it has.
    pub(super) fields: &'static [&'static str],
}

/// The superlatives.
pub(super) const SUPERLATIVES: &[Superlative] = &[
    superlative(&["largest", "biggest"], End::Largest, MARKET_CAP),
    superlative(&["smallest", "tiniest"], End::Smallest, MARKET_CAP),
    superlative(&["cheapest", "most undervalued"], End::Smallest, &["pe"]),
    superlative(&["most expensive", "costliest", "dearest"], End::Largest, &["pe"]),
    superlative(&["strongest"], End::Best, &["rs_rating"]),
    superlative(&["weakest"], End::Worst, &["rs_rating"]),
    superlative(&["highest", "maximum", "most", "greatest"], End::Largest, &[]),
    superlative(&["lowest", "least", "fewest"], End::Smallest, &[]),
    superlative(&["best"], End::Best, &["overall_score", "rs_rating"]),
    superlative(&["top"], End::Best, MARKET_CAP),
    superlative(&["worst"], End::Worst, &["overall_score", "rs_rating"]),
    superlative(&["bottom"], End::Worst, MARKET_CAP),
    superlative(&["fastest growing", "fastest"], End::Largest, &["revenue_growth_1y"]),
    superlative(&["slowest growing"], End::Smallest, &["revenue_growth_1y"]),
    superlative(&["most profitable"], End::Largest, &["roe"]),
    superlative(&["least profitable"], End::Smallest, &["roe"]),
    superlative(&["highest yielding", "best yielding"], End::Largest, &["dividend_yield"]),
    superlative(&["least leveraged", "least indebted"], End::Smallest, &["de"]),
    superlative(&["most leveraged", "most indebted"], End::Largest, &["de"]),
    superlative(
        &[
            "top gainer",
            "biggest gainer",
            "top performer",
            "best performer",
            "best performing",
            "top performing",
        ],
        End::Largest,
        &["change_pct"],
    ),
    superlative(
        &["top loser", "biggest loser", "worst performer", "worst performing"],
        End::Smallest,
        &["change_pct"],
    ),
];

const MARKET_CAP: &[&str] = &["market_cap_cr", "market_cap_b"];

const fn superlative(
    phrases: &'static [&'static str],
    end: End,
    fields: &'static [&'static str],
) -> Superlative {
    Superlative { phrases, end, fields }
}
