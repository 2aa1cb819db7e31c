//! What was reported: deals, insiders, orders, actions, price bands, filings.

use crate::spec::{Ask, Given, MenuGroup, PageSpec, PartSpec, TableSpec, View};

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

/// The columns of stocks at a limit of their price band.
const HITS: &[&str] = &[
    "symbol",
    "company_name",
    "direction",
    "change_pct",
    "locked",
    "traded_close",
    "limit_price",
    "band_pct",
    "turnover_cr",
    "market_cap_cr",
    "sector",
];

pub(super) const PAGES: &[PageSpec] = &[
    page(
        "deals",
        "Deals",
        "Bulk and block deals, the newest first.",
        &[feed(
            Some(Ask::open("feeds/bulk-block-deals", &[])),
            None,
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "side",
                    "value_cr",
                    "price",
                    "quantity",
                    "client",
                    "deal_type",
                    "deal_date",
                ])),
            ],
        )],
    ),
    page(
        "insiders",
        "Insiders",
        "What insiders bought and sold.",
        &[feed(
            Some(Ask::open("feeds/insider", &[])),
            None,
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "side",
                    "value_cr",
                    "shares",
                    "price",
                    "person",
                    "category",
                    "transaction_type",
                    "filed_on",
                ])),
            ],
        )],
    ),
    page(
        "orders",
        "Orders",
        "Orders and contracts that were won.",
        &[feed(
            Some(Ask::open("feeds/order-wins", &[])),
            Some(Ask::open("us/company/order-wins", &[("symbol", Given::Query("symbol"))])),
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "value_cr",
                    "value_usd_m",
                    "revenue_share_pct",
                    "filed_on",
                    "execution_months",
                    "contract_type",
                    "client",
                    "title",
                ])),
            ],
        )],
    ),
    page(
        "actions",
        "Corporate actions",
        "Splits, bonuses, dividends and the like.",
        &[feed(
            Some(Ask::open("feeds/corporate-actions", &[])),
            None,
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "ex_date",
                    "action_type",
                    "record_date",
                    "factor",
                    "purpose",
                ])),
            ],
        )],
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
                View::Rows(TableSpec::within("hits", HITS)),
            ],
        )],
    ),
    page(
        "filings",
        "Filings",
        "Filings with the SEC, the newest first.",
        &[feed(
            None,
            Some(Ask::open("us/feeds/sec", &[("symbol", Given::Query("symbol"))])),
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "form",
                    "filed_on",
                    "url",
                    "report_date",
                    "items",
                    "title",
                ])),
            ],
        )],
    ),
    page(
        "investors",
        "Investors",
        "Large investors and what they hold.",
        &[feed(
            None,
            Some(Ask::open("us/company/13f-holdings", &[("symbol", Given::Query("symbol"))])),
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "investor",
                    "portfolio_value_usd",
                    "portfolio_positions",
                    "report_date",
                    "style",
                    "filed_on",
                ])),
            ],
        )],
    ),
];
