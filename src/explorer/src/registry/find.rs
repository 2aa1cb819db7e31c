//! Stocks by their figures: the screener, the search.

use crate::spec::{Ask, ChoiceSpec, Given, MenuGroup, PageSpec, PartSpec, TableSpec, View};

/// The columns of a screen where the caller chooses none.
const SCREEN: &[&str] = &[
    "symbol",
    "company_name",
    "rs_rating",
    "stage",
    "overall_score",
    "price_cmp",
    "change_pct",
    "market_cap_cr",
    "market_cap_b",
    "pe",
    "roe",
    "sector",
];

/// How the rows of a screen are shown, each with how many there are on a page.
const SHOWN_AS: ChoiceSpec = ChoiceSpec {
    name: "view",
    label: "Shown as",
    default: "table",
    words: &[("table", "50"), ("charts", "12")],
};

/// The bars behind a row, and those of a chart.
const SESSIONS: ChoiceSpec = ChoiceSpec { words: &[("table", "60"), ("charts", "90")], ..SHOWN_AS };

/// What is read of each bar.
const READ: ChoiceSpec = ChoiceSpec {
    words: &[("table", "symbol,close,rs_line"), ("charts", "symbol,open,high,low,close,volume,rs_line")],
    ..SHOWN_AS
};

const BARS: &[(&str, Given)] = &[
    ("symbols", Given::Shown("symbol")),
    ("bars", Given::Chosen(&SESSIONS)),
    ("fields", Given::Chosen(&READ)),
];

/// The columns of the search.
const FOUND: &[&str] = &[
    "symbol",
    "company_name",
    "market_cap_cr",
    "market_cap_b",
    "rs_rating",
    "exchange",
    "sector",
    "industry",
];

pub(super) const PAGES: &[PageSpec] = &[
    PageSpec {
        path: "screener",
        title: "Screener",
        lead: "Stocks that you describe in words or by limits. The address is the screen: keep it as a bookmark.",
        menu: Some(MenuGroup::Find),
        tabs: &[],
        parts: &[
            PartSpec {
                id: "screen",
                title: "",
                india: Some(Ask::open("explore/screen-words", &[("limit", Given::Chosen(&SHOWN_AS))])),
                us: Some(Ask::open("us/explore/screen-words", &[("limit", Given::Chosen(&SHOWN_AS))])),
                views: &[View::Screen(TableSpec::whole(SCREEN).drawn("bars"))],
            },
            PartSpec {
                id: "bars",
                title: "",
                india: Some(Ask::of("explore/sparks", BARS)),
                us: Some(Ask::of("us/explore/sparks", BARS)),
                views: &[],
            },
        ],
    },
    PageSpec {
        path: "search",
        title: "Search",
        lead: "Companies by name or symbol; without a text, the largest.",
        menu: None,
        tabs: &[],
        parts: &[PartSpec {
            id: "companies",
            title: "",
            india: Some(Ask::open("companies", &[("q", Given::Query("q"))])),
            us: Some(Ask::open("us/companies", &[("query", Given::Query("q"))])),
            views: &[View::Controls, View::Rows(TableSpec::whole(FOUND))],
        }],
    },
];
