//! The market as a whole: rotation, breadth, heat map, indices, sectors, industries.

use crate::spec::{
    Ask, ChoiceSpec, DrawnSpec, Given, MenuGroup, PageSpec, PartSpec, Placement, TableSpec, View,
};

const RANGE: ChoiceSpec = ChoiceSpec {
    name: "range",
    label: "Range",
    default: "1Y",
    words: &[("1M", "1m"), ("3M", "3m"), ("6M", "6m"), ("1Y", "1y"), ("2Y", "2y"), ("5Y", "5y")],
};

const WINDOW: ChoiceSpec = ChoiceSpec {
    name: "window",
    label: "Change over",
    default: "1D",
    words: &[("1D", "1d"), ("1W", "1w"), ("1M", "1m"), ("3M", "3m"), ("6M", "6m"), ("1Y", "1y")],
};

/// The columns of the members of an index.
const MEMBERS: &[&str] = &[
    "symbol",
    "company_name",
    "weight_pct",
    "price_cmp",
    "change_pct",
    "rs_rating",
    "market_cap_cr",
    "market_cap_b",
    "sector",
    "list_date",
];

/// The columns of the list of indices.
const LEVELS: &[&str] = &[
    "index_name",
    "index_close",
    "index_change_pct",
    "index_change_5",
    "index_change_21",
    "index_change_252",
    "advances",
    "declines",
    "member_avg_rs",
    "member_count",
    "change_of",
];

const ONE_INDEX: &[(&str, Given)] = &[("index", Given::Query("index"))];

const INDEX_CHART: &[(&str, Given)] = &[("index", Given::Query("index")), ("range", Given::Chosen(&RANGE))];

const SECTORS: &[&str] = &[
    "sector",
    "avg_rs_rating",
    "advances",
    "declines",
    "elite_count",
    "stock_count",
    "total_market_cap_cr",
    "total_market_cap_b",
];

const INDUSTRIES: &[&str] = &[
    "industry",
    "stage",
    "stock_count",
    "index_slope",
    "stage_reason",
    "index_level",
    "index_sma_150",
    "raw_stage",
];

