//! The first page of a market, read in the morning: the indices, how many stocks take part, which sectors turn, how the largest stocks
//! moved, new highs, ratings that rise, results, large deals and insiders who buy. Each list is short and leads to all of it.

mod own_lists;

use self::own_lists::OWN_LISTS;
use crate::spec::{Ask, DrawnSpec, Given, MenuGroup, PageSpec, PartSpec, Placement, TableSpec, View};

pub(super) const PAGES: &[PageSpec] = &[PageSpec {
    path: "",
    title: "Today",
    lead: "The last session: what the indices did, who leads, and what happened.",
    menu: Some(MenuGroup::Market),
    tabs: &[],
    parts: &[
        INDICES,
        BREADTH,
        OWN_LISTS,
        HIGHS,
        RISERS,
        LEADERS,
        MOVERS,
        WEEK_MOVERS,
        ROTATION,
        HEAT,
        SECTORS,
        RESULTS,
        INSIDERS,
        DEALS,
        CONDITION,
    ],
}];

const INDICES: PartSpec = PartSpec {
    id: "indices",
    title: "Indices",
    india: Some(Ask::of("explore/indices", &[])),
    us: Some(Ask::of("us/explore/indices", &[])),
    views: &[
        View::Stands(Placement::Wide),
        View::Top(
            6,
            TableSpec::of(&[
                "index_name",
                "index_close",
                "index_change_pct",
                "index_change_5",
                "index_change_21",
                "index_change_252",
                "advances",
                "declines",
            ])
            .leading(&[("index_name", "indices?index={index_name}")]),
        ),
        View::Onward(&[("All indices", "indices")]),
    ],
};

const BREADTH: PartSpec = PartSpec {
    id: "breadth",
    title: "Breadth",
    india: Some(Ask::of("explore/breadth", &[("range", Given::Fixed("3m"))])),
    us: Some(Ask::of("us/explore/breadth", &[("range", Given::Fixed("3m"))])),
    views: &[
        View::Stands(Placement::Narrow),
        View::Sparks(&[
            "advances",
            "declines",
            "pct_above_sma10",
            "pct_above_sma20",
            "pct_above_sma40",
            "mcclellan",
        ]),
        View::Onward(&[("Breadth over a year", "breadth")]),
    ],
};

const HIGHS: PartSpec = PartSpec {
    id: "highs",
    title: "At a 52-week high, by sector",
    india: Some(Ask::of("explore/year-highs", &[])),
    us: Some(Ask::of("us/explore/year-highs", &[])),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Wide),
        View::Top(6, TableSpec::of(&["sector", "at_high", "at_low", "traded_count", "high_symbols"])),
        View::Onward(&[("All sectors, and those at a low", "breadth#highs")]),
    ],
};

const RISERS: PartSpec = PartSpec {
    id: "risers",
    title: "Ratings that rose most",
    india: Some(Ask::of("explore/rs-changes", &[("limit", Given::Fixed("6"))])),
    us: Some(Ask::of("us/explore/rs-changes", &[("limit", Given::Fixed("6"))])),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Narrow),
        View::Rows(TableSpec::of(&["symbol", "rs_delta", "rs_now", "price_cmp"])),
        View::Onward(&[("All that moved", "rs-changes")]),
    ],
};

const LEADERS: PartSpec = PartSpec {
    id: "leaders",
    title: "Strongest stocks",
    india: Some(Ask::of("market/momentum", &[("limit", Given::Fixed("6"))])),
    us: Some(Ask::of("us/market/momentum", &[("limit", Given::Fixed("6"))])),
    views: &[
        View::Stands(Placement::Wide),
        View::Rows(TableSpec::of(&[
            "symbol",
            "company_name",
            "rs_rating",
            "rs_trend_30d",
            "price_cmp",
            "change_pct",
            "pct_from_high",
        ])),
        View::Onward(&[("All leaders", "leaders")]),
    ],
};

const MOVERS: PartSpec = PartSpec {
    id: "movers",
    title: "Moved most in the session",
    india: Some(Ask::of(
        "market/top-movers",
        &[("direction", Given::Fixed("all")), ("limit", Given::Fixed("6"))],
    )),
    us: None,
    views: MOVERS_SHOWN,
};

