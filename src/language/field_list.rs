//! The numbers and texts that stocks are screened by: names, units, synonyms, and what `high` and `low` mean for each. Flags are in
//! `field_flags`.
//!
//! Thresholds are the round figures that screens are commonly set to, the same in both markets unless a comment says
//! otherwise; a caller is told which one was taken. Where a published scale exists, the threshold is its bound.

use super::field::{Better, Field, FieldKind, FieldUnit, TextValues};
use super::field_phrases::{
    DEBT, DOMESTIC, FOREIGN, FROM_HIGH, FROM_LOW, FUNDS, MARKET_CAP, PB, PE, PLEDGE, PROFIT_3Y, PROFIT_5Y,
    PROFIT_GROWTH, PROMOTERS, REVENUE_3Y, REVENUE_5Y, REVENUE_GROWTH, RS,
};
use crate::operation::Market;

/// The declared numbers and texts of both markets.
pub(super) const FIELDS: &[Field] = &[
    // SEBI's large caps are the 100 largest companies, small caps those from rank 251; in the lists of AMFI the bounds
    // have lain near 100,000 and 33,000 crore. `high` and `low` are the large and the small caps.
    number("market_cap_cr", "market capitalisation", FieldUnit::Crore, MARKET_CAP)
        .only(Market::India)
        .bounds(33_000.0, 100_000.0),
    // FINRA: large from 10 billion dollars, small from 250 million to 2 billion.
    number("market_cap_b", "market capitalisation", FieldUnit::BillionUsd, MARKET_CAP)
        .only(Market::Us)
        .bounds(2.0, 10.0),
    number("price_cmp", "price", FieldUnit::Price, &["price", "share price", "stock price", "cmp", "ltp"])
        .neither(),
    number(
        "change_pct",
        "change of the day",
        FieldUnit::Percent,
        &["day change", "daily change", "price change", "change today", "day return"],
    ),
    number("pe", "price to earnings", FieldUnit::Ratio, PE).lower().bounds(15.0, 40.0),
    number("pb", "price to book", FieldUnit::Ratio, PB).lower().bounds(1.5, 6.0),
    number(
        "ps",
        "price to sales",
        FieldUnit::Ratio,
        &[
            "ps",
            "p s",
            "ps ratio",
            "price to sales",
            "price sales",
            "sales multiple",
            "times sales",
            "x sales",
        ],
    )
    .lower()
    .bounds(1.0, 8.0),
    number(
        "ev_ebitda",
        "EV to EBITDA",
        FieldUnit::Ratio,
        &["ev ebitda", "ev to ebitda", "enterprise multiple", "ebitda multiple"],
    )
    .lower()
    .bounds(10.0, 25.0),
    // Lynch: a fair price is one whose multiple is the growth of the profit.
    number(
        "peg",
        "price to earnings over profit growth a year over three years",
        FieldUnit::Ratio,
        &["peg", "peg ratio", "(price to earnings|pe|price earnings) to growth", "price earnings growth"],
    )
    .lower()
    .bounds(1.0, 2.0),
    number(
        "eps_ttm",
        "earnings a share",
        FieldUnit::Price,
        &["eps", "eps ttm", "(earnings|earning|profit) per share", "earnings a share"],
    ),
    number(
        "roce",
        "return on capital employed",
        FieldUnit::Percent,
        &["roce", "return on capital employed", "return on capital"],
    )
    .bounds(10.0, 20.0),
    number("roe", "return on equity", FieldUnit::Percent, &["roe", "return on equity"]).bounds(8.0, 20.0),
    number("roa", "return on assets", FieldUnit::Percent, &["roa", "return on assets"]).bounds(3.0, 10.0),
    number("de", "debt to equity", FieldUnit::Ratio, DEBT).lower().bounds(0.5, 1.5),
    number("current_ratio", "current ratio", FieldUnit::Ratio, &["current ratio"]).bounds(1.0, 2.0),
    number(
        "interest_cover",
        "interest cover",
        FieldUnit::Ratio,
        &["interest cover", "interest coverage", "interest coverage ratio", "icr"],
    )
    .bounds(1.5, 5.0),
    number(
        "opm_pct",
        "operating margin",
        FieldUnit::Percent,
        &["opm", "operating margin", "operating profit margin", "ebitda margin", "margin"],
    )
    .bounds(8.0, 20.0),
    number("gross_margin_pct", "gross margin", FieldUnit::Percent, &["gross margin", "gross profit margin"])
        .bounds(20.0, 50.0),
    number(
        "net_margin_pct",
        "net margin",
        FieldUnit::Percent,
        &["net margin", "net profit margin", "profit margin", "pat margin", "npm"],
    )
    .bounds(5.0, 15.0),
    number(
        "fcf_yield",
        "free cash flow yield",
        FieldUnit::Percent,
        &["fcf yield", "free cash flow yield", "cash flow yield"],
    )
    .bounds(1.0, 5.0),
    number(
        "dividend_yield",
        "dividend yield",
        FieldUnit::Percent,
        &["dividend yield", "div yield", "yielding", "dividend", "yield"],
    )
    .bounds(0.5, 3.0),
    number("revenue_growth_1y", "revenue growth", FieldUnit::Percent, REVENUE_GROWTH).bounds(5.0, 20.0),
    number("revenue_cagr_3y", "revenue growth a year over three years", FieldUnit::Percent, REVENUE_3Y)
        .bounds(5.0, 15.0),
    number("revenue_cagr_5y", "revenue growth a year over five years", FieldUnit::Percent, REVENUE_5Y)
        .bounds(5.0, 15.0),
    number("pat_growth_1y", "profit growth", FieldUnit::Percent, PROFIT_GROWTH).bounds(5.0, 25.0),
    number("pat_cagr_3y", "profit growth a year over three years", FieldUnit::Percent, PROFIT_3Y)
        .bounds(5.0, 20.0),
    number("pat_cagr_5y", "profit growth a year over five years", FieldUnit::Percent, PROFIT_5Y)
        .bounds(5.0, 20.0),
    // Altman's model for manufacturers: distress below 1.81, safe above 2.99.
    number(
        "altman_z_score",
        "Altman Z-score",
        FieldUnit::Points,
        &["altman z score", "altman z", "altman score", "z score", "altman"],
    )
    .bounds(1.81, 2.99),
    // Piotroski's paper calls 8 and 9 strong; screens commonly begin at 7.
    number(
        "piotroski_f",
        "Piotroski F-score",
        FieldUnit::Points,
        &["piotroski f score", "piotroski score", "piotroski f", "f score", "piotroski"],
    )
    .bounds(3.0, 7.0),
    number("rs_rating", "relative-strength rating", FieldUnit::Points, RS).bounds(30.0, 80.0),
    number("rs_rank", "relative-strength rank", FieldUnit::Points, &["rs rank", "relative strength rank"])
        .lower(),
    number(
        "rs_trend_30d",
        "change of the relative-strength rating over 30 sessions",
        FieldUnit::Points,
        &["rs trend", "rs change", "rating change"],
    ),
    number(
        "overall_score",
        "overall score",
        FieldUnit::Points,
        &["overall score", "score", "scorecard", "scorecard score", "quality score"],
    )
    .bounds(4.0, 7.0),
    number(
        "financial_health",
        "financial health score",
        FieldUnit::Points,
        &["financial health", "financial health score", "health score"],
    )
    .bounds(4.0, 7.0),
    number(
        "growth_prospects",
        "growth score",
        FieldUnit::Points,
        &["growth prospects", "growth score", "growth prospects score"],
    )
    .bounds(4.0, 7.0),
    number(
        "competitive_position",
        "competitive position score",
        FieldUnit::Points,
        &["competitive position", "competitive position score"],
    )
    .bounds(4.0, 7.0),
    number(
        "management_quality",
        "management quality score",
        FieldUnit::Points,
        &["management quality", "management score", "management quality score"],
    )
    .bounds(4.0, 7.0),
    number("valuation", "valuation score", FieldUnit::Points, &["valuation score"]).bounds(4.0, 7.0),
    // Weinstein: 1 base, 2 advance, 3 top, 4 decline.
    number("stage", "stage", FieldUnit::Points, &["stage", "weinstein stage"]).neither(),
    // Wilder's own bounds.
    number("rsi_14", "RSI", FieldUnit::Points, &["rsi", "rsi 14", "relative strength index", "14 day rsi"])
        .neither()
        .bounds(30.0, 70.0),
    number(
        "rvol_20",
        "volume over its 20-bar mean",
        FieldUnit::Ratio,
        &["relative volume", "rvol", "volume ratio", "volume multiple"],
    )
    .bounds(0.5, 2.0),
    number(
        "volume",
        "volume",
        FieldUnit::Shares,
        &["volume", "trading volume", "traded volume", "shares traded"],
    ),
    number("turnover_cr", "turnover", FieldUnit::Crore, &["turnover", "traded value", "daily turnover"])
        .only(Market::India),
    number(
        "delivery_pct",
        "delivery percentage",
        FieldUnit::Percent,
        &["delivery", "delivery percentage", "delivery percent", "delivery pct", "delivery volume"],
    )
    .only(Market::India)
    .bounds(25.0, 60.0),
    number("promoter_pct", "promoter holding", FieldUnit::Percent, PROMOTERS)
        .only(Market::India)
        .bounds(30.0, 60.0),
    number("fii_pct", "foreign institutions' holding", FieldUnit::Percent, FOREIGN)
        .only(Market::India)
        .bounds(5.0, 20.0),
    number("dii_pct", "domestic institutions' holding", FieldUnit::Percent, DOMESTIC)
        .only(Market::India)
        .bounds(5.0, 20.0),
    number("mutual_fund_pct", "mutual funds' holding", FieldUnit::Percent, FUNDS)
        .only(Market::India)
        .bounds(2.0, 10.0),
    number("pledge_pct", "promoter pledge", FieldUnit::Percent, PLEDGE)
        .only(Market::India)
        .lower()
        .bounds(5.0, 25.0),
    // 0 at the high, negative below it; nobody means it by `high` and `low`.
    number("pct_from_high", "distance from the 52-week high", FieldUnit::Percent, FROM_HIGH),
    // 0 at the low, positive above it.
    number("pct_from_low", "distance from the 52-week low", FieldUnit::Percent, FROM_LOW).neither(),
    number(
        "roc_5",
        "return of a week",
        FieldUnit::Percent,
        &[
            "1 week return",
            "weekly return",
            "week return",
            "weekly gain",
            "1 week gain",
            "5 day return",
            "5 day gain",
        ],
    ),
    number(
        "roc_21",
        "return of a month",
        FieldUnit::Percent,
        &["1 month return", "monthly return", "month return", "1 month gain", "monthly gain", "1 m return"],
    ),
    number(
        "roc_63",
        "return of three months",
        FieldUnit::Percent,
        &["3 month return", "3 months return", "quarterly return", "3 month gain", "3 m return"],
    ),
    number(
        "roc_126",
        "return of six months",
        FieldUnit::Percent,
        &["6 month return", "6 months return", "half year return", "6 month gain", "6 m return"],
    ),
    number(
        "roc_252",
        "return of a year",
        FieldUnit::Percent,
        &["1 year return", "12 month return", "annual return", "yearly return", "1 year gain", "1 y return"],
    ),
    // How ready a stock is to break out, by the scan of this name.
    number(
        "brs",
        "breakout readiness",
        FieldUnit::Points,
        &["brs", "breakout readiness", "breakout (score|readiness score)"],
    )
    .bounds(40.0, 70.0),
    text("sector", "sector", TextValues::Sectors),
    text("industry", "industry", TextValues::Industries),
    text("indices", "index", TextValues::Indices),
    text("exchange", "exchange", TextValues::Words(&["NSE", "BSE"])).only(Market::India),
    text("exchange", "exchange", TextValues::Words(&["NASDAQ", "NYSE", "AMEX"])).only(Market::Us),
    text(
        "ema_alignment",
        "alignment of the exponential averages",
        TextValues::Words(&["BULLISH", "MIXED", "BEARISH"]),
    ),
    text("altman_zone", "Altman zone", TextValues::Words(&["safe", "grey", "distress"])),
];

const fn number(
    name: &'static str,
    label: &'static str,
    unit: FieldUnit,
    synonyms: &'static [&'static str],
) -> Field {
    let kind = FieldKind::Number(unit);
    Field { name, label, kind, market: None, better: Better::Higher, low: None, high: None, synonyms }
}

const fn text(name: &'static str, label: &'static str, values: TextValues) -> Field {
    let kind = FieldKind::Text(values);
    Field { name, label, kind, market: None, better: Better::Neither, low: None, high: None, synonyms: &[] }
}

impl Field {
    const fn only(self, market: Market) -> Self {
        Self { market: Some(market), ..self }
    }

    const fn lower(self) -> Self {
        Self { better: Better::Lower, ..self }
    }

    const fn neither(self) -> Self {
        Self { better: Better::Neither, ..self }
    }

    /// What `low` means at most, and `high` at least.
    const fn bounds(self, low: f64, high: f64) -> Self {
        Self { low: Some(low), high: Some(high), ..self }
    }
}
