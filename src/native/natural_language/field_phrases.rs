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
    "revenue growth",
    "sales growth",
    "growth in sales",
    "growth in revenue",
    "top line growth",
    "topline growth",
    "1 year revenue growth",
    "1 year sales growth",
    "yoy revenue growth",
    "yoy sales growth",
    "annual revenue growth",
    "growth",
];
/// Growth of revenue a year over three years.
pub(super) const REVENUE_3Y: &[&str] = &[
    "revenue cagr 3 y",
    "revenue cagr 3 year",
    "3 year revenue cagr",
    "3 year sales cagr",
    "3 y revenue cagr",
    "3 y sales cagr",
    "3 year revenue growth",
    "3 year sales growth",
    "3 y sales growth",
    "sales cagr 3 y",
    "revenue growth over 3 years",
];
/// Growth of revenue a year over five years.
pub(super) const REVENUE_5Y: &[&str] = &[
    "revenue cagr 5 y",
    "revenue cagr 5 year",
    "5 year revenue cagr",
    "5 year sales cagr",
    "5 y revenue cagr",
    "5 y sales cagr",
    "5 year revenue growth",
    "5 year sales growth",
    "5 y sales growth",
    "sales cagr 5 y",
    "revenue growth over 5 years",
    "revenue cagr",
    "sales cagr",
];
/// Growth of profit over a year.
pub(super) const PROFIT_GROWTH: &[&str] = &[
    "profit growth",
    "earnings growth",
    "pat growth",
    "net profit growth",
    "eps growth",
    "growth in profit",
    "growth in earnings",
    "bottom line growth",
    "1 year profit growth",
    "net income growth",
    "yoy profit growth",
    "yoy earnings growth",
];
/// Growth of profit a year over three years.
pub(super) const PROFIT_3Y: &[&str] = &[
    "pat cagr 3 y",
    "3 year profit cagr",
    "3 year earnings cagr",
    "3 year pat cagr",
    "3 y profit cagr",
    "3 year profit growth",
    "3 year earnings growth",
    "profit cagr 3 y",
    "3 y profit growth",
    "profit growth over 3 years",
];
/// Growth of profit a year over five years.
pub(super) const PROFIT_5Y: &[&str] = &[
    "pat cagr 5 y",
    "5 year profit cagr",
    "5 year earnings cagr",
    "5 year pat cagr",
    "5 y profit cagr",
    "5 year profit growth",
    "5 year earnings growth",
    "profit cagr 5 y",
    "5 y profit growth",
    "profit growth over 5 years",
    "profit cagr",
    "earnings cagr",
    "pat cagr",
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
    "52 week high",
    "52 w high",
    "52 wk high",
    "52 weeks high",
    "1 year high",
    "yearly high",
    "year high",
    "distance from high",
    "pct from high",
    "from high",
    "from highs",
    "from its high",
    "from their high",
    "from their highs",
    "from peak",
    "from its peak",
    "from their peak",
    "off high",
    "off highs",
    "off its high",
    "off their highs",
    "off peak",
    "below its high",
    "below their highs",
    "high of the year",
];

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
