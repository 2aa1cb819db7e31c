//! What was reported: deals, insiders, orders, actions, price bands, filings.

use crate::surface::pages::spec::{Ask, Given, MenuGroup, PageSpec, PartSpec, TableSpec, View};

const FEED: &[View] = &[View::Controls, View::Rows(TableSpec::whole(&[]))];

const fn page(
    path: &'static str,
    title: &'static str,
    lead: &'static str,
    parts: &'static [PartSpec],
) -> PageSpec {
    PageSpec { path, title, lead, menu: Some(MenuGroup::Events), tabs: &[], parts }
}

const fn feed(india: Option<Ask>, us: Option<Ask>, views: &'static [View]) -> PartSpec {
    PartSpec { id: "feed", title: "", india, us, views }
}

pub(super) const PAGES: &[PageSpec] = &[
    page(
        "deals",
        "Deals",
        "Bulk and block deals, the newest first.",
        &[feed(Some(Ask::open("feeds/bulk-block-deals", &[])), None, FEED)],
    ),
    page(
        "insiders",
        "Insiders",
        "What insiders bought and sold.",
        &[feed(Some(Ask::open("feeds/insider", &[])), None, FEED)],
    ),
    page(
        "orders",
        "Orders",
        "Orders and contracts that were won.",
        &[feed(
            Some(Ask::open("feeds/order-wins", &[])),
            Some(Ask::open("us/company/order-wins", &[("symbol", Given::Query("symbol"))])),
            FEED,
        )],
    ),
    page(
        "actions",
        "Corporate actions",
        "Splits, bonuses, dividends and the like.",
        &[feed(Some(Ask::open("feeds/corporate-actions", &[])), None, FEED)],
    ),
    page(
        "bands",
        "Price bands",
        "Stocks that hit a limit of their price band.",
        &[feed(
            Some(Ask::open("feeds/circuit", &[])),
            None,
            &[
                View::Controls,
                View::Figures(&["session", "hit_count", "band_date"]),
                View::Rows(TableSpec::within("hits", &[])),
            ],
        )],
    ),
    page(
        "filings",
        "Filings",
        "Filings with the SEC, the newest first.",
        &[feed(None, Some(Ask::open("us/feeds/sec", &[("symbol", Given::Query("symbol"))])), FEED)],
    ),
    page(
        "investors",
        "Investors",
        "Large investors and what they hold.",
        &[feed(
            None,
            Some(Ask::open("us/company/13f-holdings", &[("symbol", Given::Query("symbol"))])),
            FEED,
        )],
    ),
];
