//! Synonyms of the fields that have many names.

/// The market capitalisation.
pub(super) const MARKET_CAP: &[&str] = &[
    "market cap",
    "mcap",
    "m cap",
    "mkt cap",
    "market capitalisation",
    "market capitalization",
    "marketcap",
    "market value",
    "company size",
    "size",
];
/// Growth of revenue over a year.
pub(super) const REVENUE_GROWTH: &[&str] = &[
    "(revenue|sales|top line|topline) growth",
    "(annual|yoy) (revenue|sales) growth",
    "growth (in|of) (sales|revenue)",
    "growth",
];
/// Growth of revenue a year over three years; words for three years beside those of growth mean it as well.
pub(super) const REVENUE_3Y: &[&str] = &["(revenue|sales) cagr 3 (year|yr|y)"];
/// Growth of revenue a year over five years, which a rate of several years is that names none.
pub(super) const REVENUE_5Y: &[&str] = &[
    "(revenue|sales) cagr 5 (year|yr|y)",
    "(revenue|sales|top line) (cagr|compound growth|compounded growth)",
    "(compound|compounded) (revenue|sales) growth",
];
/// Growth of profit over a year.
pub(super) const PROFIT_GROWTH: &[&str] = &[
    "(profit|earnings|pat|net profit|net income|eps|bottom line) growth",
    "(annual|yoy) (profit|earnings) growth",
    "growth (in|of) (profit|earnings|net profit)",
];
/// Growth of profit a year over three years; words for three years beside those of growth mean it as well.
pub(super) const PROFIT_3Y: &[&str] = &["(profit|earnings|pat) cagr 3 (year|yr|y)"];
/// Growth of profit a year over five years, which a rate of several years is that names none.
pub(super) const PROFIT_5Y: &[&str] = &[
    "(profit|earnings|pat) cagr 5 (year|yr|y)",
    "(profit|earnings|pat|net profit|eps) (cagr|compound growth|compounded growth)",
    "(compound|compounded) (profit|earnings) growth",
];

/// Price to earnings.
pub(super) const PE: &[&str] = &[
    "pe",
    "p e",
    "pe ratio",
    "p e ratio",
    "price to earnings",
    "price to earnings ratio",
    "price earnings",
    "price earnings ratio",
    "earnings multiple",
    "pe multiple",
    "times earnings",
    "x earnings",
    "earnings",
];

/// Price to book.
pub(super) const PB: &[&str] = &[
    "pb",
    "p b",
    "pb ratio",
    "p b ratio",
    "p bv",
    "price to book",
    "price to book value",
    "price book",
    "price to book ratio",
    "book multiple",
    "times book",
    "x book",
];

/// Debt to equity.
pub(super) const DEBT: &[&str] = &[
    "de",
    "d e",
    "debt to equity",
    "debt equity",
    "debt to equity ratio",
    "debt equity ratio",
    "d e ratio",
    "de ratio",
    "leverage",
    "gearing",
    "debt",
    "indebtedness",
];

/// The relative-strength rating.
pub(super) const RS: &[&str] = &[
    "rs",
    "rs rating",
    "rs score",
    "relative strength",
    "relative strength rating",
    "relative strength score",
    "momentum",
    "rating",
];

/// The 52-week high, and the distance from it.
pub(super) const FROM_HIGH: &[&str] = &[
    "(52 week|52 w|52 wk|1 year|yearly|year) high",
    "(distance|pct) from high",
    "(from|off) (high|highs|peak)",
    "below (its|their) (high|highs)",
    "high of the year",
];

/// The 52-week low, and the distance from it.
pub(super) const FROM_LOW: &[&str] = &[
    "(52 week|52 w|52 wk|1 year|yearly|year) low",
    "(distance|pct) from low",
    "(from|off) (low|lows|bottom)",
    "low of the year",
];

/// What foreign institutions hold.
pub(super) const FOREIGN: &[&str] = &[
    "(fii|fpi|foreign|foreign institution|foreign institutional|foreign investor|foreign portfolio|overseas) (holding|stake|shareholding|ownership)",
    "(held|owned) by (fii|fpi|foreign institution|foreign investor)",
    "fii",
    "fpi",
];

/// What domestic institutions hold.
pub(super) const DOMESTIC: &[&str] = &[
    "(dii|domestic institution|domestic institutional|domestic) (holding|stake|shareholding|ownership)",
    "(held|owned) by (dii|domestic institution)",
    "dii",
];

/// What mutual funds hold.
pub(super) const FUNDS: &[&str] =
    &["(mutual fund|mf) (holding|stake|shareholding|ownership)", "(held|owned) by mutual fund"];

/// The promoters' pledge.
pub(super) const PLEDGE: &[&str] = &[
    "promoter pledge",
    "pledge",
    "pledged",
    "pledged shares",
    "pledging",
    "promoter pledging",
    "pledge percentage",
    "pledged percentage",
    "share pledge",
    "promoter shares pledged",
];

/// The promoters' holding.
pub(super) const PROMOTERS: &[&str] = &[
    "promoter holding",
    "promoter stake",
    "promoter shareholding",
    "promoter ownership",
    "promoter own",
    "promoter hold",
    "held by promoter",
    "owned by promoter",
    "insider holding",
];

/// The average of 50 bars.
pub(super) const SMA_50: &[&str] = &[
    "50 day average",
    "50 day",
    "50 dma",
    "50 day moving average",
    "50 day ma",
    "50 day sma",
    "50 sma",
    "50 ma",
    "sma 50",
    "dma 50",
    "50 period average",
];

/// The average of 150 bars.
pub(super) const SMA_150: &[&str] = &[
    "150 day average",
    "150 day",
    "150 dma",
    "150 day moving average",
    "150 day ma",
    "150 day sma",
    "150 sma",
    "150 ma",
    "sma 150",
    "dma 150",
    "30 week average",
    "30 week moving average",
];

/// The average of 200 bars.
pub(super) const SMA_200: &[&str] = &[
    "200 day average",
    "200 day",
    "200 dma",
    "200 day moving average",
    "200 day ma",
    "200 day sma",
    "200 sma",
    "200 ma",
    "sma 200",
    "dma 200",
    "40 week average",
];
