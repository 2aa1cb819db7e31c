//! What every page of a company has: its tabs and the figures that it begins with.

use crate::spec::{Ask, Given, PageSpec, PartSpec, View};

/// The symbol in the path, as an argument.
pub(super) const SYMBOL: (&str, Given) = ("symbol", Given::Symbol);

/// A page of a company beside the others; `parts` begin with [`HEAD`].
pub(super) const fn tab(path: &'static str, title: &'static str, parts: &'static [PartSpec]) -> PageSpec {
    PageSpec { path, title, lead: "", menu: None, tabs: TABS, parts }
}

/// The pages of a company, beside each other.
const TABS: &[(&str, &str)] = &[
    ("company/{symbol}", "Overview"),
    ("company/{symbol}/financials", "Financials"),
    ("company/{symbol}/ratios", "Ratios"),
    ("company/{symbol}/ownership", "Ownership"),
    ("company/{symbol}/events", "Events"),
    ("company/{symbol}/calls", "Calls"),
    ("company/{symbol}/report", "Report"),
];

/// What every page of a company begins with.
pub(super) const HEAD: PartSpec = PartSpec {
    id: "figures",
    title: "",
    india: Some(Ask::of("company/profile", &[SYMBOL])),
    us: Some(Ask::of("us/company/profile", &[SYMBOL])),
    views: &[
        View::Onward(&[
            ("{sector}", "screener?sector={sector}"),
            ("Industry: {industry}", "screener?industry={industry}"),
            ("Compare with others", "compare?symbols={symbol}"),
            ("Ask the committee", "committee?symbol={symbol}"),
        ]),
        View::Figures(&[
            "price_cmp",
            "change_pct",
            "market_cap_cr",
            "market_cap_b",
            "rs_rating",
            "stage",
            "overall_score",
            "pct_from_high",
            "wk52_high",
            "wk52_low",
            "median_turnover_cr",
            "median_turnover_usd_m",
        ]),
    ],
};