pub(super) const PAGES: &[PageSpec] = &[
    PageSpec {
        path: "rotation",
        title: "Sector rotation",
        lead: "Where each sector stands against the benchmark, with its way there over the weeks before. Another date shows it as it stood then.",
        menu: Some(MenuGroup::Market),
        tabs: &[],
        parts: &[PartSpec {
            id: "rotation",
            title: "",
            india: Some(Ask::open("explore/rotation", &[])),
            us: Some(Ask::open("us/explore/rotation", &[])),
            views: &[
                View::Controls,
                View::Earlier { parameter: "as_of", within: "trail" },
                View::Drawn(DrawnSpec {
                    leads: "screener?sector=",
                    table: &["sector", "session", "quadrant", "rs_ratio", "rs_momentum"],
                }),
                View::Rows(TableSpec::of(&[
                    "sector",
                    "quadrant",
                    "rs_ratio",
                    "rs_momentum",
                    "session",
                    "index_level",
                ])),
            ],
        }],
    },
    PageSpec {
        path: "breadth",
        title: "Breadth",
        lead: "How many stocks take part in the moves of the market.",
        menu: Some(MenuGroup::Market),
        tabs: &[],
        parts: &[
            PartSpec {
                id: "sessions",
                title: "",
                india: Some(Ask::of("explore/breadth", &[("range", Given::Chosen(&RANGE))])),
                us: Some(Ask::of("us/explore/breadth", &[("range", Given::Chosen(&RANGE))])),
                views: &[View::Choices(&RANGE), View::Drawn(DrawnSpec { leads: "", table: &[] })],
            },
            PartSpec {
                id: "session",
                title: "The last session",
                india: Some(Ask::of("market/breadth", &[("days", Given::Fixed("1"))])),
                us: Some(Ask::of("us/market/breadth", &[])),
                views: &[View::Figures(BREADTH)],
            },
            PartSpec {
                id: "highs",
                title: "At a 52-week high or low, by sector",
                india: Some(Ask::of("explore/year-highs", &[])),
                us: Some(Ask::of("us/explore/year-highs", &[])),
                views: &[
                    View::Stands(Placement::WhereKnown),
                    View::Rows(TableSpec::of(&[
                        "sector",
                        "at_high",
                        "at_low",
                        "traded_count",
                        "high_symbols",
                        "low_symbols",
                    ])),
                ],
            },
        ],
    },
    PageSpec {
        path: "heat",
        title: "Heat map",
        lead: "All stocks as areas by size, coloured and numbered by their change.",
        menu: Some(MenuGroup::Market),
        tabs: &[],
        parts: &[PartSpec {
            id: "stocks",
            title: "",
            india: Some(Ask::open("explore/heat-map", &[("window", Given::Chosen(&WINDOW))])),
            us: Some(Ask::open("us/explore/heat-map", &[("window", Given::Chosen(&WINDOW))])),
            views: &[
                View::Choices(&WINDOW),
                View::Controls,
                View::Drawn(DrawnSpec { leads: "company/", table: &[] }),
            ],
        }],
    },
    PageSpec {
        path: "indices",
        title: "Indices",
        lead: "Every index with its level, its change and how its members moved; one index with its chart, its members and their weights.",
        menu: Some(MenuGroup::Market),
        tabs: &[],
        parts: &[
            PartSpec {
                id: "levels",
                title: "",
                india: Some(Ask::of("explore/indices", &[])),
                us: Some(Ask::of("us/explore/indices", &[])),
                views: &[
                    View::Stands(Placement::Without("index")),
                    View::Top(
                        100,
                        TableSpec::of(LEVELS).leading(&[("index_name", "indices?index={index_name}")]),
                    ),
                ],
            },
            PartSpec {
                id: "level",
                title: "",
                india: Some(Ask::of("explore/indices", ONE_INDEX)),
                us: Some(Ask::of("us/explore/indices", ONE_INDEX)),
                views: &[
                    View::Stands(Placement::With("index")),
                    View::Figures(LEVELS),
                    View::Onward(&[("All indices", "indices")]),
                ],
            },
            PartSpec {
                id: "line",
                title: "From the same start as the benchmark",
                india: Some(Ask::of("explore/index-chart", INDEX_CHART)),
                us: Some(Ask::of("us/explore/index-chart", INDEX_CHART)),
                views: &[
                    View::Stands(Placement::With("index")),
                    View::Stands(Placement::WhereKnown),
                    View::Choices(&RANGE),
                    View::Drawn(DrawnSpec {
                        leads: "",
                        table: &["session", "line_name", "line_level", "line_close"],
                    }),
                ],
            },
            PartSpec {
                id: "members",
                title: "Members",
                india: Some(Ask::open("market/index-constituents", &[("index", Given::Query("index"))])),
                us: Some(Ask::open("us/market/index-constituents", &[("index_name", Given::Query("index"))])),
                views: &[
                    View::Stands(Placement::With("index")),
                    View::Controls,
                    View::Rows(
                        TableSpec::whole(MEMBERS).leading(&[("index_name", "indices?index={index_name}")]),
                    ),
                ],
            },
        ],
    },
    PageSpec {
        path: "sectors",
        title: "Sectors",
        lead: "Sectors, the strongest first.",
        menu: Some(MenuGroup::Market),
        tabs: &[],
        parts: &[PartSpec {
            id: "sectors",
            title: "",
            india: Some(Ask::open("market/sectors", &[])),
            us: Some(Ask::open("us/market/sectors", &[])),
            views: &[
                View::Drawn(DrawnSpec { leads: "screener?sector=", table: &["sector", "avg_rs_rating"] }),
                View::Rows(TableSpec::whole(SECTORS)),
            ],
        }],
    },
    PageSpec {
        path: "industries",
        title: "Industries",
        lead: "The stage of every industry: 1 base, 2 advance, 3 top, 4 decline.",
        menu: Some(MenuGroup::Market),
        tabs: &[],
        parts: &[PartSpec {
            id: "industries",
            title: "",
            india: Some(Ask::open("market/industry-stages", &[])),
            us: None,
            views: &[View::Rows(TableSpec::whole(INDUSTRIES))],
        }],
    },
];

const BREADTH: &[&str] = &[
    "session",
    "advances",
    "declines",
    "unchanged",
    "pct_above_sma10",
    "pct_above_sma20",
    "pct_above_sma40",
    "pct_above_sma50",
    "pct_above_sma200",
    "new_highs",
    "new_lows",
    "ad_line",
    "mcclellan",
];