const WEEK_MOVERS: PartSpec = PartSpec {
    id: "week-movers",
    title: "Moved most in a week",
    india: None,
    us: Some(Ask::of(
        "us/market/top-movers",
        &[("period", Given::Fixed("1w")), ("limit", Given::Fixed("6"))],
    )),
    views: MOVERS_SHOWN,
};

const MOVERS_SHOWN: &[View] = &[
    View::Stands(Placement::Narrow),
    View::Rows(TableSpec::of(&["symbol", "change_pct", "return_pct", "close", "price_cmp", "rs_rating"])),
    View::Onward(&[("All movers", "movers")]),
];

const ROTATION: PartSpec = PartSpec {
    id: "rotation",
    title: "Sector rotation",
    india: Some(Ask::of("explore/rotation", &[("weeks", Given::Fixed("2"))])),
    us: Some(Ask::of("us/explore/rotation", &[("weeks", Given::Fixed("2"))])),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Wide),
        View::Drawn(DrawnSpec {
            leads: "screener?sector=",
            table: &["sector", "session", "quadrant", "rs_ratio", "rs_momentum"],
        }),
        View::Onward(&[("Rotation with longer tails, and earlier", "rotation")]),
    ],
};

const HEAT: PartSpec = PartSpec {
    id: "heat",
    title: "The largest stocks",
    india: Some(Ask::of("explore/heat-map", LARGEST)),
    us: Some(Ask::of("us/explore/heat-map", LARGEST)),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Narrow),
        View::Drawn(DrawnSpec {
            leads: "company/",
            table: &["symbol", "sector", "move_pct", "market_cap_cr", "market_cap_b"],
        }),
        View::Onward(&[("Heat map of all stocks", "heat")]),
    ],
};

/// As many as there is room for in the narrow column.
const LARGEST: &[(&str, Given)] = &[("limit", Given::Fixed("60"))];

const SECTORS: PartSpec = PartSpec {
    id: "sectors",
    title: "Strongest sectors",
    india: Some(Ask::of("market/sectors", &[])),
    us: Some(Ask::of("us/market/sectors", &[])),
    views: &[
        View::Stands(Placement::Narrow),
        View::Top(6, TableSpec::of(&["sector", "avg_rs_rating", "advances", "declines"])),
        View::Onward(&[("All sectors", "sectors")]),
    ],
};

/// Events of the last days of one kind.
const fn events(
    id: &'static str,
    title: &'static str,
    asks: [Option<Ask>; 2],
    views: &'static [View],
) -> PartSpec {
    let [india, us] = asks;
    PartSpec { id, title, india, us, views }
}

const RESULTS: PartSpec = events(
    "results",
    "Results of the last days",
    [Some(Ask::of("chat/events", RESULTS_ASKED)), Some(Ask::of("us/chat/events", RESULTS_ASKED))],
    &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Wide),
        View::Events,
        View::Onward(&[("Results by their strength", "earnings"), ("Drift after results", "drift")]),
    ],
);

const RESULTS_ASKED: &[(&str, Given)] =
    &[("kinds", Given::Fixed("result")), ("days", Given::Fixed("7")), ("limit", Given::Fixed("8"))];

const INSIDERS: PartSpec = events(
    "insiders",
    "Insiders who bought",
    [Some(Ask::of("chat/events", INSIDERS_ASKED)), Some(Ask::of("us/chat/events", INSIDERS_ASKED))],
    &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Narrow),
        View::Events,
        View::Onward(&[("All insiders", "insiders")]),
    ],
);

const INSIDERS_ASKED: &[(&str, Given)] = &[
    ("kinds", Given::Fixed("insider")),
    ("side", Given::Fixed("buy")),
    ("days", Given::Fixed("7")),
    ("limit", Given::Fixed("8")),
];

const DEALS: PartSpec = events(
    "deals",
    "Large deals",
    [
        Some(Ask::of(
            "chat/events",
            &[("kinds", Given::Fixed("deal")), ("days", Given::Fixed("5")), ("limit", Given::Fixed("8"))],
        )),
        None,
    ],
    &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Narrow),
        View::Events,
        View::Onward(&[("All deals", "deals")]),
    ],
);

const CONDITION: PartSpec = PartSpec {
    id: "condition",
    title: "The index and its averages",
    india: Some(Ask::of("market/breakout-conditions", &[])),
    us: Some(Ask::of("us/market/breakout-conditions", &[])),
    views: &[
        View::Stands(Placement::Wide),
        View::Facts(&[
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
        ]),
    ],
};
