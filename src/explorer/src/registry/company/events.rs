//! What a company reported: orders, corporate actions, filings.

use super::head::{HEAD, SYMBOL, tab};
use crate::spec::{Ask, Given, PageSpec, PartSpec, TableSpec, View};

pub(super) const PAGE: PageSpec = tab(
    "company/{symbol}/events",
    "Events",
    &[
        HEAD,
        PartSpec {
            id: "orders",
            title: "Orders and contracts",
            india: Some(Ask::of("company/order-wins", &[SYMBOL, ("limit", Given::Fixed("25"))])),
            us: Some(Ask::of("us/company/order-wins", &[SYMBOL, ("days", Given::Fixed("365"))])),
            views: &[View::Rows(TableSpec::of(&[
                "filed_on",
                "value_cr",
                "value_usd_m",
                "revenue_share_pct",
                "title",
                "client",
                "contract_type",
                "geography",
                "execution_months",
                "confidence",
            ]))],
        },
        PartSpec {
            id: "actions",
            title: "Corporate actions",
            india: Some(Ask::of(
                "company/corporate-actions",
                &[SYMBOL, ("limit", Given::Fixed("20")), ("upcoming", Given::Fixed("true"))],
            )),
            us: None,
            views: &[View::Rows(TableSpec::of(&[
                "ex_date",
                "action_type",
                "purpose",
                "record_date",
                "factor",
            ]))],
        },
        PartSpec {
            id: "filings",
            title: "Filings",
            india: None,
            us: Some(Ask::of(
                "us/feeds/sec",
                &[SYMBOL, ("form_type", Given::Fixed("all")), ("days", Given::Fixed("90"))],
            )),
            views: &[View::Rows(TableSpec::of(&[
                "filed_on",
                "form",
                "url",
                "report_date",
                "items",
                "title",
            ]))],
        },
    ],
);
