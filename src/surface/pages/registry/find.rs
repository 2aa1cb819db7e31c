//! Stocks by their figures: the screener, the same in words, the search.

use crate::surface::pages::spec::{Ask, Given, MenuGroup, PageSpec, PartSpec, TableSpec, View};

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
    "roce",
    "roe",
    "de",
    "opm_pct",
    "revenue_growth_1y",
    "sector",
];

/// The columns of the search.
const FOUND: &[&str] = &[
    "symbol",
    "company_name",
    "sector",
    "industry",
    "market_cap_cr",
    "market_cap_b",
    "rs_rating",
    "exchange",
];

pub(super) const PAGES: &[PageSpec] = &[
    PageSpec {
        path: "screener",
        title: "Screener",
        lead: "Stocks that meet limits on ratios, size and strength. The address is the screen: keep it as a bookmark.",
        menu: Some(MenuGroup::Find),
        tabs: &[],
        parts: &[
            PartSpec {
                id: "sectors",
                title: "",
                india: Some(Ask::filtered("explore/screen", &[("facet", Given::Fixed("sector"))])),
                us: Some(Ask::filtered("us/explore/screen", &[("facet", Given::Fixed("sector"))])),
                views: &[View::Controls, View::Facets("sector")],
            },
            PartSpec {
                id: "stages",
                title: "",
                india: Some(Ask::filtered("explore/screen", &[("facet", Given::Fixed("stage"))])),
                us: Some(Ask::filtered("us/explore/screen", &[("facet", Given::Fixed("stage"))])),
                views: &[View::Facets("stage")],
            },
            PartSpec {
                id: "industries",
                title: "",
                india: Some(Ask::filtered("explore/screen", &[("facet", Given::Fixed("industry"))])),
                us: Some(Ask::filtered("us/explore/screen", &[("facet", Given::Fixed("industry"))])),
                views: &[View::Facets("industry")],
            },
            PartSpec {
                id: "screen",
                title: "",
                india: Some(Ask::open("explore/screen", &[]).filed("explore/screen-file")),
                us: Some(Ask::open("us/explore/screen", &[]).filed("us/explore/screen-file")),
                views: &[View::Rows(TableSpec::whole(SCREEN))],
            },
        ],
    },
    PageSpec {
        path: "ask",
        title: "Ask in words",
        lead: "A screen in plain English, and how it was understood.",
        menu: Some(MenuGroup::Find),
        tabs: &[],
        parts: &[PartSpec {
            id: "words",
            title: "",
            india: Some(Ask::open("screener/natural-language", &[])),
            us: Some(Ask::open("us/screener/natural-language", &[])),
            views: &[
                View::Controls,
                View::Around(&["words", "sorted_by", "notes", "not_understood"]),
                View::Rows(TableSpec::whole(SCREEN)),
            ],
        }],
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
