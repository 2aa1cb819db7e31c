//! The market as a whole: rotation, breadth, heat map, indices, sectors, industries.

use crate::surface::pages::spec::{Ask, DrawnSpec, Given, MenuGroup, PageSpec, PartSpec, TableSpec, View};

pub(super) const PAGES: &[PageSpec] = &[
    PageSpec {
        path: "rotation",
        title: "Sector rotation",
        lead: "Where each sector stands against the benchmark, with its way there over eight weeks. Another date shows it as it stood then.",
        menu: Some(MenuGroup::Market),
        tabs: &[],
        parts: &[PartSpec {
            id: "rotation",
            title: "",
            india: Some(Ask::open("market/rrg", &[])),
            us: None,
            views: &[
                View::Controls,
                View::Earlier { parameter: "as_of", within: "trail" },
                View::Drawn(DrawnSpec {
                    picture: "rotation x=rs_ratio:\"Relative strength\" y=rs_momentum:\"Momentum\" of=sector tail=session",
                    title: "Sectors against the benchmark",
                    earlier: Some("trail"),
                    leads: "screener?sector=",
                    table: &["sector", "session", "quadrant", "rs_ratio", "rs_momentum"],
                }),
                View::Rows(TableSpec::of(&["sector", "quadrant", "rs_ratio", "rs_momentum", "session", "index_level"])),
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
                india: Some(Ask::open("market/breadth", &[])),
                us: None,
                views: &[
                    View::Controls,
                    View::Figures(BREADTH),
                    View::Drawn(DrawnSpec {
                        picture: "breadth date=session above=pct_above_sma10:\"above SMA 10\",pct_above_sma20:\"above SMA 20\",pct_above_sma40:\"above SMA 40\" advances=advances declines=declines mcclellan=mcclellan",
                        title: "Stocks above their averages, advances less declines, McClellan oscillator",
                        earlier: None,
                        leads: "",
                        table: &[],
                    }),
                ],
            },
            PartSpec {
                id: "session",
                title: "",
                india: None,
                us: Some(Ask::open("us/market/breadth", &[])),
                views: &[View::Figures(BREADTH)],
            },
        ],
    },
    PageSpec {
        path: "heat",
        title: "Heat map",
        lead: "The largest stocks as areas by size, coloured and numbered by their change.",
        menu: Some(MenuGroup::Market),
        tabs: &[],
        parts: &[
            PartSpec {
                id: "india",
                title: "",
                india: Some(Ask::open("screener", &[])),
                us: None,
                views: &[View::Drawn(DrawnSpec {
                    picture: "heat_map of=symbol size=market_cap_cr change=change_pct group=sector",
                    title: "Stocks by market capitalisation",
                    earlier: None,
                    leads: "company/",
                    table: &["symbol", "company_name", "sector", "market_cap_cr", "change_pct"],
                })],
            },
            PartSpec {
                id: "us",
                title: "",
                india: None,
                us: Some(Ask::open("us/screener", &[("sort_by", Given::Fixed("market_cap_b"))])),
                views: &[View::Drawn(DrawnSpec {
                    picture: "heat_map of=symbol size=market_cap_b change=change_pct group=sector",
                    title: "Stocks by market capitalisation",
                    earlier: None,
                    leads: "company/",
                    table: &["symbol", "company_name", "sector", "market_cap_b", "change_pct"],
                })],
            },
        ],
    },
    PageSpec {
        path: "indices",
        title: "Indices",
        lead: "The members of an index and their weights; without an index, all of them.",
        menu: Some(MenuGroup::Market),
        tabs: &[],
        parts: &[PartSpec {
            id: "members",
            title: "",
            india: Some(Ask::open("market/index-constituents", &[("index", Given::Query("index"))])),
            us: Some(Ask::open("us/market/index-constituents", &[("index_name", Given::Query("index"))])),
            views: &[View::Controls, View::Rows(TableSpec::whole(&[]).leading(&[("index_name", "indices?index={index_name}")]))],
        }],
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
            views: &[View::Rows(TableSpec::whole(&[]))],
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
            views: &[View::Rows(TableSpec::whole(&[]).leading(&[("industry", "screener?industry={industry}")]))],
        }],
    },
];

const BREADTH: &[&str] = &[
    "session", "advances", "declines", "unchanged", "pct_above_sma10", "pct_above_sma20", "pct_above_sma40", "pct_above_sma50",
    "pct_above_sma200", "new_highs", "new_lows", "ad_line", "mcclellan",
];
