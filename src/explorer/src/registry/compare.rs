//! Up to eight companies beside each other.

use crate::spec::{Ask, ChoiceSpec, DrawnSpec, Given, MenuGroup, PageSpec, PartSpec, View};

const FIGURES: &[&str] = &[
    "company_name",
    "sector",
    "industry",
    "market_cap_cr",
    "market_cap_b",
    "price_cmp",
    "change_pct",
    "pe",
    "pb",
    "ps",
    "ev_ebitda",
    "roce",
    "roe",
    "de",
    "opm_pct",
    "net_margin_pct",
    "revenue_cagr_5y",
    "pat_cagr_5y",
    "fcf_yield",
    "dividend_yield",
    "altman_z_score",
    "piotroski_f",
    "overall_score",
    "rs_rating",
    "rs_trend_30d",
    "stage",
    "pct_from_high",
    "rsi_14",
];

const RANGE: ChoiceSpec = ChoiceSpec {
    name: "range",
    label: "Range",
    default: "1Y",
    words: &[("3M", "3m"), ("6M", "6m"), ("1Y", "1y"), ("2Y", "2y"), ("5Y", "5y")],
};

pub(super) const PAGES: &[PageSpec] = &[PageSpec {
    path: "compare",
    title: "Compare",
    lead: "Up to eight companies beside each other: write their symbols with commas between them.",
    menu: Some(MenuGroup::Find),
    tabs: &[],
    parts: &[
        PartSpec {
            id: "lines",
            title: "",
            india: Some(Ask::of(
                "explore/compare",
                &[("symbols", Given::Query("symbols")), ("range", Given::Chosen(&RANGE))],
            )),
            us: Some(Ask::of(
                "us/explore/compare",
                &[("symbols", Given::Query("symbols")), ("range", Given::Chosen(&RANGE))],
            )),
            views: &[
                View::Controls,
                View::Choices(&RANGE),
                View::Drawn(DrawnSpec { leads: "", table: &["session", "symbol", "rebased_close"] }),
            ],
        },
        PartSpec {
            id: "companies",
            title: "Figures",
            india: Some(Ask::each("company/profile", "symbols", &[("symbol", Given::Each)])),
            us: Some(Ask::each("us/company/profile", "symbols", &[("symbol", Given::Each)])),
            views: &[View::SideBySide { heading: "symbol", columns: FIGURES }],
        },
    ],
}];
