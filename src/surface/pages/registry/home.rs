//! The first page of a market: how it stands, who leads, what moved.

use crate::surface::pages::spec::{Ask, Given, MenuGroup, PageSpec, PartSpec, TableSpec, View};

pub(super) const PAGES: &[PageSpec] = &[PageSpec {
    path: "",
    title: "Today",
    lead: "How the market stands, who leads it, and what moved.",
    menu: Some(MenuGroup::Market),
    tabs: &[],
    parts: &[
        PartSpec {
            id: "breadth",
            title: "Breadth",
            india: Some(Ask::of("market/breadth", &[("days", Given::Fixed("30"))])),
            us: Some(Ask::of("us/market/breadth", &[])),
            views: &[View::Figures(&[
                "advances",
                "declines",
                "unchanged",
                "pct_above_sma20",
                "pct_above_sma50",
                "pct_above_sma200",
                "mcclellan",
                "new_highs",
                "new_lows",
                "session",
            ])],
        },
        PartSpec {
            id: "condition",
            title: "The index and its averages",
            india: Some(Ask::of("market/breakout-conditions", &[])),
            us: Some(Ask::of("us/market/breakout-conditions", &[])),
            views: &[View::Facts(&[
                "condition",
                "benchmark",
                "benchmark_close",
                "price",
                "ema_10",
                "ema_20",
                "ema_21",
                "sma_50",
                "sma_200",
                "rsi_14",
            ])],
        },
        PartSpec {
            id: "leaders",
            title: "Strongest stocks",
            india: Some(Ask::of("market/momentum", &[("limit", Given::Fixed("8"))])),
            us: Some(Ask::of("us/market/momentum", &[("limit", Given::Fixed("8"))])),
            views: &[View::Rows(TableSpec::of(LEADERS))],
        },
        PartSpec {
            id: "movers",
            title: "Moved most",
            india: Some(Ask::of(
                "market/top-movers",
                &[("direction", Given::Fixed("all")), ("limit", Given::Fixed("8"))],
            )),
            us: Some(Ask::of(
                "us/market/top-movers",
                &[("period", Given::Fixed("1w")), ("limit", Given::Fixed("8"))],
            )),
            views: &[View::Rows(TableSpec::of(&[
                "symbol",
                "company_name",
                "close",
                "price_cmp",
                "change_pct",
                "return_pct",
                "turnover_cr",
                "rs_rating",
            ]))],
        },
        PartSpec {
            id: "sectors",
            title: "Sectors",
            india: Some(Ask::of("market/sectors", &[])),
            us: Some(Ask::of("us/market/sectors", &[])),
            views: &[View::Rows(TableSpec::of(&[]))],
        },
    ],
}];

const LEADERS: &[&str] = &[
    "symbol",
    "company_name",
    "sector",
    "rs_rating",
    "rs_trend_30d",
    "price_cmp",
    "change_pct",
    "pct_from_high",
];
